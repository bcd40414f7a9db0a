"""DuckDB: codes, keys of a shuffle, times that Python does not have, collations, values."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from types import SimpleNamespace

import duckdb
import numpy as np
import pytest

import loglift
from loglift.errors import TableError
from loglift.tables import count
from loglift.tables.engines import duckdb as duckdb_engine
from loglift.tables.relations import connect
from tables.makers import released_of

CELLS = {
    "text": "['a', 'B', '', NULL][1 + i % 4]",
    "integer": "[3, -9, NULL][1 + i % 3]",
    "float": "['nan', '0.5', NULL, '-0.0'][1 + i % 4]::DOUBLE",
    "decimal": "(i % 5)::DECIMAL(9, 2)",
    "date": "DATE '2020-01-30' + (i % 3)::INTEGER",
    "instant": "TIMESTAMPTZ '2024-10-27 02:30:00+02:00' + INTERVAL 1 HOUR * (i % 3)",
    "bytes": "['a', 'b'][1 + i % 2]::BLOB",
}


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS)
def test_many_groups_are_counted_as_codes_like_few_row_by_row(monkeypatch, cell):
    numbers = duckdb.connect().sql("FROM range(300) t(i)")
    relation = numbers.project(f"{cell} AS x, (i % 7) % 3 AS s")
    rows = count(relation, "x", "s")
    monkeypatch.setattr(duckdb_engine, "_MAX_FETCHED_ROWS", 0)
    coded = count(relation, "x", "s")
    assert repr(coded.tuples) == repr(rows.tuples)  # as texts: NaN is not equal to itself
    assert (coded.mass == rows.mass).all()


def five_rows():
    return connect().sql("SELECT 'r' || i AS c0, i FROM range(5) t(i)")


def test_keys_of_a_shuffle_are_the_systems_own_and_in_no_statement(monkeypatch):
    keys = np.arange(5, dtype=np.uint64) * 12_345_678_901
    fixed = SimpleNamespace(token_bytes=lambda size: keys.tobytes()[:size])
    monkeypatch.setattr(duckdb_engine, "secrets", fixed)
    made = duckdb_engine._keyed(five_rows(), 5)  # noqa: SLF001, its keys are hidden elsewhere
    assert {row[-1] for row in made.fetchall()} == set(keys.tolist())
    assert "12345678901" not in f"{made.explain()} {made.sql_query()}"


@pytest.mark.parametrize("rows", [4, 6])
def test_a_table_that_changed_is_not_shuffled(rows):
    made = duckdb_engine._keyed(five_rows(), rows)  # noqa: SLF001, files cannot change so fast
    with pytest.raises(duckdb.Error, match="changed while it was read"):
        made.fetchall()


def test_only_our_own_connections_take_arrays():
    own, other = five_rows(), duckdb.connect().sql("SELECT 1 AS i")
    assert duckdb_engine.is_own(own)
    assert not duckdb_engine.is_own(other)


@pytest.mark.parametrize("most", [0, 2**26])
def test_rows_of_a_file_are_shuffled_by_either_key(tmp_path, monkeypatch, most):
    monkeypatch.setattr(duckdb_engine, "MAX_KEYED_ROWS", most)
    path = tmp_path / "table.parquet"
    cells = "i % 4 AS x, (i // 100) % 2 AS s, 'n' || i % 500 AS note, i AS place"
    duckdb.sql("FROM range(1000) t(i)").project(cells).write_parquet(str(path))
    made = loglift.protect(path, sensitive="s", public="x", eps=1, passthrough=["place", "note"])
    places = np.array([row[1] for row in made.table.project("*").fetchall()])
    assert sorted(places.tolist()) == list(range(1000))
    assert abs(np.corrcoef(places, np.arange(1000))[0, 1]) < 0.2  # six standard deviations
    assert all(row[2] == f"n{row[1] % 500}" for row in made.table.fetchall())


def test_a_sample_has_all_rows_of_some_values():
    relation = connect().sql("SELECT i % 5000 AS c0 FROM range(20000) t(i)")
    rows, values, some = duckdb_engine.sampled(relation, 100)
    assert rows == 20_000
    assert values == pytest.approx(5000, rel=0.2)
    counts = some.aggregate("c0, count(*)").fetchall()
    assert 50 < len(counts) < 200
    assert {number for _, number in counts} == {4}


def test_widened_texts_are_texts():
    narrow = connect().sql("SELECT 'a'::ENUM('a', 'b') AS \"x \"\"y\", 1 AS z")
    wide = duckdb_engine.widened(narrow)
    assert (wide.columns, list(map(str, wide.types))) == (['x "y', "z"], ["VARCHAR", "INTEGER"])


ENDLESS = {
    "instant": "TIMESTAMPTZ 'infinity'",
    "instant below": "TIMESTAMPTZ '-infinity'",
    "timestamp": "TIMESTAMP 'infinity'",
    "date": "DATE '-infinity'",
}


@pytest.mark.parametrize("cell", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("used", [("job", "until"), ("until", "job")])
def test_infinite_dates_are_refused_and_named(tmp_path, cell, used):
    """Python has none: they would be counted as NULL, or as the last date there is."""
    kind = cell.split()[0]
    file = tmp_path / "t.parquet"
    cells = f"[{cell}, NULL, {kind} '2020-01-01']"
    made = duckdb.sql(f"SELECT unnest(['a', 'b', 'a']) AS job, unnest({cells}) AS until")
    made.write_parquet(str(file))
    with pytest.raises(TableError, match="column 'until' holds infinite dates or times"):
        count(file, *used)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("TIME_NS '10:00:00.000000001'", "nanoseconds"),
        ("'2020-01-01 10:00:00+02'::TIMESTAMPTZ_NS", "nanoseconds"),
        ("'10:00:00+02'::TIMETZ", "times with a zone"),
    ],
)
def test_times_that_python_cannot_tell_apart_are_refused(cell, message):
    made = duckdb.connect().sql(f"SELECT {cell} AS at, 'a' AS job")
    with pytest.raises(TableError, match=f"column 'at'.*{message}"):
        count(made, "at", "job")


@pytest.mark.parametrize("where", ["column", "connection"])
def test_a_collation_of_duckdb_makes_no_two_texts_one(where):
    connection = duckdb.connect()
    kind = "VARCHAR COLLATE NOCASE" if where == "column" else "VARCHAR"
    if where == "connection":
        connection.execute("SET default_collation = 'nocase'")
    connection.execute(f"CREATE TABLE t (k {kind}, x INTEGER, s VARCHAR)")
    connection.execute(
        "INSERT INTO t SELECT 'a', i % 3, ['ill', 'well'][1 + (i // 3) % 2] FROM range(300) r(i)"
    )
    connection.execute("INSERT INTO t SELECT 'A', i % 3, 'ill' FROM range(60) r(i)")
    table = connection.table("t")
    assert loglift.audit(table, sensitive="s", public="k").leakage == np.inf
    made = loglift.protect(table, sensitive="s", public="x", eps=0.5, passthrough="k")
    assert made.passthrough_audit.leakage == np.inf
    merged = loglift.protect(table, sensitive="s", public="k", eps=0.1)
    assert merged.table.aggregate("k, count(*)").fetchall() == [("*", 360)]
    apart = loglift.protect(table, sensitive="s", public="k", bound=loglift.Bound(np.inf, 9))
    assert sorted(apart.table.project("k").fetchall()) == [("A",)] * 60 + [("a",)] * 300


VALUES = {
    "text": [
        "",
        "NULL",
        "null",
        None,
        "x\0y",
        "a'b",
        '"',
        "\\x41",
        "é",
        "🦆",
        "\u2028",
        "[1,2]",
        ",",
    ],
    "integer": [0, None, -(2**63), 2**63 - 1],
    "large integer": [2**100, None, -5],
    "huge integer": [10**40, None],
    "float": [0.1, None, math.inf, -math.inf, 1e-320, 1.7976931348623157e308],
    "decimal": [Decimal("1.50"), None, Decimal("-0.001")],
    "boolean": [True, None, False],
    "date": [date(1, 1, 1), None, date(9999, 12, 31)],
    "time": [time(23, 59, 59, 999999), None],
    "datetime": [datetime(2024, 2, 29, 1, 2, 3, 4), None],
    "bytes": [b"", b"\0\xff'\\x", None],
    "nothing": [None, None],
}


@pytest.mark.parametrize("setting", ["threads = 1", "enable_external_access = false"])
@pytest.mark.parametrize("name", VALUES)
def test_values_go_into_a_relation_unchanged(name, setting):
    """Into any connection, also one that must not see Python's objects or files."""
    connection = duckdb.connect()
    connection.execute(f"SET {setting}").fetchall()
    kind = "text" if name == "nothing" else name.split()[-1]
    columns = released_of({"a": (kind, VALUES[name]), "b": ("integer", range(len(VALUES[name])))})
    made = duckdb_engine.table_of(connection.sql("SELECT 1"), columns)
    found = made.order("k").fetchall()
    expected = [str(v) if name == "huge integer" and v is not None else v for v in VALUES[name]]
    assert [row[1] for row in found] == expected
    assert [row[0] for row in found] == [row[2] for row in found] == list(range(len(expected)))


def test_not_a_number_and_instants_go_into_a_relation_unchanged():
    relation = duckdb.connect().sql("SELECT 1")
    moment = datetime(2024, 7, 1, 12, 30, 0, 5, tzinfo=UTC)
    columns = released_of({"a": ("float", [math.nan, None]), "b": ("instant", [moment, None])})
    made = duckdb_engine.table_of(relation, columns).project("isnan(a), epoch_us(b)")
    assert made.fetchall() == [(True, int(moment.timestamp()) * 10**6 + 5), (None, None)]
