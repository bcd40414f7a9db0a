"""t-closeness and l1-lift: what they imply for each other, and what a bound implies for them."""

from __future__ import annotations

import math

from hypothesis import assume, given

import naive
from loglift import L1Lift, OrderedTCloseness, TCloseness
from strategies import count_joints


@given(count_joints())
def test_the_ordered_distance_is_at_most_the_equal_one_and_l1_twice_it(joint):
    prior = joint.sum(axis=0).tolist()
    for row in joint.tolist():
        equal = naive.measure("t", row, prior)
        assert naive.measure("ordered_t", row, prior) <= equal
        assert naive.measure("l1_lift", row, prior) == 2 * equal


@given(count_joints())
def test_what_meets_the_equal_distance_meets_the_others(joint):
    prior, met = joint.sum(axis=0).tolist(), 0
    for row in joint.tolist():
        if TCloseness(0.25).is_met(row, prior):
            met += 1
            assert OrderedTCloseness(0.25).is_met(row, prior)
            assert L1Lift(0.5).is_met(row, prior)
    assume(met)


@given(count_joints())
def test_a_bound_on_lifts_implies_t(joint):
    prior, total = joint.sum(axis=0), joint.sum()
    for row in joint.tolist():
        lifts = [c * total / (n * sum(row)) for c, n in zip(row, prior.tolist(), strict=True)]
        most, least = max(lifts), min(lifts)
        if math.isclose(most, least):
            continue
        implied = (most - 1) * (1 - least) / (most - least)
        assert float(naive.measure("t", row, prior.tolist())) <= implied + 1e-12
