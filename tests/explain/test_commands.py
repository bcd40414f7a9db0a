"""Options that can be pasted: read back from the shell, they name the same values."""

from __future__ import annotations

import csv
import math
import shlex

import pandas as pd
import pytest

from loglift import Bound, Joint
from loglift.explain.commands import bound_options, combine_options, unbounded_option

ODD = ["a,b", 'say "no"', "it's", "x:y=z", "", None, "two words", "3"]


@pytest.fixture
def joint():
    records = [{"x": i % 3, "ill of": value} for i, value in enumerate(ODD * 6)]
    return Joint.from_table(pd.DataFrame(records), sensitive="ill of", public="x")


def as_written(value):
    return {None: "NULL", "": "(empty)"}.get(value, value)


@pytest.mark.parametrize("value", ODD)
def test_a_value_without_a_bound_is_read_back_from_the_shell(joint, value):
    words = shlex.split(unbounded_option(joint, {"ill of": value}))
    assert words == ["--bound", f"ill of={as_written(value)}:none"]


def test_values_of_a_group_are_read_back_as_csv(joint):
    groups = [[{"ill of": value} for value in part] for part in (ODD[:3], ODD[3:])]
    words = shlex.split(combine_options(joint, groups))
    assert words[::2] == ["--combine", "--combine"]
    for text, part in zip(words[1::2], (ODD[:3], ODD[3:]), strict=True):
        name, _, values = text.partition("=")
        assert name == "ill of"
        assert next(csv.reader([values])) == [as_written(value) for value in part]


def test_no_option_is_offered_for_what_none_can_say(joint):
    frame = pd.DataFrame({"x": [1, 2] * 6, "s": ["NULL", None, "a"] * 4, "t": list("uvvu") * 3})
    twice = Joint.from_table(frame, sensitive=["s", "t"], public="x")
    assert unbounded_option(twice, {"s": "a", "t": "u"}) is None
    assert combine_options(twice, [[{"s": "a", "t": "u"}, {"s": "a", "t": "v"}]]) is None
    alike = Joint.from_table(frame, sensitive="s", public="x")
    assert unbounded_option(alike, {"s": None}) is None  # the text NULL is another value
    assert unbounded_option(alike, {"s": "a"}) == "--bound 's=a:none'"
    assert combine_options(alike, [[{"s": None}, {"s": "a"}]]) is None
    assert unbounded_option(Joint([[1, 2], [3, 4]]), 1) is None
    assert combine_options(Joint([[1, 2], [3, 4]]), [(0, 1)]) is None
    assert combine_options(joint, []) is None


def test_groups_that_are_there_already_are_taken_over(joint):
    combined = {"ill of": [["it's", None], ["a,b", ""]]}
    grouped = joint.combined("ill of", combined["ill of"])
    [group] = [v for v in grouped.sensitive if "it's" in v]
    words = shlex.split(combine_options(grouped, [[{"ill of": group}, {"ill of": "3"}]], combined))
    lists = [next(csv.reader([text.partition("=")[2]])) for text in words[1::2]]
    assert lists == [["it's", "NULL", "3"], ["a,b", "(empty)"]]


def test_bounds_are_the_options_that_ask_for_them():
    assert bound_options(Bound.symmetric(0.1 + 0.2)) == "--eps 0.30000000000000004"
    assert bound_options(Bound(1, 2)) == "--lower 1 --upper 2"
    assert bound_options(Bound(math.inf, 2.5)) == "--upper 2.5"
