"""The bound on log-lift as a promise.

For each sensitive value s and each finite side of the bound, a public value x gains

    n(s,x) n - e^-lower n(s) n(x)    and    e^upper n(s) n(x) - n(s,x) n,

with n(s) and n those of the whole table. Sums over a block that are at least zero say that the
log-lift of s in the block is within the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bipartition import safe_rows
from loglift.promise.bound import Bound
from loglift.promise.limits import TOLERANCE, Limits
from loglift.promise.promise import OnlyInequalities
from loglift.sparse import (
    CELLS_PER_PART,
    Cells,
    Mass,
    block_sums,
    by_rows,
    column_of,
    holders,
    in_parts,
    stacked,
    take_columns,
    take_rows,
)


@dataclass(frozen=True, eq=False)
class LiftPromise(OnlyInequalities):
    """The bound on the log-lift of every sensitive value that has a column.

    Attributes
    ----------
    mass
        n(s,x), shape (n, m): one row per public value or block. A sensitive value without a column
        is not bounded.
    weight
        n(x), shape (n,), all sensitive values included.
    prior, total
        n(s), shape (m,), and n: those of the whole table.
    bound
        The bound on log-lift, or the limits of each column.

    """

    mass: Mass
    weight: FloatArray
    prior: FloatArray
    total: float
    bound: Bound | Limits

    @classmethod
    def of(cls, mass: Mass, bound: Bound | Limits) -> LiftPromise:
        """Return the promise for a trusted mass (n, m) of a whole table."""
        return cls(mass, mass.sum(axis=1), mass.sum(axis=0), float(mass.sum()), bound)

    @property
    def inequalities(self) -> int:
        """The number of inequalities: one for each sensitive value and finite side."""
        return sum(columns.size for columns in self.sides)

    @property
    def scale(self) -> FloatArray:
        """1 / (n(s) n), for each inequality."""
        return np.concatenate([1 / (self.prior[columns] * self.total) for columns in self.sides])

    @property
    def sides(self) -> tuple[IntArray, IntArray]:
        """The columns with a lower and with an upper limit: the order of the inequalities.

        An upper limit beyond what floats can hold excludes nothing. Where no limit is left, the
        upper one of every column is an inequality that is always met.
        """
        lower, upper = bounded_sides(self.bound, self.prior.size)
        return (lower, upper) if lower.size or upper.size else (lower, np.arange(self.prior.size))

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains of some values; see `Promise`. O(rows m)."""
        mass, weight = self.mass[rows], self.weight[rows]
        expected, found = np.outer(weight, self.prior), mass * self.total
        return gains_of(found, expected, self.bound, self.sides, tolerant=tolerant)

    def columns(self, *, tolerant: bool = False) -> Iterator[FloatArray]:
        """Yield the gains of all values, one inequality at a time."""
        lower, upper = (set(columns.tolist()) for columns in self.sides)
        for s in range(self.prior.size):
            found = column_of(self.mass, s)[:, np.newaxis] * self.total
            expected = (self.weight * self.prior[s])[:, np.newaxis]
            here = np.zeros(1, dtype=np.int64)
            sides = (here[: s in lower], here[: s in upper])
            bound = self.bound.of_columns(slice(s, s + 1))
            yield from gains_of(found, expected, bound, sides, tolerant=tolerant).T

    def safe(self) -> NDArray[np.bool_]:
        """Return which values are safe on their own. O(n m)."""
        found = [
            self.bound.within(rows * self.total, self.weight[place][:, np.newaxis] * self.prior)
            for place, rows in in_parts(self.mass)
        ]
        return np.concatenate(found)

    def safe_drawn(self, channel: FloatArray) -> NDArray[np.bool_]:
        """Return which values of a channel are safe; see `Promise`. O(n m values)."""
        return safe_rows(channel.T @ (self.mass[:] / self.total), self.bound)

    def shortfalls(self) -> FloatArray:
        """Return what each value lacks on its own; see `Promise`. O(n m)."""
        found, step = [], max(1, CELLS_PER_PART // self.inequalities)
        for start in range(0, self.weight.size, step):
            gain = self.gains(slice(start, start + step))
            found.append(np.maximum(-gain, 0) @ self.scale)
        return np.concatenate(found)

    @property
    def cells(self) -> int:
        """The number of pairs of a value and a sensitive value."""
        return int(self.mass.shape[0] * self.mass.shape[1])

    def most_blocks(self, groups: IntArray | None = None) -> FloatArray:
        """Return an upper bound on the number of safe blocks in each group.

        A sensitive value with a finite lower bound is in every block, so a group has at most as
        many blocks as it has values that contain the rarest of them.
        """
        count, needed = 1 if groups is None else int(groups.max()) + 1, self.sides[0]
        if not needed.size:
            return np.full(count, math.inf)
        if groups is None:
            return np.array([float(holders(self.mass)[needed].min())])
        found = block_sums(present(take_columns(self.mass, needed)), groups)
        least = by_rows(lambda rows: rows.min(axis=1), found)
        return np.asarray(np.maximum(least, 1), dtype=np.float64)

    def together(self) -> IntArray:
        """Return values that are in one block in every safe partition: all of them, or none.

        Every block holds the only value that has an s with a lower limit, if there is such a value.
        """
        one = bool((holders(self.mass)[self.sides[0]] == 1).any())
        return np.zeros(self.weight.size, dtype=np.int64) if one else np.arange(self.weight.size)

    def fingerprint(self, rows: IntArray) -> FloatArray:
        """Return n(s,x) of some values: rows that are equal are interchangeable.

        Rows that are only proportional can belong to different blocks of a best partition.
        """
        return np.asarray(self.mass[rows], dtype=np.float64)

    def only(self, rows: IntArray) -> LiftPromise:
        """Return the promise for some of the values, against the same table."""
        if rows.size == self.weight.size:
            return self
        return replace(self, mass=take_rows(self.mass, rows), weight=self.weight[rows])

    def blocks(self, labels: IntArray) -> LiftPromise:
        """Return the promise for the blocks of a partition in place of the values. O(cells)."""
        return replace(
            self, mass=block_sums(self.mass, labels), weight=block_sums(self.weight, labels)
        )

    def with_rest(self, rows: IntArray) -> LiftPromise:
        """Return the promise for some of the values and, last, all others as one value."""
        part = take_rows(self.mass, rows)
        rest = np.maximum(self.prior - part.sum(axis=0), 0)
        weight = self.weight[rows]
        return replace(
            self,
            mass=stacked([part, rest[np.newaxis]]),
            weight=np.append(weight, max(self.total - weight.sum(), 0.0)),
        )


def bounded_sides(bound: Bound | Limits, size: int) -> tuple[IntArray, IntArray]:
    """Return which of `size` columns have a finite lower, and which a finite upper limit."""
    lower = np.broadcast_to(np.isfinite(bound.lower), size)
    upper = np.broadcast_to(np.isfinite(bound.most), size)
    return np.flatnonzero(lower), np.flatnonzero(upper)


def gains_of(
    found: FloatArray,
    expected: FloatArray,
    bound: Bound | Limits,
    sides: tuple[IntArray, IntArray],
    *,
    tolerant: bool,
) -> FloatArray:
    """Return what rows of masses gain: found - least expected, then most expected - found.

    `sides` are the columns with a lower and with an upper limit. The tolerance is in the limits of
    a bound; without it they are taken as they were given.
    """
    less, more = (1.0, 1.0) if tolerant else (1 - TOLERANCE, 1 + TOLERANCE)
    width = found.shape[1]
    least, most = (
        np.broadcast_to(limit, width) for limit in (bound.least / less, bound.most / more)
    )
    gains = []
    for columns, sign, limit in zip(sides, (1, -1), (least, most), strict=True):
        if columns.size == width and np.isfinite(limit).all():
            gains.append(sign * (found - limit * expected))
        elif columns.size:
            factor = np.where(np.isfinite(limit[columns]), limit[columns], 0.0)
            part = sign * (found[:, columns] - factor * expected[:, columns])
            gains.append(np.where(np.isfinite(limit[columns]), part, 0.0))
    return np.hstack(gains) if gains else found[:, :0]  # a value that is not bounded


def present(mass: Mass) -> Mass:
    """Return one in every cell that is not zero."""
    if isinstance(mass, Cells):
        return mass.mapped(lambda values: np.ones(values.size, dtype=np.int64))
    return cast("NDArray[Any]", mass > 0).astype(np.int64)
