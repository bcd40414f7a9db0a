from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from loglift import MechanismError
from loglift.cuts import Cut
from loglift.joint import Column
from loglift.mechanism.naming import (
    named_blocks,
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


def test_all_members_are_listed_in_order():
    column = released_column("c", "text", [("Craft-repair", "Sales"), ("x",)])
    assert column.values == ("Craft-repair | Sales", "x")
    many = tuple(f"value-{i:02d}" for i in range(20))
    [name] = released_column("c", "text", [many]).values
    assert name == " | ".join(many)


AGES = (None, math.nan, *range(25, 35), 60, 61)


@pytest.mark.parametrize(
    ("members", "name"),
    [
        (tuple(range(25, 35)), "25-34"),
        ((25, 26), "25-26"),
        ((None, 25, 26, 27), "NULL | 25-27"),
        ((AGES[0], AGES[1], 30), "NULL | NaN | 30"),
        ((25, 27), "25 | 27"),
        ((25, 26, 28, 60), "25 | 26 | 28 | 60"),
        ((25, 26, 27, 60, 61), "25-27 | 60 | 61"),
        ((34, 60), "34-60"),  # 60 follows 34 in this column
        (AGES, "*"),
    ],
)
def test_members_that_follow_each_other_are_ranges(members, name):
    order = [age for age in AGES if age is not None and age == age]  # noqa: PLR0124, NaN
    sets = [members, (99,)]
    found = released_column("age", "integer", sets, order=order, whole=len(AGES))
    assert found.values == (name, "99")


@pytest.mark.parametrize(
    ("column", "blocks", "names"),
    [
        (
            Column("day", "date", None, tuple(date(2021, m, 1) for m in range(1, 6)), np.arange(5)),
            [0, 0, 0, 1, 2],
            ("2021-01-01 to 2021-03-01", "2021-04-01", "2021-05-01"),
        ),
        (
            Column("t", "integer", None, (-2, -1, 0, 3), np.arange(4)),
            [0, 0, 1, 1],
            ("-2 to -1", "0-3"),
        ),
        (
            Column("f", "float", None, (0.5, 1.5, 2.5), np.arange(3)),
            [0, 0, 1],
            ("0.5 to 1.5", "2.5"),
        ),
        (
            Column(
                "b",
                "text",
                Cut.steps(10),
                ("NaN", "[10, 20)", "[20, 30)", "[30, 40)"),
                np.arange(4),
            ),
            [1, 0, 0, 1],
            ("[10, 30)", "NaN | [30, 40)"),
        ),
        (
            Column("c", "text", None, ("high", "low", "mid"), np.arange(3), ranks=(2, 0, 1)),
            [1, 0, 0],
            ("low to mid", "high"),
        ),
        (Column("sex", "text", None, ("f", "m"), np.arange(2)), [0, 0], ("*",)),
    ],
)
def test_ordered_columns_show_ranges(column, blocks, names):
    [released] = named_blocks([column], np.array(blocks))
    assert released.values == names


def test_columns_whose_order_means_nothing_list_their_members():
    column = Column("zip", "integer", None, (1, 2, 3, 4), np.arange(4))
    [released] = named_blocks([column], np.array([0, 0, 0, 1]), unordered=["zip"])
    assert released.values == ("1 | 2 | 3", "4")


def test_a_star_that_is_a_value_is_not_the_name_of_the_whole_column():
    [released] = named_blocks(
        [Column("c", "text", None, ("*", "a"), np.arange(2))], np.zeros(2, int)
    )
    assert released.values == ("* #2",)


def test_ranges_as_two_columns_keep_the_type():
    age = Column("age", "integer", None, (None, 20, 30, 40), np.array([0, 1, 2, 3]))
    town = Column("town", "text", None, ("a", "b"), np.array([0, 0, 1, 1]))
    released = named_blocks([age, town], np.array([0, 1, 2, 2]), low_and_high=True)
    assert [(c.name, c.type, c.values) for c in released] == [
        ("age_low", "integer", (None, 20, 30)),
        ("age_high", "integer", (None, 20, 40)),
        ("town", "text", ("a", "a", "b")),
        ("loglift_block", "integer", (1, 2, 3)),
    ]
    mixed = named_blocks(
        [replace(age, codes=np.array([0, 1, 2, 3]))], np.zeros(4, int), low_and_high=True
    )
    assert [(c.name, c.values) for c in mixed] == [("age", ("*",))]
    clash = Column("age_low", "text", None, ("a",), np.zeros(4, int))
    with pytest.raises(MechanismError, match="two released columns are named 'age_low'"):
        named_blocks([age, clash], np.array([0, 1, 2, 2]), low_and_high=True)


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


PROVINCES = Column(
    "province",
    "text",
    None,
    ("Alberta", "Manitoba", "Nova Scotia", "Ontario", "Quebec"),
    np.arange(5),
    nodes=(
        ("Prairies", "Prairies", "Atlantic", "Central", "Central"),
        ("West", "West", "East", "East", "East"),
    ),
)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([0, 0, 1, 2, 2], ("Prairies", "Nova Scotia", "Central")),  # the finest level first
        ([0, 0, 1, 1, 1], ("Prairies", "East")),
        ([0, 1, 2, 2, 2], ("Alberta", "Manitoba", "East")),
        ([0, 0, 0, 1, 1], ("Alberta | Manitoba | Nova Scotia", "Central")),  # more than a node
        ([0, 0, 1, 1, 2], ("Prairies", "Nova Scotia | Ontario", "Quebec")),  # less than a node
        ([0, 1, 2, 3, 4], PROVINCES.values),  # a node of one value names nothing
    ],
)
def test_a_block_that_is_exactly_a_node_is_named_by_it(blocks, expected):
    [released] = named_blocks([PROVINCES], np.array(blocks))
    assert released.values == expected


@st.composite
def columns_with_nodes(draw):
    """Return a column of texts with a taxonomy, and a partition into nodes and other blocks."""
    values = tuple(draw(st.lists(texts, min_size=2, max_size=8, unique=True)))
    names = st.sampled_from(["a", "b", "a | b", "NULL", "(empty)", *filter(None, values)])
    fine = draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    coarse = [place // 2 for place in fine]
    named = [draw(st.lists(names, min_size=4, max_size=4)) for _ in range(2)]
    levels = [
        tuple(level[place] for place in places)
        for level, places in zip(named, (fine, coarse), strict=True)
    ]
    column = Column("c", "text", None, values, np.arange(len(values)), nodes=tuple(levels))
    free = draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    chosen = draw(st.sampled_from([fine, coarse, free]))
    return column, np.unique(chosen, return_inverse=True)[1]


@given(columns_with_nodes())
def test_names_of_nodes_are_unique_and_never_an_original_value(drawn):
    """Also where nodes are named like values, like other nodes or like merged values."""
    column, labels = drawn
    [released] = named_blocks([column], labels)
    assert len(set(released.values)) == len(released.values) == labels.max() + 1
    for block, name in enumerate(released.values):
        members = [v for v, b in zip(column.values, labels, strict=True) if b == block]
        assert (name in column.values) == (len(members) == 1)


def test_a_node_named_like_an_original_value_is_numbered():
    column = Column("c", "text", None, ("a", "b", "x"), np.arange(3), nodes=(("x", "x", "y"),))
    [released] = named_blocks([column], np.array([0, 0, 1]))
    assert released.values == ("x #2", "x")
    column = Column("c", "integer", None, (1, 2, 3), np.arange(3), nodes=(("1", "1", "2"),))
    [released] = named_blocks([column], np.array([0, 0, 1]))
    assert (released.type, released.values) == ("text", ("1 #2", "3"))


def test_two_nodes_of_one_name_at_different_levels_are_told_apart():
    nodes = (("A", "A", "B", "B", "C"), ("D", "D", "A", "A", "A"))
    column = Column("c", "integer", None, (1, 2, 3, 4, 5), np.arange(5), nodes=nodes)
    [released] = named_blocks([column], np.array([0, 0, 1, 1, 1]))
    assert released.values == ("A", "A #2")


def test_a_node_also_names_a_run_and_other_runs_are_ranges():
    nodes = (("low", "low", "high", "high"),)
    column = Column("age", "integer", None, (20, 30, 40, 50), np.arange(4), nodes=nodes)
    [exact] = named_blocks([column], np.array([0, 0, 1, 1]))
    assert exact.values == ("low", "high")
    [other] = named_blocks([column], np.array([0, 0, 0, 1]))
    assert other.values == ("20-40", "50")


def test_nodes_name_the_cells_of_each_column_of_several():
    """What counts is the set of values that a block has in the column, not the rows."""
    province = Column(
        "province", "text", None, ("Alberta", "Manitoba", "Ontario"), np.array([0, 1, 2, 0]),
        nodes=(("Prairies", "Prairies", "Central"),),
    )  # fmt: skip
    year = Column("year", "integer", None, (1, 2), np.array([0, 0, 0, 1]))
    released = named_blocks([province, year], np.array([0, 0, 1, 1]))
    assert [column.values for column in released] == [
        ("Prairies", "Alberta | Ontario"),
        ("1", "*"),
        (1, 2),
    ]


def test_the_node_of_null_and_nan_is_found():
    values = (None, math.nan, 1.0)
    nodes = (("missing", "missing", "known"),)
    column = Column("c", "float", None, values, np.arange(3), nodes=nodes)
    [released] = named_blocks([column], np.array([0, 0, 1]))
    assert released.values == ("missing", "1.0")


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
