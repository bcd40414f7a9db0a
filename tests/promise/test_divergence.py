"""chi-squared-lift, alpha-lift, average log-lift: what implies what."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

import naive
from loglift import AlphaLift, AverageLogLift, ChiSquaredLift
from strategies import count_joints


def rows(joint):
    prior = joint.sum(axis=0).tolist()
    return [(row, prior) for row in joint.tolist()]


@given(count_joints())
def test_chi_squared_is_the_alpha_lift_of_order_two(joint):
    for row, prior in rows(joint):
        squared = math.exp(2 * naive.measure("alpha_lift", row, prior, 2))
        assert float(naive.measure("chi2_lift", row, prior)) == pytest.approx(squared - 1, abs=1e-9)


@given(count_joints())
def test_alpha_lift_grows_with_its_order_up_to_the_largest_log_lift(joint):
    for row, prior in rows(joint):
        orders = [naive.measure("alpha_lift", row, prior, alpha) for alpha in (1.5, 2, 3, 10)]
        pairs = zip(row, prior, strict=True)
        most = math.log(max(c * sum(prior) / (n * sum(row)) for c, n in pairs))
        assert [*orders, most] == pytest.approx(sorted([*orders, most]), abs=1e-12)
        for alpha, value in zip((1.5, 2, 3, 10), orders, strict=True):
            assert value <= most * (alpha - 1) / alpha + 1e-12


@given(count_joints())
def test_averages_bound_the_distance(joint):
    for row, prior in rows(joint):
        distance = float(naive.measure("l1_lift", row, prior))
        assert distance <= math.sqrt(float(naive.measure("chi2_lift", row, prior))) + 1e-12
        average = naive.measure("average_log_lift", row, prior)
        assert distance / 2 <= math.sqrt(max(average, 0) / 2) + 1e-9


def test_limits_of_zero_are_for_the_prior_itself():
    for requirement in (ChiSquaredLift(0), AlphaLift(0, alpha=2.5), AverageLogLift(0)):
        assert requirement.is_met([1, 2, 3], [2, 4, 6])
        assert not requirement.is_met([10**15, 2 * 10**15 + 1], [1, 2])
