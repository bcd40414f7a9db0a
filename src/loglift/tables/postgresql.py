"""Tables of a PostgreSQL server, through ADBC: read in one snapshot, counted by the server.

What is needed of a table is always the multiset of the rows of some columns. The server groups by
these columns; only the different rows and their numbers travel, as Arrow batches, into a table of
DuckDB, which keeps on disk what exceeds its memory. There they are repeated when they are read, so
that everything else works as on a file. Rows of a table have no order, so that nothing is lost.

One transaction, REPEATABLE READ and READ ONLY, sees the same data from the first count to the last
row, and needs no right but SELECT.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loglift.errors import TableError
from loglift.tables.addresses import Database, database_of, names_of
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.columns import missing_table
from loglift.tables.extras import needed
from loglift.tables.relations import connect, identifier, literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection, DuckDBPyRelation as Relation

EXTRA, WHAT = "postgresql", "PostgreSQL tables"

_SNAPSHOT = (
    "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
    # A search may take long between two queries.
    "SET LOCAL idle_in_transaction_session_timeout = 0",
    "SET LOCAL statement_timeout = 0",
    # Floats are written with all their digits, times in one form, whatever the role has set.
    "SET LOCAL extra_float_digits = 1",
    "SET LOCAL DateStyle = 'ISO'",
)
_CONNECT_SECONDS = "10"  # until a server that does not answer is given up
_PLAIN = frozenset({"int2", "int4", "int8", "float4", "float8", "bool", "bytea", "time"})
_WITH_INFINITY = frozenset({"date", "timestamp", "timestamptz"})
_AS_TEXT = frozenset(
    {"text", "varchar", "bpchar", "char", "name", "citext", "uuid", "json", "jsonb", "inet", "cidr"}
)
_COPIES = 2048  # of a row that are made at once
_SQLSTATE = re.compile(r"\.? SQLSTATE: \w+")


@dataclass(frozen=True)
class _Column:
    """A column of the table: its name, the name of its type, and the digits of a numeric."""

    name: str
    type: str
    digits: tuple[int, int] | None


class Snapshot:
    """A table as it was when it was opened; `rows` fetches some of its columns."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._server = _Server(database)
        self._schema, self._table = self._server.find()
        self._columns = self._server.columns(self._schema, self._table)
        self._local: Connection = connect()
        self._fetched: dict[frozenset[int], Relation] = {}
        if not self._server.query(f"SELECT 1 FROM {self._name} LIMIT 1"):  # noqa: S608 - quoted
            raise TableError(f"{database.where} has no rows: give a table with records")

    @property
    def _name(self) -> str:
        return f"{identifier(self._schema)}.{identifier(self._table)}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self._columns)

    def rows(self, positions: Sequence[int]) -> Relation:
        """Return the columns at some positions, named c0, c1, ..., with a row for each record."""
        wanted = frozenset(positions)
        # Rows of more columns are rows of these, too: what was counted is not fetched again.
        held = [places for places in self._fetched if wanted <= places]
        if not held:
            self._fetched[wanted] = self._fetch(sorted(wanted))
            held = [wanted]
        relation = self._fetched[min(held, key=len)]
        return relation.project(", ".join(f"p{at} AS c{i}" for i, at in enumerate(positions)))

    def _fetch(self, positions: Sequence[int]) -> Relation:
        """Group by these columns on the server, and return the rows, repeated as often."""
        columns = [(at, self._columns[at]) for at in positions]
        cells = [f"{_cell(column)} AS p{at}" for at, column in columns]
        infinite = [
            f"bool_or({identifier(c.name)} IN ('infinity', '-infinity')) AS i{at}"
            for at, c in columns
            if c.type in _WITH_INFINITY
        ]
        places = ", ".join(str(i + 1) for i in range(len(cells)))
        query = (
            f"SELECT {', '.join([*cells, 'count(*) AS n', *infinite])} "  # noqa: S608 - quoted
            f"FROM {self._name} GROUP BY {places}"
        )
        name = f"loglift_rows{len(self._fetched)}"
        with self._server.batches(query) as batches:
            self._local.register("loglift_batches", batches)
            self._local.execute(f"CREATE TABLE {name} AS FROM loglift_batches")
            self._local.unregister("loglift_batches")
        grouped = self._local.table(name)
        _refuse_infinity(grouped, columns)
        typed = [_typed(grouped, at, column) for at, column in columns]
        return self._local.sql(
            f"SELECT {', '.join(typed)} FROM (SELECT *, unnest(range(least({_COPIES}, n - s))) "  # noqa: S608
            f"FROM (SELECT *, unnest(range(0, n, {_COPIES})) AS s FROM {name}))"
        )


class _Server:
    """A connection, its one transaction, and its failures in one line without a password."""

    def __init__(self, database: Database) -> None:
        driver = needed("adbc_driver_postgresql.dbapi", EXTRA, WHAT)
        needed("pyarrow", EXTRA, WHAT)
        self._database = database
        self._errors = needed("adbc_driver_manager", EXTRA, WHAT).Error
        settings = {"connect_timeout": _CONNECT_SECONDS, **database.settings}
        with self._explained():
            self._connection = driver.connect(_conninfo(settings))
        weakref.finalize(self, self._connection.close)
        with self._explained(), self._connection.cursor() as cursor:
            for statement in _SNAPSHOT:
                cursor.execute(statement)

    def query(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small result."""
        with self._explained(), self._connection.cursor() as cursor:
            cursor.execute(query)
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows

    @contextmanager
    def batches(self, query: str) -> Iterator[Any]:
        """Give a reader of the Arrow batches of a result."""
        with self._explained(), self._connection.cursor() as cursor:
            cursor.execute(query)
            yield cursor.fetch_record_batch()

    def find(self) -> tuple[str, str]:
        """Return the schema and the name of the table; without a schema, as the server finds it."""
        schema, name = names_of(self._database.table)
        where = "pg_table_is_visible(c.oid)" if schema is None else f"n.nspname = {literal(schema)}"
        tables = (
            "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')"
        )
        found = self.query(
            f"SELECT n.nspname::text, c.relname::text {tables} AND {where} "
            f"AND c.relname = {literal(name)}"
        )
        if not found:
            others = self.query(
                f"SELECT CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END "
                f"|| c.relname {tables} AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
            )
            where = self._database.where.removesuffix(f"::{self._database.table}")
            raise missing_table(self._database.table, [other for (other,) in others], where)
        return found[0]

    def columns(self, schema: str, table: str) -> tuple[_Column, ...]:
        """Return the columns of a table; a domain has the type that it is over."""
        found = self.query(
            "SELECT a.attname::text, "  # noqa: S608 - quoted
            "CASE WHEN b.typtype = 'e' THEN 'text' ELSE b.typname::text END, "
            "CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END "
            "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = a.atttypid "
            "JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END "
            f"WHERE n.nspname = {literal(schema)} AND c.relname = {literal(table)} "
            "AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
        return tuple(_Column(name, kind, _digits(kind, mod)) for name, kind, mod in found)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (self._errors, _duckdb_error()) as error:
            raise TableError(_explain(self._database, str(error))) from None


def _duckdb_error() -> type[Exception]:
    """Return the error in which DuckDB wraps one of the batches that it reads."""
    import duckdb  # noqa: PLC0415 - only when a table is used

    return duckdb.Error


def open_database(text: str) -> tuple[Database, Snapshot]:
    """Open the table of an address."""
    database = database_of(text)
    return database, Snapshot(database)


def _cell(column: _Column) -> str:
    """Return SQL for the cells of a column, in a type that Arrow and DuckDB have.

    Texts are compared byte by byte, whatever the collation of the column: one that ignores case
    would count texts as one that are released as two.
    """
    name = identifier(column.name)
    if column.type in _PLAIN:
        return name
    if column.type in _WITH_INFINITY:
        return f"CASE WHEN isfinite({name}) THEN {name} END"
    if column.type == "numeric":
        return f"{name}::text"
    if column.type in _AS_TEXT:
        return f'{name}::text COLLATE "C"'
    raise TableError(
        f"column {column.name!r} has the type {column.type}, which loglift does not read: cast it "
        "to text or to a number in a view, and name the view"
    )


def _typed(grouped: Relation, at: int, column: _Column) -> str:
    """Return SQL for a fetched column in its DuckDB type; numerics become decimals."""
    if column.type != "numeric":
        return f"p{at}"
    kind = column.digits
    if kind is None:
        text = f"regexp_replace(p{at}, '^-', '')"
        before = f"max(length(split_part({text}, '.', 1)))"
        after = f"max(length(split_part({text}, '.', 2)))"
        whole, scale = grouped.aggregate(f"{before}, {after}").fetchall()[0]
        kind = (max(1, (whole or 0) + (scale or 0)), scale or 0)
    cast = f"TRY_CAST(p{at} AS DECIMAL({MAX_DECIMAL_DIGITS}, {kind[1]}))"
    lost = f"bool_or(p{at} IS NOT NULL AND {cast} IS NULL)"
    if kind[0] > MAX_DECIMAL_DIGITS or grouped.aggregate(lost).fetchall()[0][0]:
        raise TableError(
            f"column {column.name!r} holds NaN, infinite numbers, or numbers of more than "
            f"{MAX_DECIMAL_DIGITS} digits: cast it to double precision or text in a view, and "
            "name the view"
        )
    return f"CAST(p{at} AS DECIMAL({kind[0]}, {kind[1]})) AS p{at}"


def _digits(kind: str, modifier: int) -> tuple[int, int] | None:
    """Return precision and scale of a numeric; None where it has none, or a scale of its own."""
    if kind != "numeric" or modifier < 0:
        return None
    precision, scale = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
    return (precision, scale) if scale <= precision <= MAX_DECIMAL_DIGITS else None


def _refuse_infinity(grouped: Relation, columns: Sequence[tuple[int, _Column]]) -> None:
    for at, column in columns:
        if column.type in _WITH_INFINITY and grouped.aggregate(f"bool_or(i{at})").fetchall()[0][0]:
            raise TableError(
                f"column {column.name!r} holds infinite dates or times: replace them first, by "
                "NULL or by plain values"
            )


def _conninfo(settings: Mapping[str, str]) -> str:
    """Return settings as libpq reads them."""
    escaped = {k: v.replace("\\", "\\\\").replace("'", "\\'") for k, v in settings.items()}
    return " ".join(f"{key}='{value}'" for key, value in escaped.items())


def _explain(database: Database, text: str) -> str:
    """Return one line about a failure, in which no password is."""
    where, settings = database.where, database.settings
    server = settings.get("host", "this machine")
    server = f"[{server}]" if ":" in server else server
    server = f"{server}:{settings['port']}" if "port" in settings else server
    told = text.partition("\nLINE ")[0].partition("Query was")[0]
    told = " ".join(_SQLSTATE.sub("", told).split())
    told = told.rpartition("ERROR: ")[2].rpartition("FATAL: ")[2].strip()
    folded = told.lower()
    if ("password" in folded and "failed" in folded) or "no password supplied" in folded:
        return (
            f"{server} refuses the user or the password for {where}: give the password in "
            "PGPASSWORD or in the file .pgpass"
        )
    if "permission denied" in folded:
        return f"{where} may not be read by this user: ask for the right to SELECT from it"
    unreachable = ("connection refused", "could not translate", "timeout", "no route", "timed out")
    if any(sign in folded for sign in unreachable) or "no such file" in folded:
        return f"{server} cannot be reached for {where}: check host and port, and that it runs"
    if "closed" in folded or "terminating connection" in folded:
        return f"{where} cannot be read any more, the server ended the connection: run it again"
    secrets = [value for key, value in settings.items() if "pass" in key]
    if any(secret and secret in told for secret in [*secrets, os.environ.get("PGPASSWORD")]):
        told = "the server's answer has the password in it, and is not shown"
    return f"{where} cannot be read: {told}"
