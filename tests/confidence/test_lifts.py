"""Bounds on log-lifts: their algebra, and their coverage, exact where all samples can be listed."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

import loglift
from loglift import Bound, BoundError, JointError
from loglift.confidence.intervals import omega_intervals
from loglift.confidence.lifts import excess_bound, most_swings, size_of_log_lift
from loglift.confidence.population import population_of


def log_lifts(joint):
    return np.log(joint / np.outer(joint.sum(axis=1), joint.sum(axis=0)))


def random_joint(rng, rows, columns, spread):
    """A joint whose values differ a little (large spread) or a lot (small spread) in p(s|y)."""
    prior = np.maximum(rng.dirichlet(np.ones(columns) * 2), 0.01)
    given = np.array([rng.dirichlet(prior / prior.sum() * spread) for _ in range(rows)])
    joint = np.maximum(given, 1e-9) * rng.dirichlet(np.ones(rows) * 2)[:, np.newaxis]
    return joint / joint.sum()


def test_a_lift_is_found_back_from_odds_ratio_and_margins():
    rng = np.random.default_rng(0)
    for _ in range(500):
        table = rng.dirichlet(np.full(4, rng.choice([0.3, 1, 5]))).reshape(2, 2) + 1e-6
        table /= table.sum()
        p, q = table[0].sum(), table[:, 0].sum()
        odds = math.log(table[0, 0] * table[1, 1] / (table[0, 1] * table[1, 0]))
        expected = math.log(table[0, 0] / (p * q))
        up = size_of_log_lift(np.array(odds), p, q, up=True)
        down = size_of_log_lift(np.array(-odds), p, q, up=False)
        assert up - down == pytest.approx(expected, abs=1e-7)
        assert min(up, down) == 0
        smaller = size_of_log_lift(np.array(abs(odds)), p / 2, q / 3, up=odds > 0)
        assert abs(expected) - 1e-9 <= smaller <= abs(odds) + 1e-9


def test_the_ends_of_the_odds_ratio():
    p, q, endless = np.array([0.2, 0.7]), np.array([0.5, 0.6]), np.array(math.inf)
    up = size_of_log_lift(endless, p, q, up=True)
    np.testing.assert_allclose(np.exp(up), [1 / 0.5, 1 / 0.7])
    down = size_of_log_lift(endless, p, q, up=False)
    assert down[0] == math.inf
    assert math.exp(-down[1]) == pytest.approx((0.7 + 0.6 - 1) / (0.7 * 0.6))


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
        leakage = np.abs(log_lifts(truth.reshape(2, 2))).max()
        chance = stats.multinomial.pmf(samples, total, truth)
        assert chance[bounds < leakage].sum() <= alpha


def test_the_bound_is_nearly_attained_where_one_cell_stands_out():
    """Valid, and not by being vast: at alpha 0.1 it fails in more than one sample of fifty."""
    rng, failed = np.random.default_rng(2), 0
    truth = np.array([[0.012, 0.028], [0.188, 0.772]])
    leakage = np.abs(log_lifts(truth)).max()
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
        failed += loglift.leakage_bound(sample, 0.9) < np.abs(log_lifts(truth)).max()
    assert failed <= 13


def test_simulated_coverage_of_all_intervals_together():
    rng, failed, informative = np.random.default_rng(5), 0, 0
    for _ in range(60):
        truth = random_joint(rng, 6, 3, 10)
        sample = rng.multinomial(3000, truth.ravel()).reshape(truth.shape)
        omegas = np.abs(log_lifts(truth)).max(axis=1)
        lower, upper = omega_intervals([sample], 0.1).T
        assert (lower <= upper).all()
        failed += bool(((omegas < lower) | (omegas > upper)).any())
        informative += int(lower.max() > 0.05)
    assert failed <= 13
    assert informative > 40


def test_the_margin_shrinks_like_the_root_of_the_records():
    truth = np.array([[0.1, 0.1, 0.05], [0.2, 0.1, 0.05], [0.15, 0.15, 0.1]])
    leakage = np.abs(log_lifts(truth)).max()
    sizes = np.array([10**3, 10**4, 10**5, 10**6])
    margins = [loglift.leakage_bound(np.rint(truth * n).astype(int), 0.95) - leakage for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(margins), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.03)


def test_zeros_are_counts():
    counts = np.array([[50, 0], [40, 30]])
    assert loglift.leakage_bound(counts) == math.inf
    swings = most_swings(counts, 0.05)
    assert swings.fall[0, 1] == math.inf
    assert 0 <= swings.rise[0, 1] < 0.1  # it may be more than was found, not much more
    unseen = np.array([[50, 30, 0], [40, 30, 0]])
    assert loglift.leakage_bound(unseen) == math.inf
    assert loglift.leakage_bound(np.array([[50, 30], [0, 0]])) == math.inf
    assert excess_bound([counts], Bound(math.inf, 1.0), 0.05).max() < 0


def test_one_released_value_is_certain():
    assert loglift.leakage_bound([[3, 1], [0, 5]], mechanism=[0, 0]) == 0
    assert loglift.leakage_bound([[3], [5]]) == 0


def test_a_mechanism_is_certified_by_its_blocks():
    counts = np.array([[300, 200], [250, 250], [180, 330]])
    mechanism = loglift.merge(counts, 0.2)
    blocks = mechanism.release(counts).mass
    assert loglift.leakage_bound(counts, 0.9, mechanism) == loglift.leakage_bound(blocks, 0.9)
    assert loglift.leakage_bound(counts, 0.9) < loglift.leakage_bound(counts, 0.99)


def test_sides_move_by_the_same_excess():
    counts = np.array([[300, 200], [250, 250], [180, 330]])
    found = population_of([counts], Bound(0.7, 0.3), 0.95)
    assert found.lower - 0.7 == pytest.approx(found.upper - 0.3)
    swings = most_swings(counts, 0.05)
    worst = max(swings.rise.max() - 0.3, swings.fall.max() - 0.7)
    assert found.upper == pytest.approx(0.3 + worst)
    assert found.holds == (worst <= 0)
    one_side = population_of([counts], Bound(math.inf, 0.3), 0.95)
    assert one_side.lower == math.inf
    assert one_side.upper == pytest.approx(swings.rise.max())


@pytest.mark.parametrize("confidence", [0, 0.3, 1, 1.5, "high", None, True, math.nan])
def test_what_is_no_confidence_is_refused(confidence):
    with pytest.raises(BoundError, match=r"such as 0\.95"):
        loglift.leakage_bound([[3, 4], [5, 6]], confidence)


@pytest.mark.parametrize("counts", [[[0.5, 0.5]], [[1, -1], [2, 3]], [1, 2], []])
def test_what_is_no_count_is_refused(counts):
    with pytest.raises(JointError):
        loglift.leakage_bound(counts)


def test_a_random_channel_is_refused():
    channel = loglift.watchdog([[9, 1], [1, 9], [5, 5]], 0.1, release=[0.5, 0.5])
    with pytest.raises(JointError, match="partitions"):
        loglift.leakage_bound([[9, 1], [1, 9], [5, 5]], mechanism=channel)
