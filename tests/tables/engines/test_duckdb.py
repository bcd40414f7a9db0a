"""DuckDB: batches, times that Python does not have, collations, and values that go into it."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, time
from decimal import Decimal

import duckdb
import numpy as np
import pytest

import loglift
from loglift.errors import TableError
from loglift.tables import count
from loglift.tables.engines import duckdb as duckdb_engine
from tables.makers import released_of


def test_files_are_counted_alike_however_few_groups_are_fetched_at_once(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    lines = [f"x{i % 13},{'abc'[i % 7 % 3]}" for i in range(300)]
    path.write_text("\n".join(["x,s", *lines]) + "\n", "utf-8")
    whole = count(path, "x", "s")
    for batch in (1, 5, len(whole.public)):
        monkeypatch.setattr(duckdb_engine, "_ROWS_PER_BATCH", batch)
        found = count(path, "x", "s")
        assert found.tuples == whole.tuples
        assert (found.mass == whole.mass).all()


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
