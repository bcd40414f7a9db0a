"""Q, the polytope of safe posteriors."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.randomizing.polytope import Posteriors
from strategies import bounds, joints


@given(joints(), bounds(), st.integers(0, 2**32 - 1))
def test_a_posterior_is_in_q_iff_its_lifts_are_within_the_bound(joint, bound, seed):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), bound))
    points = np.random.default_rng(seed).dirichlet(np.ones(len(joint)), 20)
    points = 0.5 * points + 0.5 * posteriors.p
    with np.errstate(divide="ignore"):
        logs = np.log(points @ (joint / joint.sum(axis=1, keepdims=True)) / posteriors.prior)
    margin = np.minimum(bound.upper - logs, logs + bound.lower).min(axis=1)
    clear = np.abs(margin) > 1e-9
    np.testing.assert_array_equal(posteriors.contains(points)[clear], margin[clear] > 0)
    assert posteriors.contains(posteriors.p[np.newaxis]).all()


def test_a_side_of_zero_makes_q_flat():
    mass = np.array([[3.0, 1.0], [1.0, 3.0]])
    assert Posteriors.of(LiftPromise.of(mass, Bound(0, 1))).flat
    assert Posteriors.of(LiftPromise.of(mass, Bound(0, 1))).limits[0].tolist() == [1.0, 1.0]
    assert not Posteriors.of(LiftPromise.of(mass, Bound(math.inf, 1))).flat
