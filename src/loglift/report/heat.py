"""The log-lift heat map: public against sensitive values, before and after, riskiest first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.certify.certificate import SensitiveTable
from loglift.joint import FloatArray, IntArray
from loglift.measures.lift import log_lifts_of, omegas_of
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound
from loglift.report import partition
from loglift.report.words import event_words

MOST_CELLS = 100_000  # of the values shown before; about 1 MB of page
SHARES = (0.25, 0.5, 1.0, 2.0)  # of the bound: the steps of the colours
INSIDE = 3  # that many steps are inside the bound
BOUNDED, UNBOUNDED = "abcde", "abcpq"  # the marks of the steps of a side


@dataclass(frozen=True)
class Event:
    """A sensitive value: its whole name, its values alone, and the records that have it."""

    name: str
    short: str
    records: int


@dataclass(frozen=True)
class Side:
    """Cells before or after, one row per value: counts, log-lifts (nats), marks of their colours.

    A mark is a letter: a to e for a log-lift below zero, palest first, z for minus infinity, A to
    E above zero, `.` for none. d, e and z are outside the bound; where a side is not bounded
    nothing is, and their marks are p, q and Z.
    """

    records: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    logs: tuple[tuple[float, ...], ...]
    marks: tuple[str, ...]


@dataclass(frozen=True)
class Heat:
    """The cells of the riskiest values, and of all released values.

    `before` has the `rows` riskiest public values in the order of risk; `after` has the released
    values they become, `becomes` the row of `after` for each of them; both are None for an audit.
    Steps are the log-lifts at which colours change, below and above zero; the third is the bound.
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
    tables: Sequence[SensitiveTable], order: IntArray, bound: Bound | None, blocks: IntArray | None
) -> Heat:
    """Return the heat map of the first values of `order`, as many as fit.

    `blocks` numbers the released value of each public value; None for an audit.
    """
    events = [
        _event(table, s, records)
        for table in tables
        for s, records in enumerate(table.prior.tolist())
    ]
    rows = order[: min(partition.MOST_VALUES, max(1, MOST_CELLS // len(events)))]
    scale = bound or Bound.symmetric(1.0)
    heat = Heat(
        events=tuple(events),
        records=int(tables[0].counts.sum()),
        rows=rows.size,
        steps_down=_steps(scale.lower, scale.upper),
        steps_up=_steps(scale.upper, scale.lower),
        before=_side(tables, rows, scale),
    )
    if blocks is None:
        return heat
    held, places = np.unique(blocks[rows], return_inverse=True)
    released = [table.merged(blocks) for table in tables]
    return replace(heat, after=_side(released, held, scale), becomes=tuple(places.tolist()))


def _event(table: SensitiveTable, s: int, records: int) -> Event:
    label = table.label(s)
    short = ", ".join(text_of(value) for value in label.values())
    return Event(event_words(label), short, records)


def _side(tables: Sequence[SensitiveTable], rows: IntArray, bound: Bound) -> Side:
    counts = np.hstack([table.counts[rows] for table in tables])
    logs = np.hstack([log_lifts_of(t.counts[rows], t.prior) for t in tables])
    return Side(
        records=tuple(tables[0].weight[rows].tolist()),
        counts=tuple(map(tuple, counts.tolist())),
        logs=tuple(map(tuple, logs.tolist())),
        marks=tuple(_marks(logs, bound)),
    )


def _marks(logs: FloatArray, bound: Bound) -> list[str]:
    """Write the step of every cell as a letter; inside and outside never share one."""
    lifts = np.exp(logs)
    outside = (lifts > bound.most) | (lifts < bound.least)
    letters = np.full(logs.shape, ".")
    for sign, side, other in ((-1, bound.lower, bound.upper), (1, bound.upper, bound.lower)):
        step = np.searchsorted(_steps(side, other), sign * logs, side="left")
        if math.isfinite(side):  # rounding may put a log-lift at the bound on its other side
            step = np.where(outside, np.maximum(step, INSIDE), np.minimum(step, INSIDE - 1))
        marks = np.array(list(BOUNDED if math.isfinite(side) else UNBOUNDED))[step]
        here = sign * logs > 0
        letters[here] = np.char.upper(marks[here]) if sign > 0 else marks[here]
    letters[np.isneginf(logs)] = "z"
    letters[np.isneginf(logs) & ~outside] = "Z"
    return ["".join(row) for row in letters.tolist()]


def _steps(side: float, other: float) -> tuple[float, ...]:
    """Return where colours change: shares of the bound, of the other side where there is none."""
    size = side if math.isfinite(side) else other
    return tuple(share * (size or 1.0) for share in SHARES)


def value_order(tables: Sequence[SensitiveTable]) -> tuple[IntArray, FloatArray, NDArray[Any]]:
    """Return the values in order of risk (omega, then records), with omega and records of each."""
    omegas: FloatArray = np.max([omegas_of(table.counts) for table in tables], axis=0)
    weight = tables[0].weight
    return np.lexsort((-weight, -omegas)), omegas, weight
