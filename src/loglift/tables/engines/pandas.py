"""pandas. NaN is the missing value of a float column, so it counts as NULL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.mechanism.naming import ReleasedColumn
from loglift.sparse import tallied
from loglift.tables.engines import Gathered, LikeKey, Tally, is_long, places
from loglift.tables.engines._pandas_codes import coded, refuse_unclear
from loglift.tables.shuffling import random_order

if TYPE_CHECKING:
    from loglift.tables.noise import Drawing

_DTYPES = {
    "integer": "Int64",
    "float": "Float64",
    "boolean": "boolean",
    "text": "str",
    "datetime": "datetime64[us]",
    "instant": "datetime64[us, UTC]",
}
_PLAIN = {"integer": "int64", "float": "float64", "boolean": "bool"}

folds_case = False
in_utc = None
orders = None


def names(frame: pd.DataFrame) -> list[str]:
    """Return the column names, repeated ones included."""
    found: list[str] = frame.columns.tolist()
    return found


def pick(frame: pd.DataFrame, positions: Sequence[int]) -> pd.DataFrame:
    """Return the columns at these positions, named c0, c1, ..., with a fresh index.

    The frame's `attrs` are dropped: pandas would write them into a file of the release.
    """
    picked = frame.iloc[:, list(positions)].reset_index(drop=True)
    picked.columns = pd.Index([f"c{i}" for i in range(len(positions))])
    picked.attrs = {}
    return picked


def check(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    """Raise for columns in which different values would be counted as one."""
    for i, column in enumerate(columns):
        refuse_unclear(frame.iloc[:, i], column)


def gather(frame: pd.DataFrame) -> Gathered:
    """Collect a small frame."""
    return Gathered(frame, [coded(series) for _, series in frame.items()])


def tally(frame: pd.DataFrame, positions: Sequence[int], columns: Sequence[str]) -> Tally:
    """Count the distinct rows: code the columns, then combine the codes of a row to one number.

    Several times faster than a GROUP BY of pandas, which sorts, names and indexes its groups, on a
    frame of the picked columns, which would be built first.
    """
    labels, used = names(frame), zip(positions, columns, strict=True)
    found = [coded(_column(frame, at, labels[at]), name) for at, name in used]
    if frame.empty:
        return Tally(_Distinct(frame, positions, np.arange(0)), found, np.arange(0))
    rows, records = tallied([column.places for column in found])
    taken = [column.take(rows) for column in found]
    return Tally(_Distinct(frame, positions, rows), taken, records)


def _column(frame: pd.DataFrame, at: int, label: Any) -> pd.Series[Any]:
    """Return a column, by its label if that is a text: faster than by position.

    A label that is used is not repeated: `Table.position` refuses it.
    """
    return frame[label] if isinstance(label, str) else frame.iloc[:, at]


@dataclass(frozen=True)
class _Distinct:
    """The distinct rows of some columns of a frame, by their numbers; built when needed.

    The frame must not change in between: the same call of `apply` counts and attaches.
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
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> pd.DataFrame:
    """Join; pandas matches missing keys with each other, and a left join keeps the order.

    An untouched column keeps its dtype, and so its categories.
    """
    mapping = mapping_of(small.taken(), keys, added)
    alike = [column for column in added if isinstance(column, LikeKey)]
    same = {column.name: _in_dtype(column, mapping[column.key].dtype) for column in alike}
    result = joined(frame, mapping.assign(**same), list(keys))
    return result if ordered else shuffle(result)


def draw(
    frame: pd.DataFrame,
    small: _Distinct,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> pd.DataFrame:
    """Draw with numpy arrays, in the frame's own order."""
    mapping = mapping_of(small.taken(), keys, [places(len(small.rows))])
    result = drawn(frame, mapping, list(keys), drawing, added)
    return result if ordered else shuffle(result)


def drawn(
    frame: pd.DataFrame,
    mapping: pd.DataFrame,
    keys: list[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    part: int = 0,
) -> pd.DataFrame:
    """Return `frame`, or a part of it, with drawn values in place of its keys."""
    result = joined(frame, mapping, keys)
    if drawing.key is None:
        numbers = drawing.noise.numbers(len(result), part)
    else:
        codes, values = pd.factorize(result.pop(drawing.key))
        numbers = drawing.noise.keyed(values.tolist())[codes]
    rows = drawing.drawn(result.pop("place").to_numpy(dtype=np.int64), numbers)
    values = {
        column.name: _in_dtype(column, mapping[column.key].dtype)
        if isinstance(column, LikeKey)
        else series_of(column)
        for column in added
    }
    return result.assign(**{name: series.take(rows).array for name, series in values.items()})


def mapping_of(
    small: pd.DataFrame, keys: Sequence[str], added: Sequence[ReleasedColumn]
) -> pd.DataFrame:
    """Return the distinct keys with the added columns beside them."""
    mapping = small[list(keys)].reset_index(drop=True)
    return mapping.assign(**{column.name: series_of(column) for column in added})


def joined(frame: pd.DataFrame, mapping: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return `frame` with the mapping's other columns in place of its keys.

    In columns of objects, equal objects are counted as one value, and so released as one.
    """
    result = frame.merge(mapping, on=keys, how="left").drop(columns=keys)
    objects = [name for name, dtype in result.dtypes.items() if dtype is np.dtype(object)]
    return result.assign(**{name: _one_of_each(result[name]) for name in objects})


def _in_dtype(column: LikeKey, dtype: Any) -> pd.Series[Any]:
    """Return values of a key in its own dtype, from the counted values.

    The table's own values are not used: values that are counted as one, such as 0.0 and -0.0, must
    look alike.
    """
    values = series_of(column)
    try:
        made = pd.Series(list(column.values), dtype=dtype)
    except (TypeError, ValueError):  # the dtype cannot be made from Python values
        return values
    # A categorical dtype makes values that are not categories missing.
    return made if made.isna().equals(values.isna()) else values


def _one_of_each(series: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column of objects in which equal ones look alike, and missing values are None."""
    try:
        codes, distinct = pd.factorize(series)
    except TypeError:  # lists and other unhashable objects: they only pass through
        return series.where(series.notna(), None)
    alike = np.empty(len(distinct) + 1, dtype=object)
    alike[:-1] = [_shown(value) for value in distinct.tolist()]
    return pd.Series(alike[codes], index=series.index, dtype=object)


def _shown(value: Any) -> Any:
    """Return the form that an object shares with all equal ones: zeros, 1.0 and 1.00, instants."""
    if isinstance(value, Decimal) and value.is_finite():
        text = f"{value:f}"  # every digit; `normalize` would round to the context's precision
        return Decimal((text.rstrip("0").rstrip(".") if "." in text else text) if value else 0)
    if isinstance(value, float):
        return value + 0.0
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    return value


def shuffle(frame: pd.DataFrame) -> pd.DataFrame:
    """Permute the rows, and drop what would link them: the index, and the order of categories.

    Categories without an order of their own are often listed in the order of the input.
    """
    result = decoded(frame).iloc[random_order(len(frame))].reset_index(drop=True)
    return result.assign(**{name: _in_order(result[name]) for name in _categories(result)})


def decoded(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame without Arrow's dictionaries and views, which hold values in its order."""
    arrow = {n: dtype for n, dtype in frame.dtypes.items() if isinstance(dtype, pd.ArrowDtype)}
    if not arrow:
        return frame
    from loglift.tables.engines.arrow import plain_type  # noqa: PLC0415 - only where needed

    plain = {name: plain_type(dtype.pyarrow_dtype) for name, dtype in arrow.items()}
    if None in plain.values():
        raise TableError(
            "a passthrough column has an Arrow type that holds values in the order of the rows: "
            "convert it to a plain type"
        )
    return frame.astype({name: pd.ArrowDtype(kind) for name, kind in plain.items()})


def _categories(frame: pd.DataFrame) -> list[str]:
    return [n for n, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)]


def unordered(frame: pd.DataFrame) -> list[str]:
    """Return the columns of categories that have no order of their own."""
    return [name for name in _categories(frame) if not frame[name].cat.ordered]


def _in_order(series: pd.Series[Any]) -> pd.Series[Any]:
    used = series.cat.remove_unused_categories()
    if used.cat.ordered:
        return used
    by_value = sorted(used.cat.categories, key=lambda value: (type(value).__name__, str(value)))
    return used.cat.reorder_categories(by_value)


def series_of(column: ReleasedColumn) -> pd.Series[Any]:
    """Return a column in the plain dtype, or in the nullable one when values are missing."""
    values = list(column.values)
    dtype: Any = _DTYPES.get(column.type, object)
    if None not in values:
        dtype = _PLAIN.get(column.type, dtype)
    if is_long(column):
        dtype = object
    return pd.Series(values, dtype=dtype)
