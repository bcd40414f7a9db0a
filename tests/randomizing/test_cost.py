"""The cost of a posterior, against its formula written out."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import naive
from loglift import Bound, Joint, Target, Utility, entropy
from loglift._compute.kernels import kernels
from loglift.promise.lift import LiftPromise
from loglift.randomizing.columns import column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.polytope import Posteriors

loops = kernels("randomizing._cost_kernels", plain=True)
simplex = kernels("randomizing._simplex_kernels", plain=True)


def drawn(seed, n=5):
    """A joint, two targets p(u|x) with weights, one of them a function of x; the utility."""
    rng = np.random.default_rng(seed)
    joint = Joint(rng.random((n, 3)))
    groups = np.eye(3)[np.append(rng.integers(0, 3, n - 3), [0, 1, 2])]
    tables = [(0.7, groups), (1.3, rng.dirichlet(np.full(4, 0.5), n))]
    given_targets = [Target.given(f"u{i}", table, w) for i, (w, table) in enumerate(tables)]
    return joint, tables, Utility.of(given_targets, joint_weight=0.2)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_the_cost_is_what_the_formula_says(seed):
    joint, tables, utility = drawn(seed)
    cost = Cost.of(utility.worth(joint))
    parts = naive.nat_weights(joint.p_public, tables, 0.2)
    points = np.random.default_rng(seed).dirichlet(np.full(5, 0.5), 6)
    points[0] = np.eye(5)[2]
    expected = [naive.cost(q, parts) for q in points]
    assert expected[0] == pytest.approx(0, abs=1e-12)
    columns = cost.of_columns([column_of(q) for q in points])
    np.testing.assert_allclose(cost.unit * columns, expected, atol=1e-11)
    vertices = cost.of_vertices(np.tile(np.arange(5), (6, 1)), points)
    np.testing.assert_allclose(cost.unit * vertices, expected, atol=1e-12)
    assert cost.weights[:5] == pytest.approx(cost.terms.joint_weight)
    assert cost.unit * cost.block_weight == pytest.approx(sum(w for w, _ in parts))
    assert cost.most(joint.p_public) == pytest.approx(entropy(joint.p_public))
    middle = np.array([naive.cost(points.mean(axis=0), parts)])
    assert (middle >= np.mean(expected) - 1e-12).all()  # concave


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_what_is_kept_is_the_utility(seed):
    joint, _, utility = drawn(seed)
    worth = utility.worth(joint)
    cost, p = Cost.of(worth), joint.p_public
    channel = np.random.default_rng(seed).dirichlet(np.full(4, 0.3), 5)
    shares = (p[:, np.newaxis] * channel).T
    assert cost.unit * cost.kept(shares) == pytest.approx(worth.of_channel(channel), abs=1e-12)
    weights = shares.sum(axis=1)
    loss = weights @ cost.of_vertices(
        np.tile(np.arange(5), (4, 1)), shares / weights[:, np.newaxis]
    )
    assert cost.most(p) - loss == pytest.approx(cost.kept(shares), abs=1e-12)
    assert cost.unit * cost.most(p) == pytest.approx(utility.most(joint), abs=1e-12)


def test_without_targets_it_is_the_entropy():
    cost = Cost.joint(4)
    column = column_of(np.array([0.25, 0.0, 0.25, 0.5]))
    assert cost.of_columns([column]) == pytest.approx([column.entropy])
    assert cost.unit == 1
    assert not cost.has_targets
    shares = np.random.default_rng(0).random((3, 4))
    assert cost.images(shares) is shares


def test_a_column_that_is_x_itself_only_changes_the_unit():
    utility = Utility.of([Target.given("x", np.eye(4))])
    cost = Cost.of(utility.worth(Joint(np.ones((4, 2)))))
    assert not cost.has_targets
    assert cost.terms.joint_weight == pytest.approx(1)
    assert cost.unit == pytest.approx(1 / np.log(4))


def test_a_move_gains_what_the_costs_of_its_ends_differ_by():
    moved = 0
    for seed in range(10):
        joint, _, utility = drawn(seed, n=6)
        posteriors = Posteriors.of(LiftPromise.of(joint.scaled, Bound.symmetric(0.5)))
        terms, space = Cost.of(utility.worth(joint)).terms, posteriors.inner(0)
        tableau = simplex.tableau_at(space, posteriors.p)
        image = loops.image_of(terms, posteriors.p)
        for slot in range(6):
            before = tableau.value[:6].copy()
            step, stop = simplex.step_to_limit(space, tableau, slot, 1.0)
            tried = loops.target_gain(terms, image, tableau, slot, step, keep=False)
            kept = loops.target_gain(terms, image, tableau, slot, step, keep=True)
            simplex.move(space, tableau, slot, 1.0, step, stop)
            after = tableau.value[:6]
            ends = loops.target_costs(
                terms, np.array([0, 6, 12]), np.tile(np.arange(6), 2), np.append(before, after)
            )
            straight = float(terms.alone @ (after - before))
            assert tried == kept
            assert tried == pytest.approx(ends[0] - ends[1] - straight, abs=1e-9)
            np.testing.assert_allclose(image.sums, loops.image_of(terms, after).sums, atol=1e-9)
            assert not image.change.any()
            moved += step > 0
    assert moved > 10
