"""DuckDB relations, and with them every file.

Only reading statements are sent to a relation's connection: nothing is created in it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loglift.errors import TableError
from loglift.tables.drawing import HEX_DIGITS, Drawing
from loglift.tables.engines import Gathered, Output, UnclearValueError

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TYPES = {
    "integer": "BIGINT",
    "float": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "VARCHAR",
    "date": "DATE",
    "time": "TIME",
    "datetime": "TIMESTAMP",
    "instant": "TIMESTAMPTZ",
    "bytes": "BLOB",
}
_NESTED = ("[]", "STRUCT", "MAP", "UNION", "VARIANT", "ARRAY", "INTERVAL", "BIT")
_FINE = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIME_NS")
_ZONED_TIMES = ("TIME WITH TIME ZONE", "TIMETZ")  # Python takes different ones for the same
_ENDLESS = ("DATE", "TIMESTAMP")  # beginnings of types that have infinity, which Python has not
_LONGEST_DECIMAL = 38
_BATCH = 100_000  # rows that are Python's at once
_ENUM = re.compile(  # or a quoted name of a field, which may look like one
    r"""("(?:[^"]|"")*")|ENUM\('(?:[^']|'')*'(?:, '(?:[^']|'')*')*\)"""
)
_ORDER_DIGITS = 16  # of a hexadecimal number of 64 bits

folds_case = True
tally = None


def names(relation: Relation) -> list[str]:
    """Return the column names as they stand, repeated ones included."""
    return list(relation.columns)


def pick(relation: Relation, positions: Sequence[int]) -> Relation:
    """Return the columns at these positions, named c0, c1, ...

    Texts are told apart as they are, whatever collation the column or the connection has: one that
    ignores case would count as one what is released as two.
    """
    cells = [
        f'#{at + 1} COLLATE "C"' if str(relation.types[at]) == "VARCHAR" else f"#{at + 1}"
        for at in positions
    ]
    return relation.project(", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells)))


def check(relation: Relation, columns: Sequence[str]) -> None:
    """Refuse nested types, and timestamps finer than Python can hold."""
    for kind, column in zip(map(str, relation.types), columns, strict=False):
        if kind.endswith("]") or kind.startswith(_NESTED):
            raise TableError(
                f"column {column!r} is nested or a duration ({kind}): take a plain "
                "field out of it first"
            )
        if kind in _FINE:
            raise TableError(
                f"column {column!r} is in nanoseconds ({kind}): cast it to microseconds first"
            )
        if kind in _ZONED_TIMES:
            raise TableError(f"column {column!r} holds times with a zone: cast it to TIME first")


def gather(relation: Relation) -> Gathered:
    """Collect a small relation; its last column `k` numbers the rows."""
    small = relation.project("*, row_number() OVER () - 1 AS k").materialize()
    _refuse_infinity(small)
    readable = [
        f'epoch_us("{name}")' if _has_zone(kind) else f'"{name}"'
        for name, kind in zip(small.columns[:-1], small.types, strict=False)
    ]
    zoned = [i for i, kind in enumerate(small.types) if _has_zone(kind)]

    def batch(start: int) -> list[tuple[Any, ...]]:
        some = small.filter(f"k >= {start} AND k < {start + _BATCH}").order("k")
        rows = some.project(", ".join(readable)).fetchall()
        return [_with_zone(row, zoned) for row in rows] if zoned else rows

    batches = map(batch, range(0, len(small), _BATCH))
    return Gathered.of_batches(small, len(readable), batches)


def _refuse_infinity(small: Relation) -> None:
    """Refuse infinite dates and times: Python would take them for NULL, or for the last date."""
    kinds = zip(small.columns, map(str, small.types), strict=True)
    endless = [name for name, kind in kinds if kind.startswith(_ENDLESS)]
    if endless:
        tests = ", ".join(f"bool_or(isinf({name}))" for name in endless)
        for name, found in zip(endless, small.aggregate(tests).fetchall()[0], strict=True):
            if found:
                raise UnclearValueError(int(name[1:]), "infinite dates or times")


def attach(
    relation: Relation,
    small: Relation,
    keys: Sequence[str],
    added: Sequence[Output],
    *,
    ordered: bool,
) -> Relation:
    """Join on IS NOT DISTINCT FROM, for which NULL equals NULL; NaN equals NaN in DuckDB.

    Rows are sorted last, by their number or by a random key: a join may swap its sides, and
    DuckDB drops an ORDER BY below a join. Texts are sorted as ENUMs, which are narrow.
    """
    mapping = _mapping(table_of(relation, added), small, "s.k = v.k", added)
    left = relation.project("*, row_number() OVER () AS i")
    condition = " AND ".join(f"t.{key} IS NOT DISTINCT FROM m.{key}" for key in keys)
    kept = [name for name in relation.columns if name not in keys]
    return _joined(left if ordered else _shuffled(left), mapping, condition, kept, added)


def draw(
    relation: Relation,
    small: Relation,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[Output],
    *,
    ordered: bool,
) -> Relation:
    """Join with the interval that holds the row's number: SHA-256 of the secret and its place."""
    lots = drawing.lots
    drawn = [replace(output, values=[output.values[y] for y in lots.value]) for output in added]
    whole = {"r": lots.row, "low": lots.low, "high": lots.high}
    bounds = [Output(name, numbers.tolist(), "integer") for name, numbers in whole.items()]
    values = table_of(relation, [*bounds, *drawn])
    mapping = _mapping(values, small, "s.k = v.r", drawn, "v.low, v.high")
    of = "'place ' || i" if drawing.key is None else f"'key ' || {drawing.key}::VARCHAR"
    left = relation.project("*, row_number() OVER () AS i")
    left = _hashed(left, drawing.noise.text(), of, HEX_DIGITS).project("* RENAME (hashed AS u)")
    left = left if ordered else _shuffled(left)
    condition = " AND ".join(f"t.{key} IS NOT DISTINCT FROM m.{key}" for key in keys)
    condition += " AND t.u >= m.low AND t.u < m.high"
    kept = [name for name in relation.columns if name not in (*keys, drawing.key)]
    return _joined(left, mapping, condition, kept, drawn)


def _shuffled(numbered: Relation) -> Relation:
    """Put a random number in place of the row number `i`: SHA-256 of a secret and that number.

    DuckDB's own hash(i, secret) is a XOR of both, which can be undone; its random() is no
    cryptographic generator, and a user may have called setseed(). ENUMs become texts: their values
    may be listed in the order of the input, as those of a pandas frame are.
    """
    hashed = _hashed(numbered, secrets.token_hex(32), "'order ' || i", _ORDER_DIGITS)
    kinds = dict(zip(hashed.columns, map(str, hashed.types), strict=True))
    del kinds["i"], kinds["hashed"]
    cells = [
        f"CAST({name} AS {plain}) AS {name}" if plain != kind else name
        for name, kind in kinds.items()
        for plain in [_ENUM.sub(lambda found: found[1] or "VARCHAR", kind)]
    ]
    return hashed.project(", ".join([*cells, "hashed AS i"]))


def _hashed(relation: Relation, secret: str, of: str, digits: int) -> Relation:
    """Add the first hexadecimal digits of SHA-256(secret || of) as the number `hashed`.

    The secret is a value of a small table, so that no statement about the rows contains it.
    """
    crossed = relation.cross(table_of(relation, [Output("secret", [secret], "text")]))
    number = f"CAST('0x' || sha256(secret || {of})[:{digits}] AS UBIGINT) AS hashed"
    return crossed.project(f"* EXCLUDE (k, secret), {number}")


def _mapping(
    values: Relation, small: Relation, match: str, added: Sequence[Output], more: str = ""
) -> Relation:
    """Return the distinct keys with their outputs beside them, texts as ENUMs."""
    outputs = [f"CAST(v.{output.name} AS {_narrow(output)}) AS {output.name}" for output in added]
    columns = ", ".join(["s.*", *([more] if more else []), *outputs])
    joined = small.set_alias("s").join(values.set_alias("v"), match)
    return joined.project(columns).materialize()


def _joined(
    left: Relation,
    mapping: Relation,
    condition: str,
    kept: Sequence[str],
    added: Sequence[Output],
) -> Relation:
    """Join, and sort by the place `i`."""
    columns = [f"t.{name}" for name in [*kept, "i"]] + [f"m.{output.name}" for output in added]
    joined = left.set_alias("t").join(mapping.set_alias("m"), condition, how="left")
    typed = [f"CAST({output.name} AS {sql_type(output)}) AS {output.name}" for output in added]
    return joined.project(", ".join(columns)).order("i").project(", ".join([*kept, *typed]))


def table_of(relation: Relation, outputs: Sequence[Output]) -> Relation:
    """Return a relation of the outputs, numbered by `k`, in the connection of `relation`."""
    kinds = ["BIGINT", *(sql_type(output) for output in outputs)]
    lists = [range(len(outputs[0].values)), *(output.values for output in outputs)]
    columns = ["k", *(output.name for output in outputs)]
    cells = ", ".join(
        f"unnest({_list(values, kind)}) AS {name}"
        for values, kind, name in zip(lists, kinds, columns, strict=True)
    )
    made = relation.query(f"loglift_{uuid4().hex}", f"SELECT {cells}")
    assert made is not None  # noqa: S101 - a SELECT always gives a relation
    return made.materialize()


def sql_type(output: Output) -> str:
    """Return the narrowest faithful DuckDB type; integers beyond 38 digits become text.

    HUGEINT is avoided: Parquet has no such type and DuckDB would write it as a DOUBLE.
    """
    values = [value for value in output.values if value is not None]
    if output.type == "integer" and any(not -(2**63) <= value < 2**63 for value in values):
        fits = all(abs(value) < 10**_LONGEST_DECIMAL for value in values)
        return f"DECIMAL({_LONGEST_DECIMAL}, 0)" if fits else "VARCHAR"
    if output.type == "decimal":
        scale = max((-int(value.as_tuple().exponent) for value in values), default=0)
        return f"DECIMAL({_LONGEST_DECIMAL}, {max(scale, 0)})"
    return _TYPES[output.type]


def _narrow(output: Output) -> str:
    """Return the type to sort an output in."""
    texts = {value for value in output.values if value is not None}
    if sql_type(output) != "VARCHAR" or not texts or any("\0" in str(text) for text in texts):
        return sql_type(output)
    quoted = ", ".join("'" + str(text).replace("'", "''") + "'" for text in sorted(texts))
    return f"ENUM({quoted})"


def _list(values: Iterable[Any], kind: str) -> str:
    """Return SQL for a list of values, all in one literal: parsing stays fast for many values."""
    if kind == "VARCHAR":
        cells = ",".join("-" if v is None else "x" + str(v).encode().hex() for v in values)
        item = "decode(unhex(v[2:]))"
    elif kind == "BLOB":
        cells = ",".join("-" if v is None else "x" + v.hex() for v in values)
        item = "unhex(v[2:])"
    else:
        cells = ",".join("-" if v is None else _text(v) for v in values)
        item = f"CAST(v[2:] AS {kind})"
    return (
        f"list_transform(string_split('{cells}', ','), "
        f"lambda v: CASE WHEN v = '-' THEN NULL ELSE {item} END)"
    )


def _text(value: Any) -> str:
    return "x" + (repr(value) if isinstance(value, float) else str(value))


def _has_zone(kind: object) -> bool:
    return str(kind) in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")


def _with_zone(row: tuple[Any, ...], zoned: Sequence[int]) -> tuple[Any, ...]:
    # DuckDB would need pytz to make these itself.
    cells = list(row)
    for i in zoned:
        if cells[i] is not None:
            cells[i] = _EPOCH + timedelta(microseconds=cells[i])
    return tuple(cells)
