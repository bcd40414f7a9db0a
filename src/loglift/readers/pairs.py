"""Pairs of columns: how far the cross-table that readers get is from the true one.

The distance of two cross-tables is their total variation, half the sum of |p - q| over the cells:
the share of records that would have to move. The association of two columns is the correlation of
two columns of numbers, else

    Cramer's V = sqrt(phi^2 / (min(rows, columns) - 1)),   phi^2 = sum p(a,b)^2/(p(a) p(b)) - 1,

over the values that occur. Records with a missing number are left out of a correlation, and of no
cross-table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.readers.compared import Compared
from loglift.readers.views import RecordColumn, Records, View, sums_of

Measure: TypeAlias = Literal["correlation", "Cramer's V"]

MAX_PAIRED_VALUES = 200  # of a column that is not public: one with more has no cross-table
MAX_PAIRS = 200
_ROUNDING = 1e-20  # of the product of two second moments: a smaller spread is a rounding error


@dataclass(frozen=True)
class PairReading:
    """What readers get of two columns together.

    Attributes
    ----------
    columns
        The names of the two: a public column, and a public or another one.
    distance
        The total variation between the cross-table that readers get and the true one; None for two
        columns of numbers of which one has very many values.
    measure
        How the association is measured: "correlation" or "Cramer's V".
    association
        The association in the table that readers get.

    """

    columns: tuple[str, str]
    distance: Compared | None
    measure: Measure
    association: Compared

    @property
    def change(self) -> float:
        """The change of the association by the release."""
        return self.association.released - self.association.original

    @property
    def damage(self) -> float:
        """What the release did to the pair: the distance, or the size of the change without one."""
        return abs(self.change) if self.distance is None else self.distance.released


@dataclass(frozen=True, eq=False)
class CrossTable:
    """The non-zero cells of a cross-table: their numbers a*size + b, rising, and their masses."""

    keys: IntArray
    mass: FloatArray
    size: int

    @classmethod
    def of(cls, a: IntArray, b: IntArray, size: int, mass: FloatArray | None = None) -> CrossTable:
        """Add up masses by two codes; the second is below `size`. Without masses, count."""
        keys, place = np.unique(a * size + b, return_inverse=True)
        return cls(keys, sums_of(place, mass, keys.size), size)

    @property
    def codes(self) -> tuple[IntArray, IntArray]:
        """The two codes of each cell."""
        a, b = np.divmod(self.keys, self.size)
        return a, b


def pair_readings(
    records: Records, original: View, released: View, shuffled: View
) -> tuple[PairReading, ...]:
    """Measure each public column with every other column; those with the largest distance first.

    Of very many pairs the first `MAX_PAIRS` are measured. O(records + cells) for each pair.
    """
    views = (original, released, shuffled)
    inner = list(combinations(range(len(records.public)), 2))
    outer = [
        (i, other)
        for i in range(len(records.public))
        for other in records.others
        if len(other.values) <= MAX_PAIRED_VALUES or _are_numbers(records.public[i], other)
    ]
    found = [_public_pair(records, i, j, views) for i, j in inner[:MAX_PAIRS]]
    found += [_other_pair(records, i, other, views) for i, other in outer[:MAX_PAIRS]]
    return tuple(sorted(found, key=lambda pair: pair.damage, reverse=True))


def total_variation(one: CrossTable, other: CrossTable) -> float:
    """Return half the sum of |p - q| over the cells of two cross-tables."""
    keys = np.concatenate([one.keys, other.keys])
    mass = np.concatenate([one.mass / one.mass.sum(), -other.mass / other.mass.sum()])
    return float(np.abs(np.bincount(np.unique(keys, return_inverse=True)[1], mass)).sum() / 2)


def cramers_v(table: CrossTable) -> float:
    """Return Cramer's V of a cross-table; 0 where a column has a single value."""
    a, b = table.codes
    p = table.mass / table.mass.sum()
    rows, columns = np.bincount(a, p), np.bincount(b, p)
    least = min(np.count_nonzero(rows), np.count_nonzero(columns))
    if least < 2:  # noqa: PLR2004, a column of one value is associated with nothing
        return 0.0
    known = p > 0
    phi = (p[known] ** 2 / (rows[a[known]] * columns[b[known]])).sum() - 1
    return math.sqrt(min(1.0, max(0.0, phi / (least - 1))))


def correlation(a: FloatArray, b: FloatArray, mass: FloatArray) -> float:
    """Return the correlation of two lists of numbers with masses, without missing ones.

    0 where one of the two does not vary.
    """
    known = ~np.isnan(a) & ~np.isnan(b)
    a, b, mass = _centred(a[known]), _centred(b[known]), mass[known]
    return _from_sums(mass.sum(), mass @ a, mass @ b, mass @ a**2, mass @ b**2, mass @ (a * b))


def _public_pair(records: Records, i: int, j: int, views: tuple[View, ...]) -> PairReading:
    one, other = records.public[i], records.public[j]
    size = len(other.values)
    tables = [CrossTable.of(v.rows[:, i], v.rows[:, j], size, v.mass) for v in views]
    if one.numbers is not None and other.numbers is not None:
        cells = [(table, *table.codes) for table in tables]
        strength = [
            correlation(one.numbers[a], other.numbers[b], table.mass) for table, a, b in cells
        ]
        return _reading(one, other, tables, "correlation", strength)
    return _reading(one, other, tables, "Cramer's V", [cramers_v(table) for table in tables])


def _other_pair(
    records: Records, i: int, other: RecordColumn, views: tuple[View, ...]
) -> PairReading:
    column = records.public[i]
    tables = []
    if len(other.values) <= MAX_PAIRED_VALUES:
        tables = [_beside(view, i, len(column.values), other) for view in views]
    if _are_numbers(column, other):
        strength = [_correlation_beside(view, i, column, other) for view in views]
        return _reading(column, other, tables, "correlation", strength)
    return _reading(column, other, tables, "Cramer's V", [cramers_v(table) for table in tables])


def _beside(view: View, place: int, values: int, other: RecordColumn) -> CrossTable:
    """Return the cross-table of a public column, as readers believe it, and a known column."""
    size = len(other.values)
    seen = CrossTable.of(view.y, other.codes, size)
    pair_y, pair_code = seen.codes
    numbers, share = view.belief(place, values)
    y, codes = np.divmod(numbers, values)
    first = np.searchsorted(y, np.arange(view.shown + 1))
    times = np.diff(first)[pair_y]
    cells = np.repeat(first[pair_y] - np.cumsum(times) + times, times) + np.arange(times.sum())
    mass = np.repeat(seen.mass, times) * share[cells]
    return CrossTable.of(codes[cells], np.repeat(pair_code, times), size, mass)


def _correlation_beside(view: View, place: int, column: RecordColumn, other: RecordColumn) -> float:
    """Return the correlation of a public column of numbers, as readers believe it, and another."""
    if column.numbers is None or other.numbers is None:
        raise TypeError("a correlation is of two columns of numbers")
    of_row = _centred(column.numbers)[view.rows[:, place]]
    missing = np.isnan(of_row)
    value = np.where(missing, 0.0, of_row)
    known, first, second = (view.mean_over(part)[view.y] for part in (~missing, value, value**2))
    b = _centred(other.numbers)[other.codes]
    there = ~np.isnan(b)
    known, first, second, b = known[there], first[there], second[there], b[there]
    return _from_sums(known.sum(), first.sum(), known @ b, second.sum(), known @ b**2, first @ b)


def _from_sums(*sums: Any) -> float:
    """Return the correlation from the mass and the sums of a, b, a^2, b^2 and a b."""
    n, a, b, aa, bb, ab = map(float, sums)
    if not n:
        return 0.0
    spread = (aa / n - (a / n) ** 2) * (bb / n - (b / n) ** 2)
    if spread <= _ROUNDING * aa / n * bb / n:
        return 0.0
    return float(min(1.0, max(-1.0, (ab / n - a / n * b / n) / math.sqrt(spread))))


def _centred(numbers: FloatArray) -> FloatArray:
    """Return numbers around their middle, so that their squares round little."""
    known = numbers[~np.isnan(numbers)]
    return numbers - (known.mean() if known.size else 0.0)


def _reading(
    one: RecordColumn,
    other: RecordColumn,
    tables: list[CrossTable],
    measure: Measure,
    strength: list[float],
) -> PairReading:
    distance = Compared(*(total_variation(t, tables[0]) for t in tables)) if tables else None
    return PairReading((one.name, other.name), distance, measure, Compared(*strength))


def _are_numbers(one: RecordColumn, other: RecordColumn) -> bool:
    return one.numbers is not None and other.numbers is not None
