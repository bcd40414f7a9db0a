"""Quantile bands: edges at round numbers or dates, each band with about as many records.

An edge would tell about a record if it were a record's own value. So edges are the roundest numbers
(or first days of years, quarters, months) that split the records nearly as asked: within
`TOLERANCE` of a band's records, where that can be. A date or time that is not round is one in the
middle between two records. Where every number or day occurs, an edge is a value of records, too.
Every band has at least half of its share of the records, and `MIN_RECORDS`; else there are fewer
bands. The first and the last band are open, so that neither the least nor the largest value is
told.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import MAXYEAR, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import numpy as np

from loglift.joint import IntArray

TOLERANCE = 0.1  # share of its records by which a band may have more or fewer
MIN_RECORDS = 5  # of a band
_DIGITS = 2  # decimal digits beyond those that tell two values apart
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_SECONDS = {"day": 86_400, "hour": 3600, "minute": 60}


def quantile_edges(values: Sequence[Any], records: IntArray, bands: int) -> tuple[Any, ...]:
    """Return at most bands - 1 edges of some distinct values in order, with their records.

    The values are all integers, finite floats, dates, or times without a zone. With d the values,
    an edge in (d[j-1], d[j]] leaves the records of d[0] to d[j-1] below it. O(values x bands).
    """
    below = np.concatenate([[0], np.cumsum(records)])[:-1]  # C[j]: the records below d[j]
    total = int(np.sum(records))
    share = total / bands
    least = max(MIN_RECORDS, share / 2)
    edges: list[Any] = []
    done = 0  # records below the last edge
    for i in range(1, bands):
        off = np.abs(below - i * share)
        off[(below - done < least) | (total - below < least)] = np.inf
        best = int(off.argmin())
        if off[best] > share / 2:  # a value with many records, which other edges are closer to
            continue
        near = np.flatnonzero(off <= max(TOLERANCE * share, off[best]))
        low, high = values[near[0] - 1], values[near[-1]]
        edge = roundest(low, values[best], high, before=values[best - 1])
        edges.append(edge)
        done = int(below[bisect_left(values, edge)])
    return tuple(edges)


def roundest(low: Any, near: Any, high: Any, before: Any = None) -> Any:
    """Return the roundest number, date or time above `low` and up to `high`, close to `near`.

    `before` is the next value below `near`, by default `low`.
    """
    before = low if before is None else before
    candidates = _dates(before, near) if isinstance(near, date) else _numbers(low, near)
    for pair in candidates:
        inside = [edge for edge in pair if low < edge <= high]
        if inside:
            return min(inside, key=lambda edge: abs(edge - near))
    return near


def _numbers(low: Any, near: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the multiples next to a number of 10^k, 5 10^(k-1), 2 10^(k-1), ..., from large k on.

    Integers have integer edges only.
    """
    whole, exact = isinstance(near, int), Fraction(near)
    largest = max(abs(exact), abs(Fraction(low)))
    first = math.floor(math.log10(largest)) + 1 if largest else 0
    last = 0 if whole else math.floor(math.log10(exact - Fraction(low))) - _DIGITS
    for power in range(first, last - 1, -1):
        for factor in (Fraction(1), Fraction(1, 2), Fraction(1, 5)):
            step = factor * Fraction(10) ** power
            if not whole or step.denominator == 1:
                down = exact // step * step
                yield (_plain(down, whole=whole), _plain(down + step, whole=whole))


def _plain(edge: Fraction, *, whole: bool) -> Any:
    return int(edge) if whole or edge.denominator == 1 else float(edge)


def _dates(before: date, near: date) -> Iterator[tuple[Any, Any]]:
    """Yield the beginnings of the year, quarter, ..., minute of a time, and of the next.

    The last ones are in the middle between two times: the day, or the second and the moment.
    """
    for length in _MONTHS.values():
        months = (near.year * 12 + near.month - 1) // length * length
        yield (_month(near, months), _month(near, months + length))
    middle = near - (near - before) // 2
    if not isinstance(near, datetime) or not isinstance(middle, datetime):
        yield (middle, middle)
        return
    midnight = near.replace(hour=0, minute=0, second=0, microsecond=0)
    for unit in (timedelta(seconds=seconds) for seconds in _SECONDS.values()):
        begin = midnight + (near - midnight) // unit * unit
        yield (begin, near if near.year == MAXYEAR else begin + unit)
    second = middle.replace(microsecond=0)
    yield (second, second)
    yield (middle, middle)


def _month(like: date, months: int) -> Any:
    """Return the first day of a month, counted from year 0, as a date or a time; at most 9999."""
    year, month = divmod(min(months, MAXYEAR * 12 + 11), 12)
    first = date(year, month + 1, 1)
    return datetime.combine(first, time()) if isinstance(like, datetime) else first
