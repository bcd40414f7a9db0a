"""What each public column, and each pair of public columns, reveals on its own."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from loglift.joint import Joint
from loglift.measures.lift import omegas_of
from loglift.promise.bound import Bound, bounded_values
from loglift.promise.integers import exactly_safe
from loglift.sparse import refinement

MAX_PAIRED_COLUMNS = 32  # 496 pairs


@dataclass(frozen=True)
class ColumnLeakage:
    """What one public column, or a pair of them, reveals on its own.

    `values` is its number of distinct values, `leakage` the largest |log-lift| of any of them,
    nats; `records` is the number of records whose value leaks that much. `share_at_risk` is the
    share of records whose value is outside the bound, None without a bound.
    """

    columns: tuple[str, ...]
    values: int
    leakage: float
    records: int
    share_at_risk: float | None


def column_leakages(joint: Joint, bound: Bound | None) -> tuple[ColumnLeakage, ...]:
    """Measure every public column, and every pair of three or more columns.

    A table with one public column has no columns to compare, and with two the only pair is the
    whole: neither is measured again. The number of pairs is quadratic: with more than
    `MAX_PAIRED_COLUMNS` columns, only those that leak most on their own are paired. O(cells) for
    each column and pair.
    """
    every = range(len(joint.columns))
    if len(every) == 1:
        return ()
    single = [_leakage_of((i,), joint, bound) for i in every]
    if not _has_pairs(joint):
        return tuple(single)

    worst = sorted(every, key=lambda i: _most_leaking_first(single[i]))
    paired = sorted(worst[:MAX_PAIRED_COLUMNS])
    pairs = [_leakage_of(pair, joint, bound) for pair in combinations(paired, 2)]
    return (*single, *pairs)


def worst_first(columns: Iterable[ColumnLeakage]) -> list[ColumnLeakage]:
    """Sort by leakage, largest first; of equal leakage, such as infinite: more records first.

    Records are those outside the bound; without one, or where as many are, those that leak most.
    """
    return sorted(columns, key=_most_leaking_first)


def _most_leaking_first(column: ColumnLeakage) -> tuple[float, ...]:
    at_risk = column.share_at_risk or 0.0
    return (-column.leakage, -at_risk, -column.records, -column.values)


def pairs_left_out(joint: Joint) -> int:
    """Return the number of pairs of columns that `column_leakages` does not measure."""
    if not _has_pairs(joint):
        return 0
    size = len(joint.columns)
    return math.comb(size, 2) - math.comb(min(size, MAX_PAIRED_COLUMNS), 2)


def _has_pairs(joint: Joint) -> bool:
    return len(joint.columns) > 2  # noqa: PLR2004, the pair of two columns is the whole


def _leakage_of(chosen: tuple[int, ...], joint: Joint, bound: Bound | None) -> ColumnLeakage:
    columns = [joint.columns[i] for i in chosen]
    coarse = joint.merged(refinement([column.codes for column in columns]))
    share, limits = None, None if bound is None else bound.on(coarse)
    if limits is not None:
        at_risk = coarse.records[~exactly_safe(coarse.mass, limits)]
        share = float(at_risk.sum() / coarse.records.sum())
    omegas = omegas_of(coarse.scaled, bounded_values(limits))
    return ColumnLeakage(
        columns=tuple(column.name for column in columns),
        values=len(coarse.public),
        leakage=float(omegas.max()),
        records=int(coarse.records[omegas == omegas.max()].sum()),
        share_at_risk=share,
    )
