"""Released values that are merged with others."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given

from loglift import Joint, Target, Utility
from loglift.randomizing.cost import Cost
from loglift.randomizing.tidying import MIN_PROBABILITY, channel_of, completed, put_together
from loglift.utility.information import Information


@given(st.integers(0, 2**32 - 1), st.floats(0, 0.5), st.booleans())
def test_putting_together_keeps_the_sums_and_takes_the_least_loss(seed, least, has_target):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(24, 0.3)).reshape(6, 4)
    shares[0] *= 1e-12
    shares /= shares.sum()
    before = shares.copy()
    p = before.sum(axis=0)
    worth = Information(p, 1.0)
    if has_target:
        target = Target.given("u", rng.dirichlet(np.ones(3), 4))
        worth = Utility.of([target], joint_weight=0.01).worth(Joint(p[:, np.newaxis]))
    cost = Cost.of(worth)
    found = put_together(shares.copy(), cost, least)
    np.testing.assert_allclose(found.sum(axis=0), p)
    assert len(found) == 1 or found.sum(axis=1).min() >= max(least, MIN_PROBABILITY)
    kept = worth.of_channel(channel_of(found))
    assert cost.unit * cost.kept(found) == pytest.approx(kept, abs=1e-12)
    small = int(before.sum(axis=1).argmin())
    merged = [
        cost.kept(np.vstack([np.delete(before, [small, y], axis=0), before[small] + before[y]]))
        for y in range(6)
        if y != small
    ]
    once = put_together(before.copy(), cost, float(np.nextafter(before.sum(axis=1).min(), 1)))
    assume(len(once) == 5)  # which fails where no example is so
    assert cost.kept(once) == pytest.approx(max(merged), abs=1e-12)


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
