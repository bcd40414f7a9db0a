"""Polars, eager and lazy; a LazyFrame stays lazy."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import polars as pl
from polars import selectors

from loglift.errors import TableError
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.codes import Coded
from loglift.tables.engines import (
    Gathered,
    LikeKey,
    UnclearValueError,
    is_long,
    places,
    scale_of,
)
from loglift.tables.shuffling import random_order

if TYPE_CHECKING:
    from loglift.tables.noise import Drawing, Noise

_DTYPES: dict[str, Any] = {
    "integer": pl.Int64,
    "float": pl.Float64,
    "boolean": pl.Boolean,
    "text": pl.String,
    "date": pl.Date,
    "time": pl.Time,
    "datetime": pl.Datetime("us"),
    "instant": pl.Datetime("us", "UTC"),
    "bytes": pl.Binary,
}

_NANOSECONDS_PER_MICROSECOND = 1000  # Python's times have microseconds

folds_case = False
in_utc = None
tally = None
orders = None


def names(frame: pl.DataFrame | pl.LazyFrame) -> list[str]:
    """Return the column names."""
    return frame.collect_schema().names()


def pick(
    frame: pl.DataFrame | pl.LazyFrame, positions: Sequence[int]
) -> pl.DataFrame | pl.LazyFrame:
    """Return the columns at these positions, named c0, c1, ..."""
    # By position: pl.col() would read a name such as '^s$' or '*' as a pattern.
    return frame.select(pl.nth(at).alias(f"c{i}") for i, at in enumerate(positions))


def check(frame: pl.DataFrame | pl.LazyFrame, columns: Sequence[str]) -> None:
    """Raise for nested types, Python objects, durations, half floats and nanoseconds."""
    kinds = frame.collect_schema().dtypes()
    for kind, column in zip(kinds, columns, strict=False):
        if kind.is_nested() or kind in (pl.Object, pl.Duration):
            raise TableError(
                f"column {column!r} is nested, a duration or an object ({kind}): take "
                "a plain field out of it first"
            )
        if kind.is_float() and kind not in (pl.Float32, pl.Float64):
            raise TableError(f"column {column!r} holds {kind} numbers: cast it to Float32 first")
        if isinstance(kind, pl.Datetime) and kind.time_unit == "ns":
            raise TableError(
                f"column {column!r} is in nanoseconds: cast it to microseconds first, "
                "with .dt.cast_time_unit('us')"
            )


def gather(frame: pl.DataFrame | pl.LazyFrame) -> Gathered:
    """Collect a small frame."""
    small = frame.lazy().collect()
    for i, column in enumerate(small.get_columns()):
        if (
            column.dtype == pl.Time
            and (column.cast(pl.Int64) % _NANOSECONDS_PER_MICROSECOND != 0).any()
        ):
            raise UnclearValueError(i, "times finer than a microsecond")
    return Gathered(small, [Coded.of(column.to_list()) for column in small.get_columns()])


def attach(
    frame: pl.DataFrame | pl.LazyFrame,
    small: pl.DataFrame,
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> pl.DataFrame | pl.LazyFrame:
    """Join with equal NULLs; NaN equals NaN in a Polars join."""
    mapping = small.select(keys).with_columns(_series(column) for column in added)
    joined = frame.lazy().join(
        mapping.lazy(),
        on=list(keys),
        how="left",
        nulls_equal=True,
        maintain_order="left" if ordered else "none",
    )
    result = joined.drop(keys) if ordered else shuffle(joined.drop(keys))
    return result if isinstance(frame, pl.LazyFrame) else result.collect()


def draw(
    frame: pl.DataFrame | pl.LazyFrame,
    small: pl.DataFrame,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> pl.DataFrame | pl.LazyFrame:
    """Draw with numpy arrays, in the frame's own order, when it is collected."""
    placed = attach(frame.lazy(), small, keys, [places(small.height)], ordered=True).lazy()
    key = drawing.key

    def drawn(columns: Sequence[pl.Series]) -> pl.Series:
        rows = columns[0].to_numpy()
        noise = drawing.noise
        numbers = noise.numbers(len(rows)) if key is None else _keyed(columns[1], noise)
        return pl.Series("drawn", drawing.drawn(rows, numbers))

    used = ["place"] if key is None else ["place", key]
    result = placed.with_columns(pl.map_batches(used, drawn, return_dtype=pl.Int64).alias("drawn"))
    outputs = pl.DataFrame([pl.Series("drawn", range(len(added[0].values)), dtype=pl.Int64)])
    outputs = outputs.with_columns(_series(column) for column in added)
    result = result.join(outputs.lazy(), on="drawn", how="left", maintain_order="left")
    result = result.drop("drawn", *used)
    result = result if ordered else shuffle(result)
    # Numbers of categories are in the order in which the input first had them.
    listed = () if ordered else (pl.Categorical, pl.Enum)
    alike: dict[Any, Any] = {
        column.name: small.schema[column.key]
        for column in added
        if isinstance(column, LikeKey) and small.schema[column.key] not in listed
    }
    result = result.cast(alike)
    return result if isinstance(frame, pl.LazyFrame) else result.collect()


def _keyed(column: pl.Series, noise: Noise) -> Any:
    """Return the number of each value of a key column; Python handles distinct values only."""
    values = column.unique().alias("value")
    numbers = pl.Series("number", noise.keyed(values.to_list()))
    found = (
        column.alias("value")
        .to_frame()
        .join(pl.DataFrame([values, numbers]), on="value", how="left", maintain_order="left")
    )
    return found["number"].to_numpy()


def shuffle(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Permute the rows, when the frame is collected.

    Categoricals and Enums become texts: their codes may be in the order of the input.
    """
    kinds = {name: (dtype, _plain(dtype)) for name, dtype in frame.collect_schema().items()}
    plain = frame.cast({name: to for name, (dtype, to) in kinds.items() if to != dtype})
    # No pushdown: a filter or head() of the result must not apply to the rows before the shuffle.
    return plain.map_batches(
        _shuffled, predicate_pushdown=False, projection_pushdown=False, slice_pushdown=False
    )


def _plain(dtype: Any) -> Any:
    """Return a dtype, nested or not, with texts in place of categories."""
    if dtype in (pl.Categorical, pl.Enum):
        return pl.String()
    if isinstance(dtype, pl.List):
        return pl.List(_plain(dtype.inner))
    if isinstance(dtype, pl.Array):
        return pl.Array(_plain(dtype.inner), dtype.size)
    if isinstance(dtype, pl.Struct):
        return pl.Struct([pl.Field(field.name, _plain(field.dtype)) for field in dtype.fields])
    return dtype


def _shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    """Permute the rows, and copy their texts.

    Polars moves references to texts, not the texts themselves, which stay in the input's order in
    memory; `write_ipc` and pickle would write them in that order.
    """
    result = frame[random_order(frame.height)]
    texts = result.select(selectors.string() | selectors.binary() | selectors.nested())
    if not texts.width:
        return result
    with BytesIO() as copied:
        texts.write_ipc(copied, compat_level=pl.CompatLevel.oldest())
        copied.seek(0)
        return result.with_columns(pl.read_ipc(copied))


def _series(column: ReleasedColumn) -> pl.Series:
    dtype = _DTYPES.get(column.type)
    if is_long(column):
        dtype = pl.Int128
    if column.type == "decimal":
        dtype = pl.Decimal(MAX_DECIMAL_DIGITS, scale_of(column))
    return pl.Series(column.name, list(column.values), dtype=dtype)
