"""PyArrow tables. Their join drops NULL keys, so rows are matched by the codes of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.tables.coded import Coded
from loglift.tables.engines import Gathered, Output

if TYPE_CHECKING:
    from loglift.tables.drawing import Drawing

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
tally = None


def names(frame: pa.Table) -> list[str]:
    """Return the column names as they stand, repeated ones included."""
    return list(frame.column_names)


def pick(frame: pa.Table, positions: Sequence[int]) -> pa.Table:
    """Return the columns at these positions, named c0, c1, ..., dictionaries decoded."""
    columns = [_decoded(frame.column(at)) for at in positions]
    # Built anew, so that the schema's metadata (pandas stores its index there) stays behind.
    return pa.table(columns, names=[f"c{i}" for i in range(len(columns))])


def check(frame: pa.Table, columns: Sequence[str]) -> None:
    """Refuse nested types, durations and nanoseconds."""
    for kind, column in zip(frame.schema.types, columns, strict=False):
        if pa.types.is_nested(kind) or pa.types.is_duration(kind) or pa.types.is_interval(kind):
            raise TableError(
                f"column {column!r} is nested or a duration ({kind}): take a plain "
                "field out of it first"
            )
        if kind == pa.time64("ns") or (pa.types.is_timestamp(kind) and kind.unit == "ns"):
            raise TableError(f"column {column!r} is in nanoseconds: cast it to microseconds first")


def gather(frame: pa.Table) -> Gathered:
    """Collect a small frame."""
    return Gathered(frame, [Coded.of(column.to_pylist()) for column in frame.columns])


def attach(
    frame: pa.Table, small: pa.Table, keys: Sequence[str], added: Sequence[Output], *, ordered: bool
) -> pa.Table:
    """Take each row's outputs from its key's place in `small`."""
    place = _places(frame, small, keys)
    result = frame.drop_columns(list(keys))
    for output in added:
        result = result.append_column(output.name, _array(output).take(pa.array(place)))
    return result if ordered else shuffle(result)


def draw(
    frame: pa.Table,
    small: pa.Table,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[Output],
    *,
    ordered: bool,
) -> pa.Table:
    """Draw by arrays."""
    place, result = _places(frame, small, keys), frame.drop_columns(list(keys))
    if drawing.key is None:
        numbers = drawing.noise.numbers(frame.num_rows)
    else:
        codes = frame.column(drawing.key).combine_chunks().dictionary_encode()
        numbers = drawing.noise.keyed(codes.dictionary.to_pylist())[codes.indices.to_numpy()]
        result = result.drop_columns([drawing.key])
    drawn = pa.array(drawing.lots.drawn(place, numbers))
    for output in added:
        result = result.append_column(output.name, _array(output).take(drawn))
    return result if ordered else shuffle(result)


def shuffle(frame: pa.Table) -> pa.Table:
    """Permute the rows."""
    return frame.take(pa.array(np.random.default_rng().permutation(frame.num_rows)))


def _places(frame: pa.Table, small: pa.Table, keys: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of `small` with the same keys, for each row of `frame`.

    Codes are folded column by column and ranked among the prefixes that exist, so they never
    exceed (distinct prefixes) x (distinct values).
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


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def type_of(output: Output) -> pa.DataType:
    """Return the Arrow type of an output."""
    values = [value for value in output.values if value is not None]
    if output.type == "integer" and any(abs(value) >= 2**63 for value in values):
        return pa.decimal128(38, 0)
    if output.type == "decimal":
        scale = max((-int(value.as_tuple().exponent) for value in values), default=0)
        return pa.decimal128(38, max(scale, 0))
    return _DTYPES[output.type]


def _array(output: Output) -> pa.Array:
    return pa.array(list(output.values), type=type_of(output))
