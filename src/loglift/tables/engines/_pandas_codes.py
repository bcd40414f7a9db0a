"""Columns of pandas as codes: the part of counting that handles every row, so it must be fast.

Missing values of all kinds are one value: None.
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
from loglift.tables.codes import Coded

# What pandas calls an object column whose values are all of one type.
_PURE = frozenset(
    {"string", "bytes", "floating", "integer", "decimal", "boolean"}
    | {"datetime64", "datetime", "date", "time", "empty"}
)
_FINER_THAN_PYTHON = ("time64[ns]", "date64[ms]", "date64[day]", "date64")
_FLOAT_SIZES = (4, 8)  # bytes
_SAMPLE_ROWS = 500  # at the beginning of a column; they decide how the column is coded
_MAX_SAMPLE_TEXTS = 100  # distinct texts of the sample, up to which all rows are looked up in them
_MAX_SAMPLE_OBJECTS = 250  # distinct objects of the sample, up to which rows share objects


def coded(series: pd.Series[Any], column: str | None = None) -> Coded:
    """Code a column; with its name in messages, raise if different values count as one."""
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
    """Raise if different values of a column would be counted as one."""
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
    """Return the distinct objects of a column, and for each row the place of its object.

    Rows of equal value mostly share one object, for example when pandas read them from a CSV file.
    Grouping objects by address is several times faster than by value. Equal objects at different
    addresses may remain: the caller compares the values of the distinct objects. Where rows do not
    share objects, the result is all objects, and None.

    The buffer of an array of objects holds their addresses. Measured on 48,842 rows with three text
    columns of objects (Adult: education, occupation, salary): an audit takes 2.1 ms with addresses,
    and 6.5 ms when `pd.factorize` compares values; `python benchmarks/peers.py --only audit` times
    such audits.
    """
    objects = np.ascontiguousarray(series.array)
    addresses = np.frombuffer(objects, dtype=np.intp)
    if not objects.size or np.unique(addresses[:_SAMPLE_ROWS]).size > _MAX_SAMPLE_OBJECTS:
        return objects, None
    places, _ = pd.factorize(addresses)
    return objects[any_row(places)], places


def _refuse_dtype(series: pd.Series[Any], column: str) -> None:
    """Raise for floats of other sizes than 4 and 8 bytes, complex and sparse numbers, fine times.

    Their zeros of either sign would be counted as one and passed through as two, or Python has no
    such number or time.
    """
    dtype = series.dtype
    if isinstance(dtype, pd.ArrowDtype) and str(dtype.pyarrow_dtype) in _FINER_THAN_PYTHON:
        raise TableError(f"column {column!r} holds {dtype}: cast it to a coarser type first")
    sparse = isinstance(dtype, pd.SparseDtype)
    if sparse or dtype.kind == "c" or (dtype.kind == "f" and dtype.itemsize not in _FLOAT_SIZES):
        raise TableError(
            f"column {column!r} holds {dtype} numbers: convert it to a plain dtype, such as float64"
        )


def _refuse_objects(objects: NDArray[Any], column: str) -> None:
    """Raise for objects of mixed types (1, True and 1.0 are equal), and for local times.

    When clocks are set back, two instants of one zone are equal to Python.
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
    codes, distinct = pd.factorize(values)  # missing values of all kinds are -1
    return _coded_with_missing([_python(value) for value in distinct.tolist()], codes)


def _coded_by_arrow(series: pd.Series[Any]) -> Coded:
    """Code texts that pandas holds in Arrow, with Arrow.

    If the first rows have few distinct texts, all rows are looked up in them, which is faster than
    collecting the distinct texts of the column. Texts that are not found, and missing ones, are
    collected afterwards.
    """
    import pyarrow as pa  # noqa: PLC0415 - only where pandas holds texts in it
    import pyarrow.compute as pc  # noqa: PLC0415

    texts = pa.array(series.array)
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    known = texts[:_SAMPLE_ROWS].dictionary_encode().dictionary
    if len(known) > _MAX_SAMPLE_TEXTS:
        return _collected([], texts.dictionary_encode())
    places = pc.index_in(texts, value_set=known)
    if not places.null_count:
        return Coded(known.to_pylist(), places.to_numpy())
    rest = _collected(known.to_pylist(), texts.filter(places.is_null()).dictionary_encode())
    codes = places.fill_null(-1).to_numpy().copy()
    codes[codes < 0] = rest.places
    return Coded(rest.values, codes)


def _collected(known: list[Any], found: Any) -> Coded:
    """Return an encoded Arrow array as codes; its values follow the known ones."""
    codes = found.indices.fill_null(-1).to_numpy()
    values = known + found.dictionary.to_pylist()
    return _coded_with_missing(values, np.where(codes < 0, codes, codes + len(known)))


def _coded_with_missing(values: list[Any], codes: NDArray[np.signedinteger[Any]]) -> Coded:
    """Return the column; the code -1 is a missing value, and None comes last."""
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
