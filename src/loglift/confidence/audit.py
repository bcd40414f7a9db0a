"""What a table that is a random sample proves about the omegas of its population."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.intervals import omega_intervals
from loglift.confidence.needed import times_needed
from loglift.confidence.population import alpha_of, population_of
from loglift.promise.bound import Bound


@dataclass(frozen=True)
class Interval:
    """Where omega of a public value lies in the population, nats.

    The intervals of all public values hold together with the confidence. `records_needed` is about
    how many records the table would need, if more were alike, for this value to be certified
    within the bound; None without a bound, or where no number would do.
    """

    lower: float
    upper: float
    records_needed: int | None


@dataclass(frozen=True)
class PopulationAudit:
    """With this confidence the population's leakage, over the table's values, is at most `leakage`.

    `holds` tells whether every log-lift is certified within the bound, and `records_needed` about
    how many records that takes; both None without a bound, the latter also where no number would
    do, because the table itself is outside.
    """

    confidence: float
    leakage: float
    holds: bool | None
    records_needed: int | None


def population_audit(
    tables: Sequence[NDArray[np.int64]], bound: Bound | None, confidence: float | None
) -> tuple[PopulationAudit | None, Callable[[int], Interval | None]]:
    """Return what holds for the whole table, and a function from a row to its interval.

    Each table is one sensitive variable, with one row per public value.
    """
    if confidence is None:
        return None, lambda _row: None
    alpha, total = alpha_of(confidence), int(tables[0].sum())
    intervals = omega_intervals(tables, alpha)
    leakage = population_of(tables, Bound.symmetric(0), confidence).upper
    holds = needed = None
    if bound is not None:
        holds = population_of(tables, bound, confidence).holds
        needed = _records(times_needed(tables, bound, alpha), total)

    def interval(row: int) -> Interval:
        alone = [np.stack([t[row], t.sum(axis=0) - t[row]]) for t in tables]
        times = math.inf if bound is None else times_needed(alone, bound, alpha, rows=1)
        lower, upper = intervals[row].tolist()
        return Interval(lower, upper, _records(times, total))

    return PopulationAudit(float(confidence), leakage, holds, needed), interval


def _records(times: float, total: int) -> int | None:
    return math.ceil(times * total) if math.isfinite(times) else None
