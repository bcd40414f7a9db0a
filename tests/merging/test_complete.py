"""Complete merging: all high-risk values in one block."""

from __future__ import annotations

from hypothesis import given

from loglift import Bound, Joint, omega
from loglift.merging.complete import complete
from loglift.merging.problem import Problem
from strategies import count_joints


@given(count_joints())
def test_the_high_risk_values_are_one_block_and_the_others_stay_alone(counts):
    labels = complete(Problem.of(Joint(counts).scaled, Bound.symmetric(0.5)))
    high_risk = omega(counts) > 0.5 + 1e-9
    assert len(set(labels[high_risk])) <= 1
    assert len(set(labels)) == (~high_risk).sum() + high_risk.any()
