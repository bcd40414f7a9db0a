"""The bound on the leakage of a population: its coverage, exact where all samples can be listed."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

import loglift
from known import leakage as leakage_of, random_joint, table_joint
from loglift import JointError


@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_coverage_is_exact_over_all_samples_of_a_two_by_two_table(alpha):
    """No simulation: the probabilities of all samples for which the bound fails are added up."""
    total, rng = 10, np.random.default_rng(1)
    samples = [
        (*cells, total - sum(cells))
        for cells in product(range(total + 1), repeat=3)
        if sum(cells) <= total
    ]
    bounds = np.array([loglift.leakage_bound(np.reshape(s, (2, 2)), 1 - alpha) for s in samples])
    for _ in range(300):
        truth = rng.dirichlet(np.full(4, rng.choice([0.2, 1, 5, 30])))
        truth = np.maximum(truth, 1e-6) / np.maximum(truth, 1e-6).sum()
        leakage = leakage_of(truth.reshape(2, 2))
        chance = stats.multinomial.pmf(samples, total, truth)
        assert chance[bounds < leakage].sum() <= alpha


def test_the_bound_is_nearly_attained_where_one_cell_stands_out():
    """Valid, and not by being vast: at alpha 0.1 it fails in more than one sample of fifty."""
    rng, failed = np.random.default_rng(2), 0
    truth = np.array([[0.012, 0.028], [0.188, 0.772]])
    leakage = leakage_of(truth)
    for sample in rng.multinomial(5000, truth.ravel(), size=400):
        failed += loglift.leakage_bound(sample.reshape(2, 2), 0.9) < leakage
    assert 8 <= failed <= 58  # 40 expected at most; 58 is three standard deviations above


@pytest.mark.parametrize(("rows", "columns", "total", "spread"), [
    (2, 2, 300, 30),
    (3, 5, 200, 5),
    (10, 2, 1000, 10),
    (10, 7, 1000, 100),
    (30, 15, 5000, 100),
    (100, 3, 20000, 30),
])  # fmt: skip
def test_simulated_coverage(rows, columns, total, spread):
    """Skewed, small and large settings: at most 10 % of 60 bounds may fail; 13 is impossible."""
    rng, failed = np.random.default_rng([rows, columns, total]), 0
    for _ in range(60):
        truth = random_joint(rng, rows, columns, spread)
        sample = rng.multinomial(total, truth.ravel()).reshape(truth.shape)
        failed += loglift.leakage_bound(sample, 0.9) < leakage_of(truth)
    assert failed <= 13


def test_the_margin_shrinks_like_the_root_of_the_records():
    truth = np.array([[0.1, 0.1, 0.05], [0.2, 0.1, 0.05], [0.15, 0.15, 0.1]])
    leakage = leakage_of(truth)
    sizes = np.array([10**3, 10**4, 10**5, 10**6])
    margins = [loglift.leakage_bound(np.rint(truth * n).astype(int), 0.95) - leakage for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(margins), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.03)


def test_zeros_are_counts():
    assert loglift.leakage_bound([[50, 0], [40, 30]]) == math.inf
    assert loglift.leakage_bound([[50, 30, 0], [40, 30, 0]]) == math.inf
    assert loglift.leakage_bound([[50, 30], [0, 0]]) == math.inf


def test_one_released_value_is_certain():
    assert loglift.leakage_bound([[3, 1], [0, 5]], mechanism=[0, 0]) == 0
    assert loglift.leakage_bound([[3], [5]]) == 0


def test_a_mechanism_is_certified_by_its_blocks():
    counts = np.array([[300, 200], [250, 250], [180, 330]])
    mechanism = loglift.merge(counts, 0.2)
    blocks = mechanism.release(counts).mass
    assert loglift.leakage_bound(counts, 0.9, mechanism) == loglift.leakage_bound(blocks, 0.9)
    assert loglift.leakage_bound(counts, 0.9) < loglift.leakage_bound(counts, 0.99)


def test_every_record_counts_once_whatever_the_number_of_variables():
    """A joint of two variables has each record twice: that must not make its bound tighter."""
    one, other = np.array([[300, 200], [250, 250]]), np.array([[260, 240], [240, 260]])
    both = loglift.Joint(np.hstack([one, other]), variables=["s", "s", "t", "t"])
    alone = [loglift.leakage_bound(counts, 0.9) for counts in (one, other)]
    assert loglift.leakage_bound(both, 0.9) == max(alone)
    counts = np.array([[60, 40, 30, 70], [50, 50, 50, 50]])
    joint = table_joint(counts, events=[(0, 0), (0, 1), (1, 0), (1, 1)])
    by_s, by_t = np.array([[100, 100], [100, 100]]), np.array([[90, 110], [100, 100]])
    expected = max(loglift.leakage_bound(column, 0.9) for column in (by_s, by_t))
    assert loglift.leakage_bound(joint.apart(), 0.9) == expected


def test_a_random_channel_is_refused():
    channel = loglift.watchdog([[9, 1], [1, 9], [5, 5]], 0.1, release=[0.5, 0.5])
    with pytest.raises(JointError, match="draws of its own"):
        loglift.leakage_bound([[9, 1], [1, 9], [5, 5]], mechanism=channel)
