"""Rows in memory, in their order: the distinct rows, and for each row its number among them.

For callers that must return row i for row i, as scikit-learn does. The engine groups dataframes,
numpy groups arrays; Python handles distinct values only.
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
from loglift.joint import IntArray, Joint
from loglift.sparse import any_row, refinement
from loglift.tables.bins import CLIPPED, Bin, as_widths
from loglift.tables.canonical import decode, sort_key
from loglift.tables.codes import Coded
from loglift.tables.counting import (
    Groups,
    binned,
    group,
    in_bins,
    joint_of,
    refuse_measurements,
    side_of,
)
from loglift.tables.engines import places
from loglift.tables.opened import Table
from loglift.values import NUMBERS


@dataclass(frozen=True, eq=False)
class Rows:
    """Named columns: their distinct rows, and for each row of the data its number among them."""

    names: tuple[str, ...]
    groups: Groups
    places: IntArray
    bins: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of an array: its type, its values, and its bins, if any."""

    type: str
    coded: Coded
    bin: Bin | None


class KindError(TableError, TypeError):
    """A column holds an unhashable value; scikit-learn requires a TypeError."""


def read_rows(
    source: Table | NDArray[Any],
    names: tuple[str, ...],
    bins: Mapping[str, float],
    types: Sequence[str] | None = None,
) -> Rows:
    """Read columns; without the `types` of an earlier reading, measurements are refused."""
    if isinstance(source, np.ndarray):
        return _from_array(source, names, bins, fitting=types is None)
    return _from_frame(replace(source, columns=names), names, bins, types)


def _from_frame(
    opened: Table, names: tuple[str, ...], bins: Mapping[str, float], types: Sequence[str] | None
) -> Rows:
    """Group the rows in the engine, and attach to each row the number of its group."""
    groups = group(opened, names, bins=bins, expected=types)
    frame, _ = binned(opened, names, bins=bins)
    keys = [f"c{i}" for i in range(len(names))]
    numbers = [places(len(groups.records))]
    placed = opened.engine.attach(frame.to_native(), groups.small, keys, numbers, ordered=True)
    return Rows(names, groups, np.asarray(placed["place"]).astype(np.int64), bins)


def _from_array(
    array: NDArray[Any], names: tuple[str, ...], bins: Mapping[str, float], *, fitting: bool
) -> Rows:
    """Group the rows of an array: code every column, then combine the codes of each row."""
    widths = as_widths(bins, names)
    columns = [_column(array[:, i], n, widths.get(i)) for i, n in enumerate(names)]
    code = refinement([column.coded.places for column in columns])
    one_each = any_row(code)
    groups = Groups(
        types=tuple(column.type for column in columns),
        columns=tuple(column.coded.take(one_each) for column in columns),
        records=np.bincount(code),
        small=None,
    )
    if fitting:
        cuts = {i: column.bin for i, column in enumerate(columns) if column.bin is not None}
        refuse_measurements(groups, names, cuts)
    return Rows(names, groups, code, bins)


def _column(array: NDArray[Any], name: str, width: Fraction | None) -> _Column:
    raw = _factorised(array, name)
    kind, values = decode([_plain(value, name) for value in raw.values], "native", name)
    if width is None:
        return _Column(kind, raw.renamed(values, sort_key), None)
    if kind not in NUMBERS:
        raise TableError(f"column {name!r} cannot be cut into bins: it holds {kind}, not numbers")
    cut_by = Bin(width, whole=kind == "integer" and width.denominator == 1)
    numbers = raw.renamed((_bin_number(value, cut_by) for value in values), sort_key)
    return _Column("text", in_bins(numbers, cut_by, name), cut_by)


def _factorised(array: NDArray[Any], name: str) -> Coded:
    """Return the distinct values of a column as Python values, and each row's place there."""
    if array.dtype.kind in "OT":
        return _hashed(array.tolist(), name)
    if array.dtype.kind in "mM":
        array = _in_microseconds(array, name)
    distinct, places = np.unique(array, return_inverse=True)
    return Coded(distinct.tolist(), places)


def _hashed(items: list[Any], name: str) -> Coded:
    try:
        hash(tuple(items))
    except TypeError as error:
        raise KindError(
            f"column {name!r} holds an {error}: the argument must be made of strings, numbers "
            "or dates"
        ) from None
    return Coded.of(items)


def _in_microseconds(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Return times in microseconds, as Python has them: numpy makes finer ones integers."""
    rounded = array.astype(f"{array.dtype.kind}8[us]")
    if (rounded != array)[~np.isnat(array)].any():
        raise TableError(f"column {name!r} is in nanoseconds: round it to microseconds first")
    return rounded


def _plain(value: Any, name: str) -> Any:
    """Return an object of pandas as a Python value; missing values become None."""
    missing = isinstance(value, float) and math.isnan(value)
    if missing or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, datetime) and hasattr(value, "to_pydatetime"):
        if value.nanosecond:  # type: ignore[attr-defined]
            raise TableError(f"column {name!r} is in nanoseconds: round it to microseconds first")
        return value.to_pydatetime()
    return value


def _bin_number(value: Any, cut_by: Bin) -> Any:
    """Return what an engine computes in `loglift.tables.bins`: a lower edge, or a bin number."""
    if value is None:
        return None
    if cut_by.whole:
        return value - value % int(cut_by.width)
    scaled = float(value) * float(cut_by.width.denominator) / float(cut_by.width.numerator)
    return float(math.floor(min(max(scaled, -CLIPPED), CLIPPED)))


def count_rows(public: Rows, sensitive: Rows) -> Joint:
    """Count public against sensitive values, as `loglift.tables.count` does on one table."""
    x, s = (
        side_of(
            rows.names,
            rows.groups.types,
            rows.groups.columns,
            [rows.bins.get(name) for name in rows.names],
        )
        for rows in (public, sensitive)
    )
    width = len(s.values)
    cells = x.places[public.places] * width + s.places[sensitive.places]
    distinct, records = np.unique(cells, return_counts=True)
    return joint_of(x, s, distinct // width, distinct % width, records)
