"""Columns of pandas as codes, where Arrow holds texts and where objects do."""

from __future__ import annotations

import gc
import weakref
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift.errors import TableError
from loglift.tables import count
from loglift.tables.engines._pandas_codes import coded


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", "string[python]", "category", object])
@pytest.mark.parametrize("late", [["", "later"], ["later", "later"], [None, "later"], [None, None]])
@pytest.mark.parametrize("many", [3, 300])
def test_texts_of_pandas_count_whatever_comes_after_the_first_ones(dtype, late, many):
    """Arrow looks texts up among the first of a column: new ones, and missing ones, come later."""
    texts = [f"text {i % many}" for i in range(3000)] + ["text 1", *late]
    frame = pd.DataFrame({"x": texts, "s": ["a", "b", "c"] * 1001})
    counts = count(frame.astype({"x": dtype})[1:], "x", "s")
    expected = Counter(zip(texts[1:], frame["s"].tolist()[1:], strict=True))
    found = np.argwhere(counts.mass)
    assert {
        (counts.public[x], counts.sensitive[s]): counts.mass[x, s] for x, s in found
    } == expected


@pytest.mark.parametrize("shared", [True, False])
def test_objects_are_what_they_say_not_where_they_are(shared):
    """Rows that share an object are told apart by its address first; equal ones are one value."""
    few = [1.5, float("nan"), None, 1.5, float("1.50"), -0.0, 0.0, np.float64(2), pd.NA]
    items = [*few, *few] * 100 if shared else [float(i % 3) for i in range(1800)]
    frame = pd.DataFrame({"x": pd.Series(items, dtype=object), "s": ["a", "a", "b", "b"] * 450})
    counts = count(frame[::2], "x", "s")  # every other row: the objects are not side by side
    known = [None if pd.isna(item) else float(item) for item in items[::2]]
    expected = Counter(known)
    assert dict(zip(counts.public, counts.weight, strict=True)) == expected


def test_objects_of_several_types_are_refused_however_rare():
    items = pd.Series(["1"] * 5000 + [1], dtype=object)
    frame = pd.DataFrame({"x": items, "s": ["a"] * 2500 + ["b"] * 2501})
    with pytest.raises(TableError, match="column 'x' holds Python objects of several types"):
        count(frame, "x", "s")


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


def test_every_kind_of_missing_value_of_pandas_is_one_value():
    frame = pd.DataFrame(
        {
            "text": pd.Series([None, np.nan, pd.NA, "x", "y", "x", None, "y"] * 20, dtype=object),
            "number": [0.0, -0.0, 1.5, np.nan, 0.0, -0.0, 1.5, np.nan] * 20,
            "kind": pd.Categorical(
                ["u", "v", None, "u", "v", "u", None, "v"] * 20, ["w", "v", "u"]
            ),
            "secret": ["p", "q", "p", "q", "q", "p", "q", "p"] * 20,
        }
    )
    expected = {
        "text": ((None, "x", "y"), [80, 40, 40]),
        "number": ((None, 0.0, 1.5), [40, 80, 40]),
        "kind": ((None, "u", "v"), [40, 60, 60]),
    }
    for name, (values, records) in expected.items():
        joint = loglift.Joint.from_table(frame, sensitive="secret", public=name)
        assert joint.public == values
        assert joint.mass.sum(axis=1).tolist() == records
    released = loglift.protect(frame, sensitive="secret", public=list(expected), eps=3).table
    assert len(released) == len(frame)
