"""Results as frames of whatever library is installed."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from loglift import InputError
from loglift.display import frame as module
from loglift.display.frame import frame, frame_of


@pytest.mark.parametrize(
    ("libraries", "kind"),
    [
        ({"pandas", "polars", "pyarrow"}, pd.DataFrame),
        ({"polars", "pyarrow"}, pl.DataFrame),
        ({"pyarrow"}, pa.Table),
    ],
)
def test_the_first_library_that_is_installed_is_used(libraries, kind, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: name if name in libraries else None)
    made = frame({"a": [1, 2], "b": ["x", "y"]})
    assert isinstance(made, kind)
    assert list(made["b"].to_numpy() if kind is not pa.Table else made["b"].to_pylist()) == [
        "x",
        "y",
    ]


def test_without_any_library_there_is_no_frame(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(InputError, match="loglift\\[pandas\\]"):
        frame({"a": [1]})


def test_rows_become_columns():
    assert frame_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}]).to_dict("list") == {
        "a": [1, 3],
        "b": [2, 4],
    }
