"""What is counted as one value is released as one, and what is released apart is counted apart."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import loglift
from loglift.errors import TableError
from loglift.sklearn import LiftProtector
from loglift.tables import write
from tables.makers import spark_session

# Half past one, twice: clocks in New York were set back between the first two.
INSTANTS = [1730611800, 1730615400, 1720000000]
ROWS = np.arange(600)
SECONDS = np.array(INSTANTS)[ROWS % 3]
# The first goes with ill, the second with well, the third with either.
ILL = np.where(np.array([0, 1, 0, 0, 1, 1])[ROWS % 6] == 0, "ill", "well")
ZONE = "America/New_York"


def in_pandas(unit="ns"):
    at = pd.to_datetime(SECONDS, unit="s", utc=True).tz_convert(ZONE).as_unit(unit)
    return pd.DataFrame({"at": at, "s": ILL, "x": ROWS % 2})


def in_polars():
    at = pl.Series(SECONDS * 10**6).cast(pl.Datetime("us", ZONE))
    return pl.DataFrame({"at": at, "s": ILL, "x": ROWS % 2})


def in_dask():
    return pytest.importorskip("dask.dataframe").from_pandas(in_pandas("us"), npartitions=3)


FRAMES = {
    "pandas": lambda: in_pandas("us"),
    "pandas, nanoseconds": in_pandas,
    "pandas, arrow": lambda: in_pandas("us").astype(
        {"at": pd.ArrowDtype(pa.timestamp("us", ZONE))}
    ),
    "polars": in_polars,
    "lazy": lambda: in_polars().lazy(),
    "arrow": lambda: in_polars().to_arrow(),
    "duckdb": lambda: duckdb.from_arrow(in_polars().to_arrow()),
    "dask": in_dask,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_both_hours_of_a_clock_set_back_are_told_apart(make):
    found = loglift.audit(make(), sensitive="s", public="at")
    assert found.public_values == 3
    assert found.leakage == np.inf
    assert loglift.audit(make(), sensitive="at", public="s").sensitive_values == 3
    kept = loglift.protect(make(), sensitive="s", public="x", eps=0.5, keep="at").kept_audit
    assert kept.leakage == np.inf
    made = loglift.protect(make(), sensitive="s", public="at", eps=0.1)
    assert made.recoding.size == 2
    assert made.certificate.holds
    assert loglift.verify(made, make()).holds


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


def test_arrays_of_local_times_are_told_apart_too():
    zone = ZoneInfo(ZONE)
    at = np.array([[datetime.fromtimestamp(s, zone)] for s in SECONDS.tolist()], dtype=object)
    fitted = LiftProtector(eps=9).fit(at, ILL)
    assert len(fitted.recoding_.values) == 3


PLUS_ONE = timezone(timedelta(hours=1))
EQUAL = {
    "decimals": (Decimal("1.0"), Decimal("1.00")),
    "large decimals": (Decimal("1E+2"), Decimal(100)),
    "zeros": (0.0, -0.0),
    "zero decimals": (Decimal("0.0"), Decimal("-0.0")),
    "missing": (None, float("nan")),
    "instants": (datetime(2024, 1, 1, tzinfo=UTC), pd.Timestamp(2024, 1, 1, tz=UTC)),
}


@pytest.mark.parametrize("pair", EQUAL.values(), ids=EQUAL)
def test_equal_objects_pass_as_one(pair):
    values = [pair[i % 2] for i in ROWS]
    for rows in (values, [*values[1:], pair[0]]):  # whichever of them comes first
        frame = pd.DataFrame({"x": ROWS % 3, "s": ILL, "k": pd.Series(rows, dtype=object)})
        made = loglift.protect(frame, sensitive="s", public="x", eps=0.5, keep="k")
        assert made.kept_audit.public_values == made.recoding.size
        assert len({repr(value) for value in made.table["k"].tolist()}) == 1
    assert len({repr(value) for value in made.table["k"].tolist()} | {repr(_first(pair))}) == 1


def _first(pair):
    """Return how the second of the pair passes where it is alone."""
    frame = pd.DataFrame({"x": [0, 1] * 5, "s": list("ab") * 5, "k": [pair[1]] * 10}, dtype=object)
    made = loglift.protect(frame, sensitive="s", public="x", eps=9, keep="k", keep_order=True)
    return made.table["k"].tolist()[0]


UNCLEAR = {
    "local times": [datetime(2024, 1, 1, 1, tzinfo=PLUS_ONE), datetime(2024, 1, 1, tzinfo=UTC)],
    "times with a zone": [time(1, tzinfo=PLUS_ONE), time(0, tzinfo=UTC)],
}


@pytest.mark.parametrize("pair", UNCLEAR.values(), ids=UNCLEAR)
def test_objects_that_are_equal_and_not_the_same_are_refused(pair):
    frame = pd.DataFrame({"x": ROWS % 3, "s": ILL, "k": pd.Series(pair * 300, dtype=object)})
    for public, kept in (("k", ()), ("x", "k")):
        with pytest.raises(TableError, match=r"with a (time )?zone"):
            loglift.protect(frame, sensitive="s", public=public, eps=0.5, keep=kept)
    with pytest.raises(TableError, match=r"with a (time )?zone"):
        loglift.audit(frame, sensitive="k", public="x")


ZEROS = np.where(ROWS % 2, 0.0, -0.0)
HALF = pa.array(ZEROS.astype("float16"))
ODD_NUMBERS = {
    "pandas float16": pd.DataFrame({"k": ZEROS.astype("float16")}),
    "pandas long": pd.DataFrame({"k": ZEROS.astype(np.longdouble)}),
    "pandas complex": pd.DataFrame({"k": ZEROS + 1j}),
    "pandas sparse": pd.DataFrame({"k": pd.arrays.SparseArray(ZEROS)}),
    "pandas arrow": pd.DataFrame({"k": pd.Series(HALF, dtype=pd.ArrowDtype(pa.float16()))}),
    "polars": pl.DataFrame({"k": pl.Series(ZEROS).cast(pl.Float16)}),
    "arrow": pa.table({"k": HALF}),
}


@pytest.mark.parametrize("frame", ODD_NUMBERS.values(), ids=ODD_NUMBERS)
def test_numbers_whose_zeros_would_pass_as_two_are_refused(frame):
    if isinstance(frame, pd.DataFrame):
        frame = frame.assign(x=ROWS % 3, s=ILL)
    elif isinstance(frame, pl.DataFrame):
        frame = frame.with_columns(x=pl.Series(ROWS % 3), s=pl.Series(ILL))
    else:
        frame = frame.append_column("x", pa.array(ROWS % 3)).append_column("s", pa.array(ILL))
    with pytest.raises(TableError, match=r"'k' holds .* numbers"):
        loglift.protect(frame, sensitive="s", public="x", eps=0.5, keep="k")
    with pytest.raises(TableError, match=r"'k' holds .* numbers"):
        loglift.audit(frame, sensitive="s", public="k")


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
    made = loglift.protect(table, sensitive="s", public="x", eps=0.5, keep="k")
    assert made.kept_audit.leakage == np.inf
    merged = loglift.protect(table, sensitive="s", public="k", eps=0.1)
    assert merged.table.aggregate("k, count(*)").fetchall() == [("A | a", 360)]
    apart = loglift.protect(table, sensitive="s", public="k", upper=9)
    assert sorted(apart.table.project("k").fetchall()) == [("A",)] * 60 + [("a",)] * 300


def test_a_collation_of_spark_is_refused():
    table = spark_session().sql(
        "SELECT collate(CASE WHEN id % 2 = 0 THEN 'a' ELSE 'A' END, 'UTF8_LCASE') AS k, "
        "id % 3 AS s FROM range(60)"
    )
    with pytest.raises(TableError, match=r"has a collation"):
        loglift.audit(table, sensitive="s", public="k")


def test_dask_forgets_the_divisions_of_its_index():
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"x": ROWS % 3, "s": ROWS // 100, "n": ROWS})
    table = dd.from_pandas(frame.set_index("s", drop=False), npartitions=3)
    assert table.known_divisions
    made = loglift.protect(table, sensitive="s", public="x", eps=5, keep="n", keep_order=True)
    assert not made.table.known_divisions
    assert made.table["n"].compute().tolist() == ROWS.tolist()


def test_csv_files_tell_instants_in_utc_whatever_the_zone_of_the_connection(tmp_path):
    connection = duckdb.connect()
    connection.execute(f"SET TimeZone = '{ZONE}'")
    at = "CASE WHEN i % 3 = 0 THEN NULL ELSE TIMESTAMPTZ '2024-01-01 00:00:00.5+00' END"
    table = connection.sql(
        f"SELECT {at} AS at, i % 2 AS x, i % 4 < 2 AS s FROM range(60) r(i)"  # noqa: S608
    )
    made = loglift.protect(table, sensitive="s", public="x", eps=5, keep="at")
    for escape in (False, True):
        place = tmp_path / f"{escape}.csv"
        write(made.table, place, escape_formulas=escape)
        found = pd.read_csv(place)["at"].dropna().unique().tolist()
        assert found == ["2024-01-01 00:00:00.5+00"]
