"""Intervals on the omegas of a population: their coverage, and their ends."""

from __future__ import annotations

import math

import numpy as np

from known import random_joint
from loglift.confidence.intervals import least_swings, omega_intervals
from loglift.confidence.swings import most_swings
from loglift.measures import log_lift


def test_simulated_coverage_of_all_intervals_together():
    rng, failed, informative = np.random.default_rng(5), 0, 0
    for _ in range(60):
        truth = random_joint(rng, 6, 3, 10)
        sample = rng.multinomial(3000, truth.ravel()).reshape(truth.shape)
        omegas = np.abs(log_lift(truth)).max(axis=1)
        lower, upper = omega_intervals([sample], 0.1).T
        assert (lower <= upper).all()
        failed += bool(((omegas < lower) | (omegas > upper)).any())
        informative += int(lower.max() > 0.05)
    assert failed <= 13
    assert informative > 40


def test_a_cell_lies_between_its_bounds_and_a_clear_one_is_above_zero():
    counts = np.array([[300, 200], [61, 73], [60, 330]])
    least, most = least_swings(counts, 0.05), most_swings(counts, 0.05)
    size = np.abs(log_lift(counts))
    assert (least <= size).all()
    assert (size <= np.maximum(most.rise, most.fall)).all()
    assert (least[2] > 0.1).all()
    assert (least[1] == 0).all()  # an odds ratio of one is possible


def test_the_interval_of_several_variables_covers_the_largest_omega():
    one, other = np.array([[300, 200], [250, 250]]), np.array([[490, 10], [400, 100]])
    lower, upper = omega_intervals([one, other], 0.1).T
    alone = [omega_intervals([counts], 0.1) for counts in (one, other)]
    np.testing.assert_array_equal(upper, np.max([ends[:, 1] for ends in alone], axis=0))
    assert (lower <= np.max([ends[:, 0] for ends in alone], axis=0)).all()  # it pays for more cells
    assert (lower > 0).any()


def test_a_single_value_has_an_omega_of_zero_and_a_zero_may_be_infinite():
    assert omega_intervals([np.array([[5, 7]])], 0.1).tolist() == [[0, 0]]
    assert omega_intervals([np.array([[50, 0], [40, 30]])], 0.1)[0, 1] == math.inf
