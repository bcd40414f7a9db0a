"""Rows in memory, in their order: the distinct rows, and for each row its number among them.

For callers that must return row i for row i, as scikit-learn does. The engine groups dataframes,
numpy groups arrays; Python handles distinct values only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.cuts import Cut, band_of
from loglift.errors import TableError
from loglift.joint import IntArray, Joint
from loglift.sparse import any_row, refinement
from loglift.tables.bins import CLIPPED, Bands, as_cuts, refused
from loglift.tables.canonical import Reading, decode, sort_key
from loglift.tables.codes import Coded
from loglift.tables.counting import settled
from loglift.tables.engines import places
from loglift.tables.grouping import Groups, binned, group, in_bands
from loglift.tables.measurements import edges_of, own_cuts
from loglift.tables.missing import without_codes
from loglift.tables.opened import Table
from loglift.tables.sides import joint_of, side_of
from loglift.values import NUMBERS


@dataclass(frozen=True, eq=False)
class Rows:
    """Named columns: their distinct rows, and for each row of the data its number among them."""

    names: tuple[str, ...]
    groups: Groups
    places: IntArray
    bins: Mapping[str, Cut]


_TIMES = frozenset({"date", "datetime", "instant"})


class KindError(TableError, TypeError):
    """A column holds an unhashable value; scikit-learn requires a TypeError."""


def read_rows(
    source: Table | NDArray[Any],
    names: tuple[str, ...],
    bins: Mapping[str, Any],
    types: Sequence[str] | None = None,
    *,
    is_public: bool = True,
) -> Rows:
    """Read columns; without the `types` of an earlier reading, measurements are cut into bands."""
    as_cuts(bins, names)  # refuses columns that there are not
    cuts = {name: Cut.of(given, name) for name, given in bins.items()}
    reading: Reading
    if isinstance(source, np.ndarray):
        read, reading = partial(_from_array, source, names), "native"
        cuts = _settled(source, names, cuts)
    else:
        opened = replace(source, columns=names)
        read, reading = partial(_from_frame, opened, names, types), opened.reading
        cuts = settled(opened, cuts)
    rows = read(cuts)
    if types is not None:
        return rows
    places = {names.index(name): cut for name, cut in cuts.items()}
    groups = rows.groups
    own = own_cuts(
        names, groups.types, groups.columns, groups.records,
        cuts=places, public=len(names) if is_public else 0, reading=reading,
    )  # fmt: skip
    return read({**cuts, **{names[i]: cut for i, cut in own.items()}}) if own else rows


def _from_frame(
    opened: Table, names: tuple[str, ...], types: Sequence[str] | None, bins: Mapping[str, Cut]
) -> Rows:
    """Group the rows in the engine, and attach to each row the number of its group."""
    groups = group(opened, names, bins=bins, expected=types)
    frame, _ = binned(opened, names, bins=bins)
    keys = [f"c{i}" for i in range(len(names))]
    numbers = [places(len(groups.records))]
    placed = opened.engine.attach(frame.to_native(), groups.small, keys, numbers, ordered=True)
    return Rows(names, groups, np.asarray(placed["place"]).astype(np.int64), bins)


def _from_array(array: NDArray[Any], names: tuple[str, ...], bins: Mapping[str, Cut]) -> Rows:
    """Group the rows of an array: code every column, then combine the codes of each row."""
    columns = [_column(array[:, i], n, bins.get(n)) for i, n in enumerate(names)]
    code = refinement([coded.places for _, coded in columns])
    one_each = any_row(code)
    groups = Groups(
        types=tuple(kind for kind, _ in columns),
        columns=tuple(coded.take(one_each) for _, coded in columns),
        records=np.bincount(code),
        small=None,
    )
    return Rows(names, groups, code, bins)


def _settled(
    array: NDArray[Any], names: tuple[str, ...], cuts: Mapping[str, Cut]
) -> dict[str, Cut]:
    """Find the edges of quantiles."""
    done = dict(cuts)
    for name, cut in cuts.items():
        if not cut.found:
            codes = Cut(missing=cut.missing)
            kind, coded = _column(array[:, names.index(name)], name, codes)
            records = np.bincount(coded.places)
            each = Coded(coded.values, np.arange(len(coded.values)))
            done[name] = edges_of(cut, name, kind, each, records, "native")
    return done


def _column(array: NDArray[Any], name: str, cut: Cut | None) -> tuple[str, Coded]:
    """Return the type of a column, and its values in canonical form or in bands, sorted."""
    raw = _factorised(array, name)
    plain = [_plain(value, name) for value in raw.values]
    kind, values = decode(
        without_codes(plain, "native", cut.missing if cut else ()), "native", name
    )
    if cut is None or not cut.bands:
        return kind, raw.renamed(values, sort_key)
    if kind not in (_TIMES if cut.is_of_dates else NUMBERS):
        raise refused(name, kind, cut)
    if cut.width is None:
        bands = raw.renamed((band_of(value, cut) for value in values), partial(_in_order, cut))
        return "text", bands
    by = Bands(cut, whole=kind == "integer" and cut.exact_width.denominator == 1)
    numbers = raw.renamed((_bin_number(value, by) for value in values), sort_key)
    return "text", in_bands(numbers, by, name)


def _in_order(cut: Cut, name: Any) -> tuple[int, Any]:
    place = cut.place(name)
    return sort_key(None if name is None else math.nan) if place is None else (2, place)


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


def _bin_number(value: Any, by: Bands) -> Any:
    """Return what an engine computes in `loglift.tables.bins`: a lower edge, or a bin number."""
    if value is None:
        return None
    width = by.cut.exact_width
    if by.whole:
        return value - value % int(width)
    scaled = float(value) * float(width.denominator) / float(width.numerator)
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
    width = len(s.labels)
    cells = x.places[public.places] * width + s.places[sensitive.places]
    distinct, records = np.unique(cells, return_counts=True)
    return joint_of(x, s, distinct // width, distinct % width, records)
