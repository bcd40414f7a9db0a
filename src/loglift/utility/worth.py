"""The interface of what solvers maximise: a number for each block that adds up over a partition.

    U(partition) = sum over blocks B of v(B),

where v(B) depends on sums over the members of B only:

    v(B) = sum over c of a(c) f(t(c)),    f(t) = t log t.

The first sum is t(0) = p(B), with a negative coefficient; the others are p(B|u) for the values u of
targets. Merging loses v(A) + v(B) - v(A u B) >= 0. `Information` is I(X;Y), a single sum with the
coefficient -1. `WeightedTargets` adds targets. `_utility_kernels` has what the compiled loops call.
"""

from __future__ import annotations

from typing import Any, Protocol

from loglift.joint import FloatArray, IntArray
from loglift.sparse import Mass


class Worth(Protocol):
    """What blocks of n public values are worth."""

    @property
    def weight(self) -> FloatArray:
        """The masses n(x), shape (n,)."""

    @property
    def total(self) -> float:
        """The mass n of the whole table."""

    @property
    def joint_weight(self) -> float:
        """What one nat of I(X;Y) is worth in it: positive."""

    def sums(self, rows: Any = slice(None)) -> tuple[FloatArray, FloatArray]:
        """Return the sums (rows, t) of some values, and the coefficients (t,).

        Sums that are zero for all these values are left out.
        """

    def values(self) -> FloatArray:
        """Return what each value is worth as a block of its own; shape (n,)."""

    def of_channel(self, channel: Mass) -> float:
        """Return what a channel p(y|x) is worth, one row per value."""

    def most(self, information: float) -> float:
        """Return the most that a release with at most this I(X;Y), in nats, is worth."""

    def only(self, rows: IntArray) -> Worth:
        """Return the same for some of the values, against the same table."""

    def alone(self, rows: IntArray) -> Worth:
        """Return the same for a table that has these values only.

        Where no released value stands for values of different groups, a release is worth what the
        groups are worth as blocks, plus the sum over groups of p(g) times what it is worth there.
        """

    def blocks(self, labels: IntArray) -> Worth:
        """Return the same for the blocks of a partition in place of the values."""

    def with_rest(self, rows: IntArray) -> Worth:
        """Return the same for some of the values and, last, all others as one value."""
