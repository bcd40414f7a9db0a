"""Counting columns of texts, where Arrow holds them and where it does not."""

from __future__ import annotations

import gc
import weakref
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import pytest

from loglift.errors import TableError
from loglift.sklearn import LiftProtector
from loglift.tables import count
from loglift.tables.engines import duckdb as duckdb_engine
from loglift.tables.engines._series import coded


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", "string[python]", "category", object])
@pytest.mark.parametrize("late", [["", "later"], ["later", "later"], [None, "later"], [None, None]])
@pytest.mark.parametrize("many", [3, 300])
def test_texts_of_pandas_count_whatever_comes_after_the_first_ones(dtype, late, many):
    """Arrow looks texts up among the first of a column: new ones, and missing ones, come later."""
    texts = [f"text {i % many}" for i in range(3000)] + ["text 1", *late]
    frame = pd.DataFrame({"x": texts, "s": ["a", "b", "c"] * 1001})
    counts = count(frame.astype({"x": dtype})[1:], "x", "s")
    expected = Counter(zip(texts[1:], frame["s"].tolist()[1:], strict=True))
    found = zip(counts.rows, counts.columns, counts.records, strict=True)
    assert {(counts.public[x][0], counts.sensitive[s][0]): n for x, s, n in found} == expected


@pytest.mark.parametrize("shared", [True, False])
def test_objects_are_what_they_say_not_where_they_are(shared):
    """Rows that share an object are told apart by its address first; equal ones are one value."""
    few = [1.5, float("nan"), None, 1.5, float("1.50"), -0.0, 0.0, np.float64(2), pd.NA]
    items = [*few, *few] * 100 if shared else [float(i % 3) for i in range(1800)]
    frame = pd.DataFrame({"x": pd.Series(items, dtype=object), "s": ["a", "b"] * 900})
    counts = count(frame[::2], "x", "s")  # every other row: the objects are not side by side
    known = [None if pd.isna(item) else float(item) for item in items[::2]]
    expected = Counter(known)
    assert dict(zip(counts.public, counts.weight, strict=True)) == expected


def test_objects_of_several_types_are_refused_however_rare():
    items = pd.Series(["1"] * 5000 + [1], dtype=object)
    frame = pd.DataFrame({"x": items, "s": ["a"] * 2500 + ["b"] * 2501})
    with pytest.raises(TableError, match="column 'x' holds Python objects of several types"):
        count(frame, "x", "s")


@pytest.mark.parametrize("label", ["x", 3, None, True, ("x", 1), str])
def test_columns_of_pandas_are_found_whatever_they_are_called(label):
    frame = pd.DataFrame([["a", 1], ["b", 2], ["a", 2]])
    frame.columns = pd.Index([label, "s"], dtype=object, tupleize_cols=False)
    counts = count(frame, [label], "s")
    assert counts.public == (("a",), ("b",))
    assert counts.weight.tolist() == [2, 1]


@pytest.mark.parametrize("labels", [[0, 0, 1], [np.nan, np.nan, 1]])
def test_columns_of_pandas_that_share_a_label_are_found_by_their_places(labels):
    """A scikit-learn estimator calls them by numbers where they are not all called by texts."""
    items = {"a": ["u", "v"] * 10, "b": ["k", "l", "l", "k"] * 5, "c": ["m"] * 19 + ["n"]}
    public = pd.DataFrame({"x": ["p", "q", "p", "r"] * 5})
    plain = LiftProtector(eps=1.0).fit_transform(public, pd.DataFrame(items))
    alike = pd.DataFrame(items).set_axis(labels, axis=1)
    assert (LiftProtector(eps=1.0).fit_transform(public, alike) == plain).all()


def test_coded_objects_are_let_go_without_a_collection_of_garbage():
    objects = np.array(["a", "b"] * 1000, dtype=object)
    held = weakref.ref(objects)
    gc.disable()
    try:
        assert coded(pd.Series(objects, dtype=object, copy=False)).values == ["a", "b"]  # noqa: PD011, no frame
        del objects
        assert held() is None
    finally:
        gc.enable()


def test_files_are_counted_alike_however_few_groups_are_fetched_at_once(tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    lines = [f"x{i % 13},{'abc'[i % 7 % 3]}" for i in range(300)]
    path.write_text("\n".join(["x,s", *lines]) + "\n", "utf-8")
    whole = count(path, "x", "s")
    for batch in (1, 5, whole.records.size):
        monkeypatch.setattr(duckdb_engine, "_BATCH", batch)
        found = count(path, "x", "s")
        assert found.public == whole.public
        assert (found.mass == whole.mass).all()


ENDLESS = {
    "instant": "TIMESTAMPTZ 'infinity'",
    "instant below": "TIMESTAMPTZ '-infinity'",
    "timestamp": "TIMESTAMP 'infinity'",
    "date": "DATE '-infinity'",
}


@pytest.mark.parametrize("cell", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("used", [("job", "until"), ("until", "job")])
def test_infinite_dates_are_refused_and_named(tmp_path, cell, used):
    """Python has none: they would be counted as NULL, or as the last date there is."""
    kind = cell.split()[0]
    file = tmp_path / "t.parquet"
    cells = f"[{cell}, NULL, {kind} '2020-01-01']"
    made = duckdb.sql(f"SELECT unnest(['a', 'b', 'a']) AS job, unnest({cells}) AS until")
    made.write_parquet(str(file))
    with pytest.raises(TableError, match="column 'until' holds infinite dates or times"):
        count(file, *used)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("TIME_NS '10:00:00.000000001'", "nanoseconds"),
        ("'2020-01-01 10:00:00+02'::TIMESTAMPTZ_NS", "nanoseconds"),
        ("'10:00:00+02'::TIMETZ", "times with a zone"),
    ],
)
def test_times_that_python_cannot_tell_apart_are_refused(cell, message):
    made = duckdb.connect().sql(f"SELECT {cell} AS at, 'a' AS job")
    with pytest.raises(TableError, match=f"column 'at'.*{message}"):
        count(made, "at", "job")
