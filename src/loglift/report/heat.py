"""The log-lift heat map: public against sensitive values, before and after, riskiest first."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.lift import log_lifts_of
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound
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

    `before` has the `rows` riskiest public values, riskiest first. `after` has released values,
    and `becomes` the row of `after` for each row of `before`; both are None for an audit. Steps
    are the log-lifts where colours change, below and above zero; the third is the bound.
    """

    events: tuple[Event, ...]
    records: int
    rows: int
    steps_down: tuple[float, ...]
    steps_up: tuple[float, ...]
    before: Side
    after: Side | None = None
    becomes: tuple[int, ...] | None = None


def heat_of(
    joint: Joint, order: IntArray, bound: Bound | None, labels: IntArray | None = None
) -> Heat:
    """Return the heat map of the first values of `order`, at most `MAX_CELLS` cells.

    `labels` number the released value of each public value; None for an audit. Without a bound
    colours change at shares of 1 nat. O(cells of the joint).
    """
    events = [_event(joint.event(s), n) for s, n in enumerate(joint.prior.tolist())]
    rows = order[: min(partition.MAX_VALUES, max(1, MAX_CELLS // len(events)))]
    scale = bound or Bound.symmetric(1.0)
    heat = Heat(
        events=tuple(events),
        records=int(joint.total),
        rows=rows.size,
        steps_down=_steps(scale.lower, scale.upper),
        steps_up=_steps(scale.upper, scale.lower),
        before=_side(joint, rows, scale),
    )
    if labels is None:
        return heat
    held, places = np.unique(labels[rows], return_inverse=True)
    after = _side(joint.merged(labels), held, scale)
    return replace(heat, after=after, becomes=tuple(places.tolist()))


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


def _side(joint: Joint, rows: IntArray, bound: Bound) -> Side:
    counts = dense(take_rows(joint.mass, rows))
    logs = log_lifts_of(counts, joint.prior)
    return Side(
        records=tuple(joint.weight[rows].tolist()),
        counts=tuple(map(tuple, counts.tolist())),
        logs=tuple(map(tuple, logs.tolist())),
        marks=tuple(_marks(logs, bound)),
    )


def _marks(logs: FloatArray, bound: Bound) -> list[str]:
    """Return the mark of every cell, a text per row."""
    lifts = np.exp(logs)
    outside = (lifts > bound.most) | (lifts < bound.least)
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
    """Return where colours change: shares of the bound, or of the other side's without one."""
    size = side if math.isfinite(side) else other
    return tuple(share * (size or 1.0) for share in SHARES)
