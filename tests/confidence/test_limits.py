"""Exact limits, against sums over the law itself in rational arithmetic, and against SciPy."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from loglift.confidence.limits import odds_ratio_limit, proportion_limit


def binomial_law(total, odds):
    p = Fraction(odds) / (1 + Fraction(odds))
    return [math.comb(total, k) * p**k * (1 - p) ** (total - k) for k in range(total + 1)]


def cell_law(row, column, total, odds):
    """The law of a cell given its margins and the odds ratio, by definition."""
    low, high = max(0, row + column - total), min(row, column)
    weights = {
        k: math.comb(row, k) * math.comb(total - row, column - k) * Fraction(odds) ** k
        for k in range(low, high + 1)
    }
    return {k: weight / sum(weights.values()) for k, weight in weights.items()}


@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("total", [1, 7, 40])
def test_the_tail_at_a_proportions_limit_is_alpha(total, alpha):
    for found in range(total + 1):
        lower = float(proportion_limit(found, total, alpha, "lower"))
        upper = float(proportion_limit(found, total, alpha, "upper"))
        assert (lower == 0) == (found == 0)
        assert (upper == 1) == (found == total)
    for found in range(total):
        upper = Fraction(float(proportion_limit(found, total, alpha, "upper")))
        tail = sum(binomial_law(total, upper / (1 - upper))[: found + 1])
        assert float(tail) == pytest.approx(alpha, rel=1e-3 if alpha < 1e-6 else 1e-7)
        lower = Fraction(float(proportion_limit(found + 1, total, alpha, "lower")))
        tail = sum(binomial_law(total, lower / (1 - lower))[found + 1 :])
        assert float(tail) == pytest.approx(alpha, rel=1e-7)


@pytest.mark.parametrize("alpha", [0.3, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("margins", [(5, 9, 30), (20, 30, 40), (12, 3, 60)])
def test_the_tail_at_an_odds_ratios_limit_is_alpha(margins, alpha):
    row, column, total = margins
    low, high = max(0, row + column - total), min(row, column)
    for cell in range(low, high + 1):
        upper = float(odds_ratio_limit(cell, *margins, alpha, "upper"))
        lower = float(odds_ratio_limit(cell, *margins, alpha, "lower"))
        assert (upper == math.inf) == (cell == high)
        assert (lower == -math.inf) == (cell == low)
    for cell in range(low, high):
        law = cell_law(*margins, math.exp(odds_ratio_limit(cell, *margins, alpha, "upper")))
        below = float(sum(p for k, p in law.items() if k <= cell))
        law = cell_law(*margins, math.exp(odds_ratio_limit(cell + 1, *margins, alpha, "lower")))
        above = float(sum(p for k, p in law.items() if k > cell))
        for tail in (below, above):
            assert alpha * (1 - 1e-7) <= tail <= alpha * (1 + 1e-11)
    assert high > low


@pytest.mark.parametrize("margins", [(10, 10, 10), (0, 4, 9)])
def test_a_cell_that_its_margins_decide_has_no_limits(margins):
    cell = min(margins)
    assert odds_ratio_limit(cell, *margins, 0.05, "upper") == math.inf
    assert odds_ratio_limit(cell, *margins, 0.05, "lower") == -math.inf


def test_proportions_equal_scipys_at_every_size():
    rng = np.random.default_rng(0)
    total = np.array([1, 10, 1000, 10**6, 10**9])[:, np.newaxis]
    found = rng.binomial(total, [1e-3, 0.1, 0.5, 0.9, 1])
    for alpha in (0.4, 0.05, 1e-4, 1e-12):
        lower = proportion_limit(found, total, alpha, "lower")
        upper = proportion_limit(found, total, alpha, "upper")
        some, fewer = np.maximum(found, 1), np.minimum(found, total - 1)
        expected = np.where(found > 0, stats.beta.ppf(alpha, some, total - some + 1), 0)
        np.testing.assert_allclose(lower, expected, rtol=1e-6)
        expected = np.where(found < total, stats.beta.isf(alpha, fewer + 1, total - fewer), 1)
        np.testing.assert_allclose(upper, expected, rtol=1e-6)  # SciPy errs by 1e-7


def test_odds_ratios_equal_scipys_on_larger_tables():
    for cell, row, column, total in ((300, 1000, 4000, 32561), (40, 41, 20000, 32561)):
        table = [[cell, row - cell], [column - cell, total - row - column + cell]]
        found = stats.contingency.odds_ratio(table)
        upper = found.confidence_interval(0.95, alternative="less").high
        lower = found.confidence_interval(0.95, alternative="greater").low
        limits = [odds_ratio_limit(cell, row, column, total, 0.05, s) for s in ("lower", "upper")]
        np.testing.assert_allclose(limits, np.log([lower, upper]), rtol=1e-6)


def test_the_faintest_errors_still_have_limits():
    """Where a plan looks far ahead: P(K = 0) = (1-p)^n = alpha."""
    for alpha in (1e-50, 1e-100):
        upper = float(proportion_limit(0, 1000, alpha, "upper"))
        assert upper == pytest.approx(1 - alpha ** (1 / 1000), rel=1e-9)
        assert math.isfinite(odds_ratio_limit(30, 60, 100, 1000, alpha, "upper"))
        assert math.isfinite(odds_ratio_limit(30, 60, 100, 1000, alpha, "lower"))


@pytest.mark.parametrize("total", [3, 40, 5000])
def test_every_table_has_limits_on_both_sides_of_each_other(total):
    rng = np.random.default_rng(total)
    row, column = rng.integers(0, total + 1, (2, 500))
    cell = np.array([rng.hypergeometric(r, total - r, c) for r, c in zip(row, column, strict=True)])
    for alpha in (0.5, 0.05, 1e-100):
        lower = odds_ratio_limit(cell, row, column, total, alpha, "lower")
        upper = odds_ratio_limit(cell, row, column, total, alpha, "upper")
        assert (lower <= upper).all()  # false where either is no number


def test_a_billion_records_are_a_normal_law():
    total = 10**9
    quarter = total // 4
    z = stats.norm.isf(0.01)
    upper = float(odds_ratio_limit(quarter, total // 2, total // 2, total, 0.01, "upper"))
    assert upper == pytest.approx(z * math.sqrt(16 / total), rel=1e-3)
    lower = float(proportion_limit(total // 2, total, 0.01, "lower"))
    assert 0.5 - lower == pytest.approx(z * 0.5 / math.sqrt(total), rel=1e-3)
