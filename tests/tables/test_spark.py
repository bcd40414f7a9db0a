"""Spark: rows stay where they are; the driver receives counts only."""

from __future__ import annotations

import pytest

import loglift
from tables.makers import spark_session

ROWS = 200_000
TABLE = """
    SELECT concat('a town with a long name ', hash(id) % 30) AS town, hash(id + 1) % 7 AS age,
           concat('kept ', id) AS remark, 2000 + id % 5 AS year,
           CASE WHEN abs(hash(id + 2)) % 10 < 2 + hash(id) % 3 THEN 'ill' ELSE 'well' END AS health
    FROM range(200000)
"""


@pytest.fixture(scope="module")
def table():
    return spark_session().sql(TABLE)


def test_a_table_too_large_for_the_driver_cannot_be_collected(table):
    """What the tests below rely on: were a step of theirs to collect rows, it would fail."""
    with pytest.raises(Exception, match="maxResultSize"):
        table.collect()


@pytest.mark.parametrize("keep", [[], ["year"]])
def test_protect_apply_and_verify_collect_no_rows(table, keep, tmp_path):
    result = loglift.protect(table, sensitive="health", public=["town", "age"], eps=0.3, keep=keep)
    assert loglift.verify(result, table).holds
    result.table.write.parquet(str(tmp_path / "released"))
    released = spark_session().read.parquet(str(tmp_path / "released"))
    assert released.count() == ROWS
    again = loglift.apply(result, table, keep=keep)
    names = ["town", "age", *keep]
    expected = sorted(map(tuple, again.groupBy(*names).count().collect()))
    assert sorted(map(tuple, released.groupBy(*names).count().collect())) == expected


def test_audit_collects_no_rows(table):
    assert loglift.audit(table, sensitive="health", public=["town", "age"]).records == ROWS


def test_rows_are_shuffled(table):
    released = loglift.protect(
        table.limit(5000), sensitive="health", public="age", eps=5, keep=["remark"]
    ).table
    order = [row.remark for row in released.select("remark").collect()]
    assert len(set(order)) == 5000
    assert order != [row.remark for row in table.limit(5000).select("remark").collect()]
