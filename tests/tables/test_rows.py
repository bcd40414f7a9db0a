"""Rows in memory: row i of the result is row i of the data, from arrays and dataframes alike."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from loglift.errors import TableError
from loglift.tables import count, open_table
from loglift.tables.codes import tuples_of
from loglift.tables.rows import KindError, count_rows, read_rows

ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=2, max_size=30)


def values_of(rows):
    """Return the values of each row of the data."""
    distinct = tuples_of(rows.groups.columns)
    return [distinct[place] for place in rows.places]


@given(ROWS)
def test_every_row_of_an_array_has_its_values(rows):
    found = read_rows(np.array(rows), ("a", "b"), {})
    assert values_of(found) == rows
    assert found.groups.types == ("integer", "integer")
    assert len(found.groups.records) == len(set(rows))
    assert found.groups.records.sum() == len(rows)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_dataframes_and_arrays_of_objects_are_read_alike(make):
    columns = {"a": ["x", None, "y", "x", None], "b": [1.5, 0.0, 2.5, 1.5, 0.0]}
    frame = read_rows(open_table(make(columns)), ("a", "b"), {})
    array = np.array(list(zip(*columns.values(), strict=True)), dtype=object)
    assert values_of(frame) == values_of(read_rows(array, ("a", "b"), {}))
    assert frame.groups.types == ("text", "float")


@pytest.mark.parametrize("width", [10, 0.1, 2.5])
def test_arrays_are_cut_where_the_engines_cut(width):
    rng = np.random.default_rng(0)
    numbers = np.append(rng.integers(-500, 500, 300) / 10, [0.3, -0.1, -0.0])
    frame = read_rows(open_table(pl.DataFrame({"a": numbers})), ("a",), {"a": width})
    array = read_rows(numbers[:, np.newaxis], ("a",), {"a": width})
    assert values_of(frame) == values_of(array)
    assert array.groups.types == ("text",)


def test_counts_are_those_of_one_table():
    rng = np.random.default_rng(1)
    data = pd.DataFrame({"x": rng.integers(0, 9, 200), "s": rng.choice(list("abc"), 200)})
    public = read_rows(data[["x"]].to_numpy(), ("x",), {})
    hidden = read_rows(data[["s"]].to_numpy(dtype=object), ("s",), {})
    found, expected = count_rows(public, hidden), count(data, "x", "s")
    assert found.public == expected.public
    assert found.sensitive == expected.sensitive
    assert (found.mass == expected.mass).all()


def test_times_are_values_of_python():
    moment = datetime(2024, 1, 1, 12, tzinfo=UTC)
    objects = np.array([[moment], [pd.Timestamp(moment)], [pd.NaT], [None]], dtype=object)
    assert values_of(read_rows(objects, ("at",), {})) == [(moment,), (moment,), (None,), (None,)]
    days = np.array([["2024-01-01"], ["2024-01-02"]], dtype="datetime64[D]")
    assert values_of(read_rows(days, ("at",), {}))[0] == (datetime(2024, 1, 1),)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1], [2]], dtype="datetime64[ns]"),
        np.array([[pd.Timestamp(1)], [pd.Timestamp(2)]], dtype=object),
    ],
    ids=["numpy", "pandas"],
)
def test_nanoseconds_are_refused(array):
    with pytest.raises(TableError, match="'at' is in nanoseconds"):
        read_rows(array, ("at",), {})


def test_what_cannot_be_a_value_is_refused():
    with pytest.raises(KindError, match="'a' holds an unhashable type"):
        read_rows(np.array([[{}], [{}]], dtype=object), ("a",), {})
    assert issubclass(KindError, TypeError)
    with pytest.raises(TableError, match="'a' cannot be cut into bins: it holds text"):
        read_rows(np.array([["u"], ["v"]]), ("a",), {"a": 1})


def test_measurements_are_cut_when_no_types_are_known():
    numbers = np.linspace(0.0, 1.0, 3001)[:, np.newaxis]
    rows = read_rows(numbers, ("a",), {})
    assert rows.bins["a"].automatic
    assert len(rows.groups.records) == 64
    assert len(read_rows(numbers, ("a",), {}, is_public=False).groups.records) == 10
    assert len(read_rows(numbers, ("a",), {}, ["float"]).places) == 3001
