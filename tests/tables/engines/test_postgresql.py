"""The engine of PostgreSQL tables: its own picking, and DuckDB's everything else."""

from __future__ import annotations

import pyarrow as pa

from loglift.tables import open_table
from loglift.tables.engines import duckdb, postgresql


def test_columns_are_picked_by_position_as_often_as_they_are_named(postgres):
    rows = [("x", 1), ("x", 1), ("y", 2), (None, 3)]
    texts, numbers = zip(*rows, strict=True)
    opened = open_table(postgres.load("picked", pa.table({"a": texts, "A": numbers})))
    assert postgresql.names(opened.frame) == ["a", "A"]
    relation = postgresql.pick(opened.frame, [1, 0, 1])
    assert relation.columns == ["c0", "c1", "c2"]
    assert sorted(relation.fetchall()) == sorted((n, t, n) for t, n in rows)
    assert postgresql.attach is duckdb.attach
    assert postgresql.folds_case
