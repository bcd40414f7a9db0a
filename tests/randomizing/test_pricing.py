"""Columns for the master."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Master
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import making, safe_columns
from strategies import bounds, joints


def test_points_that_rounding_put_outside_are_dropped():
    posteriors = Posteriors.of(
        LiftPromise.of(np.array([[3.0, 1.0], [1.0, 3.0]]), Bound.symmetric(0.1))
    )
    points = np.array([[0.5, 0.5], [0.9, 0.1], [0.4, 0.4], [0.5, 0.5 + 1e-14], [np.nan, 1.0]])
    bases = np.zeros((5, 3), dtype=np.int64)
    kept = safe_columns(posteriors, points, bases, bases)
    assert [column.support.tolist() for column in kept] == [[0, 1], [0, 1]]
    assert all(column.values == pytest.approx([0.5, 0.5]) for column in kept)


@settings(max_examples=80)
@given(joints(), bounds(), st.integers(0, 2**32 - 1))
def test_any_point_of_q_is_a_mixture_of_the_vertices_found_for_it(joint, bound, seed):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), bound))
    random = np.random.default_rng(seed)
    cost, space = Cost.joint(len(joint)), posteriors.inner(seed)
    columns = making(posteriors, cost, space, posteriors.p, random)
    master = Master(posteriors.p, cost)
    master.add([column_of(posteriors.p)])
    alone = master.solve().loss
    master.add(columns)
    solution = master.solve()
    assert solution.loss <= alone + 1e-9
    made = sum(
        weight * np.bincount(column.support, column.values, posteriors.p.size)
        for column, weight in zip(master.columns, master.polished(solution), strict=True)
    )
    np.testing.assert_allclose(made, posteriors.p, rtol=1e-11)
