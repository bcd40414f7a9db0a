"""A few rows of a table: its own cells, as texts."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from loglift import tables
from loglift.tables.preview import some_rows

ROWS = [("a|b", 1, dt.date(2020, 1, 2)), ("", 2, None), ('q"u,', None, None)]
TEXTS = {("a|b", "1", "2020-01-02"), ("", "2", None), ('q"u,', None, None)}


def polars_frame():
    return pl.DataFrame(ROWS, schema=["x", "n", "d"], orient="row")


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_written_file_is_read_as_texts(tmp_path, ending, drawn):
    folder = tmp_path / "a [1]* folder"  # nothing in a name is a pattern
    folder.mkdir()
    tables.write(polars_frame(), folder / f"released.{ending}")
    found = some_rows(folder / f"released.{ending}", 10, drawn=drawn)
    assert found.columns == ("x", "n", "d")
    assert set(found.rows) == TEXTS


@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize(
    "made",
    [
        polars_frame,
        lambda: polars_frame().to_arrow(),
        lambda: tables.open_table(polars_frame().to_pandas()).frame,
    ],
    ids=["polars", "arrow", "pandas"],
)
def test_frames_give_as_many_rows_as_asked_for(made, drawn):
    found = some_rows(made(), 2, drawn=drawn)
    assert len(found.rows) == 2
    assert {row[0] for row in found.rows} <= {"a|b", "", 'q"u,'}


def test_drawn_rows_are_not_the_first_ones():
    table = pa.table({"x": list(range(1000))})
    rows = {x for _ in range(5) for (x,) in some_rows(table, 10, drawn=True).rows}
    assert any(int(x) > 100 for x in rows)


def test_an_engine_that_would_run_its_plan_is_left_out():
    dask = pytest.importorskip("dask.dataframe")
    assert (
        some_rows(dask.from_pandas(pd.DataFrame({"x": [1]}), npartitions=1), 1, drawn=True) is None
    )
