"""Edges, limits and labels of bands: how they are read, checked and written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from loglift.errors import TableError

NOT_A_NUMBER = "NaN"  # the band of NaN, which has no place among the others


def text_of(end: Any) -> str:
    """Return an edge, a limit or a code as text; whole numbers look the same in all types."""
    if isinstance(end, datetime):
        plain = end.replace(tzinfo=None)
        return str(plain.date()) if plain.time() == time() else str(plain)
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
    plain = given.item() if hasattr(given, "item") else given
    if isinstance(plain, str):
        plain = number_or_date(plain)
    if isinstance(plain, bool) or not isinstance(plain, (Real, Decimal, date)):
        raise TableError(f"an edge of the bins of {of} must be a number or a date, got {given!r}")
    if isinstance(plain, date):
        return plain
    if isinstance(plain, Integral):
        return int(plain)
    if not (isinstance(plain, Rational) or math.isfinite(plain)):
        raise TableError(f"an edge of the bins of {of} must be finite, got {given!r}")
    number = float(plain)
    return int(number) if number.is_integer() else number


def refuse_mixed(ends: Sequence[Any], of: str) -> None:
    """Raise if edges are not all numbers, all dates, or all times."""
    kinds = {isinstance(end, date) + isinstance(end, datetime) for end in ends}
    if len(kinds) > 1:
        raise TableError(f"the edges of the bins of {of} mix numbers, dates or times: give one")
    if len({getattr(end, "tzinfo", None) is None for end in ends}) > 1:
        raise TableError(f"the edges of the bins of {of} mix times with a zone and without")


def check_labels(labels: Sequence[Any], bands: int, of: str) -> None:
    """Raise unless there are no labels, or a different one for each band."""
    if not labels:
        return
    if not all(isinstance(label, str) and label for label in labels):
        raise TableError(f"the labels of the bins of {of} must be texts, got {list(labels)!r}")
    if len(labels) != bands:
        raise TableError(
            f"{bands - 1} edges make {bands} bands of {of}, and there are {len(labels)} labels: "
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
        label if not set(label) & set(',"') else text
        for label, text in zip(labels, quoted, strict=True)
    )
