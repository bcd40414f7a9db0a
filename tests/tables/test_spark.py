"""Spark: rows stay where they are; the driver receives counts only."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
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


def rises(places):
    """Return the share of neighbours in rising order: a half, where nothing of an order is left."""
    steps = np.diff(places)
    return (steps > 0).mean()


def by_town(rows):
    """Return the input's places of the rows, town by town, in the order of the rows."""
    found = {}
    for row in rows:
        found.setdefault(row.town, []).append(row.place)
    return [np.array(places) for places in found.values()]


def written_by_town(released, folder):
    released.write.partitionBy("town").parquet(str(folder / "released"))
    files = sorted((folder / "released").glob("town=*/*.parquet"))
    return [pq.read_table(file, partitioning=None)["place"].to_numpy() for file in files]


AFTERWARDS = {
    "sorted": lambda released, _: by_town(released.orderBy("town").collect()),
    "sorted in parts": lambda released, _: by_town(
        released.repartition("town").sortWithinPartitions("town").collect()
    ),
    "joined": lambda released, _: by_town(
        released.join(released.select("town").distinct(), "town").collect()
    ),
    "written by town": written_by_town,
}


@pytest.mark.parametrize("afterwards", AFTERWARDS.values(), ids=AFTERWARDS)
def test_what_spark_does_afterwards_does_not_undo_the_shuffle(afterwards, tmp_path):
    """Spark drops sorts that it takes for useless, and the shuffle ends in one."""
    records = spark_session().range(0, 6000, 1, 4)
    table = records.selectExpr(
        "if(id < 3000, 'ill', 'well') AS health", "concat('t', id * 31 % 3) AS town", "id AS place"
    )
    released = loglift.protect(
        table, sensitive="health", public="town", eps=0.5, keep=["place"]
    ).table
    parts = afterwards(released, tmp_path)
    assert sum(map(len, parts)) == 6000
    many = [part for part in parts if len(part) > 100]
    assert many
    for places in many:
        assert rises(places) == pytest.approx(0.5, abs=6 * (12 * len(places)) ** -0.5)
        guessed = (np.arange(len(places)) < len(places) / 2) == (places < 3000)
        assert guessed.mean() == pytest.approx(0.5, abs=6 * 0.5 * len(places) ** -0.5)


def test_rows_are_shuffled(table):
    released = loglift.protect(
        table.limit(5000), sensitive="health", public="age", eps=5, keep=["remark"]
    ).table
    order = [row.remark for row in released.select("remark").collect()]
    assert len(set(order)) == 5000
    assert order != [row.remark for row in table.limit(5000).select("remark").collect()]
