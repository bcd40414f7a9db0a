"""The promise to one reader who knows more, as the solvers take it.

A reader who knows the context c of a record believes in s by a reference r(s|c). Every block B that
has the context is to be within the bound there; see `loglift.promise.knowledge`:

    e^-lower r(s|c) n(c,B)  <=  n(s,c,B)  <=  e^upper r(s|c) n(c,B).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound, limits_of
from loglift.promise.lift import bounded_sides, gains_of
from loglift.promise.limits import TOLERANCE, Limits
from loglift.promise.promise import OnlyInequalities
from loglift.sparse import Cells, block_sums, components, holders, take_columns, with_rest

MAX_WRITTEN_CELLS = 2**22  # of the columns that are written out at a time: 32 MB
_TINY = 1e-300  # what is missing is more than nothing, however it is rounded


@dataclass(frozen=True, eq=False)
class ContextPromise(OnlyInequalities):
    """The inequalities of one reader, for the solvers; see `Promise`.

    Attributes
    ----------
    mass
        n(s,c,x), shape (n, columns): a column for each pair (c, s) that asks for something.
    weights
        n(c,x), shape (n, contexts).
    context
        The context of each column.
    prior, total
        r(s|c) = prior / total of each column.
    bound
        The bound on log-lift, or the limits of each column.

    """

    mass: Cells
    weights: Cells
    context: IntArray
    prior: FloatArray
    total: FloatArray
    bound: Bound | Limits

    @cached_property
    def sides(self) -> tuple[IntArray, IntArray]:
        """The columns with a lower and with an upper limit: the order of the inequalities."""
        return bounded_sides(self.bound, self.prior.size)

    @property
    def inequalities(self) -> int:
        """The number of inequalities."""
        return sum(columns.size for columns in self.sides)

    @property
    def scale(self) -> FloatArray:
        """1 / (prior total), for each inequality."""
        return np.concatenate(
            [1 / (self.prior[columns] * self.total[columns]) for columns in self.sides]
        )

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains of some values; see `Promise`. O(rows columns)."""
        return self._gains(self.mass[rows], self.weights[rows], slice(None), tolerant=tolerant)

    def columns(self, *, tolerant: bool = False) -> Iterator[FloatArray]:
        """Yield the gains of all values, one inequality at a time."""
        step = max(1, MAX_WRITTEN_CELLS // max(1, self.mass.shape[0]))
        for start in range(0, self.prior.size, step):
            place = np.arange(start, min(start + step, self.prior.size))
            mass = take_columns(self.mass, place)[:]
            used = np.unique(self.context[place])
            weights = take_columns(self.weights, used)[:]
            part = self._gains(mass, weights, place, tolerant=tolerant, among=used)
            yield from part.T

    def safe(self) -> NDArray[np.bool_]:
        """Return which values are safe on their own, with the tolerance. O(cells)."""
        lacking = self._lacking_of_pairs(self._bounds.least, self._bounds.most)
        safe = np.ones(self.mass.shape[0], dtype=bool)
        safe[self.weights.rows[lacking > 0]] = False
        return safe

    def safe_drawn(self, channel: FloatArray) -> NDArray[np.bool_]:
        """Return which values of a channel are safe; see `Promise`. O(n columns values)."""
        gains = channel.T @ self.gains(slice(None), tolerant=True)
        return np.asarray((gains >= 0).all(axis=1))

    def shortfalls(self) -> FloatArray:
        """Return what each value lacks on its own; see `Promise`. O(cells)."""
        return self.needs()[0]

    def needs(self) -> tuple[FloatArray, IntArray]:
        """Return what each value lacks, and the context it lacks most in. O(cells log cells)."""
        bounds, size = self._bounds, self.mass.shape[0]
        least, most = bounds.least / (1 - TOLERANCE), bounds.most / (1 + TOLERANCE)
        lacking = self._lacking_of_pairs(least, most)
        total: FloatArray = np.bincount(self.weights.rows, lacking, size).astype(np.float64)
        neediest = np.zeros(size, dtype=np.int64)
        order = np.argsort(lacking, kind="stable")  # the largest is written last
        neediest[self.weights.rows[order]] = self.weights.columns[order]
        return total, neediest

    @property
    def cells(self) -> int:
        """The number of cells to look at."""
        return int(self.mass.values.size)

    def _lacking_of_pairs(self, least: FloatArray, most: FloatArray) -> FloatArray:
        """Return what each pair of a value and a context lacks, in the order of the weights.

        A value s that does not occur with the pair lacks least r(s|c) n(c,x). All of these are
        added up at once, by what the whole context asks for less what the values ask for that do
        occur; so only cells that are not zero are looked at.
        """
        lower, upper = self.sides
        asks = np.zeros(self.prior.size)  # on the scale of the inequalities
        asks[lower] = least[lower] / self.total[lower]
        width = self.weights.width
        needed = np.bincount(self.context[lower], minlength=width)
        wanted = np.bincount(self.context[lower], asks[lower], minlength=width)
        columns, pair = self.mass.columns, self._pair_of_cell
        weight = self.weights.values[pair]
        expected = weight * self.prior[columns]
        found = self.mass.values * self.total[columns]
        scale = self.prior[columns] * self.total[columns]
        violated = np.maximum(least[columns] * expected - found, 0)
        limited = np.isin(columns, upper) if upper.size < self.prior.size else slice(None)
        above = np.maximum(found[limited] - most[columns[limited]] * expected[limited], 0)
        violated[limited] += above
        pairs = self.weights.values.size
        is_needed = np.zeros(self.prior.size, dtype=bool)
        is_needed[lower] = True
        there = is_needed[columns]
        present = np.bincount(pair[there], minlength=pairs)
        met = np.bincount(pair[there], asks[columns[there]], minlength=pairs)
        of = self.weights.columns
        missing = np.where(present == needed[of], 0.0, np.maximum(wanted[of] - met, _TINY))
        below: FloatArray = np.bincount(pair, violated / scale, pairs).astype(np.float64)
        return np.asarray(below + self.weights.values * missing)

    @cached_property
    def _pair_of_cell(self) -> IntArray:
        """The number of the weight that belongs to each cell of the mass."""
        keys = self.weights.rows * self.weights.width + self.weights.columns
        wanted = self.mass.rows * self.weights.width + self.context[self.mass.columns]
        return np.searchsorted(keys, wanted)

    @property
    def _bounds(self) -> Limits:
        """The limits of each column."""
        return limits_of(self.bound, self.prior.size)

    def most_blocks(self, groups: IntArray | None = None) -> FloatArray:
        """Return an upper bound on the number of safe blocks in each group.

        A block with a context has all of its values with a lower limit; so no more blocks have it
        than public values have the rarest of them, and every block has some context.
        """
        if groups is not None:
            return np.full(int(groups.max()) + 1, math.inf)
        needed, of = self.sides[0], holders(self.mass).astype(np.float64)
        most = holders(self.weights).astype(np.float64)
        np.minimum.at(most, self.context[needed], of[needed])
        return np.array([most.sum()])

    def together(self) -> IntArray:
        """Return values that are in one block in every safe partition; see `Promise`. O(cells).

        Where a single value has an s with a lower limit in a context, every block with that context
        holds this value: all values with the context are together.
        """
        needed = self.sides[0]
        joins = np.zeros(self.weights.width, dtype=bool)
        joins[self.context[needed[holders(self.mass)[needed] == 1]]] = True
        used = joins[self.weights.columns]
        return components(self.weights.rows[used], self.weights.columns[used], self.mass.shape[0])

    def fingerprint(self, rows: IntArray) -> FloatArray:
        """Return n(s,c,x) of some values: rows that are equal are interchangeable."""
        return np.asarray(self.mass[rows], dtype=np.float64)

    def only(self, rows: IntArray) -> ContextPromise:
        """Return the promise for some of the values, against the same table."""
        return replace(self, mass=self.mass.take(rows), weights=self.weights.take(rows))

    def blocks(self, labels: IntArray) -> ContextPromise:
        """Return the promise for the blocks of a partition in place of the values."""
        return replace(
            self, mass=block_sums(self.mass, labels), weights=block_sums(self.weights, labels)
        )

    def with_rest(self, rows: IntArray) -> ContextPromise:
        """Return the promise for some of the values and, last, all others as one value."""
        return replace(self, mass=with_rest(self.mass, rows), weights=with_rest(self.weights, rows))

    def _gains(
        self,
        mass: FloatArray,
        weights: FloatArray,
        columns: Any,
        *,
        tolerant: bool,
        among: IntArray | None = None,
    ) -> FloatArray:
        """Return the gains of rows for some columns; `among` are the contexts of the weights."""
        context, bound = self.context[columns], self.bound.of_columns(columns)
        place = context if among is None else np.searchsorted(among, context)
        expected = weights[:, place] * self.prior[columns]
        sides = bounded_sides(bound, context.size)
        found = mass * self.total[columns]
        if not (sides[0].size or sides[1].size):
            return np.zeros((len(mass), 0))
        return gains_of(found, expected, bound, sides, tolerant=tolerant)
