"""I(X;Y), the information about the public value that a partition keeps.

Y is a function of X, so I(X;Y) = H(Y) = sum over blocks of -p(B) log p(B), nats.

Merging loses H(X) - H(Y) = sum over x of p(x) log p(B(x))/p(x), where B(x) is the block of x. The
share of a value x with company of mass at least m is therefore at least p(x) log(1 + m/p(x)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loglift.joint import FloatArray
from loglift.measures.entropy import plogp


@dataclass(frozen=True)
class Information:
    """v(B) = -p(B) log p(B)."""

    def values(self, sums: FloatArray) -> FloatArray:
        """Return -p(B) log p(B) of each block."""
        found: FloatArray = -plogp(sums[:, 0])
        return found

    def least_loss(self, p: FloatArray, company: FloatArray) -> FloatArray:
        """Return p log(1 + m/p) for each value with company of mass at least m."""
        found: FloatArray = p * np.log1p(company / p)
        return found

    def least_joint_loss(self, p: FloatArray, company: FloatArray) -> FloatArray:
        """Return p log(1 + m/p) + m log(1 + p/m) for each value with company of mass at least m.

        In a block with takers of mass l and company of mass M, each taker x loses
        p(x) log((l+M)/p(x)) and the company loses at least M log((l+M)/M) in all. The latter and
        log(l+M), per unit of l, grow with l and with M, so that the sum over the takers of the
        expression above, with l = p(x) and M = m(x), is at most what the block loses.
        """
        found: FloatArray = self.least_loss(p, company) + company * np.log1p(p / company)
        return found

    def most(self, blocks: float) -> float:
        """Return log k: the entropy of k equal blocks."""
        return math.log(blocks)

    def most_in_groups(self, p: FloatArray, blocks: FloatArray) -> FloatArray:
        """Return p log(k/p): k equal blocks that share the mass p."""
        found: FloatArray = p * np.log(blocks / p)
        return found


INFORMATION = Information()
