"""The problem that every solver of merging takes: what a block must meet and what it is worth.

A problem is a promise, what blocks are worth, the values that stay intact and the least size of a
block. Solvers take problems and return block numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from loglift.errors import PartitionError
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.intact import Groups
from loglift.promise.bound import Bound
from loglift.promise.conditions import Conditions
from loglift.promise.knowledge import Knowledge
from loglift.promise.lift import LiftPromise
from loglift.promise.limits import TOLERANCE, Limits
from loglift.promise.promise import Promise
from loglift.promise.together import Together
from loglift.promise.with_conditions import WithConditions
from loglift.sparse import Mass, any_row, block_sums
from loglift.utility.information import Information
from loglift.utility.worth import Worth


class Arrays(NamedTuple):
    """A problem written out for the kernels.

    A block is safe iff the `gain` (n, k) of its members add up to at least `need` (k,) and meet the
    `conditions`. What it lacks is measured in units of 1/`scale` (k,). Its utility is that of the
    `sums` (n, t) of its members with the `coefficients` (t,); the first column is p(x).
    """

    gain: FloatArray
    sums: FloatArray
    need: FloatArray
    scale: FloatArray
    coefficients: FloatArray
    conditions: Conditions


@dataclass(frozen=True, eq=False)
class Problem:
    """Partition n public values into safe blocks with the largest utility.

    Attributes
    ----------
    promise
        What every block must meet.
    worth
        What a block is worth, from sums over its members; it holds the masses of the values.
    least
        The least size of a block, on the scale of `sizes`.
    groups
        Values of different groups are never merged; None when any may be merged.
    rows
        The values to partition; the others only stand for the rest of the table. None for all.
    largest
        The most values of a block; infinite where there is no such limit.
    members
        How many values each value stands for, where values are blocks; None for one each.
    records
        What counts towards `least`, for each value: its records, where the masses are sums of
        survey weights. None for the mass.

    """

    promise: Promise
    worth: Worth
    least: float = 0.0
    groups: Groups | None = None
    rows: IntArray | None = None
    records: FloatArray | None = None
    largest: float = math.inf
    members: FloatArray | None = None

    @classmethod
    def of(
        cls,
        mass: Mass,
        bound: Bound | Limits,
        *,
        worth: Worth | None = None,
        knowledge: Sequence[Knowledge] = (),
        least: float = 0.0,
        groups: Groups | None = None,
        records: FloatArray | None = None,
        largest: float = math.inf,
    ) -> Problem:
        """Return the problem of a trusted mass (n, m): the bound on log-lift, I(X;Y) by default.

        `knowledge` is that of readers who know more, to whom the bound is kept as well.
        """
        plain = LiftPromise.of(mass, bound)
        given = Information(plain.weight, plain.total) if worth is None else worth
        promise: Promise = plain
        if isinstance(bound, Limits) and bound.placed:
            promise = WithConditions.of(mass, bound)
        elif knowledge:
            more = (each.promise(mass.shape[0], bound) for each in knowledge)
            promise = Together(plain, tuple(more))
        return cls(promise, given, least=least, groups=groups, records=records, largest=largest)

    @property
    def size(self) -> int:
        """The number n of public values."""
        return self.worth.weight.size

    @property
    def total(self) -> float:
        """The mass n of the whole table."""
        return self.worth.total

    @property
    def sizes(self) -> FloatArray:
        """What counts towards the least size of a block, for each value."""
        return self.worth.weight if self.records is None else self.records

    @property
    def is_capped(self) -> bool:
        """Whether the number of values of a block is limited."""
        return math.isfinite(self.largest)

    @property
    def counted(self) -> FloatArray:
        """How many values each value stands for."""
        return np.ones(self.size) if self.members is None else self.members

    @property
    def _limits_of_size(self) -> list[tuple[float, FloatArray]]:
        """The inequalities about the size of a block: what is needed, and what each value gains."""
        limits = [(self.least, self.sizes)] if self.least > 0 else []
        return [*limits, (-self.largest, -self.counted)] if self.is_capped else limits

    @property
    def p(self) -> FloatArray:
        """p(x)."""
        p: FloatArray = self.worth.weight / self.worth.total
        return p

    @property
    def of_rows(self) -> Problem:
        """The same problem with I(X;Y) as its utility."""
        if isinstance(self.worth, Information):
            return self
        return replace(self, worth=Information(self.worth.weight, self.worth.total))

    @property
    def chosen(self) -> IntArray:
        """The values to partition."""
        return np.arange(self.size) if self.rows is None else self.rows

    @property
    def inequalities(self) -> int:
        """The number of inequalities, those of the size of a block included."""
        return self.promise.inequalities + (self.least > 0) + self.is_capped

    @property
    def need(self) -> FloatArray:
        """What the gains of a block must add up to; the least and the largest size last, if any."""
        return np.concatenate([self.promise.need, [need for need, _ in self._limits_of_size]])

    @property
    def scale(self) -> FloatArray:
        """The scale of each inequality."""
        scales = [1 / abs(need) for need, _ in self._limits_of_size]
        return np.concatenate([self.promise.scale, scales])

    def arrays(self, rows: Any = slice(None), *, tolerant: bool = False) -> Arrays:
        """Write out the problem of some values; with the tolerance only if asked. O(rows k)."""
        sums, coefficients = self.worth.sums(rows)
        sizes = [gain[rows, np.newaxis] for _, gain in self._limits_of_size]
        if tolerant and self.least > 0:
            sizes[0] = (1 + TOLERANCE) * sizes[0]
        gain = np.hstack([self.promise.gains(rows, tolerant=tolerant), *sizes])
        gain = np.ascontiguousarray(gain)
        conditions = self.promise.conditions(tolerant=tolerant)
        return Arrays(gain, sums, self.need, self.scale, coefficients, conditions)

    def scaled_inequalities(self, rows: Any) -> tuple[FloatArray, FloatArray]:
        """Return gains (rows, k) and needs (k,) with the tolerance, each on its scale."""
        gain = self.promise.gains(rows, tolerant=True) * self.promise.scale
        need = self.promise.need * self.promise.scale
        if self.least > 0:
            gain = np.hstack([gain, (self.sizes / self.total)[rows][:, np.newaxis]])
            need = np.append(need, self.least / self.total * (1 - TOLERANCE))
        if self.is_capped:
            gain = np.hstack([gain, -(self.counted / self.largest)[rows][:, np.newaxis]])
            need = np.append(need, -1 - TOLERANCE)
        return gain, need

    def only(self, rows: IntArray) -> Problem:
        """Return the problem of some of the values, against the same table."""
        if rows.size == self.size:
            return replace(self, rows=None)
        return replace(
            self,
            promise=self.promise.only(rows),
            worth=self.worth.only(rows),
            rows=None,
            records=None if self.records is None else self.records[rows],
            members=None if self.members is None else self.members[rows],
        )

    def blocks(self, labels: IntArray) -> Problem:
        """Return the problem with the blocks of a partition in place of the values."""
        return replace(
            self,
            promise=self.promise.blocks(labels),
            worth=self.worth.blocks(labels),
            records=None if self.records is None else block_sums(self.records, labels),
            members=block_sums(self.counted, labels) if self.is_capped else None,
        )

    def forced(self) -> IntArray:
        """Return values that are in one block in every safe partition, as canonical numbers."""
        labels, promise = np.arange(self.size), self.promise
        while True:
            found = promise.together()
            if found.max() + 1 == found.size:
                return canonical(labels)
            labels, promise = found[labels], promise.blocks(found)

    def of_blocks(self, labels: IntArray) -> Problem:
        """Return the problem of merging whole blocks of a partition; blocks are within groups."""
        groups = self.groups
        if groups is not None:
            names = [groups.names[number] for number in groups.numbers.tolist()]
            if len(np.unique(np.stack([labels, groups.numbers]), axis=1).T) > labels.max() + 1:
                raise PartitionError(
                    "a block of the earlier release mixes values of an intact column: leave out "
                    "intact (--intact), or the earlier release"
                )
            one_each = any_row(labels).tolist()
            numbers = canonical(groups.numbers[one_each])
            order = np.unique(numbers, return_index=True)[1]
            groups = Groups(numbers, tuple(names[one_each[i]] for i in order.tolist()))
        return replace(self.blocks(labels), groups=groups)

    def utility_of(self, labels: IntArray) -> float:
        """Return the utility of a partition of the values to partition, safe or not."""
        worth = self.worth if self.rows is None else self.worth.only(self.rows)
        return float(worth.blocks(labels).values().sum())

    def is_safe(self, labels: IntArray) -> bool:
        """Return whether a partition of the values to partition meets promise and size limits."""
        blocks = self.only(self.chosen).blocks(labels)
        enough, few = blocks.sizes >= self.least * (1 - TOLERANCE), blocks.counted <= self.largest
        return bool(enough.all() and few.all() and blocks.promise.safe().all())

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
        records = self.records
        if records is not None:
            rest = records.sum() - records[members].sum()
            records = np.append(records[members], rest)
        return replace(
            self,
            promise=self.promise.with_rest(members),
            worth=self.worth.with_rest(members),
            groups=None,
            rows=np.arange(members.size),
            records=records,
            members=np.append(self.counted[members], 0.0) if self.is_capped else None,
        )


# Takes the problem of a group and the numbers of its values; returns their block numbers.
GroupSolver: TypeAlias = Callable[[Problem, IntArray], IntArray]
