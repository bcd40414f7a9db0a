"""Values as JSON, files of them, and checks of numbers given as options."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift import values
from loglift.errors import InputError, MechanismError, TableError
from loglift.values import (
    Parts,
    checked_number,
    decode,
    decode_all,
    decode_rows,
    encode,
    encode_all,
    encoded,
    is_missing,
    looks_fractional,
    plain,
    pretty,
    row_texts,
    texts_of,
    type_names,
)

TEXTS = st.text() | st.sampled_from(["\x00", ",\x00NaN,\x00", ", NaN, ", "], [", "\u2028", '"'])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
PARTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=8
)


@given(st.dictionaries(TEXTS, PARTS), st.integers(1, 3))
def test_a_file_says_what_the_document_does(document, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "PARTS_PER_CHUNK", at_once)
        assert json.loads(pretty(document)) == document


def test_every_part_has_a_line(monkeypatch):
    monkeypatch.setattr(values, "PARTS_PER_CHUNK", 2)
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
    written = Parts(map(json.dumps, document["parts"]))
    assert pretty(document | {"parts": written}) == "\n".join(lines)
    assert json.loads(pretty({"parts": Parts([])})) == {"parts": []}


def test_results_are_encoded_field_by_field():
    @dataclass(frozen=True, slots=True)
    class Result:
        size: float
        inner: tuple[float, ...]

    assert encoded([Result(float("inf"), (1.5, float("-inf")))]) == [
        {"size": "inf", "inner": [1.5, "-inf"]}
    ]


VALUES = [
    None,
    True,
    False,
    0,
    -1,
    2**70,
    1.5,
    -0.25,
    1e300,
    "",
    "NULL",
    "é\n\x00\U0001f600",
    "1",
    date(2020, 2, 29),
    datetime(2020, 1, 2, 3, 4, 5, 6),
    datetime(2020, 1, 2, tzinfo=UTC),
    time(1, 2, 3),
    Decimal("1.10"),
    b"\x00\xff",
    math.inf,
    -math.inf,
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_keep_their_type_through_json(value):
    back = decode(json.loads(json.dumps(encode(value), allow_nan=False)))
    assert back == value
    assert type(back) is type(value)


def test_nan_comes_back_as_the_one_nan():
    assert decode(json.loads(json.dumps(encode(math.nan)))) is math.nan  # noqa: PLW0177


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3), np.int8(3), Fraction(3)])
def test_a_number_of_any_kind_is_a_float(value):
    found = checked_number(value, "width", least=3, above=2, most=3, below=4)
    assert (found, type(found)) == (3.0, float)


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_whole_number_beyond_all_floats_is_a_number(value):
    assert checked_number(value, "n", whole=True) == value
    assert checked_number(value, "n") == math.copysign(math.inf, value // 10**390)


@pytest.mark.parametrize("value", [True, None, "3", math.nan, np.float64("nan"), 3j, [3]])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TableError, match="width must be a number, got"):
        checked_number(value, "width", error=TableError)


@pytest.mark.parametrize("value", [1.5, 2.0, math.inf, True])
def test_what_is_no_whole_number_is_refused(value):
    with pytest.raises(InputError, match="top must be a whole number, got"):
        checked_number(value, "top", whole=True)


@pytest.mark.parametrize(
    ("value", "limits", "message"),
    [
        (0, {"above": 0}, "must be above 0, got 0"),
        (1, {"above": 0, "below": 1}, "must be above 0 and below 1, got 1"),
        (-1, {"least": 0}, "must be at least 0, got -1"),
        (2, {"least": 0, "most": 1}, "must be at least 0 and at most 1, got 2"),
    ],
)
def test_a_number_outside_its_limits_is_refused_with_them(value, limits, message):
    with pytest.raises(InputError, match=message):
        checked_number(value, "share", **limits)


def test_infinity_is_inside_infinite_limits():
    assert checked_number(math.inf, "upper", least=0) == math.inf


def test_null_and_nan_are_missing_and_nothing_else_is():
    assert [is_missing(value) for value in (None, math.nan, Decimal("NaN"))] == [True] * 3
    assert not any(map(is_missing, ("", "NaN", 0, 0.0, False, math.inf, Decimal(1))))


def test_fractions_are_numbers_or_texts_of_them_and_not_all_whole():
    for found in ([1.5, 2], ["0.50", "1", None], [Decimal("0.1")]):
        assert looks_fractional(found)
    for found in ([1, 2], ["1", "2.0"], ["a", "0.5"], ["0.5", "a"], [], [None]):
        assert not looks_fractional(found)


def test_values_of_numpy_become_those_of_python():
    cases = [
        (np.int8(5), 5), (np.float32(0.5), 0.5), (np.bool_(True), True), (np.str_("a"), "a"),
        (np.array([1, 2]), [1, 2]), (np.datetime64("2020-01-02"), date(2020, 1, 2)),
        (np.datetime64("2020-01-02", "ns"), datetime(2020, 1, 2)),
    ]  # fmt: skip
    for value, expected in cases:
        assert plain(value) == expected
        assert type(plain(value)) is type(expected)
    for other in (None, 5, "a", [np.int8(5)], Fraction(1, 2), {"a": 1}):
        assert plain(other) is other


CELLS = st.lists(st.text() | SCALARS) | st.lists(st.text()) | st.lists(st.integers())


@given(CELLS)
def test_texts_of_many_values_are_those_of_each(cells):
    texts = [json.dumps(encode(cell), ensure_ascii=False) for cell in cells]
    assert list(texts_of(cells)) == texts
    assert list(row_texts([cells])) == [f"[{text}]" for text in texts]
    assert list(row_texts([cells, texts])) == [
        json.dumps([encode(cell), text], ensure_ascii=False)
        for cell, text in zip(cells, texts, strict=True)
    ]


@given(CELLS)
def test_many_values_are_read_back_as_each_is(cells):
    written = json.loads(json.dumps(encode_all(cells)))
    assert repr(decode_all(written)) == repr(tuple(map(decode, written)))
    assert repr(decode_rows([written])) == repr((tuple(map(decode, written)),))


def test_a_list_in_place_of_a_value_is_refused():
    for read in (lambda: decode_all([1, [2]]), lambda: decode_rows([[1, [2]]])):
        with pytest.raises(MechanismError, match="a value is a list"):
            read()


def test_names_of_types_are_those_of_each_value():
    zoned = datetime(2021, 1, 1, tzinfo=UTC)
    assert type_names([None, 1, "a", zoned]) == {"integer", "text", "instant"}
    assert type_names([zoned, zoned.replace(tzinfo=None)]) == {"instant", "datetime"}
    assert type_names([True, 1.5, None]) == {"boolean", "float"}
    assert type_names([]) == set()
