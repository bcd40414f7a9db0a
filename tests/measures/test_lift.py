from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from loglift import BoundError, Joint, lift, log_lift, omega
from loglift.measures import omega_of_blocks, omega_of_subset, outside
from loglift.paper.printed import paper_joint
from naive import ExactAlgorithm1, omega as naive_omega
from strategies import count_joints, joints, labelled


@given(joints())
def test_lift_is_posterior_over_prior(joint):
    p = joint / joint.sum()
    posterior = p / p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(lift(joint), posterior / p.sum(axis=0), rtol=1e-12)


@given(count_joints())
def test_lifts_of_counts_are_correctly_rounded(counts):
    exact = ExactAlgorithm1(counts, 1, 1)
    expected = [[float(value) for value in exact.lifts([x])] for x in range(len(counts))]
    assert lift(counts).tolist() == expected


@given(joints())
def test_the_mean_lift_under_the_prior_is_one(joint):
    prior = joint.sum(axis=0) / joint.sum()
    np.testing.assert_allclose(lift(joint) @ prior, 1)


def test_log_of_a_zero_is_minus_infinity_and_its_omega_infinite():
    joint = [[3, 0], [1, 4]]
    assert log_lift(joint)[0, 1] == -math.inf
    assert omega(joint)[0] == math.inf
    assert math.isfinite(omega(joint)[1])


@given(joints())
def test_omega_equals_the_oracle(joint):
    np.testing.assert_allclose(omega(joint), naive_omega(joint, joint), rtol=1e-9, atol=1e-12)


@given(labelled())
def test_omega_of_a_block_is_omega_of_its_rows_as_a_subset(case):
    joint, labels = case
    omegas = omega_of_blocks(joint, labels)
    for block, name in enumerate(dict.fromkeys(labels.tolist())):
        rows = np.flatnonzero(labels == name)
        expected = naive_omega(joint[rows].sum(axis=0, keepdims=True), joint)[0]
        assert omegas[block] == pytest.approx(expected, abs=1e-9)
        assert omega_of_subset(joint, rows) == pytest.approx(omegas[block], abs=1e-9)
    assert omegas.size == len(set(labels.tolist()))


@given(labelled())
def test_merging_never_raises_the_largest_lift_nor_omega(case):
    joint, labels = case
    assert omega_of_blocks(joint, labels).max() <= omega(joint).max() + 1e-9


@given(joints())
def test_relabelling_permutes_omega(joint):
    order = np.random.default_rng(0).permutation(joint.shape[0])
    np.testing.assert_allclose(omega(joint[order]), omega(joint)[order], rtol=1e-12, atol=1e-15)


def test_example_1_of_the_paper():
    assert np.round(omega(paper_joint("example1")), 4).tolist() == [
        1.3515,
        1.6458,
        0.9295,
        0.8161,
        0.2608,
    ]


@given(joints())
def test_a_second_variable_changes_no_lift(joint):
    """Every record is in the mass twice then, which cancels."""
    other = joint.sum(axis=1, keepdims=True) * np.array([0.25, 0.75])
    both = np.hstack([joint, other])
    size = joint.shape[1]
    variables = ["s"] * size + ["t"] * 2
    np.testing.assert_allclose(
        lift(Joint(both, variables=variables))[:, :size], lift(joint), rtol=1e-12
    )
    np.testing.assert_allclose(
        omega(Joint(both, variables=variables)), omega(joint), rtol=1e-9, atol=1e-12
    )


@given(joints(), st.sampled_from([0.0, 0.1, 0.5, math.log(2), 2.0, math.inf]))
def test_outside_is_the_probability_of_the_values_beyond_eps(joint, eps):
    weights = joint.sum(axis=1) / joint.sum()
    beyond = naive_omega(joint, joint) > eps + 1e-12
    assert outside(joint, eps) == pytest.approx(weights[beyond].sum(), abs=1e-12)


def test_outside_says_how_many_and_not_how_badly():
    """One record in a hundred tells its sensitive value, and delta is a hundredth."""
    joint = [[1, 0], [49, 50]]
    assert outside(joint, 0.1) == pytest.approx(0.01)
    assert omega(joint)[0] == math.inf
    assert outside(joint, math.inf) == 0


@pytest.mark.parametrize("eps", [-1, math.nan, "1", None])
def test_a_bad_eps_is_refused(eps):
    with pytest.raises(BoundError, match="eps"):
        outside([[1, 2], [3, 4]], eps)
