"""Spark: rows stay where they are; the driver receives counts only."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from datetime import datetime, timedelta

import numpy as np
import pyarrow.parquet as pq
import pytest

import loglift
from loglift.cuts import Cut, band_of
from loglift.errors import TableError
from loglift.tables import count
from tables.makers import spark_session

ROWS = 200_000
TABLE = """
    SELECT concat('a town with a long name ', hash(id) % 30) AS town, hash(id + 1) % 7 AS age,
           concat('remark ', id) AS remark, 2000 + id % 5 AS year,
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


@pytest.mark.parametrize("passthrough", [[], ["year"]])
def test_protect_apply_and_verify_collect_no_rows(table, passthrough, tmp_path):
    result = loglift.protect(
        table, sensitive="health", public=["town", "age"], eps=0.3, passthrough=passthrough
    )
    assert loglift.verify(result, table).holds
    result.table.write.parquet(str(tmp_path / "released"))
    released = spark_session().read.parquet(str(tmp_path / "released"))
    assert released.count() == ROWS
    again = loglift.apply(result, table, passthrough=passthrough)
    names = ["town", "age", *passthrough]
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
        table, sensitive="health", public="town", eps=0.5, passthrough=["place"]
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
        table.limit(5000), sensitive="health", public="age", eps=5, passthrough=["remark"]
    ).table
    order = [row.remark for row in released.select("remark").collect()]
    assert len(set(order)) == 5000
    assert order != [row.remark for row in table.limit(5000).select("remark").collect()]


ZONE = "America/New_York"


SPARK = """
import sys
from pyspark.sql import SparkSession
import loglift
session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = session.config("spark.sql.shuffle.partitions", 2).getOrCreate()
table = spark.sql('''
    SELECT CASE id % 3 WHEN 0 THEN timestamp_seconds(1730611800)
        WHEN 1 THEN timestamp_seconds(1730615400) ELSE timestamp_seconds(1720000000) END AS at,
        CASE WHEN id % 3 = 0 OR (id % 3 = 2 AND id % 2 = 0) THEN 'ill' ELSE 'well' END AS s
    FROM range(600)
''')
for eps in (0.1, 9):
    made = loglift.protect(table, sensitive="s", public="at", eps=eps)
    counts = made.table.groupBy("at").count().collect()
    print("counts", eps, sorted((row["at"] is None, row["count"]) for row in counts))
"""


def test_spark_releases_every_record_once_whatever_the_zone_of_the_machine():
    """Python's times without a zone are not sent back to Spark: an hour may stand for two."""
    spark_session()  # skips where there is no Spark
    done = subprocess.run(
        [sys.executable, "-c", SPARK],
        env={**os.environ, "TZ": ZONE},
        capture_output=True,
        text=True,
        check=True,
    )
    said = [line for line in done.stdout.splitlines() if line.startswith("counts")]
    assert said[0] == "counts 0.1 [(False, 200), (False, 400)]"
    assert said[1].startswith("counts 9 ")
    assert "True" not in said[1]
    assert sum(n for _, n in eval(said[1].split(" ", 2)[2])) == 600  # noqa: S307, our own words


def test_a_collation_of_spark_is_refused():
    table = spark_session().sql(
        "SELECT collate(CASE WHEN id % 2 = 0 THEN 'a' ELSE 'A' END, 'UTF8_LCASE') AS k, "
        "id % 3 AS s FROM range(60)"
    )
    with pytest.raises(TableError, match=r"has a collation"):
        loglift.audit(table, sensitive="s", public="k")


HOURS = [datetime(2020, 3, 29) + timedelta(hours=hour) for hour in range(-20, 20)]
CUTS = ("2020-03-29 00:00,2020-03-29 05:00", "2020-03-28 10:00..2020-03-29 02:00", "day")


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo", "Europe/Zurich"])
@pytest.mark.parametrize("kind", ["timestamp_ntz", "timestamp"])
def test_times_are_cut_the_same_whatever_the_zone_of_the_session(kind, zone):
    """An hour of that night is missing in Zurich; instants are cut in UTC, as anywhere else."""
    session = spark_session()
    before = session.conf.get("spark.sql.session.timeZone")
    session.conf.set("spark.sql.session.timeZone", zone)
    try:
        suffix = "Z" if kind == "timestamp" else ""
        rows = [(f"{time.isoformat(' ')}{suffix}", "ab"[i % 2]) for i, time in enumerate(HOURS)]
        texts = session.createDataFrame(rows, "t string, s string")
        table = texts.selectExpr(f"t::{kind} AS t", "s")
        for how in CUTS:
            for codes in ((), ("2020-03-29 02:00:00",)):
                cut = Cut.of(how, "t").with_missing(codes)
                left = [None if str(time) in codes else time for time in HOURS]
                expected = Counter(band_of(time, cut) for time in left)
                joint = count(table, "t", "s", bins={"t": cut})
                assert dict(zip(joint.public, joint.records.tolist(), strict=True)) == expected
    finally:
        session.conf.set("spark.sql.session.timeZone", before)
