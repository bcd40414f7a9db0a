"""Columns that pass through show no more than was counted of them."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import math
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.mechanism.columns import PublicColumn
from loglift.tables import apply
from tables.makers import mechanism_of


@pytest.mark.parametrize("make", ["polars", "pyarrow", "pandas", "duckdb"])
def test_nan_is_one_value_in_passthrough_columns_too(make):
    bits = np.array([0x7FF8000000000000, 0xFFF8000000000001, 0x3FF0000000000000], dtype=np.uint64)
    floats = pa.array(bits.view(np.float64))
    arrow = pa.table({"x": ["a", "b", "a"], "w": floats})
    table = {
        "polars": lambda: pl.DataFrame({"x": ["a", "b", "a"], "w": bits.view(np.float64)}),
        "pyarrow": lambda: arrow,
        "pandas": lambda: pd.DataFrame({"x": ["a", "b", "a"], "w": bits.view(np.float64)}),
        "duckdb": lambda: duckdb.connect().from_arrow(arrow),
    }[make]()
    mechanism = mechanism_of("x", {("a",): 0, ("b",): 0}, {"x": ("text", ["A"])})
    result = apply(table, mechanism, passthrough=["w"], keep_order=True)
    shown = result["w"] if make != "duckdb" else result.arrow().read_all()["w"]
    found = np.asarray(shown, dtype=np.float64).view(np.uint64)
    assert found[0] == found[1]
    assert found[2] == bits[2]


def test_none_and_nan_of_objects_are_one_value_in_passthrough_columns_too():
    table = pd.DataFrame(
        {"x": ["a", "b"] * 2, "w": pd.Series([None, math.nan, "t", pd.NA], dtype=object)}
    )
    mechanism = mechanism_of("x", {("a",): 0, ("b",): 0}, {"x": ("text", ["A"])})
    result = apply(table, mechanism, passthrough=["w"], keep_order=True)
    assert result["w"].tolist() == [None, None, "t", None]


GOOD = b"a,b\n1,x\n2,y\n"


def test_unseen_values_are_listed_up_to_ten_with_their_number(tmp_path):
    (tmp_path / "t.csv").write_text("a\n" + "".join(f"v{i}\n" for i in range(30)))
    with pytest.raises(TableError, match=r"^30 values were not seen .*, \.\.\.") as caught:
        apply(tmp_path / "t.csv", mechanism_of("a", {}, {"a": ("text", "x")}))
    assert str(caught.value).count("'v") == 10


def test_a_column_of_another_type_than_the_mechanism_knows_is_refused():
    import polars as pl

    frame = pl.DataFrame({"a": [True, False]})
    with pytest.raises(TableError, match="holds boolean values and the mechanism knows integer"):
        apply(frame, mechanism_of([("a", "integer")], {(1,): 0}, {"a": ("text", "x")}))


def test_texts_are_read_as_the_types_the_mechanism_knows(tmp_path):
    (tmp_path / "t.csv").write_text("a\n7\n007\n")
    with pytest.raises(TableError, match=r"1 value was not seen .*: '007'"):
        apply(tmp_path / "t.csv", mechanism_of([("a", "integer")], {(7,): 0}, {"a": ("text", "x")}))


def test_released_names_must_differ(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(TableError, match="two released columns would be named 'b'"):
        apply(tmp_path / "t.csv", mechanism_of("a", {}, {"b": ("text", "x")}), passthrough=["b"])


def test_a_released_pandas_frame_has_a_fresh_index():
    import pandas as pd

    frame = pd.DataFrame({"a": list("xyz" * 20)}, index=range(100, 160))
    lookup = {("x",): 0, ("y",): 1, ("z",): 2}
    result = apply(frame, mechanism_of("a", lookup, {"a": ("text", "xyz")}))
    assert isinstance(result.index, pd.RangeIndex)
    assert (result.index.start, result.index.step) == (0, 1)
    assert result["a"].tolist() != frame["a"].tolist()


def test_columns_pass_through_in_bands_on_every_engine(maker, tmp_path):
    rows = [("a", 0.5, 15, "x"), ("b", None, 40, "y"), ("a", 7.25, 90, "x"), ("b", 2.0, None, "z")]
    table = maker.make(["t", "w", "age", "n"], [str, float, int, str], rows, tmp_path)
    mechanism = replace(
        mechanism_of(["t"], {("a",): 0, ("b",): 1}, {"t": ("text", ("a", "b"))}),
        beside=(
            PublicColumn("w", "text", Cut.edges([1, 5])),
            PublicColumn("age", "text", Cut.limits(18, 65)),
        ),
    )
    found = apply(table, mechanism, passthrough=["n", "age", "w"], keep_order=True)
    assert maker.back(found) == [
        ("a", "x", "< 18", "< 1"), ("b", "y", "40", None),
        ("a", "x", "> 65", ">= 5"), ("b", "z", None, "[1, 5)"),
    ]  # fmt: skip
    assert [row[1] for row in maker.back(apply(table, mechanism, passthrough=["n"]))]
