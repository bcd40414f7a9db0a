"""What a mechanism leaks and keeps, against its channel and the definition of its goal."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from loglift import (
    Bound,
    Joint,
    Utility,
    UtilityError,
    entropy,
    merge,
    omega,
)
from loglift.measures import mutual_information
from loglift.mechanism.making import channel_mechanism
from naive import information, kept_of_targets
from random_joints import random_goal, random_joint_of_table
from strategies import bounds, channelled, joints

METHODS = ["complete", "greedy"]


@given(joints(), bounds(), st.sampled_from(METHODS))
def test_the_numbers_of_a_mechanism_are_those_of_its_channel(joint, bound, method):
    mechanism = merge(joint, bound=bound, method=method)
    p = joint.sum(axis=1) / joint.sum()
    assert mechanism.utility == pytest.approx(mutual_information(p, mechanism.channel), abs=1e-9)
    assert mechanism.nmil * entropy(p) == pytest.approx(entropy(p) - mechanism.utility, abs=1e-9)
    released = mechanism.channel.T @ (joint / joint.sum())
    with np.errstate(divide="ignore"):
        logs = np.log(released / np.outer(released.sum(axis=1), released.sum(axis=0)))
    assert mechanism.leakage == pytest.approx(np.abs(logs).max(), abs=1e-9)
    assume(mechanism.safe)
    assert mechanism.upper_bound >= mechanism.utility - 1e-9


@given(channelled())
def test_a_channel_never_leaks_more_than_the_values_themselves(case):
    """Data processing for the largest lift: S - X - Y."""
    joint, channel = case
    bound = Bound.symmetric(1)
    mechanism = channel_mechanism(
        Joint(joint), channel, bound, method="any", upper_bound=9, scope="release"
    )
    assert mechanism.leakage <= omega(joint).max() + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_the_figures_of_a_goal_are_those_of_its_definition(seed):
    """For a partition, for a channel, and for a mechanism that is measured again."""
    rng = np.random.default_rng(seed)
    joint = random_joint_of_table(rng)
    goal, defined = random_goal(rng, joint)
    weight = np.asarray(joint.weight, dtype=float)
    merged = merge(joint, 0.5, utility=goal)
    drawn = channel_mechanism(
        joint,
        rng.dirichlet(np.ones(3), weight.size),
        Bound.symmetric(9),
        method="given",
        upper_bound=1.0,
        scope="release",
        goal=goal,
    )
    for made in (merged, drawn):
        assert made.goal is goal
        assert made.utility == pytest.approx(kept_of_targets(weight, defined, made.channel))
        shown = information(made.channel * weight[:, np.newaxis])
        assert made.information == pytest.approx(shown)
        assert made.nmil == pytest.approx(1 - shown / entropy(weight), abs=1e-12)
        again = made.measured(joint)
        assert (again.utility, again.information) == (made.utility, made.information)
        assert again.upper_bound == pytest.approx(1)
        assert "nats" not in repr(made)


def test_without_a_goal_the_utility_is_the_information():
    made = merge([[3, 1], [1, 3], [2, 2]], 0.5)
    assert made.goal.is_joint
    assert made.utility == made.information
    assert " nats" in repr(made)


def test_a_goal_of_columns_is_measured_on_tables_only():
    joint = random_joint_of_table(np.random.default_rng(2))
    made = merge(joint, 0.5, utility=Utility.columns())
    plain = Joint(joint.mass, public=joint.public)
    with pytest.raises(UtilityError, match="no columns to keep"):
        made.measured(plain)
