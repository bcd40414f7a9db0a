"""Linear programs over Q against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from loglift import Bound
from loglift._compute.compiling import compiled
from loglift.promise.lift import LiftPromise
from loglift.randomizing._program_kernels import SIEVE, minimise, sieve_for, sifted
from loglift.randomizing._simplex_kernels import Space
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.proving import rows_of


@compiled
def solved(space, basis, cost, enough):
    """The bound and the duals of both ways."""
    one = minimise(space, basis.copy(), cost, enough)
    other = sifted(space, sieve_for(cost.size), basis.copy(), cost, enough)
    return one.least, other.least, one.value, other.value


def boxed(rng, n):
    """Q of a random joint with random limits of its entries."""
    space = Posteriors.of(LiftPromise.of(rng.random((n, 4)), Bound.symmetric(0.3))).exact
    low, high = np.zeros(n), np.full(n, rng.choice([0.05, 0.2, 1.0]))
    some = rng.integers(0, n, 2)
    low[some] = rng.random(2) * rng.choice([0.1, 0.6])
    high[some] = low[some] + 0.1
    lo, hi = (np.concatenate(pair) for pair in ((low, space.lo[n:]), (high, space.hi[n:])))
    return Space(space.rows, lo, hi)


@pytest.mark.parametrize("n", [8, 40, SIEVE + 60])
def test_the_bound_is_the_least_cost_or_says_that_nothing_is_inside(n):
    impossible = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        space, cost = boxed(rng, n), rng.normal(size=n)
        most, least = space.hi[n:], space.lo[n:]
        known = linprog(
            cost,
            A_ub=np.vstack([space.rows, -space.rows]),
            b_ub=np.concatenate([most, -least]),
            bounds=np.stack([space.lo[:n], space.hi[:n]], axis=1),
        )
        impossible += known.status == 2
        expected = known.fun if known.status == 0 else np.inf
        first, second, *points = solved(space, rows_of(space), cost, np.inf)
        assert first == pytest.approx(expected, abs=1e-8)
        assert second == pytest.approx(expected, abs=1e-8)
        if known.status == 0:
            for point in points:
                assert cost @ point[:n] == pytest.approx(expected, abs=1e-8)
    assert 0 < impossible < 60


def test_it_may_stop_when_the_bound_is_enough():
    rng = np.random.default_rng(0)
    space, cost = boxed(rng, 40), rng.normal(size=40)
    full, _, *_ = solved(space, rows_of(space), cost, np.inf)
    first, second, *_ = solved(space, rows_of(space), cost, full - 0.2)
    assert full - 0.2 <= first <= full + 1e-9
    assert full - 0.2 <= second <= full + 1e-9
