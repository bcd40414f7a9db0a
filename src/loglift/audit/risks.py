"""The public values that reveal most, and the sensitive values they reveal most about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.certify.released_values import direction_of
from loglift.confidence.sample import Interval, Sample
from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.lift import log_lifts_of
from loglift.promise.bound import Bound
from loglift.promise.limits import Limits
from loglift.sparse import in_parts


@dataclass(frozen=True)
class Risk:
    """A public value x, and the sensitive value s with the largest |log-lift| in it.

    Attributes
    ----------
    value, sensitive
        x and s, as `{column: value}`.
    omega, log_lift
        omega(x) = |i(s,x)|, and i(s,x) itself, nats.
    does
        What x does to belief in s: "rules out", "raises" or "lowers".
    records, records_with
        The numbers of records n(x) and n(s,x).
    expected
        n(x) p(s): how many records of x would have s if x revealed nothing.
    population
        The confidence interval of omega(x) in the population; None without a confidence.

    """

    value: dict[str, Any]
    omega: float
    sensitive: dict[str, Any]
    log_lift: float
    does: str
    records: int
    records_with: int
    expected: float
    population: Interval | None = None


@dataclass(frozen=True)
class Driver:
    """A sensitive value, and how much of the risk it causes.

    `values` and `records` count the public values that are outside the bound because of it, and
    their records; without a bound, those it has the largest |log-lift| in. `records_with` is n(s).
    """

    sensitive: dict[str, Any]
    values: int
    records: int
    records_with: int


def risks_of(
    joint: Joint,
    omegas: FloatArray,
    top: int,
    sample: Sample | None,
    among: IntArray | None = None,
) -> tuple[Risk, ...]:
    """Return the `top` public values of largest omega, largest first; ties: more records first.

    With a sample, each has its confidence interval. `among` are the numbers of the sensitive values
    to look at; None for all.
    """
    rows = _riskiest(omegas, joint.records, top)
    counts, records = joint.counts[rows], joint.records[rows]
    logs = log_lifts_of(joint.mass[rows], joint.prior)
    if among is not None:
        logs[:, np.setdiff1d(np.arange(logs.shape[1]), among)] = 0
    worst, place = _largest(logs, joint.prior), np.arange(rows.size)
    names, values = joint.column_names, joint.tuples
    cells = zip(
        rows.tolist(),
        worst.tolist(),
        records.tolist(),
        counts[place, worst].tolist(),
        logs[place, worst].tolist(),
        (records * (joint.prior[worst] / joint.total)).tolist(),
        strict=True,
    )
    return tuple(
        Risk(
            value=dict(zip(names, values[x], strict=True)),
            omega=float(omegas[x]),
            sensitive=joint.event(s),
            log_lift=log,
            does=direction_of(log),
            records=records,
            records_with=cell,
            expected=expected,
            population=None if sample is None else sample.interval(x),
        )
        for x, s, records, cell, log, expected in cells
    )


def _riskiest(omegas: FloatArray, records: IntArray, top: int) -> IntArray:
    """Return the `top` public values of largest omega, as `risks_of` orders them, in O(n).

    Those below the omega of the last one are not sorted.
    """
    least = -math.inf
    if 0 < top < omegas.size:
        least = np.partition(omegas, omegas.size - top)[omegas.size - top]
    rows = np.flatnonzero(omegas >= least)
    return rows[np.lexsort((-records[rows], -omegas[rows]))[:top]]


def drivers_of(
    joint: Joint, omegas: FloatArray, bound: Bound | Limits | None
) -> tuple[Driver, ...]:
    """Return the sensitive values that cause some risk, those with most records first. O(cells)."""
    values, records = np.zeros_like(joint.records_with), np.zeros_like(joint.records_with)
    for rows, mass in in_parts(joint.mass):
        causes = _causes(log_lifts_of(mass, joint.prior), omegas[rows], bound)
        values += causes.sum(axis=0)
        records += joint.records[rows] @ causes
    found = zip(values.tolist(), records.tolist(), joint.records_with.tolist(), strict=True)
    drivers = [Driver(joint.event(s), *numbers) for s, numbers in enumerate(found) if numbers[0]]
    return tuple(sorted(drivers, key=lambda driver: (-driver.records, -driver.values)))


def _largest(logs: FloatArray, prior: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the column of the largest |log-lift| in each row; ties: the most common value."""
    size = np.abs(logs)
    most = size.max(axis=1, keepdims=True)
    return np.asarray(np.where(size == most, prior, -1).argmax(axis=1))


def _causes(
    logs: FloatArray, omegas: FloatArray, bound: Bound | Limits | None
) -> NDArray[np.bool_]:
    """Return which cells are outside the bound; without one, which have |i(s,x)| = omega(x)."""
    if bound is not None:
        return (logs > bound.upper) | (logs < -bound.lower)
    size = np.abs(logs)
    return np.asarray((size == omegas[:, np.newaxis]) & (size > 0))
