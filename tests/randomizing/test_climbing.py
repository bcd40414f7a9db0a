"""Climbing against a list of all vertices."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, Target, Utility
from loglift.promise.lift import LiftPromise
from loglift.randomizing import climbing
from loglift.randomizing.climbing import Climbing
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Master
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import Listed
from loglift.randomizing.vertices import all_vertices
from strategies import joints


def solved(posteriors, cost, pricer):
    """The solution of column generation, and the floor that is proven for its loss."""
    master = Master(posteriors.p, cost)
    master.add([column_of(posteriors.p), *pricer.first([posteriors.p])])
    solution = master.solve()
    while any(map(master.add, pricer.better(master.columns, solution))):
        solution = master.solve()
    return solution, pricer.floor(solution.price, done=True)


def cost_of(joint, seed):
    """The cost of a target p(u|x) with a few entries of zero, and of a function of x."""
    rng = np.random.default_rng(seed)
    table = np.round(rng.dirichlet(np.full(3, 0.5), len(joint)), 1) + np.eye(3)[0] * 0.1
    groups = np.eye(2)[rng.integers(0, 2, len(joint))]
    targets = [Target.given("noisy", table[:, table.any(axis=0)])]
    targets += [Target.given("group", groups[:, groups.any(axis=0)])]
    return Cost.of(Utility.of(targets, joint_weight=float(rng.random())).worth(Joint(joint)))


@settings(max_examples=25)
@given(joints(), st.sampled_from([0.1, 0.5, 1.0]))
def test_climbing_and_listing_come_to_the_same(joint, eps):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), Bound.symmetric(eps)))
    cost, losses = Cost.joint(len(joint)), []
    vertices = all_vertices(posteriors)
    for pricer in (Climbing(posteriors, cost, 0), Listed(posteriors, cost, vertices, 0)):
        solution, floor = solved(posteriors, cost, pricer)
        assert solution.loss == pytest.approx(floor, abs=1e-8)
        losses.append(solution.loss)
    assert losses[0] == pytest.approx(losses[1], abs=1e-8)


@settings(max_examples=40)
@given(joints(), st.sampled_from([0.1, 0.5, 1.0]), st.integers(0, 2**32 - 1))
def test_climbing_and_listing_come_to_the_same_with_targets(joint, eps, seed):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), Bound.symmetric(eps)))
    cost = cost_of(joint, seed)
    listed, floor = solved(posteriors, cost, Listed(posteriors, cost, all_vertices(posteriors), 0))
    assert listed.loss == pytest.approx(floor, abs=1e-8)
    climbed, floor = solved(posteriors, cost, Climbing(posteriors, cost, 0))
    assert climbed.loss == pytest.approx(listed.loss, abs=1e-8)
    assert floor == pytest.approx(listed.loss, abs=1e-7)


@pytest.mark.parametrize("limit", ["_MAX_IMAGE_CELLS", "_MAX_BOXES", "_MAX_SHORT_CLIMB_VALUES"])
def test_with_less_effort_the_floor_stays_a_floor(limit, monkeypatch):
    """Without images, with a single box, or without programs for the limits of entries."""
    monkeypatch.setattr(climbing, limit, 1)
    gaps = []
    for seed in range(12):
        joint = np.random.default_rng(seed).random((7, 3))
        posteriors, cost = (
            Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.2))),
            cost_of(joint, seed),
        )
        best, _ = solved(posteriors, cost, Listed(posteriors, cost, all_vertices(posteriors), 0))
        for price in (best.price, np.random.default_rng(seed).random(7)):
            floor = Climbing(posteriors, cost, 0).floor(price, done=True)
            assert floor <= best.loss + 1e-9
        gaps.append(best.loss - Climbing(posteriors, cost, 0).floor(best.price, done=True))
    assert (max(gaps) > 1e-3) == (limit != "_MAX_SHORT_CLIMB_VALUES")
