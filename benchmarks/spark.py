"""`protect` of a Spark DataFrame in local mode with two cores, compared with DuckDB.

The driver may receive 16 MB in all (spark.driver.maxResultSize). The counts fit and the table does
not, so a step that collects rows ends with an error. Both released tables are written as Parquet,
and compared row by row, in any order.

    python benchmarks/spark.py [--rows 10000000]
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

import harness
import loglift
import protect

MAX_RECEIVED = "16m"
EPS = 0.1


def session() -> Any:
    """Return a session with two cores, whose driver receives at most 16 MB."""
    from pyspark.sql import SparkSession  # noqa: PLC0415, starts Java

    builder = SparkSession.builder.master("local[2]").appName("loglift")
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.driver.maxResultSize": MAX_RECEIVED,
        "spark.sql.shuffle.partitions": "8",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    started.sparkContext.setLogLevel("ERROR")
    return started


def released(table: Any, target: Path) -> loglift.Release:
    """Protect a Spark DataFrame and write the released table."""
    result = loglift.protect(table, sensitive="ill", public=protect.PUBLIC, eps=EPS)
    result.table.write.parquet(str(target))
    return result


def same_rows(one: str, other: str) -> bool:
    """Whether two released tables hold the same rows, each equally often."""
    count = "SELECT *, count(*) AS n FROM '{}' GROUP BY ALL"
    left, right = count.format(one), count.format(other)
    differ = f"SELECT count(*) FROM (({left}) EXCEPT ({right}))"
    back = f"SELECT count(*) FROM (({right}) EXCEPT ({left}))"
    found = [duckdb.execute(query).fetchall() for query in (differ, back)]
    return found == [[(0,)], [(0,)]]


def main() -> None:
    """Measure, compare, print and write."""
    parser = harness.parser(__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    options = parser.parse_args()
    run = harness.begin(__file__, __doc__, options.results)
    spark = session()
    run.extra["Spark"] = spark.version
    with tempfile.TemporaryDirectory() as name:
        source, ours, theirs = (Path(name) / part for part in ("t.parquet", "spark", "duckdb"))
        protect.generate(source, options.rows)
        frame = spark.read.parquet(str(source))
        released(frame.limit(10_000), Path(name) / "warm")
        taken, made = harness.clocked(partial(released, frame, ours))
        alone = harness.seconds(
            partial(protect.protect, str(source), str(theirs), [], beside=False)
        )
        other = loglift.Mechanism.load(theirs / "mechanism.json")
        same = same_rows(f"{ours}/*.parquet", str(theirs / "released.parquet"))
    run.say(f"Spark: {options.rows:,} rows of Parquet, 2 cores, the driver receives {MAX_RECEIVED}")
    run.compare(harness.within("protect with Spark", taken, alone, None, "loglift with DuckDB"))
    run.say(f"  the same mechanism: {'yes' if made.mechanism.lookup == other.lookup else 'NO'}")
    run.say(f"  the same released rows: {'yes' if same else 'NO'}")
    spark.stop()
    run.write()


if __name__ == "__main__":
    main()
