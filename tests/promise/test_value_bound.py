from __future__ import annotations

import math

import polars as pl

from loglift import Bound, Joint
from loglift.promise.value_bound import ValueBound, same_value


def test_values_of_several_variables_are_named_with_their_variable():
    joint = Joint(
        [[1, 2, 2, 1], [3, 4, 5, 2]], sensitive=[0, 1, 0, 1], variables=["u", "u", "v", "v"]
    )
    bound = Bound.symmetric(1).with_values({1: 0.5}, column="v")
    assert bound.on(joint).lower.tolist() == [1, 1, 1, 0.5]


def test_the_tighter_of_two_bounds_counts_where_they_meet():
    table = pl.DataFrame({"x": [1, 1, 2, 2], "d": ["a", "b", "a", "b"], "g": ["f", "m", "m", "f"]})
    joint = Joint.from_table(table, sensitive=["d", "g"], public="x")
    bound = Bound.symmetric(1).with_values({"a": 0.1}, "d").with_values({"f": None}, "g")
    limits = dict(zip(joint.sensitive, bound.on(joint).lower.tolist(), strict=True))
    assert limits == {("a", "f"): 0.1, ("a", "m"): 0.1, ("b", "f"): math.inf, ("b", "m"): 1.0}


def test_a_truth_value_is_not_a_number_and_nan_is_itself():
    assert same_value(math.nan, math.nan)
    assert not same_value(True, 1)
    assert same_value(1, 1.0)
    joint = Joint([[1, 2, 3]], sensitive=[True, 2, math.nan])
    assert ValueBound(1, 0.5, 0.5).columns(joint) == []
    assert ValueBound(True, 0.5, 0.5).columns(joint) == [0]
    assert ValueBound(math.nan, 0.5, 0.5).columns(joint) == [2]
