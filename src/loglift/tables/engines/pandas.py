"""pandas. NaN in a float column is its missing value and cannot be told from NULL: it is NULL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.measures.partition import tallied
from loglift.tables.coded import Coded
from loglift.tables.engines import Gathered, Output, Tally, places

if TYPE_CHECKING:
    from loglift.tables.drawing import Drawing

_DTYPES = {
    "integer": "Int64",
    "float": "Float64",
    "boolean": "boolean",
    "text": "str",
    "datetime": "datetime64[us]",
    "instant": "datetime64[us, UTC]",
}
_PLAIN = {"integer": "int64", "float": "float64", "boolean": "bool"}
# What pandas calls an object column whose values are all of one type.
_PURE = frozenset(
    {"string", "bytes", "floating", "integer", "decimal", "boolean"}
    | {"datetime64", "datetime", "date", "time", "empty"}
)

_FIRST, _FEW = 1000, 100  # rows of a column, and values among them, that may be all there are

folds_case = False


def names(frame: pd.DataFrame) -> list[str]:
    """Return the column names as they stand, repeated ones included."""
    return list(frame.columns)


def pick(frame: pd.DataFrame, positions: Sequence[int]) -> pd.DataFrame:
    """Return the columns at these positions, named c0, c1, ..., with a fresh index."""
    picked = frame.iloc[:, list(positions)].reset_index(drop=True)
    picked.columns = pd.Index([f"c{i}" for i in range(len(positions))])
    return picked


def check(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse object columns of mixed types: 1, True and 1.0 would be one value."""
    for i, column in enumerate(columns):
        _refuse_mixed(frame.iloc[:, i], column)


def gather(frame: pd.DataFrame) -> Gathered:
    """Collect a small frame."""
    return Gathered(frame, [_coded(series) for _, series in frame.items()])


def tally(frame: pd.DataFrame, positions: Sequence[int], columns: Sequence[str]) -> Tally:
    """Count the distinct rows: columns as codes, then the codes of a row as one number.

    Several times faster than a GROUP BY of pandas, which sorts, names and indexes its groups; and
    than a frame of the columns, which would be built first.
    """
    series = [frame.iloc[:, at] for at in positions]
    for column, name in zip(series, columns, strict=True):
        _refuse_mixed(column, name)
    coded = [_coded(column) for column in series]
    if frame.empty:
        return Tally(_Distinct(frame, positions, np.arange(0)), coded, np.arange(0))
    rows, records = tallied([column.places for column in coded])
    taken = [column.take(rows) for column in coded]
    return Tally(_Distinct(frame, positions, rows), taken, records)


@dataclass(frozen=True)
class _Distinct:
    """One row of some columns of a frame for each distinct one, taken out when asked for.

    The frame must not change in between: it does not, as long as one call counts and attaches.
    """

    frame: pd.DataFrame
    positions: Sequence[int]
    rows: NDArray[np.int64]

    def taken(self) -> pd.DataFrame:
        return pick(self.frame, self.positions).take(self.rows)


def attach(
    frame: pd.DataFrame,
    small: _Distinct,
    keys: Sequence[str],
    added: Sequence[Output],
    *,
    ordered: bool,
) -> pd.DataFrame:
    """Join; pandas matches missing keys with each other, and a left join keeps the order."""
    result = joined(frame, mapping_of(small.taken(), keys, added), list(keys))
    return result if ordered else shuffle(result)


def draw(
    frame: pd.DataFrame,
    small: _Distinct,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[Output],
    *,
    ordered: bool,
) -> pd.DataFrame:
    """Draw by arrays; the frame keeps its order for it."""
    mapping = mapping_of(small.taken(), keys, [places(len(small.rows))])
    result = drawn(frame, mapping, list(keys), drawing, added)
    return result if ordered else shuffle(result)


def drawn(
    frame: pd.DataFrame,
    mapping: pd.DataFrame,
    keys: list[str],
    drawing: Drawing,
    added: Sequence[Output],
    part: int = 0,
) -> pd.DataFrame:
    """Return `frame`, or a part of it, with drawn outputs in place of its keys."""
    result = joined(frame, mapping, keys)
    if drawing.key is None:
        numbers = drawing.noise.numbers(len(result), part)
    else:
        codes, values = pd.factorize(result.pop(drawing.key))
        numbers = drawing.noise.keyed(values.tolist())[codes]
    rows = drawing.lots.drawn(result.pop("place").to_numpy(dtype=np.int64), numbers)
    columns = {output.name: series_of(output).take(rows).array for output in added}
    return result.assign(**columns)


def mapping_of(small: pd.DataFrame, keys: Sequence[str], added: Sequence[Output]) -> pd.DataFrame:
    """Return the distinct keys with their outputs beside them."""
    mapping = small[list(keys)].reset_index(drop=True)
    return mapping.assign(**{output.name: series_of(output) for output in added})


def joined(frame: pd.DataFrame, mapping: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return `frame` with the mapping's outputs in place of its keys."""
    return frame.merge(mapping, on=keys, how="left").drop(columns=keys)


def shuffle(frame: pd.DataFrame) -> pd.DataFrame:
    """Permute the rows; the index starts anew, because an old one would link the rows."""
    rows = np.random.default_rng().permutation(len(frame))
    return frame.iloc[rows].reset_index(drop=True)


def series_of(output: Output) -> pd.Series[Any]:
    """Return a column in the plain dtype, or in the nullable one when values are missing."""
    values = list(output.values)
    dtype: Any = _DTYPES.get(output.type, object)
    if None not in values:
        dtype = _PLAIN.get(output.type, dtype)
    if output.type == "integer" and any(v is not None and abs(v) >= 2**63 for v in values):
        dtype = object
    return pd.Series(values, dtype=dtype)


def _refuse_mixed(series: pd.Series[Any], column: str) -> None:
    if series.dtype != object:
        return
    found = pd.api.types.infer_dtype(series, skipna=True)
    if found not in _PURE:
        raise TableError(
            f"column {column!r} holds Python objects of several types ({found}): "
            "convert it to one, for example with .astype(str)"
        )


def _coded(series: pd.Series[Any]) -> Coded:
    if isinstance(series.dtype, pd.StringDtype) and series.dtype.storage == "pyarrow":
        return _coded_by_arrow(series)
    codes, values = pd.factorize(series)  # missing values, of whatever kind, are -1
    return _coded_with_missing([_python(value) for value in values.tolist()], codes)


def _coded_by_arrow(series: pd.Series[Any]) -> Coded:
    """Code texts where they are; pandas would make a series of their values, too.

    Looking texts up among the first ones, where they are few and all there are, is faster than
    collecting them.
    """
    import pyarrow as pa  # noqa: PLC0415 - only where pandas holds texts in it
    import pyarrow.compute as pc  # noqa: PLC0415

    texts = pa.array(series.array)
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    values, codes = texts[:_FIRST].dictionary_encode().dictionary, None
    if len(values) <= _FEW:
        codes = pc.index_in(texts, value_set=values)
    if codes is None or codes.null_count > texts.null_count:
        found = texts.dictionary_encode()
        values, codes = found.dictionary, found.indices
    if not codes.null_count:
        return Coded(values.to_pylist(), codes.to_numpy().astype(np.int64))
    return _coded_with_missing(values.to_pylist(), codes.fill_null(-1).to_numpy().astype(np.int64))


def _coded_with_missing(values: list[Any], codes: NDArray[np.int64]) -> Coded:
    """Missing values, of whatever kind, are -1 among the codes: NULL comes last."""
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
        return value.to_pydatetime()
    if isinstance(value, Decimal):
        return None if value.is_nan() else value
    if value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN
        return None
    return value
