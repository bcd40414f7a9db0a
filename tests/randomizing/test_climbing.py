"""Climbing against a list of all vertices."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, Target, Utility
from loglift.promise.lift import LiftPromise
from loglift.randomizing.climbing import Climbing
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
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
    return solution, pricer.floor(solution.price)


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
    for pricer in (
        Climbing(posteriors, cost, 0, Effort(10**6)),
        Listed(posteriors, cost, vertices, 0),
    ):
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
    climbed, floor = solved(posteriors, cost, Climbing(posteriors, cost, 0, Effort(10**6)))
    assert climbed.loss == pytest.approx(listed.loss, abs=1e-8)
    assert floor == pytest.approx(listed.loss, abs=1e-7)
