"""Climbing against a list of all vertices."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from loglift import Bound
from loglift.randomizing.climbing import Climbing
from loglift.randomizing.columns import column_of
from loglift.randomizing.master import Master
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import Listed
from loglift.randomizing.vertices import all_vertices
from strategies import joints


@settings(max_examples=25)
@given(joints(), st.sampled_from([0.1, 0.5, 1.0]))
def test_climbing_and_listing_come_to_the_same(joint, eps):
    posteriors = Posteriors.of(joint / joint.sum(), Bound.symmetric(eps))
    losses = []
    for pricer in (Climbing(posteriors, 0), Listed(posteriors, all_vertices(posteriors), 0)):
        master = Master(posteriors.p)
        master.add([column_of(posteriors.p), *pricer.first([posteriors.p])])
        solution = master.solve()
        while any(map(master.add, pricer.better(master.columns, solution))):
            solution = master.solve()
        floor = pricer.floor(solution.price, done=True)
        assert solution.loss == pytest.approx(floor, abs=1e-8)
        losses.append(solution.loss)
    assert losses[0] == pytest.approx(losses[1], abs=1e-8)
