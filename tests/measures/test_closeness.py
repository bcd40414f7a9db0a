"""Distances from the whole table, against slow formulas, and the figures that lift implies."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from loglift import Joint, JointError
from loglift.measures import (
    average_log_lift,
    basic_beta_likeness,
    lift,
    log_lift,
    omega,
    ordered_distance,
    shannon_information,
    total_variation,
)
from loglift.sparse import as_cells
from strategies import joints

MEASURES = (total_variation, ordered_distance, average_log_lift, basic_beta_likeness)
SLACK = 1e-9


def shares(joint):
    """p(s|y) for each y, and p(s)."""
    return joint / joint.sum(axis=1, keepdims=True), joint.sum(axis=0) / joint.sum()


@given(joints())
def test_total_variation_is_half_the_sum_of_all_differences(joint):
    posterior, prior = shares(joint)
    expected = np.abs(posterior - prior).sum(axis=1) / 2
    np.testing.assert_allclose(total_variation(joint), expected, atol=1e-12)


@given(joints())
def test_the_ordered_distance_is_that_of_the_earth_mover(joint):
    """SciPy's distance of two distributions on 0, 1, ..., m-1, with the whole way as 1."""
    posterior, prior = shares(joint)
    places = np.arange(prior.size)
    expected = [
        scipy.stats.wasserstein_distance(places, places, row, prior) / max(1, prior.size - 1)
        for row in posterior
    ]
    np.testing.assert_allclose(ordered_distance(joint), expected, atol=1e-12)


@given(joints())
def test_the_average_log_lift_is_a_divergence_whose_mean_is_the_information(joint):
    posterior, prior = shares(joint)
    expected = [scipy.stats.entropy(row, prior) for row in posterior]
    found = average_log_lift(joint)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    weights = joint.sum(axis=1) / joint.sum()
    assert weights @ found == pytest.approx(shannon_information(joint), abs=1e-12)


@given(joints())
def test_beta_is_the_largest_lift_less_one(joint):
    np.testing.assert_allclose(basic_beta_likeness(joint), lift(joint).max(axis=1) - 1, atol=1e-12)


@given(joints())
def test_lift_bounds_every_distance(joint):
    """The tightest lower and upper of the joint give the limits in the docstrings."""
    lower, upper = -log_lift(joint).min(), log_lift(joint).max()
    least, most = math.exp(-lower), math.exp(upper)
    spread = (most - 1) * (1 - least)
    assert (total_variation(joint) * (most - least) <= spread + SLACK).all()
    assert (ordered_distance(joint) <= total_variation(joint) + SLACK).all()
    low = least * lower if least else 0.0
    limit = (1 - least) * most * upper - (most - 1) * low
    assert (average_log_lift(joint) * (most - least) <= limit + SLACK).all()
    assert limit <= upper * (most - least) + SLACK
    assert (basic_beta_likeness(joint) <= most - 1 + SLACK).all()


def test_the_limits_are_met_where_lifts_are_the_two_ends():
    """Two sensitive values, and lifts 2 and 1/2: a third of the prior has the larger."""
    joint = np.array([[2, 1], [1, 5]])  # p(s) = (1/3, 2/3), p(s|y=0) = (2/3, 1/3)
    assert omega(joint)[0] == pytest.approx(math.log(2))
    assert total_variation(joint)[0] == pytest.approx(1 * 0.5 / 1.5)
    expected = (0.5 * 2 * math.log(2) - 0.5 * math.log(2)) / 1.5
    assert average_log_lift(joint)[0] == pytest.approx(expected)
    assert basic_beta_likeness(joint)[0] == pytest.approx(1)


def test_a_zero_counts():
    """The released value 0 has one of the three sensitive values."""
    joint = np.array([[4, 0, 0], [0, 2, 2]])
    assert total_variation(joint).tolist() == pytest.approx([0.5, 0.5])
    assert ordered_distance(joint).tolist() == pytest.approx([0.375, 0.375])
    assert average_log_lift(joint).tolist() == pytest.approx([math.log(2)] * 2)
    assert basic_beta_likeness(joint).tolist() == pytest.approx([1, 1])


def test_the_ordered_distance_grows_with_the_way():
    near = np.array([[4, 0, 0, 0], [0, 4, 0, 0], [1, 1, 3, 3]])
    far = near[:, [0, 2, 3, 1]]  # the second value of the order is the last now
    assert total_variation(near).tolist() == pytest.approx(total_variation(far).tolist())
    assert ordered_distance(far)[1] > ordered_distance(near)[1]


@pytest.mark.parametrize("measure", MEASURES)
def test_one_sensitive_value_tells_nothing(measure):
    assert measure([[3], [5]]).tolist() == [0, 0]


@given(joints())
def test_a_sparse_joint_has_the_same_figures(joint):
    sparse = Joint(as_cells(joint))
    for measure in MEASURES:
        np.testing.assert_allclose(measure(sparse), measure(joint), atol=1e-12)


@given(joints())
def test_several_variables_have_the_largest_figure_of_each(joint):
    other = joint.sum(axis=1, keepdims=True) * np.array([[2, 1, 3]])
    other[0, 0] += other[0, 1]
    other[0, 1] = 0  # the first row rules a value of the other variable out
    names = ["s"] * joint.shape[1] + ["t"] * 3
    both = Joint(np.hstack([joint * 6, other]), variables=names, empty_sensitive="drop")
    other = other[:, other.sum(axis=0) > 0]
    for measure in MEASURES:
        expected = np.maximum(measure(joint), measure(other))
        np.testing.assert_allclose(measure(both), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_bad_joints_are_refused(measure):
    with pytest.raises(JointError):
        measure([[1, -2], [3, 4]])
