"""Columns that pass through show no more than was counted of them."""

import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from loglift.tables import Output, apply


@pytest.mark.parametrize("make", ["polars", "pyarrow", "pandas", "duckdb"])
def test_nan_is_one_value_in_kept_columns_too(make):
    bits = np.array([0x7FF8000000000000, 0xFFF8000000000001, 0x3FF0000000000000], dtype=np.uint64)
    floats = pa.array(bits.view(np.float64))
    arrow = pa.table({"x": ["a", "b", "a"], "w": floats})
    table = {
        "polars": lambda: pl.DataFrame({"x": ["a", "b", "a"], "w": bits.view(np.float64)}),
        "pyarrow": lambda: arrow,
        "pandas": lambda: pd.DataFrame({"x": ["a", "b", "a"], "w": bits.view(np.float64)}),
        "duckdb": lambda: duckdb.connect().from_arrow(arrow),
    }[make]()
    outputs, lookup = [Output("x", ["A"], "text")], {("a",): 0, ("b",): 0}
    result = apply(table, "x", lookup, outputs, keep=["w"], keep_order=True)
    shown = result["w"] if make != "duckdb" else result.arrow().read_all()["w"]
    found = np.asarray(shown, dtype=np.float64).view(np.uint64)
    assert found[0] == found[1]
    assert found[2] == bits[2]


def test_none_and_nan_of_objects_are_one_value_in_kept_columns_too():
    table = pd.DataFrame(
        {"x": ["a", "b"] * 2, "w": pd.Series([None, math.nan, "t", pd.NA], dtype=object)}
    )
    outputs, lookup = [Output("x", ["A"], "text")], {("a",): 0, ("b",): 0}
    result = apply(table, "x", lookup, outputs, keep=["w"], keep_order=True)
    assert result["w"].tolist() == [None, None, "t", None]
