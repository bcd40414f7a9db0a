"""Readers who know more than the release, and what a block must not tell them.

A reader who knows the context c of a record (a column, or what an earlier release says of it)
believes in s by a reference r(s|c) before the release, and by p(s|c,B) after it. Every block B is
to be within the bound of each s, in every context c that occurs in it:

    e^-lower r(s|c) n(c,B)  <=  n(s,c,B)  <=  e^upper r(s|c) n(c,B).

These are inequalities that add up, as those of the bound itself. For a known column r(s|c) is
p(s|c): what the column tells on its own is known before. For an earlier release it is p(s): all
releases together are to be within the bound. A value s with r(s|c) = 0 asks for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import TOLERANCE, Bound, Limits
from loglift.promise.integers import DENOMINATOR, exactly_safe
from loglift.promise.lift import bounded_sides, gains_of
from loglift.sparse import (
    Cells,
    Mass,
    any_row,
    as_cells,
    block_sums,
    components,
    dense,
    holders,
    in_parts,
    refinement,
    stacked,
    take_columns,
    take_rows,
)

_TINY = 1e-300  # what is missing is more than nothing, however it is rounded


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What a reader knows beside the release, counted against public and sensitive values.

    The records are given as entries: entry e stands for the records counts[of[e]] of the public
    value rows[e], of which the share shares[e] / denominator has the context contexts[e].

    Attributes
    ----------
    name
        Who knows it, in words: "readers who know region".
    before
        What they compare with, in words: "what region tells alone", or "the whole table".
    labels
        What each context is, for messages.
    counts
        n(s) of each kind of record, shape (kinds, m).
    of, rows, contexts
        The kind, the public value and the context of each entry.
    shares, denominator
        Whole numbers; all 1 unless an earlier release was drawn at random.
    references, reference_of
        n(s) that a reader compares with, shape (references, m), and the number of that of each
        context.

    """

    name: str
    before: str
    labels: tuple[Any, ...]
    counts: Mass
    of: IntArray
    rows: IntArray
    contexts: IntArray
    shares: NDArray[Any]
    denominator: int
    references: NDArray[Any]
    reference_of: IntArray

    @property
    def is_drawn(self) -> bool:
        """Whether contexts are drawn at random."""
        return self.denominator > 1

    def promise(self, size: int, bound: Bound | Limits) -> KnowingPromise:
        """Return the promise for public values 0 to size - 1, on the scale of the counts."""
        cells, m = as_cells(self.counts), self.counts.shape[1]
        taken = cells.take(self.of)
        share = (self.shares / self.denominator).astype(np.float64)[taken.rows]
        keys = self.contexts[taken.rows] * m + taken.columns
        width = self.reference_of.size * m
        mass = Cells.of(
            self.rows[taken.rows], keys, taken.values.astype(np.float64) * share, (size, width)
        )
        context, s = np.divmod(np.arange(width), m)
        prior = self.references[self.reference_of[context], s].astype(np.float64)
        total = self.references.sum(axis=1).astype(np.float64)[self.reference_of]
        asked = np.flatnonzero(prior > 0)
        limits = bound
        if isinstance(bound, Limits):
            limits = Limits(bound.lower[s[asked]], bound.upper[s[asked]])
        weights = Cells.of(
            mass.rows, context[mass.columns], mass.values, (size, self.reference_of.size)
        )
        return KnowingPromise(
            take_columns(mass, asked),
            weights,
            context[asked],
            prior[asked],
            total[context[asked]],
            limits,
        )

    def safe(self, released: Released, bound: Bound | Limits) -> NDArray[np.bool_]:
        """Return which released values tell no reader too much, decided in exact arithmetic."""
        table = self.told(released)
        safe = np.ones(released.size, dtype=bool)
        safe[table.values[~self.safe_pairs(table, bound)]] = False
        return safe

    def safe_pairs(self, told: Told, bound: Bound | Limits) -> NDArray[np.bool_]:
        """Return which pairs of a released value and a context are safe, exactly."""
        return exactly_safe(told.counts, bound, self.references[self.reference_of[told.contexts]])

    def against(self, told: Told, prior: NDArray[Any]) -> FloatArray:
        """Return the largest |log-lift| of each row against other counts of s; nats."""
        counts, before = dense(told.counts).astype(np.float64), prior.astype(np.float64)
        lifts = counts * before.sum() / (counts.sum(axis=1, keepdims=True) * before)
        with np.errstate(divide="ignore"):
            found: FloatArray = np.abs(np.log(lifts)).max(axis=1)
        return found

    def within(self, released: Released, bound: Bound | Limits) -> bool:
        """Return whether nothing released tells too much, with the tolerance of the bound."""
        told, m = self.told(released), self.counts.shape[1]
        limits = Limits(np.broadcast_to(bound.lower, m), np.broadcast_to(bound.upper, m))
        for place, rows in in_parts(told.counts):
            before = self.references[self.reference_of[told.contexts[place]]].astype(np.float64)
            counts = rows.astype(np.float64)
            expected = counts.sum(axis=1, keepdims=True) * before
            if not limits.is_safe(counts * before.sum(axis=1, keepdims=True), expected).all():
                return False
        return True

    def told(self, released: Released) -> Told:
        """Return n(s,c,y), in whole numbers, for each pair of a context and a released value."""
        entries, values, numerators = released.of_rows(self.rows)
        contexts = self.contexts[entries]
        keys, place = np.unique(values * self.reference_of.size + contexts, return_inverse=True)
        if numerators is None and not self.is_drawn:
            counts = block_sums(take_rows(self.counts, self.of[entries]), place, keys.size)
        else:
            times = self.shares[entries].astype(object)
            if numerators is not None:
                times = times * numerators.astype(object)
            counts = np.zeros((keys.size, self.counts.shape[1]), dtype=object)
            for part, kinds in in_parts(take_rows(self.counts, self.of[entries])):
                np.add.at(counts, place[part], kinds.astype(object) * times[part, np.newaxis])
        found = np.divmod(keys, self.reference_of.size)
        return Told(found[0], found[1], counts)

    def worst(self, told: Told) -> tuple[IntArray, FloatArray]:
        """Return the s of the largest |log p(s|c,y)/r(s|c)| in each row, and that log-lift; nats.

        0 where r(s|c) = 0.
        """
        places, logs = [], []
        for place, rows in in_parts(told.counts):
            before = self.references[self.reference_of[told.contexts[place]]].astype(np.float64)
            counts = rows.astype(np.float64)
            expected = counts.sum(axis=1, keepdims=True) * before
            found = counts * before.sum(axis=1, keepdims=True)
            lifts = np.divide(found, expected, out=np.ones_like(counts), where=expected > 0)
            with np.errstate(divide="ignore"):
                sizes = np.log(lifts)
            places.append(np.abs(sizes).argmax(axis=1))
            logs.append(sizes[np.arange(len(sizes)), places[-1]])
        return np.concatenate(places), np.concatenate(logs)

    def leakage(self, released: Released) -> float:
        """Return the largest |log p(s|c,y)/r(s|c)|, nats."""
        return float(np.abs(self.worst(self.told(released))[1]).max())


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of records: n(s) of each, shape (kinds, m), and its public value."""

    counts: Mass
    rows: IntArray


def knowing(
    name: str,
    kinds: Kinds,
    *,
    before: str = "the whole table",
    known: tuple[IntArray, tuple[Any, ...]] | None = None,
    outcomes: Sequence[Released] = (),
) -> Knowledge:
    """Return what readers know who know a variable, or read earlier releases, or both.

    `known` is the value of the variable of each kind, as codes and what they mean. `outcomes` are
    what each earlier release made of each kind. A context is a combination of all that occurs; it
    is compared with p(s|k) of the known value, with p(s) without one.
    """
    size = kinds.rows.size
    of, shares, denominator = np.arange(size), np.ones(size, dtype=np.int64), 1
    codes = [] if known is None else [known[0]]
    for outcome in outcomes:
        place, values, numerators = outcome.of_rows(of)
        codes = [*(each[place] for each in codes), values]
        of, shares = of[place], shares[place]
        if numerators is not None:
            shares = numerators if denominator == 1 else shares.astype(object) * numerators
            denominator *= DENOMINATOR
    contexts = refinement(codes) if codes else np.zeros(of.size, dtype=np.int64)
    one_each = any_row(contexts)
    told = [tuple(int(each[entry]) for each in codes) for entry in one_each.tolist()]
    if known is None:
        references = np.asarray(kinds.counts.sum(axis=0))[np.newaxis]
        reference_of = np.zeros(one_each.size, dtype=np.int64)
        labels: tuple[Any, ...] = tuple(told)
    else:
        # Only values that occur have a context; those of the others are never looked at.
        references = dense(block_sums(kinds.counts, known[0], len(known[1])))
        reference_of = np.array([row[0] for row in told], dtype=np.int64)
        values_of = known[1]
        labels = tuple(values_of[row[0]] for row in told)
    return Knowledge(
        name,
        before,
        labels,
        kinds.counts,
        of,
        kinds.rows[of],
        contexts,
        shares,
        denominator,
        references,
        reference_of,
    )


@dataclass(frozen=True, eq=False)
class Told:
    """Counts n(s,c,y), one row for each released value and context that occur together."""

    values: IntArray
    contexts: IntArray
    counts: Mass


@dataclass(frozen=True, eq=False)
class Released:
    """What becomes of public values: their block numbers, or 2^52 p(y|x) as (x, y, numerator)."""

    labels: IntArray | None
    entries: tuple[IntArray, IntArray, IntArray] | None = None

    @classmethod
    def apart(cls, size: int) -> Released:
        """Every public value as it is."""
        return cls(np.arange(size))

    @classmethod
    def together(cls, size: int) -> Released:
        """All public values as one: nothing is released."""
        return cls(np.zeros(size, dtype=np.int64))

    @classmethod
    def of_channel(cls, numerators: IntArray) -> Released:
        """Return a channel in whole numbers, shape (x, y)."""
        x, y = np.nonzero(numerators)
        return cls(None, (x, y, numerators[x, y]))

    @property
    def numbers(self) -> IntArray:
        """The number of each public value, or of each entry of a channel."""
        return self.labels if self.entries is None else self.entries[1]  # type: ignore[return-value]

    @property
    def size(self) -> int:
        """The number of released values."""
        return int(self.numbers.max()) + 1

    def of_rows(self, rows: IntArray) -> tuple[IntArray, IntArray, IntArray | None]:
        """Return what becomes of some public values: place in `rows`, value y, numerator."""
        if self.entries is None:
            return np.arange(rows.size), self.labels[rows], None  # type: ignore[index]
        x, y, numerators = self.entries
        order = np.argsort(x, kind="stable")
        starts = np.searchsorted(x[order], np.arange(int(x.max()) + 2))
        sizes = np.diff(starts)[rows]
        place = np.repeat(np.arange(rows.size), sizes)
        inside = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        found = order[np.repeat(starts[:-1][rows], sizes) + inside]
        return place, y[found], numerators[found]


@dataclass(frozen=True, eq=False)
class KnowingPromise:
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
        step = max(1, 2**22 // max(1, self.mass.shape[0]))
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
        size = self.prior.size
        return Limits(
            np.broadcast_to(self.bound.lower, size), np.broadcast_to(self.bound.upper, size)
        )

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

    def only(self, rows: IntArray) -> KnowingPromise:
        """Return the promise for some of the values, against the same table."""
        return self._of(self.mass.take(rows), self.weights.take(rows))

    def blocks(self, labels: IntArray) -> KnowingPromise:
        """Return the promise for the blocks of a partition in place of the values."""
        return self._of(block_sums(self.mass, labels), block_sums(self.weights, labels))

    def with_rest(self, rows: IntArray) -> KnowingPromise:
        """Return the promise for some of the values and, last, all others as one value."""

        def rest(mass: Cells) -> Cells:
            part = mass.take(rows)
            left = np.maximum(mass.sum(axis=0) - part.sum(axis=0), 0)
            return as_cells(stacked([part, left[np.newaxis]]))

        return self._of(rest(self.mass), rest(self.weights))

    def _of(self, mass: Cells, weights: Cells) -> KnowingPromise:
        return KnowingPromise(mass, weights, self.context, self.prior, self.total, self.bound)

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
        context, bound = self.context[columns], self.bound
        place = context if among is None else np.searchsorted(among, context)
        expected = weights[:, place] * self.prior[columns]
        if isinstance(bound, Limits):
            bound = Limits(bound.lower[columns], bound.upper[columns])
        sides = bounded_sides(bound, context.size)
        found = mass * self.total[columns]
        if not (sides[0].size or sides[1].size):
            return np.zeros((len(mass), 0))
        return gains_of(found, expected, bound, sides, tolerant=tolerant)
