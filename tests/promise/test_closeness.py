"""t-closeness and l1-lift: what they imply for each other, and what a bound implies for them."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

import naive
from loglift import L1Lift, OrderedTCloseness, TCloseness
from strategies import count_joints


@given(count_joints())
def test_the_ordered_distance_is_at_most_the_equal_one_and_l1_twice_it(joint):
    prior = joint.sum(axis=0).tolist()
    equal, ordered, l1 = (
        [naive.measure(key, row, prior) for row in joint.tolist()]
        for key in ("t", "ordered_t", "l1_lift")
    )
    assert all(less <= more for less, more in zip(ordered, equal, strict=True))
    assert l1 == [2 * distance for distance in equal]


@given(count_joints())
def test_what_meets_the_equal_distance_meets_the_others(joint):
    prior = joint.sum(axis=0).tolist()
    close = [row for row in joint.tolist() if TCloseness(0.25).is_met(row, prior)]
    assume(close)
    assert all(OrderedTCloseness(0.25).is_met(row, prior) for row in close)
    assert all(L1Lift(0.5).is_met(row, prior) for row in close)


@given(count_joints())
def test_a_bound_on_lifts_implies_t(joint):
    prior = joint.sum(axis=0)
    lifts = joint * joint.sum() / np.outer(joint.sum(axis=1), prior)
    most, least = lifts.max(axis=1), lifts.min(axis=1)
    apart = most - least > 1e-9
    assume(apart.any())
    implied = ((most - 1) * (1 - least))[apart] / (most - least)[apart]
    rows = joint[apart].tolist()
    found = np.array([float(naive.measure("t", row, prior.tolist())) for row in rows])
    assert (found <= implied + 1e-12).all()
