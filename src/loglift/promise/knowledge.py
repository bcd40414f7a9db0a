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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import BoundError, JointError
from loglift.joint import SUM_TOLERANCE, FloatArray, IntArray, Joint
from loglift.measures.lift import largest_log
from loglift.promise.bound import Bound, bounded_values, limits_of
from loglift.promise.in_context import ContextPromise
from loglift.promise.integers import DENOMINATOR, exactly_safe
from loglift.promise.limits import Limits
from loglift.sparse import (
    Cells,
    Mass,
    any_row,
    as_cells,
    block_sums,
    dense,
    in_parts,
    refinement,
    take_columns,
    take_rows,
)


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
    records
        The number of records of each kind, where the counts are sums of survey weights; else None.

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
    records: NDArray[Any] | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether contexts are drawn at random."""
        return self.denominator > 1

    def promise(self, size: int, bound: Bound | Limits) -> ContextPromise:
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
        weights = Cells.of(
            mass.rows, context[mass.columns], mass.values, (size, self.reference_of.size)
        )
        return ContextPromise(
            take_columns(mass, asked),
            weights,
            context[asked],
            prior[asked],
            total[context[asked]],
            bounding_lifts(bound).of_columns(s[asked]),
        )

    def only(self, rows: IntArray) -> Knowledge:
        """Return the same for some of the public values, which are numbered anew."""
        place = np.full(int(max(self.rows.max(), rows.max())) + 1, -1)
        place[rows] = np.arange(rows.size)
        inside = np.flatnonzero(place[self.rows] >= 0)
        return replace(
            self,
            of=self.of[inside],
            rows=place[self.rows[inside]],
            contexts=self.contexts[inside],
            shares=self.shares[inside],
        )

    def safe(self, released: Released, bound: Bound | Limits) -> NDArray[np.bool_]:
        """Return which released values tell no reader too much, decided in exact arithmetic."""
        table = self.told(released)
        safe = np.ones(released.size, dtype=bool)
        safe[table.values[~self.safe_pairs(table, bound)]] = False
        return safe

    def safe_pairs(self, told: Told, bound: Bound | Limits) -> NDArray[np.bool_]:
        """Return which pairs of a released value and a context are safe, exactly."""
        before = self.references[self.reference_of[told.contexts]]
        return exactly_safe(told.counts, bounding_lifts(bound), before)

    def within(self, released: Released, bound: Bound | Limits) -> bool:
        """Return whether nothing released tells too much, with the tolerance of the bound."""
        limits = limits_of(bounding_lifts(bound), self.counts.shape[1])
        compared = self._compared(self.told(released))
        return all(limits.within(found, expected).all() for found, expected in compared)

    def _compared(self, told: Told) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield n(s,c,y) n(r) and n(r,s) n(c,y), some rows at a time; their ratio is the lift."""
        for place, rows in in_parts(told.counts):
            before = self.references[self.reference_of[told.contexts[place]]].astype(np.float64)
            counts = rows.astype(np.float64)
            expected = counts.sum(axis=1, keepdims=True) * before
            yield counts * before.sum(axis=1, keepdims=True), expected

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

    def records_apart(self) -> FloatArray:
        """Return the number of records of each row of `told`, where values are released apart.

        The expected number, where contexts are drawn at random; of k sensitive variables, k times.
        """
        told = self.told(Released.apart(int(self.rows.max()) + 1))
        if self.records is None:
            sizes = np.asarray(told.counts.sum(axis=1)).astype(np.float64)
            return sizes / self.denominator
        keys = self.rows * self.reference_of.size + self.contexts
        place = np.searchsorted(told.values * self.reference_of.size + told.contexts, keys)
        shares = (self.shares / self.denominator).astype(np.float64)
        return np.bincount(place, self.records[self.of] * shares).astype(np.float64)

    def worst(self, told: Told, bound: Bound | Limits | None = None) -> tuple[IntArray, FloatArray]:
        """Return the s of the largest |log p(s|c,y)/r(s|c)| in each row, and that log-lift; nats.

        0 where r(s|c) = 0. Values without a limit in the bound are left out.
        """
        among = bounded_values(bound)
        places, logs = [], []
        for found, expected in self._compared(told):
            lifts = np.divide(found, expected, out=np.ones_like(found), where=expected > 0)
            with np.errstate(divide="ignore"):
                sizes = np.log(lifts)
            if among is not None:
                sizes[:, np.setdiff1d(np.arange(sizes.shape[1]), among)] = 0
            places.append(np.abs(sizes).argmax(axis=1))
            logs.append(sizes[np.arange(len(sizes)), places[-1]])
        return np.concatenate(places), np.concatenate(logs)

    def leakage(self, released: Released) -> float:
        """Return the largest |log p(s|c,y)/r(s|c)|, nats."""
        return float(np.abs(self.worst(self.told(released))[1]).max())


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of records: n(s) of each, shape (kinds, m), and its public value.

    `records` is the number of records of each kind, where the counts are sums of survey weights.
    """

    counts: Mass
    rows: IntArray
    records: NDArray[Any] | None = None


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
        kinds.records,
    )


@dataclass(frozen=True, eq=False)
class Told:
    """Counts n(s,c,y), one row for each released value and context that occur together."""

    values: IntArray
    contexts: IntArray
    counts: Mass

    def omega_against(self, prior: NDArray[Any]) -> FloatArray:
        """Return max over s of |log p(s|c,y)/p(s)| for each row, p(s) from counts n(s); nats."""
        counts, before = dense(self.counts).astype(np.float64), prior.astype(np.float64)
        return largest_log(counts * before.sum() / (counts.sum(axis=1, keepdims=True) * before))


@dataclass(frozen=True, eq=False)
class Released:
    """What becomes of public values: the block of each, or p(y|x) as a list of entries.

    `numbers` are the blocks. For a channel they are the y of its entries, `rows` are their x and
    `numerators` their 2^52 p(y|x).
    """

    numbers: IntArray
    rows: IntArray | None = None
    numerators: IntArray | None = None

    @classmethod
    def apart(cls, size: int) -> Released:
        """Every public value as it is."""
        return cls(np.arange(size))

    @classmethod
    def together(cls, size: int) -> Released:
        """All public values as one: nothing is released."""
        return cls(np.zeros(size, dtype=np.int64))

    @classmethod
    def of_channel(cls, numerators: Mass) -> Released:
        """Return a channel in whole numbers, shape (x, y)."""
        cells = as_cells(numerators)
        return cls(cells.columns, cells.rows, cells.values)

    @property
    def size(self) -> int:
        """The number of released values."""
        return int(self.numbers.max()) + 1

    def of_rows(self, rows: IntArray) -> tuple[IntArray, IntArray, IntArray | None]:
        """Return what becomes of some public values: place in `rows`, value y, numerator."""
        if self.rows is None or self.numerators is None:
            return np.arange(rows.size), self.numbers[rows], None
        order = np.argsort(self.rows, kind="stable")
        starts = np.searchsorted(self.rows[order], np.arange(int(self.rows.max()) + 2))
        sizes = np.diff(starts)[rows]
        place = np.repeat(np.arange(rows.size), sizes)
        inside = np.arange(place.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        found = order[np.repeat(starts[:-1][rows], sizes) + inside]
        return place, self.numbers[found], self.numerators[found]


def refuse_other_records(sums: NDArray[Any], joint: Joint, name: str) -> None:
    """Raise `JointError` if counts, added up over what readers know, are not those of the joint."""
    mass = joint.mass[:]
    if not np.allclose(sums / sums.sum(), mass / mass.sum(), rtol=SUM_TOLERANCE, atol=0):
        raise JointError(f"the counts of {name} do not add up to the joint: count the same records")


def bounding_lifts(bound: Bound | Limits) -> Bound | Limits:
    """Return a bound for readers who know more; raise `BoundError` if it has requirements.

    These are promised to readers of the release alone.
    """
    required = (
        bound.requirements
        if isinstance(bound, Bound)
        else [each.requirement for each in bound.placed]
    )
    if required:
        raise BoundError(
            f"{required[0].words} ({required[0].option}) is for readers of the release alone: "
            "leave out known columns, earlier releases and both (--known, --given, --both), or "
            "bound log-lifts only"
        )
    return bound
