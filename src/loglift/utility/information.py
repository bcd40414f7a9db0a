"""I(X;Y), the information about the public value that a partition keeps: the paper's utility.

Y is a function of X, so I(X;Y) = H(Y) = sum over blocks of -p(B) log p(B), nats.

Merging loses H(X) - H(Y) = sum over x of p(x) log p(B(x))/p(x), where B(x) is the block of x. The
share of a value x with company of mass at least m is therefore at least p(x) log(1 + m/p(x)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import drawn_information, plogp
from loglift.sparse import Mass, block_sums


@dataclass(frozen=True, eq=False)
class Information:
    """v(B) = -p(B) log p(B), from the masses n(x) of the values and the mass n of the table."""

    weight: FloatArray
    total: float

    @property
    def joint_weight(self) -> float:
        """One: it is I(X;Y) itself."""
        return 1.0

    def sums(self, rows: Any = slice(None)) -> tuple[FloatArray, FloatArray]:
        """Return p(x) of some values, shape (rows, 1), and the coefficient -1."""
        return self.weight[rows][:, np.newaxis] / self.total, np.array([-1.0])

    def values(self) -> FloatArray:
        """Return -p(x) log p(x) of each value."""
        found: FloatArray = -plogp(self.weight / self.total)
        return found

    def of_channel(self, channel: Mass) -> float:
        """Return I(X;Y) of a channel."""
        return drawn_information(self.weight, channel)

    def most(self, information: float) -> float:
        """Return the information itself."""
        return information

    def only(self, rows: IntArray) -> Information:
        """Return the same for some of the values."""
        return Information(self.weight[rows], self.total)

    def alone(self, rows: IntArray) -> Information:
        """Return the same for a table that has these values only."""
        weight = self.weight[rows]
        return Information(weight, float(weight.sum()))

    def blocks(self, labels: IntArray) -> Information:
        """Return the same for the blocks of a partition."""
        return Information(block_sums(self.weight, labels), self.total)

    def with_rest(self, rows: IntArray) -> Information:
        """Return the same for some of the values and, last, all others as one value."""
        weight = self.weight[rows]
        rest = max(self.weight.sum() - weight.sum(), 0.0)
        return Information(np.append(weight, rest), self.total)


def least_loss(p: FloatArray, company: FloatArray) -> FloatArray:
    """Return p log(1 + m/p), the least I(X;Y) that each value loses with company of mass m."""
    found: FloatArray = p * np.log1p(company / p)
    return found


def least_joint_loss(p: FloatArray, company: FloatArray) -> FloatArray:
    """Return p log(1 + m/p) + m log(1 + p/m) for each value with company of mass at least m.

    It is the least I(X;Y) that each value and its company lose together, per value, for values that
    share their company: the company of several values is at least as heavy as that of each, and
    contains no such value. In a block with takers of mass l and company of mass M, each taker x
    loses p(x) log((l+M)/p(x)) and the company loses at least M log((l+M)/M) in all. The latter and
    log(l+M), per unit of l, grow with l and with M, so that the sum over the takers of the
    expression above, with l = p(x) and M = m(x), is at most what the block loses.
    """
    found: FloatArray = least_loss(p, company) + company * np.log1p(p / company)
    return found


def most_in_groups(p: FloatArray, blocks: FloatArray) -> FloatArray:
    """Return p log(k/p): the largest I(X;Y) of k blocks that share the mass p: equal ones."""
    found: FloatArray = p * np.log(blocks / p)
    return found
