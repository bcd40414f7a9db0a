"""What cannot be grouped is refused."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from loglift.errors import TableError
from loglift.tables import count


def test_frames_without_rows_are_refused():
    with pytest.raises(TableError, match="has no rows"):
        count(pl.DataFrame({"a": [], "b": []}), "a", "b")


def test_nested_and_mixed_columns_of_frames_are_refused():
    rows = {"a": [[1], [2]], "b": ["x", "y"]}
    for table in (
        pa.table(rows),
        pl.DataFrame(rows),
        pl.LazyFrame(rows),
        duckdb.connect().from_arrow(pa.table(rows)),
    ):
        with pytest.raises(TableError, match="'a' is nested"):
            count(table, "a", "b")
    for values in ([1, "1"], [1, True], [1.5, "x"], [[1], [2]], [{1}, {2}]):
        frame = pd.DataFrame({"a": pd.Series(values, dtype=object), "b": ["x", "y"]})
        with pytest.raises(TableError, match="'a' holds Python objects of several types"):
            count(frame, "a", "b")
