"""Subset random response: safe, and between Algorithm 1 and the best channel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, BoundError, Joint, MechanismError, merge, randomize, subset_response
from loglift.measures import log_lift
from strategies import positive_joints, sides


def assert_between(joint, bound):
    """The release is safe, and keeps what lies between Algorithm 1 and the best channel."""
    drawn = subset_response(joint, bound=bound)
    logs = log_lift(drawn.release(joint))
    assert drawn.safe
    assert logs.max() <= bound.upper + 1e-9
    assert logs.min() >= -bound.lower - 1e-9
    np.testing.assert_allclose(drawn.channel.sum(axis=1), 1)
    merged, best = (
        merge(joint, bound=bound, method="greedy", over="all"),
        randomize(joint, bound=bound),
    )
    assert merged.information - 1e-9 <= drawn.information <= best.information + 1e-9
    return merged, drawn, best


@settings(max_examples=30)
@given(positive_joints(max_public=6, max_sensitive=4), sides.filter(bool))
def test_it_keeps_no_less_than_merging_and_no_more_than_the_best_channel(joint, eps):
    assert_between(joint, Bound.symmetric(min(eps, 5.0)))


def test_it_is_strictly_between_at_the_size_of_the_paper():
    joint = np.random.default_rng(3).random((20, 13))
    merged, drawn, best = assert_between(joint, Bound.symmetric(1.0))
    assert merged.information + 0.05 < drawn.information < best.information - 0.01


def test_low_risk_values_stay_as_they_are():
    joint = np.array([[50, 50], [48, 52], [90, 10], [12, 88]])
    drawn = subset_response(joint, 0.3)
    assert sorted(map(tuple, drawn.channel[:2][:, drawn.channel[:2].any(axis=0)].tolist())) == [
        (0, 1),
        (1, 0),
    ]
    assert (drawn.channel[2] > 0).sum() == 2


def test_zeros_are_allowed_where_only_the_upper_side_is_bounded():
    joint = np.array([[9, 0, 1], [0, 9, 1], [3, 3, 4], [4, 4, 2]])
    _, drawn, _ = assert_between(joint, Bound(math.inf, math.log(1.5)))
    assert drawn.information > 0


def test_several_variables_are_bounded_each_on_its_own():
    rng = np.random.default_rng(2)
    one, two = rng.integers(1, 9, (6, 2)), rng.integers(1, 9, (6, 2))
    two = two * one.sum(axis=1, keepdims=True)
    one = one * (two.sum(axis=1, keepdims=True) // one.sum(axis=1, keepdims=True))
    joint = Joint(np.hstack([one, two]), variables=list("aabb"))
    drawn = subset_response(joint, 0.3)
    assert drawn.safe
    for variable in drawn.release(joint).by_variable():
        assert np.abs(log_lift(variable)).max() <= 0.3 + 1e-9


def test_what_algorithm_1_refuses_is_refused():
    joint = np.array([[5, 5], [1, 9]])
    with pytest.raises(BoundError):
        subset_response(joint)
    with pytest.raises(MechanismError, match="greedy"):
        subset_response(Joint(joint), bound=Bound.beta_likeness(0.5))
