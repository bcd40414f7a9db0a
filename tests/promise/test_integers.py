"""The exact check against rational arithmetic with a bracketed e^eps."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from loglift import Bound
from loglift.promise.integers import exactly_safe
from strategies import bounds, count_joints


def slowly(counts, bound, digits=80):
    """Every lift as a fraction against e^eps bracketed by a long Taylor series."""

    def exp(power):
        x, term, total = Fraction(power), Fraction(1), Fraction(1)
        for k in range(1, 400):
            term = term * x / k
            total += term
            if term < Fraction(1, 10**digits):
                return total  # below e^power by less than the next terms
        raise AssertionError(power)

    total = int(counts.sum())
    safe = []
    for row in counts:
        lifts = [
            Fraction(int(cell) * total, int(row.sum()) * int(prior))
            for cell, prior in zip(row, counts.sum(axis=0), strict=True)
        ]
        low = math.isinf(bound.lower) or min(lifts) * exp(bound.lower) >= 1
        high = math.isinf(bound.upper) or max(lifts) <= exp(bound.upper)
        safe.append(low and high)
    return safe


@given(count_joints(), bounds())
def test_equals_rational_arithmetic(counts, bound):
    assert exactly_safe(counts, bound).tolist() == slowly(counts, bound)


def test_a_lift_just_outside_is_refused_where_floats_cannot_tell():
    """The float log(2) is below the true log 2, so that a lift of exactly 2 is outside it."""
    counts = np.array([[2, 0], [0, 2]])
    upper_only = Bound(lower=math.inf, upper=math.log(2))
    assert exactly_safe(counts, upper_only).tolist() == [False, False]
    above = Bound(lower=math.inf, upper=math.nextafter(math.log(2), 1))
    assert exactly_safe(counts, above).tolist() == [True, True]


def test_eps_zero_is_exact_independence():
    independent = np.outer([10**6, 2 * 10**6], [3, 5]).astype(np.int64)
    assert exactly_safe(independent, Bound.symmetric(0)).all()
    off_by_one = independent + np.array([[1, 0], [0, 0]])
    assert not exactly_safe(off_by_one, Bound.symmetric(0)).any()


@pytest.mark.parametrize("eps", [5e-324, 1e-60, 1e-50, 1e-20])
def test_independence_is_within_the_tiniest_bound(eps):
    independent = np.outer([1, 2], [3, 5]).astype(np.int64)
    assert exactly_safe(independent, Bound.symmetric(eps)).all()


@pytest.mark.parametrize("eps", [1e-300, 1e3, 1e300])
def test_extreme_bounds_exclude_zeros_and_nothing_else_or_all(eps):
    counts = np.array([[5, 0], [5, 10], [1, 2]])
    expected = [False, False, False] if eps < 1 else [False, True, True]
    assert exactly_safe(counts, Bound.symmetric(eps)).tolist() == expected


def test_large_counts_do_not_overflow():
    counts = np.array([[2**60, 2**60], [2**59, 2**59]])
    assert exactly_safe(counts, Bound.symmetric(0)).all()
