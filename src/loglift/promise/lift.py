"""The bound on log-lift as a promise.

For each sensitive value s and each finite side of the bound, a public value x gains

    n(s,x) n - e^-lower n(s) n(x)    and    e^upper n(s) n(x) - n(s,x) n,

with n(s) and n those of the whole table. Sums over a block that are at least zero say that the
log-lift of s in the block is within the bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import TOLERANCE, Bound
from loglift.sparse import (
    Cells,
    Mass,
    block_sums,
    by_rows,
    column_of,
    holders,
    in_parts,
    stacked,
    take_rows,
)


@dataclass(frozen=True, eq=False)
class LiftPromise:
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
        The bound on log-lift.

    """

    mass: Mass
    weight: FloatArray
    prior: FloatArray
    total: float
    bound: Bound

    @classmethod
    def of(cls, mass: Mass, bound: Bound) -> LiftPromise:
        """Return the promise for a trusted mass (n, m) of a whole table."""
        return cls(mass, mass.sum(axis=1), mass.sum(axis=0), float(mass.sum()), bound)

    @property
    def inequalities(self) -> int:
        """The number of inequalities: one for each sensitive value and finite side."""
        return self._sides * self.prior.size

    @property
    def scale(self) -> FloatArray:
        """1 / (n(s) n), for each inequality."""
        return np.tile(1 / (self.prior * self.total), self._sides)

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains of some values; see `Promise`. O(rows m)."""
        return self._gains(self.mass[rows], self.weight[rows], self.prior, tolerant=tolerant)

    def columns(self, *, tolerant: bool = False) -> Iterator[FloatArray]:
        """Yield the gains of all values, one inequality at a time."""
        for s in range(self.prior.size):
            column, prior = column_of(self.mass, s)[:, np.newaxis], self.prior[s : s + 1]
            yield from self._gains(column, self.weight, prior, tolerant=tolerant).T

    def safe(self) -> NDArray[np.bool_]:
        """Return which values are safe on their own. O(n m)."""
        found = [
            self.bound.is_safe(rows * self.total, self.weight[place][:, np.newaxis] * self.prior)
            for place, rows in in_parts(self.mass)
        ]
        return np.concatenate(found)

    def most_blocks(self, groups: IntArray | None = None) -> FloatArray:
        """Return an upper bound on the number of safe blocks in each group.

        With a finite lower bound every block contains every sensitive value, so a group has at
        most as many blocks as it has values that contain its rarest sensitive value.
        """
        count = 1 if groups is None else int(groups.max()) + 1
        if math.isinf(self.bound.lower):
            return np.full(count, math.inf)
        if groups is None:
            return np.array([float(holders(self.mass).min())])
        found = block_sums(_present(self.mass), groups)
        least = by_rows(lambda rows: rows.min(axis=1), found)
        return np.asarray(np.maximum(least, 1), dtype=np.float64)

    def fingerprint(self, rows: IntArray) -> FloatArray:
        """Return n(s,x) of some values: rows that are equal are interchangeable.

        Rows that are only proportional can belong to different blocks of a best partition.
        """
        return np.asarray(self.mass[rows], dtype=np.float64)

    def only(self, rows: IntArray) -> LiftPromise:
        """Return the promise for some of the values, against the same table."""
        if rows.size == self.weight.size:
            return self
        return self._of(take_rows(self.mass, rows), self.weight[rows])

    def blocks(self, labels: IntArray) -> LiftPromise:
        """Return the promise for the blocks of a partition in place of the values. O(cells)."""
        return self._of(block_sums(self.mass, labels), block_sums(self.weight, labels))

    def with_rest(self, rows: IntArray) -> LiftPromise:
        """Return the promise for some of the values and, last, all others as one value."""
        part = take_rows(self.mass, rows)
        rest = np.maximum(self.prior - part.sum(axis=0), 0)
        weight = self.weight[rows]
        return self._of(
            stacked([part, rest[np.newaxis]]),
            np.append(weight, max(self.total - weight.sum(), 0.0)),
        )

    def _of(self, mass: Mass, weight: FloatArray) -> LiftPromise:
        return LiftPromise(mass, weight, self.prior, self.total, self.bound)

    @property
    def _sides(self) -> int:
        """The number of sides that are inequalities, at least one."""
        return max(1, math.isfinite(self.bound.lower) + math.isfinite(self.bound.most))

    def _gains(
        self, mass: FloatArray, weight: FloatArray, prior: FloatArray, *, tolerant: bool = False
    ) -> FloatArray:
        expected = np.outer(weight, prior)
        less, more = (1.0, 1.0) if tolerant else (1 - TOLERANCE, 1 + TOLERANCE)
        gains = []
        if math.isfinite(self.bound.lower):
            gains.append(mass * self.total - self.bound.least / less * expected)
        if math.isfinite(self.bound.most):
            gains.append(self.bound.most / more * expected - mass * self.total)
        if not gains:  # an upper bound beyond what floats can hold excludes nothing
            gains.append(np.zeros_like(mass))
        return np.hstack(gains)


def _present(mass: Mass) -> Mass:
    """Return one in every cell that is not zero."""
    if isinstance(mass, Cells):
        return mass.mapped(lambda values: np.ones(values.size, dtype=np.int64))
    return cast("NDArray[Any]", mass > 0).astype(np.int64)
