"""The compiled loop of the limits, against the tails of the law added up in rational arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from loglift.confidence._kernels import ENDLESS, log_limits


def tail(k, a, b, c, odds, *, below):
    """P(K <= k), or P(K >= k), of weights t(j+1)/t(j) = (a-j)/(j+1) (b-j)/(c+j+1) odds."""
    low, high = max(0, -c), min(a, b)
    weights, weight = {}, Fraction(1)
    for j in range(low, high + 1):
        weights[j] = weight
        weight *= Fraction(a - j, j + 1) * Fraction(b - j, c + j + 1) * Fraction(odds)
    chosen = sum(w for j, w in weights.items() if (j <= k if below else j >= k))
    return float(chosen / sum(weights.values()))


@pytest.mark.parametrize("upper", [True, False])
def test_the_tail_at_a_limit_is_alpha_or_just_below(upper):
    rng, alpha = np.random.default_rng(0), 0.01
    a, b = rng.integers(2, 40, 50), rng.integers(2, 40, 50)
    c = rng.integers(1, 60, 50)
    k = np.array([rng.integers(1, min(pair)) for pair in zip(a, b, strict=True)])
    found = log_limits(*(np.array(item, float) for item in (k, a, b, c)), alpha, upper)
    for *case, limit in zip(k, a, b, c, found, strict=True):
        reached = tail(*(int(item) for item in case), math.exp(limit), below=upper)
        assert alpha * (1 - 1e-7) <= reached <= alpha * (1 + 1e-11)
    assert found.size == 50


def test_without_a_second_margin_it_is_the_binomial_law():
    ends = [np.array([item]) for item in (0.0, 10.0, ENDLESS, ENDLESS)]
    odds = math.exp(log_limits(*ends, 0.05, True)[0])
    assert (1 / (1 + odds)) ** 10 == pytest.approx(0.05)
    assert log_limits(*ends, 0.05, False)[0] == -math.inf
