"""Every measure of a stack is the measure of each joint, zeros included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import loglift.measures
from loglift import Joint, JointError, entropy, nmil, omega
from loglift.measures import (
    alpha_leakage,
    alpha_lift,
    f_information,
    hamming_distortion,
    mutual_information,
    omega_of_subset,
    outside,
    sibson_information,
)
from strategies import count_joints

OF_JOINTS = {
    "average_log_lift",
    "basic_beta_likeness",
    "chi_squared_lift",
    "distinct_sensitive",
    "entropy_diversity",
    "l1_lift",
    "lift",
    "local_privacy_level",
    "log_lift",
    "maximal_leakage",
    "omega",
    "ordered_distance",
    "shannon_information",
    "total_variation",
}
WITH_OPTIONS = {
    "alpha_leakage": lambda joint: alpha_leakage(joint, 2),
    "alpha_lift": lambda joint: alpha_lift(joint, 0.5),
    "omega_of_subset": lambda joint: omega_of_subset(joint, [0]),
    "outside": lambda joint: outside(joint, 0.5),
    "sibson_information": lambda joint: sibson_information(joint, np.inf),
}
OF_DISTRIBUTIONS = {"entropy", "f_information", "hamming_distortion", "mutual_information", "nmil"}
ONE_AT_A_TIME = {
    "information_of_complete_merging",
    "information_of_subset_merging",
    "omega_of_blocks",
}


MEASURES = {name: getattr(loglift.measures, name) for name in sorted(OF_JOINTS)} | WITH_OPTIONS


def test_every_measure_is_tested_here_or_takes_one_partition_at_a_time():
    tested = OF_JOINTS | WITH_OPTIONS.keys() | OF_DISTRIBUTIONS
    assert tested | ONE_AT_A_TIME == set(loglift.measures.__all__)


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=15)
@given(counts=count_joints())
def test_a_measure_of_a_stack_is_that_of_each_joint(name, counts):
    measure = MEASURES[name]
    shifted = np.roll(np.roll(counts, 1, axis=0), 1, axis=1)
    stack = np.array([[counts, counts + 1], [shifted, 2 * counts + shifted]])
    found = measure(stack)
    expected = np.array([[measure(joint) for joint in joints] for joints in stack])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    listed = measure([Joint(joint) for joint in stack[0]])
    np.testing.assert_allclose(listed, expected[0], rtol=1e-12, atol=1e-15)
    assert found.shape[:2] == (2, 2)


def test_a_zero_makes_omega_infinite_in_a_stack_too():
    found = omega([[[1, 0], [1, 2]], [[1, 1], [1, 1]]])
    assert np.isinf(found[0]).tolist() == [True, False]
    assert found[1].tolist() == [0, 0]
    assert not np.signbit(found).any()


def test_distributions_and_channels_are_broadcast():
    rng = np.random.default_rng(0)
    p, channels = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(2), (5, 3, 4))
    p[0, 0], channels[0, 0] = 0, [1, 0]
    assert entropy(p).tolist() == [entropy(one) for one in p]
    for measure in (
        mutual_information,
        hamming_distortion,
        lambda mass, channel: f_information(mass, channel, "chi-squared"),
    ):
        found = measure(p, channels)
        assert found.shape == (5, 3)
        assert found[2, 1] == measure(p[1], channels[2, 1])
        assert measure(p[0], channels[0]).tolist() == [measure(p[0], one) for one in channels[0]]
        assert measure(p, channels[0, 0]).tolist() == [measure(one, channels[0, 0]) for one in p]
    lost = nmil(mutual_information(p, channels), entropy(p))
    assert lost[4, 2] == nmil(mutual_information(p[2], channels[4, 2]), entropy(p[2]))
    with pytest.raises(JointError, match="do not go together"):
        mutual_information(p, channels[:, :2])


def test_figures_that_cannot_be_are_refused_in_arrays_too():
    with pytest.raises(JointError):
        nmil(np.array([0.5, 2.0]), np.array([1.0, 1.0]))
