"""A survey of one column: the same on every engine, and never more than a sample in Python."""

from __future__ import annotations

from datetime import date

import pytest

from loglift.tables import open_table
from loglift.tables.overview import SAMPLED_RECORDS, Overview, overview
from tables import survey

NAMES = ["town", "age", "income", "since", "member"]
KINDS = [str, int, float, date, bool]
ROWS = [
    ("Bern", 30, 10.5, date(2020, 1, 1), True),
    ("Bern", 40, 20.25, date(2020, 1, 2), False),
    ("Basel", None, 10.5, None, True),
    (None, 30, 30.75, date(2020, 1, 1), None),
]


def test_every_engine_says_the_same(maker, tmp_path):
    opened = open_table(maker.make(NAMES, KINDS, ROWS, tmp_path))
    found = {name: overview(opened, name) for name in NAMES}
    assert {name: each.type for name, each in found.items()} == {
        "town": "text",
        "age": "integer",
        "income": "float",
        "since": "date",
        "member": "boolean",
    }
    assert [(each.records, each.nulls, each.distinct) for each in found.values()] == [
        (4, 1, 2),
        (4, 1, 2),
        (4, 0, 3),
        (4, 1, 2),
        (4, 1, 2),
    ]
    assert dict(found["town"].values) == {"Bern": 2, "Basel": 1}
    assert dict(found["income"].values) == {10.5: 2, 20.25: 1, 30.75: 1}


def test_of_many_values_some_are_looked_at(maker, tmp_path, monkeypatch):
    monkeypatch.setattr("loglift.tables.overview.MAX_LISTED_VALUES", 10)
    rows = [(f"person {i % 40}", i) for i in range(80)]
    opened = open_table(maker.make(["who", "number"], [str, int], rows, tmp_path))
    who, number = overview(opened, "who"), overview(opened, "number")
    assert (who.distinct, who.whole, who.type) == (40, False, "text")
    assert (number.distinct, number.whole, number.type) == (80, False, "integer")
    assert 0 < sum(who.values.values()) <= min(80, SAMPLED_RECORDS)


@pytest.mark.parametrize(
    ("texts", "kind"), [(["0.50", "1.5", "2"], "float"), (["007", "1"], "text")]
)
def test_numbers_of_a_file_that_are_not_written_as_python_does(texts, kind, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{text},1\n" for text in texts))
    found = overview(open_table(tmp_path / "t.csv"), "x")
    assert found.type == kind
    assert found.distinct == len(texts)


def test_a_column_that_cannot_be_counted_says_why(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": [1, 2], "b": 1}\n{"a": [3], "b": 2}\n')
    opened = open_table(tmp_path / "t.jsonl")
    found = overview(opened, "a")
    assert isinstance(found, Overview)
    assert "nested" in found.fault
    assert overview(opened, "b").fault is None


def test_labels_of_a_file_are_titles(tmp_path):
    opened = open_table(survey.stata(tmp_path))
    assert overview(opened, "age").title == "Age in years"
    assert overview(opened, "town").title in (None, "")
