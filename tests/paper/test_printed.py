"""What the paper prints, and Example 1 and Table 1 beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loglift.paper.printed import example1, read_data, table1


def test_example_1_and_table_1_agree_to_the_decimals_printed():
    assert example1().agrees
    assert table1().agrees
    assert len(example1().paper) == 5 + 1 + 1 + 4 + 2 + 1
    assert len(table1().paper) == 4


def test_package_data_is_the_papers():
    """The package's copy equals the values the project was given, methods named our way."""
    shared = Path(__file__).parents[3] / "shared" / "paper"
    if not shared.exists():
        pytest.skip("the paper's values are not beside this checkout")
    for name in ("example1", "table1"):
        assert read_data(name) == json.loads((shared / f"{name}.json").read_text())
    given, ours = json.loads((shared / "figures.json").read_text()), read_data("figures")
    assert given["figures"]["algorithm1"] == ours["figures"]["greedy"]
    assert given["figures"]["complete"] == ours["figures"]["complete"]
