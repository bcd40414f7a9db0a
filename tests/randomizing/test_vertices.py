"""All vertices of Q."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Master
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.vertices import all_vertices
from strategies import bounds, joints
from vertex_lists import entropies, listed


@settings(max_examples=80)
@given(joints(), bounds())
def test_listed_vertices_are_in_q_and_make_p(joint, bound):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), bound))
    vertices = listed(posteriors)
    shown = vertices @ posteriors.lifts.T
    least, most = posteriors.limits
    assert (shown >= least - 1e-8).all()
    assert (shown <= most + 1e-8).all()
    master = Master(posteriors.p, Cost.joint(len(joint)))
    master.add([column_of(posteriors.p), *map(column_of, vertices)])
    assert master.solve().loss <= entropies(posteriors.p) + 1e-9


def test_too_many_vertices_are_not_listed():
    joint = np.random.default_rng(0).random((20, 13))
    assert all_vertices(Posteriors.of(LiftPromise.of(joint, Bound.symmetric(1)))) is None
