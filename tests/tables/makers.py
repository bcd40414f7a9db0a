"""Every engine's way from rows to a table and back, for tests that run on all of them."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loglift.cuts import Cut
from loglift.mechanism.channel import Channel
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import ReleasedColumn
from loglift.promise.bound import Bound

Rows = list[tuple[Any, ...]]

ARROW_TYPES = {int: "int64", float: "float64", str: "string", bool: "bool", date: "date32"}
SPARK_TYPES = {int: "bigint", float: "double", str: "string", bool: "boolean", date: "date"}


@dataclass(frozen=True)
class Maker:
    name: str
    make: Callable[[list[str], list[type], Rows, Path], Any]
    back: Callable[[Any], Rows]


def arrow(names, kinds, rows, _=None):
    import pyarrow as pa

    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = [
        pa.array(column, type=ARROW_TYPES[kind])
        for column, kind in zip(columns, kinds, strict=True)
    ]
    return pa.table(arrays, names=names)


def pandas(names, kinds, rows, _=None):
    import pandas as pd

    dtypes = {int: "Int64", float: "float64", str: "str", bool: "boolean", date: object}
    columns = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            name: pd.Series(list(column), dtype=dtypes[kind])
            for name, column, kind in zip(names, columns, kinds, strict=True)
        }
    )


def polars(names, kinds, rows, _=None):
    import polars as pl

    dtypes = {int: pl.Int64, float: pl.Float64, str: pl.String, bool: pl.Boolean, date: pl.Date}
    schema = {name: dtypes[kind] for name, kind in zip(names, kinds, strict=True)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def relation(names, kinds, rows, _=None):
    import duckdb

    return duckdb.connect().from_arrow(arrow(names, kinds, rows))


def parquet(names, kinds, rows, folder):
    import pyarrow.parquet as pq

    pq.write_table(arrow(names, kinds, rows), folder / "table.parquet")
    return folder / "table.parquet"


def csv(names, _, rows, folder):
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else str(value)

    lines = [",".join(map(cell, row)) for row in [tuple(names), *rows]]
    (folder / "table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return folder / "table.csv"


def jsonl(names, _, rows, folder):
    lines = [json.dumps(dict(zip(names, row, strict=True)), default=str) for row in rows]
    (folder / "table.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "table.jsonl"


# Tables of a few rows are done before Java's second compiler and parallel collector pay for their
# work. Every Java that a test starts reads this.
os.environ["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

_sessions: list[Any] = []


def spark_session():
    """Return the one session of this run; starting it takes seconds."""
    need_spark()
    if not _sessions:
        import warnings

        # pyspark 4 warns that pandas 3 is newer than it; loglift never lets them meet.
        warnings.filterwarnings("ignore", "PySpark does not yet", FutureWarning)
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        for key in ("spark.sql.shuffle.partitions", "spark.default.parallelism"):
            builder = builder.config(key, "2")
        # Counts of small tables fit; collecting a large table ends with an error.
        builder = builder.config("spark.driver.maxResultSize", "1m")
        _sessions.append(builder.getOrCreate())
        _sessions[0].sparkContext.setLogLevel("OFF")
    return _sessions[0]


def need_spark():
    """Skip the test where Spark cannot run; fail it in .ci/run, which promises that it can."""
    missing = _missing_for_spark()
    if missing and "LOGLIFT_REQUIRE_SPARK" in os.environ:
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)


def _missing_for_spark():
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed"
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        return "Spark needs Java 17 or later"
    return None


def stop_sessions():
    while _sessions:
        _sessions.pop().stop()


def spark(names, kinds, rows, _=None):
    quoted = ["`" + name.replace("`", "``") + "`" for name in names]
    schema = ", ".join(
        f"{name} {SPARK_TYPES[kind]}" for name, kind in zip(quoted, kinds, strict=True)
    )
    return spark_session().createDataFrame(rows, schema)


def dask(names, kinds, rows, _=None):
    pytest.importorskip("dask.dataframe", reason="dask is not installed")
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    frame = pandas(names, kinds, rows)
    # Dask turns object columns into text, dates with them.
    dates = [name for name, kind in zip(names, kinds, strict=True) if kind is date]
    frame = frame.astype(dict.fromkeys(dates, pd.ArrowDtype(pa.date32())))
    return dd.from_pandas(frame, npartitions=2)


def mechanism_of(columns, lookup, released, *, rows=None, unseen=None):
    """Return a mechanism without figures, for tests that only apply it.

    `columns` are names of text columns, or (name, type) or (name, type, bin); `lookup` is the block
    of each public value; `released` is {name: (type, values)}. With `rows` it is a channel.
    """
    named = [(column, "text") if isinstance(column, str) else column for column in columns]
    return Mechanism(
        public=tuple(value[0] if len(named) == 1 else value for value in lookup),
        labels=None if rows else np.array(list(lookup.values()), dtype=np.int64),
        bound=Bound.symmetric(1.0),
        method="randomized" if rows else "search",
        columns=tuple(
            PublicColumn(name, kind, *(Cut.of(cut, name) for cut in cuts if cut is not None))
            for name, kind, *cuts in named
        ),
        exact_channel=Channel(tuple(rows), ()) if rows else None,
        unseen=unseen,
        _released=tuple(released_of(released)),
    )


def released_of(released):
    """Return released columns, given as {name: (type, values)}."""
    return [ReleasedColumn(name, kind, tuple(values)) for name, (kind, values) in released.items()]


def types_of(columns):
    """Return the type names of a joint's columns."""
    return tuple(column.type for column in columns)


def _pandas_rows(frame):
    import pandas as pd

    columns = [
        [None if pd.isna(value) else value for value in frame[name].tolist()] for name in frame
    ]
    return list(zip(*columns, strict=True))


MAKERS = [
    Maker("pandas", pandas, _pandas_rows),
    Maker("polars", polars, lambda frame: frame.rows()),
    Maker("lazy", lambda *args: polars(*args).lazy(), lambda frame: frame.collect().rows()),
    Maker("pyarrow", arrow, lambda t: [tuple(row.values()) for row in t.to_pylist()]),
    Maker("duckdb", relation, lambda rel: rel.fetchall()),
    Maker("parquet", parquet, lambda rel: rel.fetchall()),
    Maker("csv", csv, lambda rel: rel.fetchall()),
    Maker("jsonl", jsonl, lambda rel: rel.fetchall()),
    Maker("spark", spark, lambda frame: [tuple(row) for row in frame.collect()]),
    Maker("dask", dask, lambda frame: _pandas_rows(frame.compute())),
]
