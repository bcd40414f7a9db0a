"""DuckDB relations, and with them every file.

Only reading statements are sent to a relation's connection: nothing is created in it.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from loglift.errors import TableError
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.codes import Coded
from loglift.tables.engines import (
    Gathered,
    LikeKey,
    Narrow,
    UnclearValueError,
    is_long,
    scale_of,
)
from loglift.tables.noise import HEX_DIGITS, Drawing, Exchange
from loglift.tables.relations import OWN, identifier

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
_NANOSECONDS = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS", "TIME_NS")
_ZONED_TIMES = ("TIME WITH TIME ZONE", "TIMETZ")  # different ones are equal to Python
_WITH_INFINITY = ("DATE", "TIMESTAMP")  # beginnings of types; Python has no infinite times
_MAX_FETCHED_ROWS = 20_000  # of a small frame that becomes Python objects row by row
_ENUM = re.compile(  # the first group is a quoted field name, which may contain such a text
    r"""("(?:[^"]|"")*")|ENUM\('(?:[^']|'')*'(?:, '(?:[^']|'')*')*\)"""
)
MAX_KEYED_ROWS = 2**26  # rows that are shuffled by 8 bytes of memory each
_ORDER_DIGITS = 16  # hexadecimal digits of a number of 64 bits

folds_case = True
in_utc = None
tally = None
orders = None


def names(relation: Relation) -> list[str]:
    """Return the column names, repeated ones included."""
    return list(relation.columns)


def pick(relation: Relation, positions: Sequence[int]) -> Relation:
    """Return the columns at these positions, named c0, c1, ...

    Texts are compared byte by byte, whatever collation the column or the connection has: a
    collation that ignores case would count texts as one that are released as two.
    """
    cells = [
        f'#{at + 1} COLLATE "C"' if str(relation.types[at]) == "VARCHAR" else f"#{at + 1}"
        for at in positions
    ]
    return relation.project(", ".join(f"{cell} AS c{i}" for i, cell in enumerate(cells)))


def check(relation: Relation, columns: Sequence[str]) -> None:
    """Raise for nested types, and for times that Python does not have."""
    for kind, column in zip(map(str, relation.types), columns, strict=False):
        if kind.endswith("]") or kind.startswith(_NESTED):
            raise TableError(
                f"column {column!r} is nested or a duration ({kind}): take a plain "
                "field out of it first"
            )
        if kind in _NANOSECONDS:
            raise TableError(
                f"column {column!r} is in nanoseconds ({kind}): cast it to microseconds first"
            )
        if kind in _ZONED_TIMES:
            raise TableError(f"column {column!r} holds times with a zone: cast it to TIME first")


def sampled(relation: Relation, most: int) -> tuple[int, int, Relation]:
    """Return the rows and about how many values the column c0 has, and all rows of some values.

    A value is taken by its hash, so that the sample is the same every time; about `most` are.
    """
    [(rows, values)] = relation.aggregate("count(*), approx_count_distinct(c0)").fetchall()
    step = max(1, values // most)
    return rows, values, relation.filter(f"hash(c0) % {step} = 0")


def gather(relation: Relation) -> Gathered:
    """Collect a small relation; its last column `k` numbers the rows."""
    small = relation.project("*, row_number() OVER () - 1 AS k").materialize()
    _refuse_infinity(small)
    readable = [
        f'epoch_us("{name}")' if _has_zone(kind) else f'"{name}"'
        for name, kind in zip(small.columns[:-1], small.types, strict=False)
    ]
    zoned = [i for i, kind in enumerate(small.types) if _has_zone(kind)]

    if len(small) > _MAX_FETCHED_ROWS:
        names = small.columns[:-1]
        return Gathered(
            small,
            [_coded(small, *column) for column in zip(names, readable, small.types, strict=False)],
        )
    rows = small.order("k").project(", ".join(readable)).fetchall()
    return Gathered.of_rows(small, [_with_zone(row, zoned) for row in rows] if zoned else rows)


def _coded(small: Relation, name: str, readable: str, kind: object) -> Coded:
    """Code a column of many rows: Python gets its distinct values, and numpy their places.

    Texts are sorted here, on all cores: Python then only sees that they are.
    """
    numbered = f'"{name}", row_number() OVER () - 1 AS j'
    distinct = small.project(f'"{name}"').distinct()
    if str(kind) == "VARCHAR":
        distinct = distinct.order(f'"{name}"').project(numbered).materialize()
        [texts] = distinct.order("j").project(f'"{name}"').fetchnumpy().values()
        values = texts.tolist()  # NULL is masked, and None in the list
    else:
        distinct = distinct.project(numbered).materialize()
        values = [value for (value,) in distinct.order("j").project(readable).fetchall()]
    if _has_zone(kind):
        values = [_with_zone((value,), [0])[0] for value in values]
    match = f's."{name}" IS NOT DISTINCT FROM d."{name}"'
    found = small.set_alias("s").join(distinct.set_alias("d"), match).project("s.k, d.j")
    numbers = found.fetchnumpy()
    places = np.empty(len(small), dtype=np.int64)
    places[np.asarray(numbers["k"])] = np.asarray(numbers["j"])
    return Coded(values, places)


def _refuse_infinity(small: Relation) -> None:
    """Raise for infinite dates and times: Python would read NULL, or the last date."""
    kinds = zip(small.columns, map(str, small.types), strict=True)
    times = [name for name, kind in kinds if kind.startswith(_WITH_INFINITY)]
    if times:
        tests = ", ".join(f"bool_or(isinf({name}))" for name in times)
        for name, found in zip(times, small.aggregate(tests).fetchall()[0], strict=True):
            if found:
                raise UnclearValueError(int(name[1:]), "infinite dates or times")


def attach(
    relation: Relation,
    small: Relation,
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> Relation:
    """Join on IS NOT DISTINCT FROM, for which NULL equals NULL; NaN equals NaN in DuckDB.

    Rows are sorted last, by their number or by a random key: a join may swap its sides, and DuckDB
    drops an ORDER BY below a join. Texts are ENUMs during the sort, because these are narrow.
    """
    mapping = _mapping(table_of(relation, added), small, "s.k = v.k", added)
    left = relation.project("*, row_number() OVER () AS i")
    condition = " AND ".join(f"t.{key} IS NOT DISTINCT FROM m.{key}" for key in keys)
    kept = [name for name in relation.columns if name not in keys]
    return _joined(left if ordered else _shuffled(left, small), mapping, condition, kept, added)


def draw(
    relation: Relation,
    small: Relation,
    keys: Sequence[str],
    drawing: Drawing,
    added: Sequence[ReleasedColumn],
    *,
    ordered: bool,
) -> Relation:
    """Join with the row of the lots, then with the interval that holds the record's number.

    The number is SHA-256 of the secret and the record's place; in an exchange, its rank among those
    of the records with the same row. An ASOF join sorts both sides: a row may have many intervals.
    """
    rows = [ReleasedColumn("r", "integer", tuple(drawing.row_of.tolist()))]
    mapping = _mapping(table_of(relation, rows), small, "s.k = v.k", rows)
    of = "'place ' || i" if drawing.key is None else f"'key ' || {drawing.key}::VARCHAR"
    left = relation.project("*, row_number() OVER () AS i")
    left = _hashed(left, drawing.noise.text(), of, HEX_DIGITS).project("* RENAME (hashed AS u)")
    left = left if ordered else _shuffled(left, small)
    condition = " AND ".join(f"t.{key} IS NOT DISTINCT FROM m.{key}" for key in keys)
    kept = [name for name in relation.columns if name not in (*keys, drawing.key)]
    placed = left.set_alias("t").join(mapping.set_alias("m"), condition, how="left")
    number = "u"
    if isinstance(drawing, Exchange):
        number = "CAST(row_number() OVER (PARTITION BY r ORDER BY u) - 1 AS UBIGINT)"
    own = ", ".join(f"t.{name}" for name in kept)
    placed = placed.project(f"{own}{', ' if own else ''}t.i, m.r, t.u")
    placed = placed.project(f"* REPLACE ({number} AS u)")
    lots = drawing.lots
    drawn = [
        replace(column, values=tuple(column.values[y] for y in lots.value)) for column in added
    ]
    intervals = {"r": lots.row, "low": lots.low}
    bounds = [ReleasedColumn(name, "integer", tuple(of.tolist())) for name, of in intervals.items()]
    outputs = table_of(relation, [*bounds, *drawn])
    types = dict(zip(small.columns, map(str, small.types), strict=True))
    return _joined(
        placed, outputs, "t.r = m.r AND t.u >= m.low", kept, drawn, how="asof", types=types
    )


def _shuffled(numbered: Relation, small: Relation) -> Relation:
    """Replace the row number `i` by a random number; the records of `small` are those of the rows.

    In our own connections 64 bits from the operating system for each row. A connection of a user
    may refuse Python's arrays: there, and for very many rows, SHA-256 of a secret and the row
    number, which takes 25 times as long. DuckDB's own hash(i, secret) is a XOR of both, which can
    be undone. Its random() is not a cryptographic generator, and a user may have called setseed().

    ENUMs become texts: their values may be listed in the order of the input, as those of a pandas
    frame are.
    """
    rows = int(small.aggregate("sum(n)").fetchall()[0][0])
    if rows <= MAX_KEYED_ROWS and is_own(numbered):
        hashed = _keyed(numbered, rows)
    else:
        hashed = _hashed(numbered, secrets.token_hex(32), "'order ' || i", _ORDER_DIGITS)
    kinds = dict(zip(hashed.columns, map(str, hashed.types), strict=True))
    del kinds["i"], kinds["hashed"]
    cells = [
        f"CAST({name} AS {plain}) AS {name}" if plain != kind else name
        for name, kind in kinds.items()
        for plain in [_ENUM.sub(lambda found: found[1] or "VARCHAR", kind)]
    ]
    return hashed.project(", ".join([*cells, "hashed AS i"]))


def is_own(relation: Relation) -> bool:
    """Whether a relation's connection is ours: nothing in it has the name of our arrays."""
    made = relation.query(f"loglift_{uuid4().hex}", f"SELECT getvariable('{OWN}')")
    return made is not None and made.fetchall() == [(True,)]


def _keyed(numbered: Relation, rows: int) -> Relation:
    """Add 64 random bits to each row as the number `hashed`; which row gets which is no matter.

    A table with more or fewer rows than were counted is refused: a row without bits would keep its
    place.
    """
    view = f"loglift_{uuid4().hex}"
    # DuckDB finds the array by the name of this variable.
    loglift_keys = {"key": np.frombuffer(secrets.token_bytes(8 * rows), dtype=np.uint64)}
    made = numbered.query(
        view,
        f"SELECT {view}.*, CASE WHEN i IS NULL OR key IS NULL THEN "  # noqa: S608 - our own names
        f"error('the table changed while it was read') ELSE key END AS hashed "
        f"FROM {view} POSITIONAL JOIN loglift_keys",
    )
    del loglift_keys
    assert made is not None  # noqa: S101 - a SELECT always gives a relation
    return made


def _hashed(relation: Relation, secret: str, of: str, digits: int) -> Relation:
    """Add the first hexadecimal digits of SHA-256(secret || of) as the number `hashed`.

    The secret is a value of a small table, so that no statement about the rows contains it.
    """
    crossed = relation.cross(table_of(relation, [ReleasedColumn("secret", "text", (secret,))]))
    number = f"CAST('0x' || sha256(secret || {of})[:{digits}] AS UBIGINT) AS hashed"
    return crossed.project(f"* EXCLUDE (k, secret), {number}")


def _mapping(
    values: Relation, small: Relation, match: str, added: Sequence[ReleasedColumn], more: str = ""
) -> Relation:
    """Return the distinct keys with the added columns beside them, texts as ENUMs."""
    cells = [f"CAST(v.{column.name} AS {narrow_type(column)}) AS {column.name}" for column in added]
    columns = ", ".join(["s.*", *([more] if more else []), *cells])
    joined = small.set_alias("s").join(values.set_alias("v"), match)
    return joined.project(columns).materialize()


def _joined(
    left: Relation,
    mapping: Relation,
    condition: str,
    kept: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    how: str = "left",
    types: Mapping[str, str] | None = None,
) -> Relation:
    """Join, and sort by the place `i`; columns like a key get the key's type, from `types`."""
    cells = [f"t.{name}" for name in [*kept, "i"]] + [f"m.{column.name}" for column in added]
    joined = left.set_alias("t").join(mapping.set_alias("m"), condition, how=how)
    typed = [f"CAST({c.name} AS {final_type(c, types or {})}) AS {c.name}" for c in added]
    return joined.project(", ".join(cells)).order("i").project(", ".join([*kept, *typed]))


def final_type(column: ReleasedColumn, types: Mapping[str, str]) -> str:
    """Return the type of a released column; one like a key has the key's, where it is plain.

    Cells of CSV and JSON files are texts here, and their types are found later. An ENUM lists its
    values, maybe in the order of the rows. Parquet has no HUGEINT: it would become a DOUBLE.
    """
    if isinstance(column, Narrow):
        return narrow_type(column)
    kind = types.get(column.key, "") if isinstance(column, LikeKey) else ""
    read_later = kind == "JSON" or (kind == "VARCHAR" and column.type != "text")
    if not kind or read_later or "ENUM" in kind or "HUGEINT" in kind:
        return sql_type(column)
    return kind


def widened(relation: Relation) -> Relation:
    """Return the relation with texts in place of ENUMs."""
    cells = [
        f"CAST(#{i + 1} AS VARCHAR) AS {identifier(name)}"
        if str(kind).startswith("ENUM")
        else f"#{i + 1}"
        for i, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True))
    ]
    return relation.project(", ".join(cells))


def table_of(relation: Relation, columns: Sequence[ReleasedColumn]) -> Relation:
    """Return a relation of the columns, its rows numbered by `k`, in the connection of `relation`.

    Values go there as JSON, in one SQL literal for each column: a relation does not give access to
    its connection, only to SQL. By name (a replacement scan) the connection takes Python objects
    only where its settings `python_enable_replacements` and `enable_external_access` allow it.
    Measured with 100,000 texts: 0.3 s as JSON, and 3 s as a list in `duckdb.ConstantExpression`.
    """
    cells = ", ".join(
        f"unnest({_list(column.values, sql_type(column))}) AS {column.name}" for column in columns
    )
    numbers = f"unnest(range({len(columns[0].values)})) AS k"
    made = relation.query(f"loglift_{uuid4().hex}", f"SELECT {numbers}, {cells}")
    assert made is not None  # noqa: S101 - a SELECT always gives a relation
    return made.materialize()


def sql_type(column: ReleasedColumn) -> str:
    """Return the narrowest faithful DuckDB type; integers beyond 38 digits become text.

    HUGEINT is avoided: Parquet has no such type, and DuckDB would write it as a DOUBLE.
    """
    if is_long(column):
        fits = all(v is None or abs(v) < 10**MAX_DECIMAL_DIGITS for v in column.values)
        return f"DECIMAL({MAX_DECIMAL_DIGITS}, 0)" if fits else "VARCHAR"
    if column.type == "decimal":
        return f"DECIMAL({MAX_DECIMAL_DIGITS}, {scale_of(column)})"
    return _TYPES[column.type]


def narrow_type(column: ReleasedColumn) -> str:
    """Return the type that a column has during a sort: texts are an ENUM, in order."""
    texts = {value for value in column.values if value is not None}
    if sql_type(column) != "VARCHAR" or not texts or any("\0" in str(text) for text in texts):
        return sql_type(column)
    quoted = ", ".join("'" + str(text).replace("'", "''") + "'" for text in sorted(texts))
    return f"ENUM({quoted})"


def _list(values: Sequence[Any], kind: str) -> str:
    """Return SQL for a list of values of one type: JSON texts, which DuckDB converts.

    The JSON is ASCII: DuckDB parses a statement with other characters eight times more slowly.
    """
    texts = json.dumps([_text(value) for value in values]).replace("'", "''")
    return f"CAST(CAST('{texts}' AS JSON) AS VARCHAR[])::{kind}[]"


def _text(value: Any) -> str | None:
    """Return a value in the form that DuckDB converts to its type."""
    if isinstance(value, bytes):
        return "".join(f"\\x{byte:02X}" for byte in value)
    if value is None or isinstance(value, str):
        return value
    return repr(value) if isinstance(value, float) else str(value)


def _has_zone(kind: object) -> bool:
    return str(kind) in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")


def _with_zone(row: tuple[Any, ...], zoned: Sequence[int]) -> tuple[Any, ...]:
    # DuckDB itself would need pytz.
    cells = list(row)
    for i in zoned:
        if cells[i] is not None:
            cells[i] = _EPOCH + timedelta(microseconds=cells[i])
    return tuple(cells)
