"""chi-squared-lift, alpha-lift, average log-lift: what implies what."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import naive
from loglift import AlphaLift, AverageLogLift, ChiSquaredLift
from strategies import count_joints

ORDERS = (1.5, 2.0, 3.0, 10.0)


def measured(key, joint, alpha=2.0):
    prior = joint.sum(axis=0).tolist()
    return np.array([float(naive.measure(key, row, prior, alpha)) for row in joint.tolist()])


@given(count_joints())
def test_chi_squared_is_the_alpha_lift_of_order_two(joint):
    squared = np.exp(2 * measured("alpha_lift", joint)) - 1
    np.testing.assert_allclose(measured("chi2_lift", joint), squared, atol=1e-9)


@given(count_joints())
def test_alpha_lift_grows_with_its_order_up_to_the_largest_log_lift(joint):
    lifts = joint * joint.sum() / np.outer(joint.sum(axis=1), joint.sum(axis=0))
    most = np.log(lifts.max(axis=1))
    orders = np.array([measured("alpha_lift", joint, alpha) for alpha in ORDERS])
    assert (np.diff([*orders, most], axis=0) >= -1e-12).all()
    shares = np.array([(alpha - 1) / alpha for alpha in ORDERS])
    assert (orders <= np.outer(shares, most) + 1e-12).all()


@given(count_joints())
def test_averages_bound_the_distance(joint):
    distance = measured("l1_lift", joint)
    assert (distance <= np.sqrt(measured("chi2_lift", joint)) + 1e-12).all()
    average = np.maximum(measured("average_log_lift", joint), 0)
    assert (distance / 2 <= np.sqrt(average / 2) + 1e-9).all()


@pytest.mark.parametrize(
    "requirement", [ChiSquaredLift(0), AlphaLift(0, alpha=2.5), AverageLogLift(0)]
)
def test_limits_of_zero_are_for_the_prior_itself(requirement):
    assert requirement.is_met([1, 2, 3], [2, 4, 6])
    assert not requirement.is_met([10**15, 2 * 10**15 + 1], [1, 2])
