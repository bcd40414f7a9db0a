"""A joint: its mass, its probabilities, its variables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

import loglift
from loglift import Joint, JointError
from strategies import channelled, joints


def test_counts_stay_integers_and_labels_stay_with_them():
    joint = Joint([[3, 1], [0, 2]], public=["a", "b"], sensitive=[True, None])
    assert joint.mass.dtype == np.int64
    assert joint.is_counts
    assert joint.total == 6
    assert isinstance(joint.total, int)
    assert joint.public == ("a", "b")
    assert joint.sensitive == (True, None)


def test_empty_values_are_dropped_with_their_labels_when_asked():
    joint = Joint(
        [[1, 0, 2], [0, 0, 0], [3, 0, 4]],
        public=["a", "b", "c"],
        sensitive=["s", "t", "u"],
        empty_public="drop",
        empty_sensitive="drop",
    )
    assert joint.public == ("a", "c")
    assert joint.sensitive == ("s", "u")
    assert joint.mass.tolist() == [[1, 2], [3, 4]]


def test_the_caller_keeps_no_hand_on_the_mass():
    given_mass = np.array([[1, 2], [3, 4]])
    joint = Joint(given_mass)
    given_mass[0, 0] = 99
    assert joint.mass[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        joint.mass[0, 0] = 5


@given(joints())
def test_probabilities_are_consistent(mass):
    joint = Joint(mass)
    assert joint.probabilities.sum() == pytest.approx(1)
    np.testing.assert_allclose(joint.probabilities.sum(axis=1), joint.p_public)
    np.testing.assert_allclose(joint.probabilities.sum(axis=0), joint.p_sensitive)


@given(joints())
def test_scaling_changes_no_ratio(mass):
    """Powers of two round nothing, so the scaled mass is the mass up to one common factor."""
    scaled = Joint(mass * 2.0**40).scaled
    np.testing.assert_array_equal(
        scaled / scaled.sum(), Joint(mass / 1.0).scaled / Joint(mass / 1.0).scaled.sum()
    )


def test_each_variable_has_a_joint_with_every_record_once():
    counts = np.array([[3, 1, 2, 2], [5, 5, 4, 6]])
    joint = Joint(counts, ["a", "b"], variables=["s", "s", "t", "t"])
    one, other = joint.by_variable()
    assert (one.mass.tolist(), other.mass.tolist()) == ([[3, 1], [5, 5]], [[2, 2], [4, 6]])
    assert one.total == other.total == joint.total == 14
    assert [part.variables[0].name for part in (one, other)] == ["s", "t"]
    assert (one.public, other.sensitive) == (("a", "b"), (2, 3))
    assert one.by_variable() == (one,)


def test_every_variable_has_every_record_once():
    joint = Joint([[1, 2, 2, 1], [3, 4, 5, 2]], variables=list("aabb"))
    assert joint.weight.tolist() == [3, 7]
    assert joint.total == 10
    assert joint.p_sensitive.tolist() == [0.4, 0.6, 0.7, 0.3]
    with pytest.raises(JointError, match="do not add up"):
        Joint([[10**15, 1, 10**15 + 2, 1], [1, 5, 1, 5]], variables=list("aabb"))


def test_lifts_of_several_variables_are_those_of_each():
    left, right = np.array([[9, 1], [2, 8]]), np.array([[3, 7], [6, 4]])
    joint = Joint(np.hstack([left, right]), variables=list("aabb"))
    both = np.hstack([loglift.lift(left), loglift.lift(right)])
    np.testing.assert_allclose(loglift.lift(joint), both)


@given(channelled())
def test_drawn_values_have_the_expected_mass(case):
    mass, channel = case
    drawn = Joint(mass).drawn(channel)
    used = channel.any(axis=0)
    assert drawn.public == tuple(range(used.sum()))
    np.testing.assert_allclose(drawn.mass, channel[:, used].T @ mass)
    np.testing.assert_allclose(drawn.p_sensitive, mass.sum(axis=0) / mass.sum())


def test_drawn_values_keep_the_sensitive_columns_and_the_expected_records():
    frame = pd.DataFrame({"a": list("xxyy"), "s": [1, 2, 1, 2], "w": [1, 1, 2, 5]})
    joint = Joint.from_table(frame, sensitive="s", public="a", weights="w")
    drawn = joint.drawn(np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]))
    assert [column.name for column in drawn.sensitive_columns] == ["s"]
    np.testing.assert_allclose(drawn.records, [1, 3])
    np.testing.assert_allclose(drawn.p_public, [1 / 9, 8 / 9])


def test_combined_categories_have_no_order():
    levels = pd.Categorical(["low", "high", "middle"] * 2, ["low", "middle", "high"], ordered=True)
    joint = Joint.from_table(
        pd.DataFrame({"a": list("xxxyyy"), "s": levels}), sensitive="s", public="a"
    )
    assert joint.sensitive_columns[0].ranks == (2, 0, 1)
    assert joint.combined("s", [["low", "middle"]]).sensitive_columns[0].ranks == ()
