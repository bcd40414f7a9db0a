"""Files of JSON: what is written at once is what would be written part by part."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given, strategies as st

from loglift import values
from loglift.values import encoded, joined, pretty

TEXTS = st.text() | st.sampled_from(["\x00", ",\x00NaN,\x00", ", NaN, ", "], [", "\u2028", '"'])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
PARTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8
)


def one_by_one(parts, between):
    return between.join(json.dumps(part, ensure_ascii=False) for part in parts)


@given(st.lists(PARTS, min_size=1, max_size=5), st.sampled_from(["", ",\n  "]))
def test_parts_written_at_once_are_those_written_one_by_one(parts, between):
    assert joined(parts, between) == one_by_one(parts, between)


@pytest.mark.parametrize("part", [float("nan"), [1, float("nan"), 2], [float("nan")]])
def test_not_a_number_is_written_as_ever(part):
    parts = [0, part, part, [part], 1]
    assert joined(parts, ";") == one_by_one(parts, ";")


@given(st.dictionaries(TEXTS, PARTS), st.integers(1, 3))
def test_a_file_says_what_the_document_does(document, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "AT_ONCE", at_once)
        assert json.loads(pretty(document)) == document


def test_every_part_has_a_line(monkeypatch):
    monkeypatch.setattr(values, "AT_ONCE", 2)
    document = {"a": 1, "parts": [[1, 2], [3, "x"], {"y": [4, 5]}], "none": [], "b": [1, 2]}
    lines = [
        "{",
        ' "a": 1,',
        ' "parts": [',
        "  [1, 2],",
        '  [3, "x"],',
        '  {"y": [4, 5]}',
        " ],",
        ' "none": [],',
        ' "b": [1, 2]',
        "}",
        "",
    ]
    assert pretty(document) == "\n".join(lines)
    assert pretty(document | {"parts": iter(document["parts"])}) == "\n".join(lines)
    assert json.loads(pretty({"parts": iter([])})) == {"parts": []}


def test_results_are_encoded_field_by_field():
    @dataclass(frozen=True, slots=True)
    class Result:
        size: float
        inner: tuple[float, ...]

    assert encoded([Result(float("inf"), (1.5, float("-inf")))]) == [
        {"size": "inf", "inner": [1.5, "-inf"]}
    ]
