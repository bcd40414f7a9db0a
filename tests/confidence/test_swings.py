"""Bounds on log-lifts: their algebra, and their coverage, exact where all samples can be listed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift.confidence.swings import size_of_log_lift


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
