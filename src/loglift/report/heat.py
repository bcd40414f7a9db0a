"""The log-lift heat map: public against sensitive values, before and after, riskiest first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.lift import log_lifts_of
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound
from loglift.promise.limits import Limits
from loglift.report import partition
from loglift.report.words import event_words
from loglift.sparse import dense, take_rows

MAX_CELLS = 100_000  # of the public values before; about 1 MB of page
SHARES = (0.25, 0.5, 1.0, 2.0)  # of the bound: where colours change
STEPS_INSIDE = 3  # colours inside the bound
BOUNDED, UNBOUNDED = "abcde", "abcpq"  # the marks of the colours of a side, palest first


@dataclass(frozen=True)
class Event:
    """A sensitive value: its whole name, its values alone, and its records."""

    name: str
    short: str
    records: int


@dataclass(frozen=True)
class Side:
    """Cells before or after, one row per value: counts, log-lifts (nats), marks of their colours.

    A mark is a letter: a to e for a log-lift below zero, palest first, z for minus infinity, A to
    E above zero, `.` for zero. d, e and z are outside the bound. On a side without a bound p, q
    and Z stand in their place.
    """

    records: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    logs: tuple[tuple[float, ...], ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class LegendCell:
    """A colour of the legend, the text in its cell, and the log-lift where it ends.

    `kind` is "minor" for the edge between two pale colours, which a phone has no room for, and
    "own" for minus infinity, which is not an edge.
    """

    mark: str
    sign: str
    edge: str
    kind: str


@dataclass(frozen=True)
class Heat:
    """The cells of the riskiest public values, and of the released values they become.

    Public values that look alike, before and after, share a row: `members` has the places of a
    row's values in the order of risk, riskiest first, and the rows are ordered by their first.
    `values` is their number in all. `before` has the cells of all values of a row together, `after`
    those of all released values they become; it is None for an audit. Steps are the log-lifts
    where colours change, below and above zero; the third is the bound.
    """

    events: tuple[Event, ...]
    records: int
    values: int
    members: tuple[tuple[int, ...], ...]
    steps_down: tuple[float, ...]
    steps_up: tuple[float, ...]
    before: Side
    after: Side | None = None


def heat_of(
    joint: Joint, order: IntArray, bound: Bound | None, labels: IntArray | None = None
) -> Heat:
    """Return the heat map of the first values of `order`, at most `MAX_CELLS` cells.

    `labels` number the released value of each public value; None for an audit. Without a bound
    colours change at shares of 1 nat. O(cells of the joint).
    """
    events = [_event(joint.event(s), n) for s, n in enumerate(joint.records_with.tolist())]
    values = order[: min(partition.MAX_VALUES, max(1, MAX_CELLS // len(events)))]
    scale = bound or Bound.symmetric(1.0)
    before, after, blocks = _rows_of(joint, values), None, None
    if labels is not None:
        held, blocks = np.unique(labels[values], return_inverse=True)
        after = _rows_of(joint.merged(labels), held)
    # Sums of survey weights are hardly ever proportional.
    rows = _alike(before, after, blocks) if joint.is_counts else np.arange(values.size)
    places, starts = np.argsort(rows, kind="stable"), _starts(rows)
    heat = Heat(
        events=tuple(events),
        records=int(joint.records.sum()),
        values=values.size,
        members=tuple(_split(places.tolist(), starts)),
        steps_down=_steps(scale.lower, scale.upper),
        steps_up=_steps(scale.upper, scale.lower),
        before=_side(joint, before.added(places, starts), scale),
    )
    if after is None or blocks is None:
        return heat
    held = np.unique(np.stack([rows, blocks], axis=1), axis=0)  # a block once for each row
    released = after.added(held[:, 1], _starts(held[:, 0]))
    return replace(heat, after=_side(joint, released, scale))


def legend_of(heat: Heat, bound: Bound | None) -> tuple[LegendCell, ...]:
    """Return the colours from the lowest log-lift to the highest, and where each ends."""
    scale = bound or Bound.symmetric(1.0)
    below = [f"−{step:.3g}" for step in reversed(heat.steps_down)]
    edges = ["−∞", *below, "0", *(f"{step:.3g}" for step in heat.steps_up), ""]
    down = "z" + BOUNDED[::-1] if math.isfinite(scale.lower) else "Z" + UNBOUNDED[::-1]
    up = BOUNDED if math.isfinite(scale.upper) else UNBOUNDED
    return tuple(
        LegendCell(
            mark,
            sign="" if mark in "zZ" else "+" if mark.isupper() else "−",
            edge=edge,
            kind="own" if mark in "zZ" else "minor" if mark in "cbAB" else "",
        )
        for mark, edge in zip(down + up.upper(), edges, strict=True)
    )


def _event(sensitive: Any, records: int) -> Event:
    values = sensitive.values() if isinstance(sensitive, dict) else [sensitive]
    return Event(event_words(sensitive), ", ".join(map(text_of, values)), records)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Some rows of a joint: their records, and their mass, from which log-lifts are computed."""

    counts: NDArray[Any]
    mass: NDArray[Any]

    def added(self, places: IntArray, starts: IntArray) -> _Rows:
        """Return the sums of runs of the rows at `places`; each run begins at a start."""
        counts, mass = (
            np.add.reduceat(rows[places], starts, axis=0) for rows in (self.counts, self.mass)
        )
        return _Rows(counts, mass)


def _starts(numbers: IntArray) -> IntArray:
    """Return where the runs of 0, 1, 2, ... begin among sorted numbers that have each of them."""
    return np.concatenate([[0], np.cumsum(np.bincount(numbers))[:-1]])


def _split(places: list[int], starts: IntArray) -> Iterator[tuple[int, ...]]:
    """Yield the runs of places that begin at the starts."""
    for start, stop in pairwise([*starts.tolist(), len(places)]):
        yield tuple(places[start:stop])


def _rows_of(joint: Joint, rows: IntArray) -> _Rows:
    return _Rows(dense(take_rows(joint.counts, rows)), dense(take_rows(joint.mass, rows)))


def _alike(before: _Rows, after: _Rows | None, blocks: IntArray | None) -> IntArray:
    """Number the rows of equal log-lifts, before and after, by the first of each.

    Log-lifts are equal where counts are proportional, which integers decide without rounding.
    """
    looks = [before.counts // np.gcd.reduce(before.counts, axis=1, keepdims=True)]
    if after is not None and blocks is not None:
        reduced = after.counts // np.gcd.reduce(after.counts, axis=1, keepdims=True)
        looks.append(reduced[blocks])
    _, first, rows = np.unique(np.hstack(looks), axis=0, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[rows.reshape(-1)]


def _side(joint: Joint, rows: _Rows, bound: Bound) -> Side:
    """Return the cells of some rows; the first variable alone has every record once."""
    logs = log_lifts_of(rows.mass, joint.prior)
    return Side(
        records=tuple(rows.counts[:, : joint.variables[0].stop].sum(axis=1).tolist()),
        counts=tuple(map(tuple, rows.counts.tolist())),
        logs=tuple(map(tuple, logs.tolist())),
        marks=tuple(_marks(logs, bound, bound.on(joint))),
    )


def _marks(logs: FloatArray, bound: Bound, limits: Bound | Limits) -> list[str]:
    """Return the mark of every cell, a text per row.

    Colours change at shares of the bound; values with limits of their own are outside by those.
    """
    lifts = np.exp(logs)
    outside = (lifts > limits.most) | (lifts < limits.least)
    letters = np.full(logs.shape, ".")
    for sign, side, other in ((-1, bound.lower, bound.upper), (1, bound.upper, bound.lower)):
        step = np.searchsorted(_steps(side, other), sign * logs, side="left")
        if math.isfinite(side):  # rounding may put a log-lift at the bound on its other side
            last = STEPS_INSIDE - 1
            step = np.where(outside, np.maximum(step, STEPS_INSIDE), np.minimum(step, last))
        marks = np.array(list(BOUNDED if math.isfinite(side) else UNBOUNDED))[step]
        here = sign * logs > 0
        letters[here] = np.char.upper(marks[here]) if sign > 0 else marks[here]
    letters[np.isneginf(logs)] = "z"
    letters[np.isneginf(logs) & ~outside] = "Z"
    return ["".join(row) for row in letters.tolist()]


def _steps(side: float, other: float) -> tuple[float, ...]:
    """Return where colours change: shares of the bound, of the other side's, or of one nat."""
    size = next((each for each in (side, other) if math.isfinite(each)), 1.0)
    return tuple(share * (size or 1.0) for share in SHARES)
