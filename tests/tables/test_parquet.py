"""Parquet in its own types, also those that DuckDB makes Python objects of by other libraries."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import duckdb
import pyarrow.parquet as pq
import pytest

import loglift
from loglift.tables import write

INSTANTS = [datetime(2024, 1, day, 10, tzinfo=UTC) for day in range(1, 6)]
ROWS = """
    SELECT '2024-01-01 10:00:00+00'::TIMESTAMPTZ + to_days((i % 5)::INTEGER) AS at,
        ['a', 'b', 'c'][1 + i % 3] AS x, i * 7 % 2 AS s
    FROM range(300) r(i)
"""


@pytest.fixture
def zoned(tmp_path, monkeypatch):
    """A table with a column of instants, where pytz, which DuckDB makes them with, is missing."""
    monkeypatch.setitem(sys.modules, "pytz", None)
    path = tmp_path / "zoned.parquet"
    duckdb.connect().execute(f"COPY ({ROWS}) TO '{path}'")
    return path


@pytest.mark.parametrize("public", ["x", "at", ["x", "at"]])
def test_instants_are_counted_without_pytz(zoned, public):
    assert loglift.audit(zoned, public=public, sensitive="s").records == 300


def test_instants_are_values_in_utc(zoned):
    assert list(loglift.Joint.from_table(zoned, public="at", sensitive="s").public) == INSTANTS
    assert list(loglift.Joint.from_table(zoned, public="x", sensitive="at").sensitive) == INSTANTS


@pytest.mark.parametrize(
    "options",
    [
        {"public": "x"},
        {"public": "x", "passthrough": "at"},
        {"public": "at"},
        {"public": ["at", "x"], "keep_order": True},
        {"public": "x", "sensitive": "at", "keep_sensitive": True},
        {"public": "at", "method": "randomized"},
        {"public": "x", "method": "randomized", "key": "at"},
    ],
    ids=str,
)
def test_instants_are_protected_applied_and_verified_without_pytz(zoned, tmp_path, options):
    result = loglift.protect(zoned, **({"sensitive": "s", "eps": 3} | options))
    result.mechanism.save(tmp_path / "mechanism.json")
    assert loglift.verify(tmp_path / "mechanism.json", zoned).holds
    for table in (result.table, loglift.apply(tmp_path / "mechanism.json", zoned)):
        write(table, tmp_path / "out.csv")
        write(table, tmp_path / "out.parquet")
        assert pq.read_metadata(tmp_path / "out.parquet").num_rows == 300


def test_kept_instants_are_the_same_instants(zoned, tmp_path):
    result = loglift.protect(
        zoned, public="x", sensitive="s", eps=3, passthrough="at", keep_order=True
    )
    write(result.table, tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")["at"].to_pylist()
    assert found == [INSTANTS[i % 5] for i in range(300)]


def test_csv_does_not_tell_the_time_zone_of_the_machine(zoned, tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    result = loglift.protect(zoned, public="at", sensitive="s", eps=3)
    write(result.table, tmp_path / "out.csv")
    first, *lines = (tmp_path / "out.csv").read_text().splitlines()
    assert first == '"at"'
    assert set(lines) == {f'"2024-01-0{day} 10:00:00+00"' for day in range(1, 6)}
