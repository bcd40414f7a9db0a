"""PostgreSQL tables: one snapshot, counted by the server, read by a role that can only read."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID, uuid4

import pyarrow as pa
import pytest

import loglift
import servers
from loglift.errors import TableError
from loglift.tables import apply, count, open_table, postgresql
from tables.makers import mechanism_of

SAME = "SELECT * FROM (VALUES {}) v(x, s)"


@pytest.fixture
def table(postgres):
    """Return a function that makes a table by a query, and returns its address."""

    def made(query):
        name = f"t{uuid4().hex}"
        postgres.run(
            f"CREATE TABLE {name} AS {query}", f"GRANT SELECT ON {name} TO {servers.READER}"
        )
        return postgres.address(name)

    return made


def values_of(address, column="x"):
    return count(address, column, "s").columns[0]


TYPES = {
    "text": ("'a'::text, 'b'::text", ("a", "b")),
    "varchar": ("'a'::varchar(9), 'b'::varchar(9)", ("a", "b")),
    "char": ("'a'::char(5), 'b'::char(5)", ("a", "b")),
    "smallint": ("1::int2, -2::int2", (-2, 1)),
    "int": ("1::int4, -2::int4", (-2, 1)),
    "bigint": ("9223372036854775807::int8, 0::int8", (0, 2**63 - 1)),
    "real": ("1.5::real, -0.0::real", (0.0, 1.5)),
    "double": ("0.1::float8, 'NaN'::float8", ("NaN", 0.1)),
    "boolean": ("true, false", (False, True)),
    "date": ("date '2020-02-29', date '0001-01-01'", (date(1, 1, 1), date(2020, 2, 29))),
    "time": ("time '01:02:03.000004', time '00:00'", (time(0), time(1, 2, 3, 4))),
    "timestamp": (
        "timestamp '2020-01-02 03:04:05.000006', timestamp '1969-12-31 23:59:59'",
        (datetime(1969, 12, 31, 23, 59, 59), datetime(2020, 1, 2, 3, 4, 5, 6)),
    ),
    "timestamptz": (
        "timestamptz '2020-01-01 00:00+01', timestamptz '2020-01-01 00:00+00'",
        (datetime(2019, 12, 31, 23, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)),
    ),
    "numeric(9,2)": ("1.50::numeric(9,2), -2::numeric(9,2)", (Decimal("-2.00"), Decimal("1.50"))),
    "numeric": ("1.5::numeric, 1.50::numeric", (Decimal("1.50"),)),
    "whole numeric": ("12345678901234567890123::numeric, 0", (0, 12345678901234567890123)),
    "bytea": ("'\\x00ff'::bytea, ''::bytea", (b"", b"\x00\xff")),
    "uuid": (f"'{UUID(int=10)}'::uuid, NULL", (str(UUID(int=10)),)),
    "json": ("""'{"a": 1}'::json, NULL""", ('{"a": 1}',)),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_types_are_those_of_python(table, name):
    cells, expected = TYPES[name]
    both = cells.split(", ")
    found = values_of(table(SAME.format(f"({both[0]}, 1), ({both[1]}, 2), (NULL, 1)")))
    shown = tuple("NaN" if str(value) == "nan" else value for value in found.values[1:])
    assert shown == expected
    assert found.values[0] is None


def test_enums_and_domains_are_what_they_are_made_of(postgres, table):
    postgres.run(
        "DROP TYPE IF EXISTS size CASCADE",
        "CREATE TYPE size AS ENUM ('small', 'large')",
        "DROP DOMAIN IF EXISTS price CASCADE",
        "CREATE DOMAIN price AS numeric(6,1)",
    )
    address = table("SELECT 'small'::size AS x, 1.5::price AS y, 1 AS s UNION SELECT 'large', 2, 2")
    assert values_of(address).values == ("large", "small")
    assert values_of(address, "y").values == (Decimal("1.5"), Decimal("2.0"))


def test_texts_are_told_apart_as_they_are_written(postgres, table):
    postgres.run(
        "CREATE COLLATION IF NOT EXISTS alike "
        "(provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
    )
    address = table(
        'SELECT x COLLATE "alike" AS x, s FROM '
        "(VALUES ('a', 1), ('A', 2), ('á', 1), ('', 2), (NULL, 1)) v(x, s)"
    )
    assert values_of(address).values == (None, "", "A", "a", "á")


def test_names_may_hold_anything(postgres):
    column = 'x"; DROP TABLE y; --'
    address = postgres.load('a "b".c ::d', pa.table({column: ["u", "v"], "S": [1, 2]}))
    joint = count(address, column, "S")
    assert joint.tuples == (("u",), ("v",))


def test_a_table_is_found_by_its_schema_or_where_the_server_looks(postgres):
    postgres.run(
        "DROP SCHEMA IF EXISTS north CASCADE",
        "CREATE SCHEMA north",
        "CREATE TABLE north.towns AS SELECT * FROM (VALUES ('a', 1), ('b', 2)) v(x, s)",
        "CREATE VIEW north.some AS SELECT * FROM north.towns",
        f"GRANT USAGE ON SCHEMA north TO {servers.READER}",
        f"GRANT SELECT ON north.towns, north.some TO {servers.READER}",
        "CREATE TABLE north.hidden AS SELECT 1 AS x, 2 AS s",
    )
    for name in ("north.towns", "north.some"):
        assert count(postgres.address(name), "x", "s").total == 2
    with pytest.raises(TableError, match=r"no table 'towns': did you mean north\.towns"):
        open_table(postgres.address("towns"))
    with pytest.raises(TableError, match="may not be read by this user: ask for the right"):
        open_table(postgres.address("north.hidden"))


def test_one_snapshot_is_seen_from_the_count_to_the_release(postgres, table):
    address = table("SELECT i % 3 AS x, i % 2 AS s, i % 5 AS y FROM generate_series(1, 60) i")
    opened = open_table(address)
    before = count(opened, "x", "s")
    name = address.partition("::")[2]
    gone = f"DELETE FROM {name} WHERE y = 1"  # noqa: S608
    postgres.run(f"INSERT INTO {name} SELECT 7, 7, 7", gone)
    assert count(opened, "x", "s").tuples == before.tuples
    assert count(opened, ["x", "y"], "s").total == 60
    whole = mechanism_of([("x", "integer")], {(i,): 0 for i in range(3)}, {"x": ("text", ["*"])})
    released = apply(opened, whole, passthrough=["y"])
    assert released.aggregate("count(*), max(y)").fetchall() == [(60, 4)]
    assert count(address, "x", "s").total == 49


def test_the_server_counts_and_nothing_travels_twice(table, monkeypatch):
    address = table("SELECT i % 3 AS x, i % 2 AS s, i AS id FROM generate_series(1, 6000) i")
    queries, rows = [], []
    batches = postgresql._Server.batches  # noqa: SLF001

    def counting(server, query):
        queries.append(query)
        return batches(server, query)

    monkeypatch.setattr(postgresql._Server, "batches", counting)  # noqa: SLF001
    fetch = postgresql.Snapshot._fetch  # noqa: SLF001

    def fetching(snapshot, positions):
        found = fetch(snapshot, positions)
        rows.append(len(snapshot._local.table(f"loglift_rows{len(snapshot._fetched)}")))  # noqa: SLF001
        return found

    monkeypatch.setattr(postgresql.Snapshot, "_fetch", fetching)
    release = loglift.protect(address, sensitive="s", public="x", eps=1)
    assert release.certificate.records == 6000
    assert release.table.aggregate("count(*)").fetchall() == [(6000,)]
    assert rows == [6]
    assert len(queries) == 1
    assert "GROUP BY 1, 2" in queries[0]
    assert '"id"' not in queries[0]


@pytest.mark.parametrize("records", [1, 2047, 2048, 2049, 5000])
def test_rows_are_repeated_as_often_as_they_occur(table, records):
    many = f"generate_series(1, {records})"
    address = table(f"SELECT 'a' AS x, 1 AS s FROM {many} UNION ALL SELECT 'b', 2")  # noqa: S608
    joint = count(address, "x", "s")
    assert dict(zip(joint.public, joint.weight.tolist(), strict=True)) == {"a": records, "b": 1}


UNCLEAR = {
    "infinite dates": "date 'infinity'",
    "infinite dates or times": "timestamp '-infinity'",
    "holds NaN, infinite numbers": "'NaN'::numeric",
    "more than 38 digits": "1e40::numeric",
    "has the type interval": "interval '1 day'",
    "has the type _int4": "ARRAY[1]",
}


@pytest.mark.parametrize("message", UNCLEAR)
def test_values_that_python_does_not_have_are_refused(table, message):
    rows = f"SELECT {UNCLEAR[message]} AS x, i % 2 AS s FROM generate_series(1, 4) i"  # noqa: S608
    address = table(rows)
    with pytest.raises(TableError, match=f"column 'x' .*{message}"):
        count(address, "x", "s")
    assert open_table(address).columns == ("x", "s")


def test_an_order_cannot_be_kept_and_an_empty_table_is_refused(table):
    mechanism = mechanism_of([("x", "integer")], {(1,): 0, (2,): 0}, {"x": ("text", ["*"])})
    with pytest.raises(TableError, match="have no order: leave keep_order"):
        apply(table("SELECT 1 AS x, 2 AS s"), mechanism, keep_order=True)
    with pytest.raises(TableError, match="has no rows"):
        open_table(table("SELECT 1 AS x WHERE false"))


def refusals(postgres):
    folder = postgres.address("made").partition("@")[2].partition("/")[0]
    secret = "hidden-secret"  # noqa: S105
    return {
        "refuses the user or the password": postgres.address("made", password=secret),
        "refuses the user": postgres.address("made", user="nobody_here", password=secret),
        "cannot be reached": f"postgresql://reader:{secret}@127.0.0.1:1/survey::made",
        "cannot be reached for": f"postgresql://reader:{secret}@nowhere.invalid/survey::made",
        'database "nodb" does not exist': f"postgresql://owner:{secret}@{folder}/nodb::made",
        "invalid connection option": f"postgresql://reader:{secret}@{folder}/survey?colour=1::made",
        "no table 'nothing'": postgres.address("nothing"),
        "names no table": f"postgresql://reader:{secret}@{folder}/survey",
    }


@pytest.mark.parametrize("number", range(8))
def test_failures_are_one_line_without_the_password(postgres, number):
    message, address = list(refusals(postgres).items())[number]
    with pytest.raises(TableError, match=message) as caught:
        open_table(address)
    text = str(caught.value)
    assert "\n" not in text
    assert "hidden-secret" not in text
    assert servers.PASSWORD not in text
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    assert caught.value.__cause__ is None


def test_a_password_comes_from_the_environment_and_stays_there(table, postgres, monkeypatch):
    name = table(SAME.format("(1, 1), (2, 2)")).partition("::")[2]
    monkeypatch.setenv("PGPASSWORD", servers.PASSWORD)
    opened = open_table(postgres.address(name, password=None))
    assert count(opened, "x", "s").total == 2
    assert servers.PASSWORD not in repr(opened) + opened.where
    monkeypatch.setenv("PGPASSWORD", "survey")
    with pytest.raises(TableError, match="refuses the user or the password") as caught:
        open_table(postgres.address(name, password=None))
    assert "\n" not in str(caught.value)


def test_a_connection_that_ends_is_told(postgres, table):
    opened = open_table(table(SAME.format("(1, 1), (2, 2)")))
    postgres.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
    with pytest.raises(TableError, match="run it again") as caught:
        count(opened, "x", "s")
    assert "\n" not in str(caught.value)
