"""The two kinds of l-diversity, against slow formulas, and what lift implies of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from loglift import Joint, JointError
from loglift.measures import distinct_sensitive, entropy_diversity, lift, omega
from loglift.sparse import as_cells
from strategies import joints

MEASURES = (distinct_sensitive, entropy_diversity)


@given(joints())
def test_both_equal_their_formulas(joint):
    assert distinct_sensitive(joint).tolist() == [int((row > 0).sum()) for row in joint]
    expected = [math.exp(scipy.stats.entropy(row)) for row in joint]
    np.testing.assert_allclose(entropy_diversity(joint), expected, rtol=1e-12)


@given(joints())
def test_the_entropy_is_that_of_at_most_the_distinct_values(joint):
    found = entropy_diversity(joint)
    assert (found <= distinct_sensitive(joint) + 1e-9).all()
    assert (found >= 1).all()


@given(joints())
def test_lift_bounds_both_from_below(joint):
    least = 1 / (lift(joint).max() * joint.sum(axis=0).max() / joint.sum())
    assert (entropy_diversity(joint) >= least - 1e-9).all()
    assert (distinct_sensitive(joint) >= least - 1e-9).all()
    every = distinct_sensitive(joint) == joint.shape[1]
    assert every.tolist() == np.isfinite(omega(joint)).tolist()


def test_by_hand():
    joint = [[2, 2, 0], [1, 1, 1], [0, 0, 5]]
    assert distinct_sensitive(joint).tolist() == [2, 3, 1]
    np.testing.assert_allclose(entropy_diversity(joint), [2, 3, 1])


def test_several_variables_have_the_least_figure_of_each():
    joint = Joint([[2, 2, 4, 0, 0], [1, 3, 1, 1, 2]], variables=list("ssttt"))
    assert distinct_sensitive(joint).tolist() == [1, 2]
    np.testing.assert_allclose(entropy_diversity(joint), [1, math.exp(scipy.stats.entropy([1, 3]))])


@given(joints())
def test_a_sparse_joint_has_the_same_figures(joint):
    for measure in MEASURES:
        np.testing.assert_allclose(measure(Joint(as_cells(joint))), measure(joint), rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
def test_bad_joints_are_refused(measure):
    with pytest.raises(JointError):
        measure([[1, -2], [3, 4]])
