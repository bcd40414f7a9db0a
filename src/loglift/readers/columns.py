"""What became of each public column: cells unchanged, information, and the mean of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loglift.joint import FloatArray
from loglift.readers.compared import Compared
from loglift.readers.views import RecordColumn, Records, View, sums_of


@dataclass(frozen=True)
class ColumnReading:
    """What readers get of one public column.

    Attributes
    ----------
    name
        The column.
    unchanged
        The share of records that show the one value they have: a set of several values is a
        change, and so is another value.
    information
        I(X_j;Y)/H(X_j), with Y the whole released row as the mechanism makes it. A shuffled column
        says nothing about its record: 0.
    mean
        The mean that readers compute; None unless the column is of numbers. Missing values are left
        out.
    mean_shift
        That mean less the true one, in standard deviations of the column.

    """

    name: str
    unchanged: Compared
    information: Compared
    mean: Compared | None = None
    mean_shift: Compared | None = None


def column_readings(
    records: Records, released: View, shuffled: View, information: Sequence[float]
) -> tuple[ColumnReading, ...]:
    """Measure each public column; `information` is I(X_j;Y)/H(X_j) of each."""
    return tuple(
        _reading(column, place, released, shuffled, kept)
        for place, (column, kept) in enumerate(zip(records.public, information, strict=True))
    )


def _reading(
    column: RecordColumn, place: int, released: View, shuffled: View, kept: float
) -> ColumnReading:
    unchanged = [
        float((view.sole(place)[view.y] == column.codes).mean()) for view in (released, shuffled)
    ]
    mean = shift = None
    if column.numbers is not None and not np.isnan(column.numbers[column.codes]).all():
        truth = sums_of(column.codes, None, column.numbers.size)
        views = (released, shuffled)
        tables = [truth, *(sums_of(v.rows[:, place], v.mass, truth.size) for v in views)]
        means = [mean_of(column.numbers, mass) for mass in tables]
        spread = deviation_of(column.numbers, truth)
        mean = Compared(*means)
        shift = Compared(*((found - means[0]) / spread if spread else 0.0 for found in means))
    return ColumnReading(
        column.name, Compared(1.0, *unchanged), Compared(1.0, kept, 0.0), mean, shift
    )


def mean_of(numbers: FloatArray, mass: FloatArray) -> float:
    """Return the mean of numbers with their masses; missing ones (NaN) are left out."""
    known = ~np.isnan(numbers)
    total = mass[known].sum()
    return float(numbers[known] @ mass[known] / total) if total else float("nan")


def deviation_of(numbers: FloatArray, mass: FloatArray) -> float:
    """Return the standard deviation of numbers with their masses; missing ones are left out."""
    return float(np.sqrt(mean_of((numbers - mean_of(numbers, mass)) ** 2, mass)))
