"""Tableaux in plain Python: points stay in the space, bases give their vertices."""

from __future__ import annotations

import numpy as np

from loglift import Bound
from loglift._compute.kernels import kernels
from loglift.promise.lift import LiftPromise
from loglift.randomizing.polytope import Posteriors

loops = kernels("randomizing._simplex_kernels", plain=True)


def test_moves_lead_along_the_space_to_a_limit():
    rng, moved = np.random.default_rng(1), 0
    for _ in range(10):
        posteriors = Posteriors.of(LiftPromise.of(rng.random((6, 3)), Bound.symmetric(0.5)))
        space = posteriors.inner(0)
        tableau = loops.tableau_at(space, posteriors.p)
        for slot in range(6):
            step, stop = loops.step_to_limit(space, tableau, slot, 1.0)
            loops.move(space, tableau, slot, 1.0, step, stop)
            moved += step > 0
            assert (tableau.value >= space.lo - 1e-9).all()
            assert (tableau.value <= space.hi + 1e-9).all()
            np.testing.assert_allclose(space.rows @ tableau.value[:6], tableau.value[6:], atol=1e-9)
        fresh = loops.tableau_of(
            space, tableau.basic, (tableau.value[6:] >= space.hi[6:]).astype(np.int64)
        )
        assert sorted(fresh.basic.tolist()) == sorted(tableau.basic.tolist())
    assert moved > 10
