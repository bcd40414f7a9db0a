"""PyArrow tables. Their join drops NULL keys, so rows are matched by codes of their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.codes import Coded
from loglift.tables.engines import Gathered, LikeKey, is_long, scale_of
from loglift.tables.shuffling import random_order

if TYPE_CHECKING:
    from loglift.tables.noise import Drawing

_DTYPES = {
    "integer": pa.int64(),
    "float": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "date": pa.date32(),
    "time": pa.time64("us"),
    "datetime": pa.timestamp("us"),
    "instant": pa.timestamp("us", "UTC"),
    "bytes": pa.binary(),
}

folds_case = False
in_utc = None
tally = None


def names(frame: pa.Table) -> list[str]:
    """Return the column names, repeated ones included."""
    return list(frame.column_names)


def pick(frame: pa.Table, positions: Sequence[int]) -> pa.Table:
    """Return the columns at these positions, named c0, c1, ..., dictionaries and views decoded."""
    columns = [_decoded(frame.column(at), frame.column_names[at]) for at in positions]
    # A new table drops the schema's metadata, in which pandas stores its index.
    return pa.table(columns, names=[f"c{i}" for i in range(len(columns))])


def orders(frame: pa.Table, positions: Sequence[int]) -> list[Sequence[Any]]:
    """Return the values of ordered dictionaries.

    Chunks may have dictionaries of their own; these have one order only if they are equal.
    """
    found: list[Sequence[Any]] = []
    for column in (frame.column(at) for at in positions):
        ordered = pa.types.is_dictionary(column.type) and column.type.ordered
        chunks = [chunk.dictionary for chunk in column.chunks] if ordered else []
        equal = all(values.equals(chunks[0]) for values in chunks)
        found.append(chunks[0].drop_null().to_pylist() if chunks and equal else ())
    return found


def check(frame: pa.Table, columns: Sequence[str]) -> None:
    """Raise for nested types, durations, half floats, and times finer than Python's."""
    for kind, column in zip(frame.schema.types, columns, strict=False):
        if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
            raise TableError(
                f"column {column!r} is nested or a duration ({kind}): take a plain "
                "field out of it first"
            )
        if pa.types.is_float16(kind):
            raise TableError(f"column {column!r} holds {kind} numbers: cast it to float32 first")
        if pa.types.is_date64(kind):
            raise TableError(f"column {column!r} holds {kind}: cast it to date32 first")
        if kind == pa.time64("ns") or (pa.types.is_timestamp(kind) and kind.unit == "ns"):
            raise TableError(f"column {column!r} is in nanoseconds: cast it to microseconds first")


def gather(frame: pa.Table) -> Gathered:
    """Collect a small frame."""
    return Gathered(frame, [Coded.of(column.to_pylist()) for column in frame.columns])


def attach(
    frame: pa.Table,
    small: pa.Table,
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> pa.Table:
    """Give each row the values of the row of `small` that has the same keys."""
    place = _places(frame, small, keys)
    result = frame.drop_columns(list(keys))
    for column in added:
        result = result.append_column(column.name, _array(column).take(pa.array(place)))
    return result if ordered else shuffle(result)


def draw(
    frame: pa.Table,
    small: pa.Table,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> pa.Table:
    """Draw with numpy arrays."""
    place, result = _places(frame, small, keys), frame.drop_columns(list(keys))
    if drawing.key is None:
        numbers = drawing.noise.numbers(frame.num_rows)
    else:
        codes = frame.column(drawing.key).combine_chunks().dictionary_encode()
        numbers = drawing.noise.keyed(codes.dictionary.to_pylist())[codes.indices.to_numpy()]
        result = result.drop_columns([drawing.key])
    drawn = pa.array(drawing.drawn(place, numbers))
    for column in added:
        values = _array(column)
        if isinstance(column, LikeKey):
            values = values.cast(small.schema.field(column.key).type)
        result = result.append_column(column.name, values.take(drawn))
    return result if ordered else shuffle(result)


def shuffle(frame: pa.Table) -> pa.Table:
    """Permute the rows."""
    return frame.take(pa.array(random_order(frame.num_rows)))


def _places(frame: pa.Table, small: pa.Table, keys: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of `small` with the same keys, for each row of `frame`.

    Codes of the columns are combined one by one, and replaced by their rank among those that
    occur: they never exceed (distinct prefixes) x (distinct values).
    """
    code = np.zeros(frame.num_rows, dtype=np.int64)
    small_code = np.zeros(small.num_rows, dtype=np.int64)
    for key in keys:
        values = pc.unique(small.column(key))
        small_code = small_code * len(values) + _codes(small.column(key), values)
        code = code * len(values) + _codes(frame.column(key), values)
        prefixes, small_code = np.unique(small_code, return_inverse=True)
        code = np.searchsorted(prefixes, code)
    rows = np.empty(small.num_rows, dtype=np.int64)
    rows[small_code] = np.arange(small.num_rows)
    places: NDArray[np.int64] = rows[code]
    return places


def _codes(column: pa.ChunkedArray, values: pa.Array) -> NDArray[np.int64]:
    found = pc.index_in(column, value_set=values)
    codes: NDArray[np.int64] = (
        found.combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64)
    )
    return codes


def _decoded(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    plain = plain_type(column.type)
    if plain is None:
        raise TableError(f"column {name!r} holds {column.type}: make it a plain type first")
    return column if plain == column.type else column.cast(plain)


def plain_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the type without dictionaries and views; None if there is no such type.

    Dictionaries and views hold values in the order of the input: a shuffle would move references
    to the values, not the values themselves.
    """
    types = pa.types
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return pa.string() if types.is_string_view(kind) else pa.binary()
    if types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return plain_type(kind.storage_type)
    if not types.is_nested(kind):
        return None if types.is_run_end_encoded(kind) else kind
    inner = [plain_type(kind.field(i).type) for i in range(kind.num_fields)]
    fields = [kind.field(i).with_type(of) for i, of in enumerate(inner) if of is not None]
    made = next((make for test, make in _NESTED.items() if getattr(types, test)(kind)), None)
    return None if made is None or None in inner else made(kind, fields)


_NESTED: dict[str, Callable[[pa.DataType, list[pa.Field]], pa.DataType]] = {
    "is_list": lambda _, fields: pa.list_(fields[0]),
    "is_large_list": lambda _, fields: pa.large_list(fields[0]),
    "is_fixed_size_list": lambda kind, fields: pa.list_(fields[0], kind.list_size),
    "is_struct": lambda _, fields: pa.struct(fields),
    "is_map": lambda _, fields: pa.map_(*(fields[0].type.field(i).type for i in range(2))),
}


def type_of(column: ReleasedColumn) -> pa.DataType:
    """Return the Arrow type of a released column."""
    if is_long(column):
        return pa.decimal128(MAX_DECIMAL_DIGITS, 0)
    if column.type == "decimal":
        return pa.decimal128(MAX_DECIMAL_DIGITS, scale_of(column))
    return _DTYPES[column.type]


def _array(column: ReleasedColumn) -> pa.Array:
    return pa.array(list(column.values), type=type_of(column))
