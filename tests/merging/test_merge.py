"""`merge`: its options, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from loglift import Bound, BoundError, Joint, MechanismError, UnsafeError, merge
from loglift.sparse import block_sums
from strategies import bounds, joints

JOINT = [[3, 1], [1, 3]]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"over": "some"}, MechanismError),
        ({"method": "best"}, MechanismError),
        ({"iterations": -1}, MechanismError),
        ({"iterations": 1.5}, MechanismError),
        ({"seed": "a"}, MechanismError),
        ({"time_limit": "a"}, MechanismError),
        ({"time_limit": -1}, MechanismError),
        ({"min_count": 0}, MechanismError),
        ({"min_count": "a"}, MechanismError),
        ({"min_count": math.nan}, MechanismError),
        ({"min_count": 100}, UnsafeError),
        ({"start": [0]}, ValueError),
        ({"method": "ordered", "over": "high-risk"}, MechanismError),
        ({"method": "greedy", "start": [0, 0]}, MechanismError),
        ({"method": "complete", "iterations": 5}, MechanismError),
        ({"method": "ordered", "time_limit": 5}, MechanismError),
    ],
)
def test_bad_options_are_refused(options, error):
    with pytest.raises(error):
        merge(JOINT, 1, **options)


def test_the_bound_is_given_once():
    with pytest.raises(BoundError, match="either eps or bound"):
        merge(JOINT)
    with pytest.raises(BoundError, match="either eps or bound"):
        merge(JOINT, 1, bound=Bound(1, 1))
    with pytest.raises(BoundError, match="must be a number"):
        merge(JOINT, Bound(1, 1))
    with pytest.raises(BoundError, match="must be a Bound"):
        merge(JOINT, bound=1)
    assert merge(JOINT, 1).bound == merge(JOINT, bound=Bound(1, 1)).bound


@given(joints(), bounds(), st.sampled_from(["greedy", "complete"]))
def test_over_all_absorbs_and_is_always_safe(joint, bound, method):
    everything = merge(joint, bound=bound, method=method, over="all")
    default, high_risk = (
        merge(joint, bound=bound, method=method, over=o) for o in (None, "high-risk")
    )
    assert everything.safe
    assert default.labels.tolist() == high_risk.labels.tolist()
    assume(default.safe)
    assert everything.labels.tolist() == default.labels.tolist()


def test_a_mechanism_knows_its_limits():
    made = merge([[5, 5], [4, 6], [6, 4], [5, 5]], 0.5, min_count=12, intact=["a", "a", "b", "b"])
    assert made.min_count == 12
    assert made.groups.tolist() == [0, 0, 1, 1]
    assert merge(JOINT, 1).groups is None


def test_each_of_several_variables_is_bounded():
    """Every record is in the mass of two variables twice; a least count is in records."""
    rng = np.random.default_rng(0)
    left = rng.integers(1, 9, (10, 2))
    sizes = left.sum(axis=1)
    right = np.stack([rng.binomial(sizes, 0.5), sizes], axis=1)
    right[:, 1] -= right[:, 0]
    joint = Joint(np.hstack([left, right]), variables=["l", "l", "r", "r"], empty_sensitive="drop")
    found = merge(joint, 0.3, min_count=20)
    assert found.safe
    assert block_sums(sizes, found.labels).min() >= 20
    for part in (left, right):
        blocks = block_sums(part, found.labels)
        lifts = blocks * part.sum() / np.outer(blocks.sum(axis=1), part.sum(axis=0))
        assert np.abs(np.log(lifts)).max() <= 0.3 + 1e-9
    assert found.utility < merge(joint, 0.3).utility
