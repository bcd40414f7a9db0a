"""Dates cut by a unit, and as the times at which they begin."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

UNITS = ("year", "quarter", "month", "day")


def moment(end: Any, *, zoned: bool) -> datetime:
    """Return a date as the time at which it begins; with `zoned`, in UTC."""
    whole = end if isinstance(end, datetime) else datetime.combine(end, time())
    if zoned:
        return whole.replace(tzinfo=UTC) if whole.tzinfo is None else whole.astimezone(UTC)
    return whole if whole.tzinfo is None else whole.astimezone(UTC).replace(tzinfo=None)


def number_of_date(value: date, unit: str) -> int:
    """Return the number of a date's year, quarter, month or day; see `date_name`."""
    if unit == "year":
        return value.year
    if unit == "day":
        return value.year * 10_000 + value.month * 100 + value.day
    months = value.year * 12 + value.month - 1
    return months if unit == "month" else months // 3


def date_name(number: int, unit: str) -> str:
    """Return the name of a year, quarter, month or day: 2021, 2021-Q1, 2021-03, 2021-03-31."""
    if unit == "year":
        return f"{number:04d}"
    if unit == "quarter":
        return f"{number // 4:04d}-Q{number % 4 + 1}"
    if unit == "month":
        return f"{number // 12:04d}-{number % 12 + 1:02d}"
    return f"{number // 10_000:04d}-{number // 100 % 100:02d}-{number % 100:02d}"
