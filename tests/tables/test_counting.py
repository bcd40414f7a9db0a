"""Counting columns of texts, where Arrow holds them and where it does not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from loglift.errors import TableError
from loglift.tables import count


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
    assert dict(zip((x for (x,) in counts.public), counts.public_records, strict=True)) == expected


def test_objects_of_several_types_are_refused_however_rare():
    items = pd.Series(["1"] * 5000 + [1], dtype=object)
    frame = pd.DataFrame({"x": items, "s": ["a"] * 2500 + ["b"] * 2501})
    with pytest.raises(TableError, match="column 'x' holds Python objects of several types"):
        count(frame, "x", "s")
