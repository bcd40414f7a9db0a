"""Branch and bound against a list of all vertices."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from loglift.randomizing._bound_kernels import bound_below, largest_entries
from loglift.randomizing.polytope import Posteriors
from strategies import bounds, joints
from vertex_lists import entropies, listed


def rows_of(posteriors):
    k, n = posteriors.exact.rows.shape
    return np.arange(n, n + k)


@settings(max_examples=40)
@given(joints(), bounds(), st.integers(0, 2**32 - 1))
def test_branch_and_bound_is_below_every_vertex_and_meets_the_least(joint, bound, seed):
    posteriors = Posteriors.of(joint / joint.sum(), bound)
    vertices = listed(posteriors)
    price = np.random.default_rng(seed).normal(size=len(joint))
    least = min(0.0, (entropies(vertices) - vertices @ price).min())
    largest = largest_entries(posteriors.exact, rows_of(posteriors))
    assert (largest >= vertices.max(axis=0) - 1e-9).all()
    assert (posteriors.largest >= vertices.max(axis=0) - 1e-9).all()
    for boxes in (1, 10, 20_000):
        proof = bound_below(posteriors.exact, rows_of(posteriors), largest, price, 1e-7, boxes)
        assert proof.least <= least + 1e-9
    assert proof.least >= least - 1e-6
