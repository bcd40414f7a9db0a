"""Which bands a column gets: the edges of quantiles, and bands for columns with very many values.

A column of very many numbers, dates or times is a measurement: hardly two records share a value,
and each value alone would tell who has it. It is cut into quantile bands: public ones into as many
as leave `RECORDS_PER_BAND` in each, at most `PUBLIC_BANDS`, so that what is merged can still be
chosen finely; sensitive ones into `SENSITIVE_BANDS`, because every released value must contain each
of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np

from loglift.cuts import Cut, moment
from loglift.errors import TableError
from loglift.identifiers import is_identifier
from loglift.joint import IntArray
from loglift.tables.canonical import Reading
from loglift.tables.codes import Coded
from loglift.tables.quantiles import quantile_edges
from loglift.values import ORDERED_TYPES, looks_fractional

# A column with more distinct values than both is a measurement.
MAX_VALUES = 1000
MAX_SHARE = 0.05  # distinct values per record
PUBLIC_BANDS = 64
SENSITIVE_BANDS = 10
RECORDS_PER_BAND = 30


def edges_of(
    cut: Cut, column: str, kind: str, coded: Coded, records: IntArray, reading: Reading
) -> Cut:
    """Return quantiles with the edges that a column's values have."""
    numbers = _in_order(kind, coded, records, reading)
    if numbers is None:
        raise TableError(
            f"column {column!r} cannot be cut into bins: it holds {kind}, not numbers, dates or "
            "times"
        )
    values, weights = numbers
    found = quantile_edges(values, weights, cut.shares or 1) if len(values) > 1 else ()
    if not found:
        raise TableError(
            f"column {column!r} has too few records or values for quantiles: give edges, or leave "
            "it as it is"
        )
    return cut.at(found)


def own_cuts(
    used: Sequence[str],
    types: Sequence[str],
    columns: Sequence[Coded],
    records: IntArray,
    *,
    cuts: Mapping[int, Cut],
    public: int,
    reading: Reading,
    as_is: Collection[str] = (),
) -> dict[int, Cut]:
    """Return bands for the columns that have very many numbers, dates or times, by position.

    The first `public` columns are public, the others sensitive. Columns in `as_is` keep their
    values. Raises `TableError` for columns that look like identifiers.
    """
    found, total = {}, int(records.sum())
    for i, (name, kind, coded) in enumerate(zip(used, types, columns, strict=True)):
        cut, distinct = cuts.get(i, Cut()), len(coded.values)
        many = is_many(distinct, total)
        if cut.bands:
            if many and cut.ends and not cut.points:
                raise TableError(
                    f"the limits {cut.option} leave {distinct} different values of {name!r} in "
                    f"{total} records: give edges (--bin {name}=20,30,65) or quantiles instead"
                )
            continue
        measured = many and _is_measured(kind, coded.values, reading)
        if measured and name in as_is and (kind in ORDERED_TYPES - {"float"}):
            continue
        if not measured or kind == "integer":
            refuse_identifier(name, kind, distinct, total, reading, coded.values)
        if measured:
            found[i] = _own(cut, name, kind, coded, records, reading, is_public=i < public)
    return found


def is_many(distinct: int, total: int) -> bool:
    """Whether a column has more distinct values than a column that is counted value by value."""
    return distinct > max(MAX_VALUES, MAX_SHARE * total)


def measurement_bands(
    name: str, kind: str, coded: Coded, records: IntArray, reading: Reading
) -> Cut | None:
    """Return quantile bands of a column of very many values; None if they cannot be cut."""
    texts = kind == "text" and reading == "native"
    if texts or not _is_measured(kind, coded.values, reading):
        return None
    try:
        return _own(Cut(), name, kind, coded, records, reading, is_public=True)
    except TableError:  # nearly all records have the same value
        return None


def refuse_identifier(
    name: str, kind: str, distinct: int, records: int, reading: Reading, values: Sequence[Any]
) -> None:
    """Raise for a column in which nearly every record has a value of its own."""
    if is_identifier(name, kind, distinct, records) and not (
        kind == "text" and _is_measured(kind, values, reading)
    ):
        insist = f", or cut it (--bin {name}=WIDTH)" if kind == "integer" else ""
        raise TableError(
            f"column {name!r} looks like an identifier: it has {distinct} different values in "
            f"{records} records; leave it out{insist}"
        )


def _own(
    cut: Cut,
    name: str,
    kind: str,
    coded: Coded,
    records: IntArray,
    reading: Reading,
    *,
    is_public: bool,
) -> Cut:
    total = int(records.sum())
    most = min(PUBLIC_BANDS, max(2, total // RECORDS_PER_BAND)) if is_public else SENSITIVE_BANDS
    if kind == "text" and reading == "native":
        raise TableError(
            f"column {name!r} holds {len(coded.values)} different numbers as texts in {total} "
            "records: convert it to numbers"
        )
    asked = replace(Cut.quantiles(most), automatic=True, missing=cut.missing)
    return edges_of(asked, name, kind, coded, records, reading)


def _is_measured(kind: str, values: Sequence[Any], reading: Reading) -> bool:
    """Whether values are numbers, dates or times, or texts of them that a file has."""
    if kind in ORDERED_TYPES - {"time"}:
        return True
    return kind == "text" and (
        looks_fractional(values) or (reading != "native" and _times(values) is not None)
    )


def _in_order(
    kind: str, coded: Coded, records: IntArray, reading: Reading
) -> tuple[list[Any], IntArray] | None:
    """Return the distinct numbers or times of a column in order, with their records."""
    weights = np.bincount(coded.places, records, minlength=len(coded.values)).astype(np.int64)
    values: Sequence[Any] | None = coded.values
    if kind == "text":
        values = None if reading == "native" else _floats(coded.values) or _times(coded.values)
    elif kind not in ORDERED_TYPES - {"time"}:
        values = None
    if values is None:
        return None
    found: dict[Any, int] = {}
    for value, weight in zip(values, weights.tolist(), strict=True):
        plain = _plain(value)
        if plain is not None and weight:
            found[plain] = found.get(plain, 0) + weight
    ordered = sorted(found)
    return ordered, np.array([found[value] for value in ordered], dtype=np.int64)


def _plain(value: Any) -> Any:
    """Return a number or a time as the engine compares it; None for NULL, NaN and infinity."""
    if isinstance(value, datetime):
        return moment(value, zoned=False)
    if isinstance(value, (float, Decimal)):
        return float(value) if math.isfinite(value) else None
    return value


def _floats(texts: Sequence[Any]) -> list[float | None] | None:
    try:
        return [None if text is None else float(text) for text in texts]
    except ValueError:
        return None


def _times(texts: Sequence[Any]) -> list[datetime | None] | None:
    try:
        return [None if text is None else datetime.fromisoformat(text) for text in texts]
    except (TypeError, ValueError):
        return None
