"""Dask: parts of pandas, without the index of the input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loglift
from tables.orders import passed

ROWS = np.arange(600)


def test_dask_forgets_the_divisions_of_its_index():
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"x": ROWS % 3, "s": ROWS // 100, "n": ROWS})
    table = dd.from_pandas(frame.set_index("s", drop=False), npartitions=3)
    assert table.known_divisions
    made = loglift.protect(
        table, sensitive="s", public="x", eps=5, passthrough="n", keep_order=True
    )
    assert not made.table.known_divisions
    assert made.table["n"].compute().tolist() == ROWS.tolist()


def test_categories_that_dask_makes_plain_may_be_missing():
    dd = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    for values in (
        [3, 1, None, 2] * 15,
        [True, None] * 30,
        ["b", None, "a"] * 20,
        [1.5, None] * 30,
    ):
        table = pd.DataFrame({"x": ["a", "b"] * 30, "name": pd.Categorical(values)})
        found = passed(dd.from_pandas(table, npartitions=3)).compute()["name"]
        assert found.value_counts().to_dict() == pd.Series(values).value_counts().to_dict()
