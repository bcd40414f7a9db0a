"""Bands: an ordered column cut into runs of values of about equal mass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import UtilityError
from loglift.joint import Column, IntArray
from loglift.values import checked_number, is_missing

BANDS = (4, 16)  # into which an ordered column is cut by default


def is_ordered(column: Column) -> bool:
    """Return whether a column has an order that is worth keeping: one or two values have none."""
    return column.is_ordered and len(column.values) > 2  # noqa: PLR2004, explained above


def bands_of(column: Column, weight: NDArray[Any], bands: int) -> IntArray:
    """Return the band of each value of an ordered column; `weight` has the mass of public values.

    A value belongs to the band in which the middle of its mass lies. NULL and NaN, which have no
    place in the order, are a band of their own.
    """
    if not column.is_ordered:
        raise UtilityError(
            f"column {column.name!r} is {column.type} without an order, so it has no bands: give a "
            "mapping of its values to groups"
        )
    count = int(checked_number(bands, "a number of bands", least=2, whole=True, error=UtilityError))
    mass = np.bincount(column.codes, weight, minlength=len(column.values)).astype(np.float64)
    missing = np.array([is_missing(value) for value in column.values])
    mass[missing] = 0.0
    order = np.argsort(column.ranks) if column.ranks else np.arange(mass.size)
    total, middle = mass.sum(), np.zeros(mass.size)
    if total:
        middle[order] = (np.cumsum(mass[order]) - mass[order] / 2) / total
    found = np.minimum((middle * count).astype(np.int64), count - 1)
    found[missing] = count
    return np.unique(found, return_inverse=True)[1]
