"""Rows in memory, in their order: the distinct ones, and which one each row is.

For callers that must give back row i for row i, as scikit-learn does. Dataframes are grouped by
their engine, arrays here by numpy; Python sees distinct values only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.tables.bins import CLIPPED, Bin, as_widths
from loglift.tables.counting import Counts, Groups, binned, group, indexed, refuse_measurements
from loglift.tables.engines import places
from loglift.tables.table import Table
from loglift.tables.values import decode, sort_key
from loglift.types import NUMBERS


@dataclass(frozen=True, eq=False)
class Rows:
    """Named columns as their distinct rows, and for each row of the data which one it is."""

    names: tuple[str, ...]
    groups: Groups
    places: IntArray


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of an array: its distinct values, their sort keys, and the place of each row's."""

    type: str
    values: list[Any]
    keys: dict[Any, Any]
    places: IntArray
    bin: Bin | None


class KindError(TableError, TypeError):
    """A value that cannot be one; scikit-learn wants it to be a TypeError."""


def read_rows(
    source: Table | NDArray[Any],
    names: tuple[str, ...],
    bins: Mapping[str, float],
    types: Sequence[str] | None = None,
) -> Rows:
    """Read columns; without the types of an earlier reading, measurements are refused."""
    if isinstance(source, np.ndarray):
        return _from_array(source, names, bins, fitting=types is None)
    return _from_frame(replace(source, columns=names), names, bins, types)


def _from_frame(
    opened: Table, names: tuple[str, ...], bins: Mapping[str, float], types: Sequence[str] | None
) -> Rows:
    """Let the engine group the rows, and attach to each the number of its group."""
    groups = group(opened, names, bins=bins, expected=types)
    frame, _ = binned(opened, names, bins=bins)
    keys = [f"c{i}" for i in range(len(names))]
    numbers = [places(len(groups.records))]
    placed = opened.engine.attach(frame.to_native(), groups.small, keys, numbers, ordered=True)
    return Rows(names, groups, np.asarray(placed["place"]).astype(np.int64))


def _from_array(
    array: NDArray[Any], names: tuple[str, ...], bins: Mapping[str, float], *, fitting: bool
) -> Rows:
    """Group the rows of an array: codes column by column, folded into one number a row."""
    widths = as_widths(bins, names)
    columns = [_column(array[:, i], n, widths.get(n)) for i, n in enumerate(names)]
    code = np.zeros(len(array), dtype=np.int64)
    for column in columns:
        # Ranked at each step, so codes never exceed (distinct rows) x (distinct values).
        code = np.unique(code * len(column.values) + column.places, return_inverse=True)[1]
    _, first, records = np.unique(code, return_index=True, return_counts=True)
    groups = Groups(
        types=tuple(column.type for column in columns),
        values=tuple([c.values[place] for place in c.places[first]] for c in columns),
        keys=tuple(column.keys for column in columns),
        records=records,
        small=None,
    )
    if fitting:
        cuts = {i: column.bin for i, column in enumerate(columns) if column.bin is not None}
        refuse_measurements(groups, names, cuts)
    return Rows(names, groups, code)


def _column(array: NDArray[Any], name: str, width: Fraction | None) -> _Column:
    raw, places = _factorised(array, name)
    kind, values = decode([_plain(value, name) for value in raw], "native", name)
    if width is None:
        return _Column(kind, values, {value: sort_key(value) for value in values}, places, None)
    if kind not in NUMBERS:
        raise TableError(f"column {name!r} cannot be cut into bins: it holds {kind}, not numbers")
    cut_by = Bin(width, whole=kind == "integer" and width.denominator == 1)
    numbers = [_bin_number(value, cut_by) for value in values]
    labels = [cut_by.label(number, name) for number in numbers]
    keys = {label: sort_key(n) for label, n in zip(labels, numbers, strict=True)}
    return _Column("text", labels, keys, places, cut_by)


def _factorised(array: NDArray[Any], name: str) -> tuple[list[Any], IntArray]:
    """Return the distinct values of a column as Python values, and the place of each row's."""
    if array.dtype.kind in "OT":
        items = array.tolist()
        try:
            place = {value: i for i, value in enumerate(dict.fromkeys(items))}
        except TypeError as error:
            raise KindError(
                f"column {name!r} holds an {error}: the argument must be made of strings, numbers "
                "or dates"
            ) from None
        return list(place), np.fromiter(map(place.__getitem__, items), np.int64, len(items))
    if array.dtype.kind in "mM":
        array = _in_microseconds(array, name)
    distinct, places = np.unique(array, return_inverse=True)
    return distinct.tolist(), places


def _in_microseconds(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return times in the unit of Python's: numpy hands finer ones over as bare integers."""
    rounded = array.astype(f"{array.dtype.kind}8[us]")
    if (rounded != array)[~np.isnat(array)].any():
        raise TableError(f"column {name!r} is in nanoseconds: round it to microseconds first")
    return rounded


def _plain(value: Any, name: str) -> Any:
    """Return what pandas leaves in arrays of objects as Python's own; what is missing is NULL."""
    missing = isinstance(value, float) and math.isnan(value)
    if missing or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, datetime) and hasattr(value, "to_pydatetime"):
        if value.nanosecond:  # type: ignore[attr-defined]
            raise TableError(f"column {name!r} is in nanoseconds: round it to microseconds first")
        return value.to_pydatetime()
    return value


def _bin_number(value: Any, cut_by: Bin) -> Any:
    """Return what the engines compute in `loglift.tables.bins`: a lower edge, or a bin number."""
    if value is None:
        return None
    if cut_by.whole:
        return value - value % int(cut_by.width)
    scaled = float(value) * float(cut_by.width.denominator) / float(cut_by.width.numerator)
    return float(math.floor(min(max(scaled, -CLIPPED), CLIPPED)))


def count_rows(public: Rows, sensitive: Rows) -> Counts:
    """Count public against sensitive values, as `loglift.tables.count` does on one table."""
    xs, x_places = indexed(public.groups.values, public.groups.keys)
    ss, s_places = indexed(sensitive.groups.values, sensitive.groups.keys)
    cells = x_places[public.places] * len(ss) + s_places[sensitive.places]
    distinct, records = np.unique(cells, return_counts=True)
    return Counts(
        public_columns=public.names,
        sensitive_columns=sensitive.names,
        public_types=public.groups.types,
        sensitive_types=sensitive.groups.types,
        public=xs,
        sensitive=ss,
        public_orders=tuple(tuple(sorted(k, key=k.__getitem__)) for k in public.groups.keys),
        rows=distinct // len(ss),
        columns=distinct % len(ss),
        records=records,
    )
