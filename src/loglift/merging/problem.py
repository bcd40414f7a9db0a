"""The problem that every solver of merging takes: what a block must meet and what it is worth.

A problem is a promise, a utility, the masses of the public values, the values that stay intact and
the least mass of a block. Solvers take problems and return block numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.intact import Groups
from loglift.promise.bound import TOLERANCE, Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.promise import Promise
from loglift.sparse import Mass, block_sums
from loglift.utility.information import INFORMATION
from loglift.utility.utility import Utility


class Arrays(NamedTuple):
    """A problem written out for the kernels.

    A block is safe iff the `gain` (n, k) of its members add up to at least `need` (k,). What it
    lacks is measured in units of 1/`scale` (k,). Its utility depends on the `sums` (n, t) of its
    members; the first column is p(x).
    """

    gain: FloatArray
    sums: FloatArray
    need: FloatArray
    scale: FloatArray


@dataclass(frozen=True, eq=False)
class Problem:
    """Partition n public values into safe blocks with the largest utility.

    Attributes
    ----------
    promise
        What every block must meet.
    sums
        What the utility adds up, shape (n, t), as masses; the first column is n(x).
    total
        The mass n of the whole table.
    utility
        What a block is worth, from its sums divided by `total`.
    least
        The least mass of a block, on the scale of `sums`.
    groups
        Values of different groups are never merged; None when any may be merged.
    rows
        The values to partition; the others only stand for the rest of the table. None for all.

    """

    promise: Promise
    sums: FloatArray
    total: float
    utility: Utility = INFORMATION
    least: float = 0.0
    groups: Groups | None = None
    rows: IntArray | None = None

    def __post_init__(self) -> None:
        if self.utility is not INFORMATION:  # else solvers would maximise I(X;Y) all the same
            raise TypeError("the kernels know the utility I(X;Y) only: utility/_utility_kernels.py")

    @classmethod
    def of(
        cls, mass: Mass, bound: Bound, *, least: float = 0.0, groups: Groups | None = None
    ) -> Problem:
        """Return the problem of a trusted mass (n, m): the bound on log-lift, and I(X;Y)."""
        promise = LiftPromise.of(mass, bound)
        sums = promise.weight[:, np.newaxis]
        return cls(promise, sums, promise.total, least=least, groups=groups)

    @property
    def size(self) -> int:
        """The number n of public values."""
        return len(self.sums)

    @property
    def shares(self) -> FloatArray:
        """The sums (n, t) as shares of the table."""
        shares: FloatArray = self.sums / self.total
        return shares

    @property
    def p(self) -> FloatArray:
        """p(x)."""
        p: FloatArray = self.sums[:, 0] / self.total
        return p

    @property
    def chosen(self) -> IntArray:
        """The values to partition."""
        return np.arange(self.size) if self.rows is None else self.rows

    @property
    def inequalities(self) -> int:
        """The number of inequalities, that of the least mass included."""
        return self.promise.inequalities + (self.least > 0)

    @property
    def need(self) -> FloatArray:
        """What the gains of a block must add up to: zero, and the least mass last if any."""
        need = np.zeros(self.promise.inequalities)
        return np.append(need, self.least) if self.least > 0 else need

    @property
    def scale(self) -> FloatArray:
        """The scale of each inequality."""
        scale = self.promise.scale
        return np.append(scale, 1 / self.least) if self.least > 0 else scale

    def arrays(self, rows: Any = slice(None), *, tolerant: bool = False) -> Arrays:
        """Write out the problem of some values; with the tolerance only if asked. O(rows k)."""
        sums = self.sums[rows]
        gain = self.promise.gains(rows, tolerant=tolerant)
        if self.least > 0:
            more = 1 + TOLERANCE if tolerant else 1.0
            gain = np.hstack([gain, more * sums[:, :1]])
        return Arrays(np.ascontiguousarray(gain), sums / self.total, self.need, self.scale)

    def scaled_inequalities(self, rows: Any) -> tuple[FloatArray, FloatArray]:
        """Return gains (rows, k) and needs (k,) with the tolerance, each on its scale."""
        gain = self.promise.gains(rows, tolerant=True) * self.promise.scale
        need = np.zeros(self.promise.inequalities)
        if self.least > 0:
            gain = np.hstack([gain, self.p[rows][:, np.newaxis]])
            need = np.append(need, self.least / self.total * (1 - TOLERANCE))
        return gain, need

    def only(self, rows: IntArray) -> Problem:
        """Return the problem of some of the values, against the same table."""
        if rows.size == self.size:
            return replace(self, rows=None)
        return replace(self, promise=self.promise.only(rows), sums=self.sums[rows], rows=None)

    def blocks(self, labels: IntArray) -> Problem:
        """Return the problem with the blocks of a partition in place of the values."""
        return replace(
            self, promise=self.promise.blocks(labels), sums=block_sums(self.sums, labels)
        )

    def utility_of(self, labels: IntArray) -> float:
        """Return the utility of a partition of the values to partition, safe or not, nats."""
        return float(self.utility.values(block_sums(self.shares[self.chosen], labels)).sum())

    def in_groups(self, solve: GroupSolver) -> IntArray:
        """Solve each group apart and put the partitions together; canonical block numbers.

        Utility adds up over blocks, so the best partitions of the groups are the best together. A
        group of one value needs no solver. `solve` gets the problem of a group, in which the rest
        of the table is one more value, last, and the numbers of the group's values in this
        problem. The cost of a group does not grow with the number of groups.
        """
        if self.groups is None:
            members = np.arange(self.size)
            return canonical(solve(self, members)) if self.size > 1 else members
        labels, used = np.zeros(self.size, dtype=np.int64), 0
        for members in self.groups.members():
            if members.size > 1:
                labels[members] = solve(self._group(members), members)
            labels[members] += used
            used = int(labels[members].max()) + 1
        return canonical(labels)

    def _group(self, members: IntArray) -> Problem:
        if members.size == self.size:
            return replace(self, groups=None)
        sums = self.sums[members]
        rest = np.maximum(self.sums.sum(axis=0) - sums.sum(axis=0), 0)
        return replace(
            self,
            promise=self.promise.with_rest(members),
            sums=np.vstack([sums, rest]),
            groups=None,
            rows=np.arange(members.size),
        )


# From the problem of a group, and the numbers of its values, to their block numbers.
GroupSolver: TypeAlias = Callable[[Problem, IntArray], IntArray]
