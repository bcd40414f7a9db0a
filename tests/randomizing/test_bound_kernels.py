"""Branch and bound against a list of all vertices."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.randomizing._bound_kernels import bound_below
from loglift.randomizing._program_kernels import extents, largest_entries
from loglift.randomizing._simplex_kernels import Space
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.proving import rows_of
from strategies import bounds, joints
from vertex_lists import entropies, listed


def boxed(space, images, most):
    """The space with images as its first rows, and limits of all entries and images."""
    n = space.rows.shape[1]
    below, above = extents(space, rows_of(space), images)
    return Space(
        np.vstack([images, space.rows]),
        np.concatenate([space.lo[:n], below, space.lo[n:]]),
        np.concatenate([most, above, space.hi[n:]]),
    )


def check(posteriors, images, weights, price):
    """The bound is below every vertex for any effort, and meets the least with enough of it."""
    vertices, n = listed(posteriors), price.size
    terms = weights[0] * entropies(vertices)
    shown = vertices @ images.T
    logs = np.log(shown, out=np.zeros_like(shown), where=shown > 0)
    terms = terms - (shown * logs) @ weights[n:]
    least = min(0.0, (terms - vertices @ price).min())
    largest = largest_entries(posteriors.exact, rows_of(posteriors.exact))
    assert (largest >= vertices.max(axis=0) - 1e-9).all()
    assert (posteriors.largest >= vertices.max(axis=0) - 1e-9).all()
    space = boxed(posteriors.exact, images, largest)
    images_of = vertices @ images.T
    assert (images_of >= space.lo[n : n + len(images)] - 1e-9).all()
    assert (images_of <= space.hi[n : n + len(images)] + 1e-9).all()
    for boxes in (1, 10, 20_000):
        proof = bound_below(space, rows_of(space), weights, price, 1e-7, boxes)
        assert proof.least <= least + 1e-9
    assert proof.least >= least - 1e-6


@settings(max_examples=40)
@given(joints(), bounds(), st.integers(0, 2**32 - 1))
def test_branch_and_bound_is_below_every_vertex_and_meets_the_least(joint, bound, seed):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), bound))
    price = np.random.default_rng(seed).normal(size=len(joint))
    check(posteriors, np.zeros((0, len(joint))), np.ones(len(joint)), price)


@settings(max_examples=60)
@given(joints(), bounds(), st.integers(0, 2**32 - 1))
def test_and_so_with_targets(joint, bound, seed):
    posteriors, rng = (
        Posteriors.of(LiftPromise.of(joint / joint.sum(), bound)),
        np.random.default_rng(seed),
    )
    n = len(joint)
    images = np.ascontiguousarray(rng.dirichlet(np.full(3, rng.choice([0.05, 1.0])), n).T)
    weights = np.append(np.full(n, rng.random()), np.full(3, rng.random()))
    check(posteriors, images, weights, rng.normal(size=n))


def test_equal_costs_do_not_lead_pivots_in_circles():
    """With small whole numbers many reduced costs are equal; the bounds are as tight as ever."""
    for seed in range(600):
        rng = np.random.default_rng(seed)
        joint = rng.integers(1, 4, (7, 3))
        posteriors, groups = Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.5))), np.eye(3)
        # In the order of rows: else numba compiles the loop once more, for this test alone.
        images = np.ascontiguousarray(groups[:, rng.integers(0, 3, 7)])
        space = boxed(posteriors.exact, images, np.ones(7))
        directions = rng.integers(-1, 2, (6, 7)).astype(float)
        shown = listed(posteriors) @ directions.T
        below, above = extents(space, rows_of(space), directions)
        np.testing.assert_allclose(below, shown.min(axis=0), atol=1e-9)
        np.testing.assert_allclose(above, shown.max(axis=0), atol=1e-9)
