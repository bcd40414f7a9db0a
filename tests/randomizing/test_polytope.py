"""Q, the polytope of safe posteriors."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from loglift import Bound, Joint, Mechanism
from loglift.mechanism.given import Given
from loglift.merging.problem import Problem
from loglift.promise.known import Known
from loglift.promise.lift import LiftPromise
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.vertices import all_vertices
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


def test_rows_are_the_promises_to_other_readers():
    """A posterior is in Q iff its log-lifts are within the bound for all who know K, too."""
    decided = {True: 0, False: 0}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        counts, bound = rng.poisson(5, (6, 2, 3)) + 1, Bound.symmetric(0.1)
        joint = counts.sum(axis=1)
        problem = Problem.of(joint.astype(float), bound, knowledge=[Known(counts).on(Joint(joint))])
        posteriors = Posteriors.of(problem.promise)
        assert posteriors.contains(posteriors.p[np.newaxis]).all()
        assert (posteriors.slack > 0).all()
        assert all_vertices(posteriors) is None
        for q in rng.dirichlet(np.full(6, 3.0), 20):
            logs = []
            for table in (joint, counts[:, 0], counts[:, 1]):
                shown = (q / joint.sum(axis=1)) @ table
                logs.append(np.log(shown / shown.sum() / (table.sum(axis=0) / table.sum())))
            safe = bool(np.abs(logs).max() <= 0.1)
            assert posteriors.contains(q[np.newaxis])[0] == safe
            decided[safe] += 1
    assert min(decided.values()) > 30


def test_nothing_is_taken_from_p_where_it_has_no_slack():
    """After an earlier release at its bound the rows with no slack are equations, and p(x) fits."""
    counts = np.array([[6, 2], [3, 1], [4, 4], [2, 8]])
    earlier = Mechanism.from_channel(Joint(counts), np.eye(2)[[0, 0, 1, 1]], eps=9)
    bound = Bound(lower=2, upper=float(np.log(0.75 * 30 / 15)))
    problem = Problem.of(counts.astype(float), bound, knowledge=[Given(earlier).on(Joint(counts))])
    # Both values of the first block are at the bound: rounding errors make no row of them.
    assert not Posteriors.of(problem.promise).rows.exact[:, :2].any()
    counts[:2] = [[7, 1], [2, 2]]
    problem = Problem.of(counts.astype(float), bound, knowledge=[Given(earlier).on(Joint(counts))])
    for margin in (0.0, 1e-6):
        posteriors = Posteriors.of(problem.promise, margin)
        assert posteriors.tight.any()
        for space in (posteriors.exact, posteriors.inner(0)):
            values = np.concatenate([posteriors.p, space.rows @ posteriors.p])
            assert (values >= space.lo - 1e-15).all()
            assert (values <= space.hi + 1e-15).all()
