"""The interface of a utility: a number for each block that adds up over the blocks of a partition.

    U(partition) = sum over blocks B of v(B),

where v(B) depends on sums over the members of B only: p(B) first, then what else the utility
needs, such as p(u,B) for the values u of a target. Merging loses v(A) + v(B) - v(A u B) >= 0.
`Information` is I(X;Y); its compiled form, which the kernels call, is in `_utility_kernels`.
"""

from __future__ import annotations

from typing import Protocol

from loglift.joint import FloatArray


class Utility(Protocol):
    """A utility, nats. Sums are arrays of shape (blocks, t), the first column is p(B)."""

    def values(self, sums: FloatArray) -> FloatArray:
        """Return v(B) of each block; shape (blocks,)."""

    def least_loss(self, p: FloatArray, company: FloatArray) -> FloatArray:
        """Return the least that each value loses when it is merged.

        `p` is its mass, `company` the least mass of the other values of its block.
        """

    def least_joint_loss(self, p: FloatArray, company: FloatArray) -> FloatArray:
        """Return the least that each value and its company lose together, per value.

        For values that share their company: the company of several values is at least as heavy as
        the company of each, and contains no such value.
        """

    def most(self, blocks: float) -> float:
        """Return the largest utility of a partition into at most `blocks` blocks."""

    def most_in_groups(self, p: FloatArray, blocks: FloatArray) -> FloatArray:
        """Return the largest utility of a group of mass `p` with at most `blocks` blocks."""
