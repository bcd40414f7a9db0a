"""Spark, classic and connect: tables beyond one machine. Rows never leave the cluster."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from operator import and_
from typing import Any

from pyspark.sql import (
    Window,
    functions as F,  # noqa: N812 - the name all of Spark's documentation uses
    types as T,  # noqa: N812
)

from loglift.errors import TableError
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.engines import Gathered, LikeKey, is_long, scale_of
from loglift.tables.noise import HEX_DIGITS, Drawing, Exchange, Lots

_TYPES: dict[str, Any] = {
    "integer": T.LongType(),
    "float": T.DoubleType(),
    "boolean": T.BooleanType(),
    "text": T.StringType(),
    "date": T.DateType(),
    "datetime": T.TimestampNTZType(),
    "instant": T.TimestampType(),
    "bytes": T.BinaryType(),
}
_NESTED = (T.ArrayType, T.MapType, T.StructType, T.DayTimeIntervalType, T.YearMonthIntervalType)

_ORDER_DIGITS = 15  # hexadecimal digits of a number that fits into 64 bits with a sign

folds_case = True
tally = None
orders = None


def names(frame: Any) -> list[str]:
    """Return the column names, repeated ones included."""
    return list(frame.columns)


def pick(frame: Any, positions: Sequence[int]) -> Any:
    """Return the columns at these positions, named c0, c1, ..."""
    numbered = frame.toDF(*(f"p{i}" for i in range(len(frame.columns))))
    return numbered.select(*(F.col(f"p{at}").alias(f"c{i}") for i, at in enumerate(positions)))


def check(frame: Any, columns: Sequence[str]) -> None:
    """Raise for nested types, and for texts that are not compared byte by byte."""
    for field, column in zip(frame.schema.fields, columns, strict=False):
        if isinstance(field.dataType, T.StringType) and field.dataType != T.StringType():
            raise TableError(
                f"column {column!r} has a collation ({field.dataType.simpleString()}), which takes "
                "different texts for the same: make it UTF8_BINARY first, with functions.collate"
            )
        if isinstance(field.dataType, _NESTED):
            raise TableError(
                f"column {column!r} is nested or a duration "
                f"({field.dataType.simpleString()}): take a plain field out of it first"
            )


def in_utc(frame: Any, names: Sequence[str]) -> Any:
    """Return the frame with instants in these columns as times in UTC, without a zone.

    Spark itself would give them in the zone of the session, in which an hour may stand for two.
    """
    kinds = {field.name: field.dataType for field in frame.schema.fields}
    instants = [name for name in names if isinstance(kinds[name], T.TimestampType)]
    times = {
        name: F.expr(
            f"TIMESTAMP_NTZ'1970-01-01' + make_dt_interval(0, 0, 0, "
            f"unix_micros({name})::DECIMAL(24, 0) / 1000000)"
        )
        for name in instants
    }
    return frame.withColumns(times) if times else frame


def gather(frame: Any) -> Gathered:
    """Collect a small frame to the driver, as its schema and rows."""
    rows = [tuple(row) for row in frame.collect()]
    schema = frame.schema
    # Spark's TIMESTAMP is an instant, which Python receives in the machine's own time zone. In UTC
    # it returns to Spark unchanged; in the machine's zone an hour may stand for two.
    instants = [isinstance(field.dataType, T.TimestampType) for field in schema.fields]
    if any(instants):
        rows = [tuple(map(_instant, row, instants)) for row in rows]
    return Gathered.of_rows((schema, rows), rows)


def attach(
    frame: Any,
    small: Any,
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> Any:
    """Join on <=>, for which NULL equals NULL and NaN equals NaN; the small side is broadcast."""
    mapping = _mapping(frame, small[0], [row[: len(keys)] for row in small[1]], keys, added)
    joined = frame.join(F.broadcast(mapping), _same(keys), "left")
    result = joined.drop(*keys, *(f"m{key}" for key in keys))
    return result if ordered else shuffle(result)


def draw(
    frame: Any,
    small: Any,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> Any:
    """Join with the row of the lots, then with the interval that holds the record's number.

    The number is SHA-256 of the secret and the record's place; in an exchange, its rank among those
    of the records with the same row, and every rank has a row of its own to join with.
    """
    rows = [ReleasedColumn("loglift_row", "integer", tuple(drawing.row_of.tolist()))]
    left = [row[: len(keys)] for row in small[1]]
    mapping = _mapping(frame, small[0], left, keys, rows)
    place = F.monotonically_increasing_id() if drawing.key is None else F.col(drawing.key)
    kind = "place " if drawing.key is None else "key "
    numbered = frame.withColumn("loglift_of", F.concat(F.lit(kind), place.cast("string")))
    numbered = _hashed(numbered, drawing.noise.text(), "loglift_u", digits=HEX_DIGITS)
    placed = numbered.join(F.broadcast(mapping), _same(keys), "left")
    placed = placed.drop(
        *keys, *(f"m{key}" for key in keys), *([drawing.key] if drawing.key else [])
    )
    outputs = _outputs(frame, small[0], drawing.lots, added)
    same = F.col("loglift_row") == F.col("m_row")
    if isinstance(drawing, Exchange):
        window = Window.partitionBy("loglift_row").orderBy("loglift_u")
        placed = placed.withColumn("loglift_u", F.row_number().over(window) - 1)
        ranks = F.explode(F.sequence(F.col("low"), F.col("high") - 1))
        same &= F.col("loglift_u") == F.col("m_u")
        joined = placed.join(outputs.withColumn("m_u", ranks), same, "left")
    else:
        same &= (F.col("loglift_u") >= F.col("low")) & (F.col("loglift_u") < F.col("high"))
        joined = placed.join(F.broadcast(outputs), same, "left")
    result = joined.drop("loglift_u", "loglift_row", "m_row", "m_u", "low", "high")
    return result if ordered else shuffle(result)


def _outputs(frame: Any, schema: Any, lots: Lots, added: Sequence[ReleasedColumn]) -> Any:
    """Return the intervals of all rows of the lots, with what they show beside them."""
    bounds = {"m_row": lots.row, "low": lots.low, "high": lots.high}
    columns = [ReleasedColumn(name, "integer", tuple(of.tolist())) for name, of in bounds.items()]
    columns += [
        replace(column, values=tuple(column.values[y] for y in lots.value)) for column in added
    ]
    fields = [
        T.StructField(c.name, schema[c.key].dataType if isinstance(c, LikeKey) else _type(c))
        for c in columns
    ]
    rows = list(zip(*(_converted(column) for column in columns), strict=True))
    return frame.sparkSession.createDataFrame(rows, T.StructType(fields))


def _mapping(
    frame: Any,
    schema: Any,
    left: Sequence[Any],
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
) -> Any:
    """Return the keys, under other names, with the added columns beside them."""
    fields = [T.StructField(f"m{key}", schema[key].dataType) for key in keys]
    fields += [T.StructField(column.name, _type(column)) for column in added]
    right = zip(*(_converted(column) for column in added), strict=True)
    rows = [(*key, *values) for key, values in zip(left, right, strict=True)]
    return frame.sparkSession.createDataFrame(rows, T.StructType(fields))


def _same(keys: Sequence[str]) -> Any:
    return reduce(and_, (F.col(key).eqNullSafe(F.col(f"m{key}")) for key in keys))


def shuffle(frame: Any) -> Any:
    """Give every row a random key, send it to a partition by the key, and sort each partition.

    The permutation is as random as a sort of the whole table, which would compute everything twice:
    Spark samples the keys first. A key is SHA-256 of a secret and the row's number.

    Spark drops a sort below another sort, a join or a write by partitions, and would restore the
    input's order. It keeps the sort below a filter that is not deterministic; so the last step is
    such a filter, which every row passes.
    """
    numbered = frame.withColumn(
        "loglift_of", F.concat(F.lit("order "), F.monotonically_increasing_id().cast("string"))
    )
    keyed = _hashed(numbered, secrets.token_hex(32), "loglift_order", digits=_ORDER_DIGITS)
    return (
        keyed.repartition("loglift_order")
        .sortWithinPartitions("loglift_order")
        .drop("loglift_order")
        .filter(F.monotonically_increasing_id() >= 0)
    )


def _hashed(frame: Any, secret: str, name: str, *, digits: int) -> Any:
    """Replace `loglift_of` by a number: the first hexadecimal digits of SHA-256(secret, it).

    The secret is a small table that is broadcast: a literal would appear in Spark's plans and logs.
    """
    secrets_table = frame.sparkSession.createDataFrame([(secret,)], "secret string")
    hashed = F.sha2(F.concat("secret", "loglift_of"), 256)
    number = F.conv(F.substring(hashed, 1, digits), 16, 10).cast("bigint")
    numbered = frame.crossJoin(F.broadcast(secrets_table)).withColumn(name, number)
    return numbered.drop("secret", "loglift_of")


def _instant(value: Any, instant: bool) -> Any:
    if instant and isinstance(value, datetime):
        return value.astimezone(UTC)
    return value


def _type(column: ReleasedColumn) -> Any:
    if is_long(column):
        return T.DecimalType(MAX_DECIMAL_DIGITS, 0)
    if column.type == "decimal":
        return T.DecimalType(MAX_DECIMAL_DIGITS, scale_of(column))
    if column.type not in _TYPES:
        raise TableError(f"Spark has no type for {column.type}: convert {column.name!r} to text")
    return _TYPES[column.type]


def _converted(column: ReleasedColumn) -> list[Any]:
    if isinstance(_type(column), T.DecimalType):
        return [None if value is None else Decimal(value) for value in column.values]
    return list(column.values)
