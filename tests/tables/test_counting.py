"""Counting columns of texts, where Arrow holds them and where it does not."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from loglift.tables import count


@pytest.mark.parametrize("dtype", ["str", "string[pyarrow]", "string[python]", "category", object])
@pytest.mark.parametrize("late", ["", "later", None])
@pytest.mark.parametrize("many", [3, 300])
def test_texts_of_pandas_count_whatever_comes_after_the_first_ones(dtype, late, many):
    """Arrow looks texts up among the first of a column: new ones, and missing ones, come later."""
    texts = [f"text {i % many}" for i in range(3000)] + [late, "text 1", late]
    frame = pd.DataFrame({"x": texts, "s": ["a", "b", "c"] * 1001})
    counts = count(frame.astype({"x": dtype})[1:], "x", "s")
    expected = Counter(zip(texts[1:], frame["s"].tolist()[1:], strict=True))
    found = zip(counts.rows, counts.columns, counts.records, strict=True)
    assert {(counts.public[x][0], counts.sensitive[s][0]): n for x, s, n in found} == expected
