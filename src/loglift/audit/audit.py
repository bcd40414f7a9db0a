"""What a table's public values give away about its sensitive ones, as one summary object."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.certify.certificate import SensitiveTable
from loglift.confidence.audit import Interval, PopulationAudit, population_audit
from loglift.explain.caps import Cap, caps_of
from loglift.explain.suggest import Suggestion
from loglift.joint import FloatArray
from loglift.measures.entropy import entropy, entropy_of
from loglift.measures.leakage import information_of
from loglift.measures.lift import log_lifts_of, omegas_of
from loglift.promise.bound import Bound
from loglift.promise.integers import exactly_safe
from loglift.sparse import AnyIntArray, dense, in_parts, refinement, side_by_side
from loglift.values import encoded

MAX_PAIRED_COLUMNS = 32  # 496 pairs


@dataclass(frozen=True)
class Risk:
    """A public value, and the sensitive value it moves belief about most."""

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
    """A sensitive value, and how much of the risk it is behind.

    `values` and `records` count the public values outside the bound because of it (without a
    bound: those it moves most), `records_with` the records that have it.
    """

    sensitive: dict[str, Any]
    values: int
    records: int
    records_with: int


@dataclass(frozen=True)
class ColumnLeakage:
    """What one public column, or a pair of them, would give away on its own."""

    columns: tuple[str, ...]
    values: int
    leakage: float
    share_at_risk: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """The counts behind an audit: the public values, and one table per sensitive variable."""

    values: tuple[tuple[Any, ...], ...]
    tables: tuple[SensitiveTable, ...]


@dataclass(frozen=True)
class Audit:
    """What the public columns of a table reveal about the sensitive ones; nats throughout.

    `holds` is None without a bound; otherwise it is decided in exact arithmetic. What it says is
    about the table; `population` says what that proves beyond it, where a confidence is given.
    `caps` are the tightest ones that rare sensitive values set on any release by merging within the
    bound, `suggestion` tells which of them to group, if that was asked for. `columns` has every
    public column on its own and the pairs of them; of more than `MAX_PAIRED_COLUMNS` columns, the
    pairs of those that leak most on their own, and `pairs_left_out` is the number of the others.
    `counted` has the counts, for a report; the JSON form leaves them out.
    """

    records: int
    public: tuple[str, ...]
    sensitive: tuple[str, ...]
    each: bool
    public_values: int
    sensitive_values: int
    entropy_public: float
    entropy_sensitive: float
    information: float
    leakage: float
    bound: Bound | None
    holds: bool | None
    values_at_risk: int | None
    records_at_risk: int | None
    share_at_risk: float | None
    riskiest: tuple[Risk, ...]
    drivers: tuple[Driver, ...]
    caps: tuple[Cap, ...]
    columns: tuple[ColumnLeakage, ...]
    pairs_left_out: int = 0
    suggestion: Suggestion | None = None
    population: PopulationAudit | None = None
    counted: Counted | None = field(default=None, repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of `loglift audit --json`; infinite numbers are "inf", "-inf"."""
        document: dict[str, Any] = encoded(replace(self, counted=None))
        del document["counted"]
        return document


def audit_counts(
    names: Sequence[str],
    values: Sequence[tuple[Any, ...]],
    tables: Sequence[SensitiveTable],
    codes: Sequence[AnyIntArray],
    *,
    bound: Bound | None = None,
    top: int = 20,
    each: bool = False,
    confidence: float | None = None,
) -> Audit:
    """Summarise counts of public values (tuples over the named columns) and sensitive ones.

    Each table is one sensitive variable, with one row per public value; `codes` tell, for each
    column, which public values have the same entry there. O(cells) for each of the pairs of at
    most `MAX_PAIRED_COLUMNS` columns. With a
    confidence, the records are taken for a random sample of a population.
    """
    weight = tables[0].weight
    records = int(weight.sum())
    omegas: FloatArray = np.max([omegas_of(table.counts) for table in tables], axis=0)
    at_risk = None if bound is None else _at_risk(tables, bound)
    beyond, intervals = _beyond(tables, bound, confidence)
    alone = _columns(names, codes, tables, bound)
    records_at_risk = None if at_risk is None else int(weight[at_risk].sum())
    return Audit(
        records=records,
        public=tuple(names),
        sensitive=tuple(name for table in tables for name in table.names),
        each=each,
        public_values=len(values),
        sensitive_values=sum(len(table.labels) for table in tables),
        entropy_public=entropy_of(weight / records),
        entropy_sensitive=max(entropy_of(table.prior / records) for table in tables),
        information=max(information_of(table.counts) for table in tables),
        leakage=float(omegas.max()),
        bound=bound,
        holds=None if at_risk is None else not at_risk.any(),
        values_at_risk=None if at_risk is None else int(at_risk.sum()),
        records_at_risk=records_at_risk,
        share_at_risk=None if records_at_risk is None else records_at_risk / records,
        riskiest=tuple(_risks(names, values, tables, omegas, top, intervals)),
        drivers=tuple(_drivers(tables, omegas, weight, bound)),
        caps=() if bound is None else _caps(tables, bound),
        columns=tuple(alone),
        pairs_left_out=_pairs_left_out(names, alone),
        population=beyond,
        counted=Counted(tuple(values), tuple(tables)),
    )


def _beyond(
    tables: Sequence[SensitiveTable], bound: Bound | None, confidence: float | None
) -> tuple[PopulationAudit | None, Callable[[int], Interval | None]]:
    """What the records prove about the population, where a confidence is asked for."""
    if confidence is None:
        return None, lambda _: None
    return population_audit([dense(table.counts) for table in tables], bound, confidence)


def _at_risk(tables: Sequence[SensitiveTable], bound: Bound) -> NDArray[np.bool_]:
    unsafe: NDArray[np.bool_] = np.any([~exactly_safe(t.counts, bound) for t in tables], axis=0)
    return unsafe


def _risks(
    names: Sequence[str],
    values: Sequence[tuple[Any, ...]],
    tables: Sequence[SensitiveTable],
    omegas: FloatArray,
    top: int,
    interval: Callable[[int], Interval | None],
) -> list[Risk]:
    """Return the riskiest values first; among equals those with more records."""
    weight = tables[0].weight
    rows = np.lexsort((-weight, -omegas))[:top]
    counts = np.hstack([table.counts[rows] for table in tables])
    prior = np.concatenate([table.prior for table in tables])
    labels = [table.label(j) for table in tables for j in range(len(table.labels))]
    logs = np.hstack([log_lifts_of(t.counts[rows], t.prior) for t in tables])
    worst = _worst(logs, prior)
    cells = zip(
        rows.tolist(),
        worst.tolist(),
        weight[rows].tolist(),
        _at(counts, worst),
        _at(logs, worst),
        (weight[rows] * (prior[worst] / int(weight.sum()))).tolist(),
        strict=True,
    )
    return [
        Risk(
            value=dict(zip(names, values[x], strict=True)),
            omega=float(omegas[x]),
            sensitive=labels[s],
            log_lift=log,
            does=_does(cell, records, log),
            records=records,
            records_with=cell,
            expected=expected,
            population=interval(x),
        )
        for x, s, records, cell, log, expected in cells
    ]


def _at(table: NDArray[Any], columns: NDArray[np.intp]) -> list[Any]:
    """One cell of each row, as Python numbers."""
    found: list[Any] = table[np.arange(len(columns)), columns].tolist()
    return found


def _worst(logs: FloatArray, prior: NDArray[np.int64]) -> NDArray[np.intp]:
    """The sensitive value each row moves most; among equals (all ruled out) the most common."""
    size = np.abs(logs)
    most = size.max(axis=1, keepdims=True)
    return np.asarray(np.where(size == most, prior, -1).argmax(axis=1))


def _does(cell: int, weight: int, log_lift_: float) -> str:
    """Say what a public value does to belief in a sensitive one."""
    if cell == 0:
        return "rules out"
    if cell == weight and log_lift_ > 0:
        return "gives away"
    return "raises" if log_lift_ > 0 else "lowers"


def _drivers(
    tables: Sequence[SensitiveTable],
    omegas: FloatArray,
    weight: NDArray[np.int64],
    bound: Bound | None,
) -> list[Driver]:
    """Return the sensitive values behind most records at risk first."""
    found = []
    for table in tables:
        prior = table.prior
        values, records = np.zeros_like(prior), np.zeros_like(prior)
        for rows, counts in in_parts(table.counts):
            behind = _behind(log_lifts_of(counts, prior), omegas[rows], bound)
            values += behind.sum(axis=0)
            records += weight[rows] @ behind
        found += [
            Driver(table.label(s), *numbers)
            for s, numbers in enumerate(
                zip(values.tolist(), records.tolist(), prior.tolist(), strict=True)
            )
            if numbers[0]
        ]
    return sorted(found, key=lambda driver: (-driver.records, -driver.values))


def _behind(logs: FloatArray, omegas: FloatArray, bound: Bound | None) -> NDArray[np.bool_]:
    """Which cells are outside the bound; without one, which are the largest of their value."""
    if bound is not None:
        return (logs > bound.upper) | (logs < -bound.lower)
    size = np.abs(logs)
    return np.asarray((size == omegas[:, np.newaxis]) & (size > 0))


def _caps(tables: Sequence[SensitiveTable], bound: Bound) -> tuple[Cap, ...]:
    counts = side_by_side([table.counts for table in tables])
    names = [table.label(j) for table in tables for j in range(len(table.labels))]
    return caps_of(counts, names, bound, entropy(tables[0].weight))


def _columns(
    names: Sequence[str],
    codes: Sequence[AnyIntArray],
    tables: Sequence[SensitiveTable],
    bound: Bound | None,
) -> list[ColumnLeakage]:
    """Return what every single column, and every pair of three or more, gives away alone.

    Of many columns only those that leak most are paired: the number of pairs grows with the square.
    """
    if len(names) == 1:
        return []
    every = range(len(names))
    single = [_column_leakage((i,), names, codes, tables, bound) for i in every]
    if len(names) == 2:  # noqa: PLR2004, the pair of two is the whole
        return single

    def leakiest(i: int) -> tuple[float, ...]:
        found = single[i]
        return (-found.leakage, -(found.share_at_risk or 0.0), -found.values)

    paired = sorted(sorted(every, key=leakiest)[:MAX_PAIRED_COLUMNS])
    pairs = combinations(paired, 2)
    return single + [_column_leakage(pair, names, codes, tables, bound) for pair in pairs]


def _pairs_left_out(names: Sequence[str], tried: Sequence[ColumnLeakage]) -> int:
    """Return how many pairs of three or more columns were not tried."""
    if len(names) <= 2:  # noqa: PLR2004, the pair of two is the whole
        return 0
    return math.comb(len(names), 2) + len(names) - len(tried)


def _column_leakage(
    chosen: tuple[int, ...],
    names: Sequence[str],
    codes: Sequence[AnyIntArray],
    tables: Sequence[SensitiveTable],
    bound: Bound | None,
) -> ColumnLeakage:
    blocks = refinement([codes[i] for i in chosen])
    coarse = [table.merged(blocks) for table in tables]
    leakage = max(float(omegas_of(table.counts).max()) for table in coarse)
    share = None
    if bound is not None:
        weight = coarse[0].weight
        share = float(weight[_at_risk(coarse, bound)].sum() / weight.sum())
    return ColumnLeakage(tuple(names[i] for i in chosen), int(blocks.max()) + 1, leakage, share)
