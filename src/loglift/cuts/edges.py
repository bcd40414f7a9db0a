"""Edges, limits and labels of bands: how they are read, checked and written."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from loglift.cuts.dates import moment
from loglift.errors import TableError
from loglift.values import plain

NOT_A_NUMBER = "NaN"  # the band of NaN, which has no place among the others


def text_of(end: Any) -> str:
    """Return an edge, a limit or a code as text; whole numbers look the same in all types."""
    if isinstance(end, datetime):
        end = end.replace(tzinfo=None)
        return str(end.date()) if end.time() == time() else str(end)
    if isinstance(end, float) and end.is_integer():
        return str(int(end))
    if isinstance(end, Fraction):
        return text_of(int(end) if end.denominator == 1 else float(end))
    return str(end)


def exact_fraction(number: Any) -> Fraction:
    """Return a number as the fraction of its decimal form."""
    return Fraction(str(number)) if isinstance(number, float) else Fraction(number)


def checked_edge(given: Any, of: str) -> Any:
    """Return an edge as an int, a finite float, a date or a datetime; raise for anything else."""
    end = plain(given)
    if isinstance(end, str):
        end = number_or_date(end)
    if isinstance(end, bool) or not isinstance(end, (Real, Decimal, date)):
        raise TableError(f"an edge of the bins of {of} must be a number or a date, got {given!r}")
    if isinstance(end, date):
        if end != end:  # noqa: PLR0124 - NaT of pandas is a date
            raise TableError(f"an edge of the bins of {of} must be a date, got {given!r}")
        return end
    if isinstance(end, Integral):
        return int(end)
    if not (isinstance(end, Rational) or math.isfinite(end)):
        raise TableError(f"an edge of the bins of {of} must be finite, got {given!r}")
    number = float(end)
    return int(number) if number.is_integer() else number


def of_one_type(ends: Sequence[Any], of: str) -> tuple[Any, ...]:
    """Return edges that are all numbers, all dates, or all times; a date is its midnight.

    Times at midnight are dates where all are, as their text is read back.
    """
    if len({isinstance(end, date) for end in ends}) > 1:
        raise TableError(f"the edges of the bins of {of} mix numbers and dates: give one of them")
    if not any(isinstance(end, datetime) for end in ends):
        return tuple(ends)
    whole = [moment(end, zoned=False) for end in ends]
    midnight = all(end.time() == time() for end in whole)
    # Not the time itself: that of pandas has nanoseconds, which no file can hold.
    return tuple(
        end.date() if midnight else datetime.combine(end.date(), end.time()) for end in whole
    )


def check_labels(labels: Sequence[Any], bands: int, of: str) -> None:
    """Raise unless there are no labels, or a different one for each band."""
    if not labels:
        return
    if not all(isinstance(label, str) and label for label in labels):
        raise TableError(f"the labels of the bins of {of} must be texts, got {list(labels)!r}")
    if len(labels) != bands:
        raise TableError(
            f"the edges make {bands} bands of {of}, and the number of labels is {len(labels)}: "
            "name the open bands at both ends, too"
        )
    if len(set(labels)) < bands or NOT_A_NUMBER in labels:
        raise TableError(
            f"the labels of the bins of {of} must differ, and none may be {NOT_A_NUMBER}"
        )


def number_or_date(text: str) -> Any:
    """Return the number, date or time that a text is; else the text."""
    for read in (int, float, date.fromisoformat, datetime.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def labels_text(labels: Sequence[str]) -> str:
    """Return labels with commas between them, quoted as in CSV where needed."""
    quoted = ('"' + label.replace('"', '""') + '"' for label in labels)
    return ",".join(
        label
        if label == label.strip() and label.isprintable() and not set(label) & set(',"')
        else text
        for label, text in zip(labels, quoted, strict=True)
    )


def labels_in(text: str, of: str) -> Sequence[str]:
    """Return the labels that `labels_text` wrote, or that were given on the command line."""
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True), ())
    except csv.Error:
        raise TableError(
            f"the labels of the bins of {of} cannot be read: write a label that holds commas, "
            'quotes or line ends in quotes, as in "a, b", and double the quotes in it'
        ) from None
