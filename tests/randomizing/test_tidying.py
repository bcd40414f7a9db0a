"""Released values that are merged with others."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from loglift.measures import mutual_information
from loglift.randomizing.optimum import information
from loglift.randomizing.tidying import MIN_PROBABILITY, channel_of, completed, put_together


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.5))
def test_putting_together_keeps_the_sums_and_takes_the_least_loss(seed, least):
    shares = np.random.default_rng(seed).dirichlet(np.full(24, 0.3)).reshape(6, 4)
    shares[0] *= 1e-12
    shares /= shares.sum()
    before = shares.copy()
    found = put_together(shares.copy(), least)
    np.testing.assert_allclose(found.sum(axis=0), before.sum(axis=0))
    assert len(found) == 1 or found.sum(axis=1).min() >= max(least, MIN_PROBABILITY)
    p = before.sum(axis=0)
    assert information(found) == pytest.approx(mutual_information(p, channel_of(found)), abs=1e-12)
    small = int(before.sum(axis=1).argmin())
    merged = [
        information(np.vstack([np.delete(before, [small, y], axis=0), before[small] + before[y]]))
        for y in range(6)
        if y != small
    ]
    once = put_together(before.copy(), float(np.nextafter(before.sum(axis=1).min(), 1)))
    assume(len(once) == 5)  # which fails where no example is so
    assert information(once) == pytest.approx(max(merged), abs=1e-12)


def test_rounding_of_the_sums_is_made_up_for_by_one_more_value():
    p = np.array([0.2, 0.3, 0.5])
    shares = np.outer([0.5, 0.5], p) * (1 + 1e-12 * np.array([[1, -1, 1], [1, 1, -1]]))
    found = completed(shares, p, 0.5)
    np.testing.assert_allclose(found.sum(axis=0), p, rtol=1e-15)
    assert len(found) == 3
    lifts = found[-1] / found[-1].sum() / p
    assert np.abs(lifts - 1).max() < 0.5
    exact = np.outer([0.25, 0.75], p)
    assert completed(exact, p, 0.5) is exact
