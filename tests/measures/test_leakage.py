"""Every leakage measure against a slow formula, and against the bound that lift implies."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from loglift import BoundError, Joint, JointError, log_lift
from loglift.measures import (
    alpha_leakage,
    alpha_lift,
    chi_squared_lift,
    l1_lift,
    local_privacy_level,
    maximal_leakage,
    shannon_information,
    sibson_information,
)
from strategies import joints, positive_joints

orders = st.sampled_from([0.1, 0.5, 0.9, 1.0, 1.5, 2.0, 10.0, 1000.0, math.inf])
SLACK = 1e-9


def implied(joint):
    """The tightest lower and upper of the joint, and the lifts they allow."""
    logs = log_lift(joint)
    lower, upper = -logs.min(), logs.max()
    return lower, upper, math.exp(-lower), math.exp(upper)


@given(joints(), orders)
def test_averages_are_at_most_upper(joint, alpha):
    _, upper, _, _ = implied(joint)
    assert shannon_information(joint) <= upper + SLACK
    assert sibson_information(joint, alpha) <= upper + SLACK
    assert alpha_leakage(joint, alpha) <= upper + SLACK
    assert maximal_leakage(joint) <= upper + SLACK


@given(joints())
def test_local_privacy_level_is_at_most_lower_plus_upper(joint):
    lower, upper, _, _ = implied(joint)
    assert local_privacy_level(joint) <= lower + upper + SLACK


@given(joints(), orders)
def test_properties_of_one_value_are_bounded(joint, alpha):
    _, upper, least, most = implied(joint)
    spread = (most - 1) * (1 - least)
    assert (chi_squared_lift(joint) <= spread + SLACK).all()
    assert (l1_lift(joint) * (most - least) <= 2 * spread + SLACK).all()
    power = 1 if math.isinf(alpha) else max(0, (alpha - 1) / alpha)
    assert (alpha_lift(joint, alpha) <= math.exp(upper * power) + SLACK).all()


@given(positive_joints(), st.sampled_from([0.3, 0.7, 0.97, 1.01, 1.3, 2, 5]))
def test_alpha_measures_equal_their_formulas(joint, alpha):
    prior, out = joint.sum(axis=0), joint.sum(axis=1)
    given_s = joint / prior
    inner = ((prior * given_s**alpha).sum(axis=1)) ** (1 / alpha)
    sibson = alpha / (alpha - 1) * math.log(inner.sum())
    assert sibson_information(joint, alpha) == pytest.approx(max(0, sibson), abs=1e-9)
    ratio = ((joint**alpha).sum(axis=1) ** (1 / alpha)).sum() / (prior**alpha).sum() ** (1 / alpha)
    arimoto = alpha / (alpha - 1) * math.log(ratio)
    assert alpha_leakage(joint, alpha) == pytest.approx(max(0, arimoto), abs=1e-9)
    lifts = joint / np.outer(out, prior)
    np.testing.assert_allclose(
        chi_squared_lift(joint), (joint.T / out - prior[:, None]).T ** 2 @ (1 / prior)
    )
    norms = (lifts**alpha @ prior) ** (1 / alpha)
    np.testing.assert_allclose(alpha_lift(joint, alpha), norms)


@given(positive_joints())
def test_limits_and_known_forms(joint):
    prior, out = joint.sum(axis=0), joint.sum(axis=1)
    information = (joint * np.log(joint / np.outer(out, prior))).sum()
    assert shannon_information(joint) == pytest.approx(information, abs=1e-12)
    assert maximal_leakage(joint) == pytest.approx(math.log((joint / prior).max(axis=1).sum()))
    guess = math.log(joint.max(axis=1).sum() / prior.max())
    assert alpha_leakage(joint, math.inf) == pytest.approx(guess, abs=1e-12)
    for measure in (sibson_information, alpha_leakage):
        assert measure(joint, 1 + 1e-5) == pytest.approx(measure(joint, 1), rel=1e-3, abs=1e-9)
    conditional = joint / prior
    pairs = np.log(conditional[:, :, None] / conditional[:, None, :])
    assert local_privacy_level(joint) == pytest.approx(pairs.max())
    np.testing.assert_allclose(alpha_lift(joint, 1), 1)
    np.testing.assert_allclose(l1_lift(joint), np.abs(joint.T / out - prior[:, None]).sum(axis=0))


@given(joints(), st.tuples(orders, orders))
def test_sibson_information_grows_with_its_order(joint, pair):
    low, high = sorted(pair)
    assert sibson_information(joint, low) <= sibson_information(joint, high) + SLACK


def test_independent_variables_leak_nothing():
    joint = np.outer([0.2, 0.3, 0.5], [0.4, 0.6])
    for alpha in (0.5, 1, 2, math.inf):
        assert sibson_information(joint, alpha) == pytest.approx(0, abs=1e-12)
        assert alpha_leakage(joint, alpha) == pytest.approx(0, abs=1e-12)
    assert local_privacy_level(joint) == pytest.approx(0, abs=1e-12)


def test_a_value_that_rules_something_out_has_no_local_privacy():
    assert local_privacy_level([[1, 0], [1, 2]]) == math.inf


@pytest.mark.parametrize("alpha", [0, -1, 1e-9, math.nan, "2", None, True])
@pytest.mark.parametrize("measure", [sibson_information, alpha_leakage, alpha_lift])
def test_bad_orders_are_refused(measure, alpha):
    with pytest.raises(BoundError, match="alpha"):
        measure([[1, 2], [3, 4]], alpha)


@pytest.mark.parametrize(
    "measure",
    [shannon_information, maximal_leakage, local_privacy_level, l1_lift, chi_squared_lift],
)
def test_bad_joints_are_refused(measure):
    with pytest.raises(JointError):
        measure([[1, -2], [3, 4]])


@given(positive_joints(), st.integers(0, 2**32 - 1))
def test_several_variables_have_the_largest_figure_of_each(joint, seed):
    """Two sensitive variables side by side: the figure of the one that leaks more."""
    share = np.random.default_rng(seed).dirichlet([1, 2, 3], len(joint)) + 0.01
    other = joint.sum(axis=1, keepdims=True) * share / share.sum(axis=1, keepdims=True)
    names = ["s"] * joint.shape[1] + ["t"] * 3
    both = Joint(np.hstack([joint, other]), variables=names)
    for measure in (
        shannon_information,
        maximal_leakage,
        local_privacy_level,
        l1_lift,
        chi_squared_lift,
        lambda mass: sibson_information(mass, 2),
        lambda mass: alpha_leakage(mass, 2),
        lambda mass: alpha_lift(mass, 2),
    ):
        expected = np.maximum(measure(joint), measure(other))
        np.testing.assert_allclose(measure(both), expected, rtol=1e-9, atol=1e-12)
