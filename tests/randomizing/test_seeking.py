"""Posteriors for many values, before the exact master."""

from __future__ import annotations

import time

import numpy as np

from loglift import Bound
from loglift.measures.entropy import plogp
from loglift.promise.lift import LiftPromise
from loglift.randomizing._finding_kernels import LACK_PRICE, PAIR_SHARES, best_pairs
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.master import Master
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import Listed
from loglift.randomizing.proving import Prover
from loglift.randomizing.seeking import Seeker
from loglift.randomizing.vertices import all_vertices
from randomizing.test_climbing import solved


def sought(posteriors, cost, effort):
    start, prover = [column_of(posteriors.p)], Prover(posteriors, cost, effort)
    return Seeker(posteriors, cost, prover, 0).sought(start, cost.most(posteriors.p), effort)


def test_the_posteriors_are_safe_and_most_of_the_best_ones_are_among_them():
    for seed in range(6):
        joint = np.random.default_rng(seed).random((14, 3))
        posteriors = Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.3)))
        cost = Cost.joint(14)
        columns = sought(posteriors, cost, Effort(10**6))
        for column in columns:
            assert posteriors.contains(np.bincount(column.support, column.values, 14)[None]).all()
        master = Master(posteriors.p, cost)
        master.add([column_of(posteriors.p), *columns])
        listed = Listed(posteriors, cost, all_vertices(posteriors), 0)
        best, _ = solved(posteriors, cost, listed)
        kept, most = (cost.most(posteriors.p) - loss for loss in (master.solve().loss, best.loss))
        assert 0.97 * most <= kept <= most + 1e-9


def test_pairs_are_those_that_lack_least_for_what_they_are_worth():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        space = Posteriors.of(LiftPromise.of(rng.random((9, 3)), Bound.symmetric(0.1))).exact
        price, lifts = rng.normal(size=9), space.rows[:-1]
        least, most = space.lo[9:-1], space.hi[9:-1]
        pairs = best_pairs(space, price)
        assert pairs.shape == (9, 9)
        for x, pair in enumerate(pairs):
            scores = {}
            for y in set(range(9)) - {x}:
                for share in PAIR_SHARES:
                    q = np.zeros(9)
                    q[x], q[y] = share, 1 - share
                    lack = np.maximum(np.maximum(least - lifts @ q, lifts @ q - most), 0).sum()
                    scores[q.tobytes()] = price @ q + plogp(q).sum() - LACK_PRICE * lack
            assert scores[pair.tobytes()] >= max(scores.values()) - 1e-12


def test_it_ends_after_a_round_when_time_is_over():
    joint = np.random.default_rng(0).random((30, 4))
    posteriors = Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.3)))
    few = sought(posteriors, Cost.joint(30), Effort(10, time.monotonic() - 1))
    more = sought(posteriors, Cost.joint(30), Effort(10))
    assert 1 < len(few) < len(more)


def test_what_it_proves_on_its_way_is_a_floor_near_the_best_loss(monkeypatch):
    monkeypatch.setattr("loglift.randomizing.proving._MAX_BOXED_VALUES", 0)
    monkeypatch.setattr("loglift.randomizing.proving.MAX_FULL_PROOF_VALUES", 0)
    for seed in range(4):
        joint = np.random.default_rng(seed).random((24, 3))
        posteriors = Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.2)))
        cost, effort = Cost.joint(24), Effort(10**6)
        prover, most = Prover(posteriors, cost, effort), Cost.joint(24).most(posteriors.p)
        before = prover.floor
        Seeker(posteriors, cost, prover, 0).sought([column_of(posteriors.p)], most, effort)
        listed = Listed(posteriors, cost, all_vertices(posteriors), 0)
        best, _ = solved(posteriors, cost, listed)
        assert before <= prover.floor <= best.loss + 1e-9
        assert prover.floor >= best.loss - 0.02 * most
