"""Columns of pandas as codes: the part of counting that looks at every row, so it has to be fast.

Missing values, of whatever kind, are one value: None.
"""

from __future__ import annotations

from datetime import UTC
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.sparse import any_row
from loglift.tables.coded import Coded

# What pandas calls an object column whose values are all of one type.
_PURE = frozenset(
    {"string", "bytes", "floating", "integer", "decimal", "boolean"}
    | {"datetime64", "datetime", "date", "time", "empty"}
)
_FINE = ("time64[ns]", "date64[ms]", "date64[day]", "date64")  # Python's times are coarser
_FLOAT_SIZES = (4, 8)  # bytes
_FIRST = 500  # rows of a column that tell what the others are like
_FEW = 100  # values among them that may be all there are
_SHARED = 250  # objects among them, at most, where rows share theirs


def coded(series: pd.Series[Any], column: str | None = None) -> Coded:
    """Code a column; with the name that messages call it by, unclear values are refused."""
    if column is not None:
        _refuse_dtype(series, column)
    if not _holds_objects(series):
        return _coded_by_arrow(series) if _in_arrow(series) else _coded(series)
    objects, places = _apart(series)
    if column is not None:
        _refuse_objects(objects, column)
    found = _coded(objects)
    if places is None:
        return found
    return Coded(found.values, found.places.astype(np.int32)[places])


def refuse_unclear(series: pd.Series[Any], column: str) -> None:
    """Refuse a column in which different values would be counted as one."""
    _refuse_dtype(series, column)
    if _holds_objects(series):
        _refuse_objects(_apart(series)[0], column)


def _holds_objects(series: pd.Series[Any]) -> bool:
    dtype = series.dtype
    if isinstance(dtype, pd.StringDtype):
        return bool(dtype.storage == "python")
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _in_arrow(series: pd.Series[Any]) -> bool:
    return isinstance(series.dtype, pd.StringDtype) and series.dtype.storage == "pyarrow"


def _apart(series: pd.Series[Any]) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
    """Return the objects of a column, each once, and which one each row has.

    Rows of equal value mostly share one object, as those of a CSV file that pandas read do. Telling
    objects apart by where they are is many times faster than by what they are; equal ones among
    them are left to who looks at their values. Where rows have objects of their own: all, and None.
    """
    objects = np.asarray(series.array)
    addresses = np.asarray(_Addresses(objects))
    if not objects.size or np.unique(addresses[:_FIRST]).size > _SHARED:
        return objects, None
    places, _ = pd.factorize(addresses)
    return objects[any_row(places)], places


class _Addresses:
    """An array of objects as NumPy holds it: a pointer each, to be looked at only."""

    def __init__(self, objects: NDArray[Any]) -> None:
        address = np.dtype(np.intp).str
        self.__array_interface__ = objects.__array_interface__ | {
            "typestr": address,
            "descr": [("", address)],
        }
        self.of = objects  # held for as long as it is looked at


def _refuse_dtype(series: pd.Series[Any], column: str) -> None:
    """Refuse floats of other sizes than 4 and 8 bytes, complex and sparse numbers, fine times.

    Zeros of either sign would be counted as one and passed as two, or there is no Python number.
    """
    dtype = series.dtype
    if isinstance(dtype, pd.ArrowDtype) and str(dtype.pyarrow_dtype) in _FINE:
        raise TableError(f"column {column!r} holds {dtype}: cast it to a coarser type first")
    sparse = isinstance(dtype, pd.SparseDtype)
    if sparse or dtype.kind == "c" or (dtype.kind == "f" and dtype.itemsize not in _FLOAT_SIZES):
        raise TableError(
            f"column {column!r} holds {dtype} numbers: convert it to a plain dtype, such as float64"
        )


def _refuse_objects(objects: NDArray[Any], column: str) -> None:
    """Refuse objects of mixed types, for 1, True and 1.0 would be one value, and local times.

    Where clocks are set back, two instants of one zone are equal to Python.
    """
    found = pd.api.types.infer_dtype(objects, skipna=True)
    if found == "datetime" and any(getattr(o, "tzinfo", None) not in (None, UTC) for o in objects):
        raise TableError(
            f"column {column!r} holds Python datetimes with a time zone: convert it with "
            "pandas.to_datetime(..., utc=True)"
        )
    if found not in _PURE:
        raise TableError(
            f"column {column!r} holds Python objects of several types ({found}): "
            "convert it to one, for example with .astype(str)"
        )


def _coded(values: Any) -> Coded:
    codes, distinct = pd.factorize(values)  # missing values, of whatever kind, are -1
    return _coded_with_missing([_python(value) for value in distinct.tolist()], codes)


def _coded_by_arrow(series: pd.Series[Any]) -> Coded:
    """Code texts where they are; pandas would make a series of their values, too.

    Looking texts up among the first ones, where these are few, is faster than collecting them;
    what is not among them, rare ones and missing ones, is collected afterwards.
    """
    import pyarrow as pa  # noqa: PLC0415 - only where pandas holds texts in it
    import pyarrow.compute as pc  # noqa: PLC0415

    texts = pa.array(series.array)
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    known = texts[:_FIRST].dictionary_encode().dictionary
    if len(known) > _FEW:
        return _collected([], texts.dictionary_encode())
    places = pc.index_in(texts, value_set=known)
    if not places.null_count:
        return Coded(known.to_pylist(), places.to_numpy())
    rest = _collected(known.to_pylist(), texts.filter(places.is_null()).dictionary_encode())
    codes = places.fill_null(-1).to_numpy().copy()
    codes[codes < 0] = rest.places
    return Coded(rest.values, codes)


def _collected(known: list[Any], found: Any) -> Coded:
    """Return an encoded array of Arrow, its values after the known ones."""
    codes = found.indices.fill_null(-1).to_numpy()
    values = known + found.dictionary.to_pylist()
    return _coded_with_missing(values, np.where(codes < 0, codes, codes + len(known)))


def _coded_with_missing(values: list[Any], codes: NDArray[np.signedinteger[Any]]) -> Coded:
    """Missing values are -1 among the codes: NULL comes last."""
    if codes.size and codes.min() < 0:
        return Coded([*values, None], np.where(codes < 0, len(values), codes))
    return Coded(values, codes)


def _python(value: Any) -> Any:
    if isinstance(value, pd.Timestamp):
        if value.nanosecond:
            raise TableError(
                "a timestamp has nanoseconds: round it to microseconds first, for "
                "example with .dt.floor('us')"
            )
        return (value if value.tzinfo is None else value.tz_convert(UTC)).to_pydatetime()
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    if value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN
        return None
    return value
