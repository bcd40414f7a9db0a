from __future__ import annotations

import math
from datetime import date

import hypothesis.strategies as st
import pytest
from hypothesis import given

from loglift.mechanism.naming import (
    MAX_NAME_LENGTH,
    posterior_column,
    released_column,
    with_suppressed,
)

texts = st.one_of(
    st.none(),
    st.text(max_size=4),
    st.sampled_from(["a", "b", "a | b", "NULL", "", "(empty)", "+1"]),
)


@st.composite
def text_partitions(draw):
    values = draw(st.lists(texts, min_size=1, max_size=8, unique=True))
    blocks = [draw(st.integers(0, 3)) for _ in values]
    return [
        tuple(value for value, b in zip(values, blocks, strict=True) if b == block)
        for block in sorted(set(blocks))
    ]


@given(text_partitions())
def test_names_are_unique_and_never_an_original_value_of_another_meaning(sets):
    column = released_column("c", "text", sets)
    assert len(set(column.values)) == len(sets)
    originals = {value: members for members in sets for value in members}
    for members, name in zip(sets, column.values, strict=True):
        if len(members) == 1:
            assert name == members[0]
        else:
            assert name not in originals


def test_an_untouched_column_keeps_its_type_and_values():
    sets = [(1,), (2,), (None,)]
    column = released_column("age", "integer", sets)
    assert (column.type, column.values) == ("integer", (1, 2, None))


def test_members_are_listed_in_order_and_long_lists_shortened_with_a_count():
    column = released_column("c", "text", [("Craft-repair", "Sales"), ("x",)])
    assert column.values == ("Craft-repair | Sales", "x")
    many = tuple(f"value-{i:02d}" for i in range(20))
    [name] = released_column("c", "text", [many]).values
    assert name == "value-00 | value-01 | value-02 | value-03 | value-04 | +15"
    assert len(name) <= MAX_NAME_LENGTH + 6


def test_two_long_sets_with_the_same_beginning_get_different_names():
    start = tuple(f"value-{i:02d}" for i in range(6))
    sets = [(*start, "x"), (*start, "y")]
    first, second = released_column("c", "text", sets).values
    assert first != second


@pytest.mark.parametrize(
    ("type_name", "sets", "expected"),
    [
        ("integer", [(1, 2), (3,)], ("1 | 2", "3")),
        (
            "date",
            [(date(2020, 1, 2), None), (date(2021, 1, 1),)],
            ("2020-01-02 | NULL", "2021-01-01"),
        ),
        ("boolean", [(True, None), (False,)], ("true | NULL", "false")),
        ("float", [(0.5, math.nan), (1.0,)], ("0.5 | NaN", "1.0")),
        ("bytes", [(b"\x01", b"\xff"), (b"a",)], ("01 | ff", "61")),
        ("text", [("", "a"), (None,)], ("(empty) | a", None)),
    ],
)
def test_a_column_with_merged_values_becomes_text(type_name, sets, expected):
    column = released_column("c", type_name, sets)
    assert column.type == "text"
    assert column.values == expected


def test_the_suppressed_value_is_like_no_other():
    column = with_suppressed(released_column("c", "text", [("(suppressed)",), ("a", "b")]))
    assert column.values == ("(suppressed)", "a | b", "(suppressed) #2")
    merged = released_column("c", "text", [("(suppressed)", "b")])
    assert with_suppressed(merged, ["(suppressed)", "b"]).values[-1] == "(suppressed) #2"
    numbers = with_suppressed(released_column("c", "integer", [(1,), (None,)]))
    assert (numbers.type, numbers.values) == ("text", ("1", None, "(suppressed)"))


def test_posteriors_are_named_by_their_likeliest_values():
    posteriors = [
        {"Sales": 0.61, "Tech": 0.39},
        {"Sales": 0.605, "Tech": 0.395},
        {"a": 0.4, "b": 0.3, "c": 0.2, "d": 0.0999, None: 0.0001},
        {"Sales": 0.998, "": 0.002},
        {"Tech": 1.0},
        {"Tech": 1.0},
    ]
    apart = posterior_column("job", "text", posteriors, distinct=True)
    assert apart.values == (
        "Sales 61 % | Tech 39 %",
        "Sales 60 % | Tech 40 %",
        "a 40 % | b 30 % | c 20 % | +2",
        "Sales 99 % | (empty) <1 %",
        "Tech",
        "Tech 100 %",
    )
    alike = posterior_column("job", "text", posteriors, distinct=False)
    assert alike.values[4:] == ("Tech", "Tech")
    twice = posterior_column("job", "text", [posteriors[0]] * 2, distinct=True)
    assert twice.values == ("Sales 61 % | Tech 39 %", "Sales 61 % | Tech 39 % #2")


def test_sure_posteriors_keep_the_type():
    column = posterior_column("n", "integer", [{3: 1.0}, {5: 1.0}], distinct=True)
    assert (column.type, column.values) == ("integer", (3, 5))
