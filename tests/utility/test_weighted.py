"""Targets as what solvers maximise, against the definition summed over a table."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Joint, Target, Utility
from loglift.sparse import as_cells
from naive import information, kept_of_targets, partitions
from random_joints import random_goal, random_joint, random_joint_of_table


def any_joint(rng):
    """Counts or probabilities, dense or sparse, without columns; p(u|x) of four targets."""
    mass = random_joint(rng)
    joint = Joint(as_cells(mass) if rng.random() < 0.5 else mass)
    n = len(joint.public)
    tables = [
        rng.dirichlet(np.full(4, 0.2), n),  # random given x
        np.eye(3)[rng.integers(0, 3, n)],  # a function of x
        np.eye(n)[rng.permutation(n)],  # x under another name
        np.ones((n, 1)),  # constant
    ]
    weights = rng.choice([0.5, 1.0, 2.0], 4)
    targets = [
        Target.given(f"u{number}", as_cells(table) if rng.random() < 0.5 else table, weight)
        for number, (table, weight) in enumerate(zip(tables, weights, strict=True))
    ]
    goal = Utility.of(targets, joint_weight=0.7)
    return joint, goal, [(np.eye(n), 0.7), *zip(tables, weights, strict=True)]


def table_joint(rng):
    joint = random_joint_of_table(rng)
    goal, defined = random_goal(rng, joint)
    return joint, goal, defined


def some_case(made, rng):
    """A case with several public values: one value leaves nothing to keep."""
    while True:
        joint, goal, defined = made(rng)
        if len(joint.public) > 1:
            return joint, goal, defined


def random_labels(rng, n):
    return np.unique(rng.integers(0, n, n), return_inverse=True)[1]


both = pytest.mark.parametrize("made", [any_joint, table_joint])


@both
@pytest.mark.parametrize("seed", range(5))
def test_a_partition_is_worth_what_the_definition_says(made, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        joint, goal, defined = some_case(made, rng)
        worth, weight = goal.worth(joint), np.asarray(joint.weight, dtype=float)
        assert worth.values().sum() == pytest.approx(1)
        for _ in range(5):
            labels = random_labels(rng, weight.size)
            expected = kept_of_targets(weight, defined, np.eye(labels.max() + 1)[labels])
            assert worth.blocks(labels).values().sum() == pytest.approx(expected, abs=1e-12)
            assert goal.kept(joint, labels) == pytest.approx(expected, abs=1e-12)
            assert (worth.blocks(labels).values() >= -1e-12).all()
            assert (worth.blocks(labels).apart() >= -1e-12).all()


@both
@pytest.mark.parametrize("seed", range(3))
def test_a_channel_is_worth_what_the_definition_says(made, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        joint, goal, defined = some_case(made, rng)
        worth, weight = goal.worth(joint), np.asarray(joint.weight, dtype=float)
        channel = rng.dirichlet(np.full(5, 0.3), weight.size)
        expected = kept_of_targets(weight, defined, channel)
        assert worth.of_channel(channel) == pytest.approx(expected, abs=1e-12)
        assert goal.kept(joint, channel) == pytest.approx(expected, abs=1e-12)
        few = np.where(channel > 0.1, channel, 0)
        few /= few.sum(axis=1, keepdims=True)
        told = worth.of_channel(few)
        assert worth.of_channel(as_cells(few)) == pytest.approx(told, abs=1e-12)
        labels = random_labels(rng, weight.size)
        blocks = np.eye(labels.max() + 1)[labels]
        assert worth.of_channel(blocks) == pytest.approx(goal.kept(joint, labels), abs=1e-12)


@both
@pytest.mark.parametrize("seed", range(3))
def test_a_part_as_a_table_of_its_own_is_worth_the_targets_within_it(made, seed):
    """With the weights of a nat that the whole table gives them."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        joint, goal, _ = some_case(made, rng)
        worth = goal.worth(joint)
        rows = rng.permutation(worth.weight.size)[: int(rng.integers(1, worth.weight.size + 1))]
        part = worth.alone(rows)
        channel = rng.dirichlet(np.full(3, 0.3), rows.size)
        p = worth.weight[rows] / worth.weight[rows].sum()
        expected = worth.joint_weight * information(p[:, np.newaxis] * channel)
        for number, weight in enumerate(worth.nat_weights):
            of_u = worth.cells[rows][:, worth.target == number] / worth.weight[rows][:, np.newaxis]
            expected += weight * information((of_u * p[:, np.newaxis]).T @ channel)
        assert part.of_channel(channel) == pytest.approx(expected, abs=1e-12)


@both
@pytest.mark.parametrize("seed", range(3))
def test_parts_of_a_table_are_worth_the_same_as_in_it(made, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        joint, goal, _ = some_case(made, rng)
        worth = goal.worth(joint)
        n = worth.weight.size
        rows = rng.permutation(n)[: int(rng.integers(1, n))]
        np.testing.assert_allclose(worth.only(rows).values(), worth.values()[rows], atol=1e-12)
        rest = worth.with_rest(rows)
        labels = np.full(n, rows.size)
        labels[rows] = np.arange(rows.size)
        np.testing.assert_allclose(rest.values(), worth.blocks(labels).values(), atol=1e-12)
        assert rest.total == worth.total
        np.testing.assert_allclose(rest.weight.sum(), worth.weight.sum())


@both
def test_what_each_target_keeps_is_its_information(made):
    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(10):
        joint, goal, _ = some_case(made, rng)
        worth, labels = goal.worth(joint), random_labels(rng, len(joint.public))
        blocks = worth.blocks(labels)
        for number, kept in enumerate(blocks.of_targets()):
            table = worth.cells[:][:, worth.target == number]
            merged = np.array([table[labels == b].sum(axis=0) for b in range(labels.max() + 1)])
            assert kept == pytest.approx(information(merged), abs=1e-12)
            compared += 1
    assert compared > 10


def test_weights_decide_which_values_belong_together():
    """Two columns of two values; the best partition into two blocks keeps the one that matters."""
    counts = np.full((4, 2), 5)
    first, second = np.eye(2)[[0, 0, 1, 1]], np.eye(2)[[0, 1, 0, 1]]
    for weights, best in [((3, 1), [0, 0, 1, 1]), ((1, 3), [0, 1, 0, 1])]:
        targets = [
            Target.given(name, table, weight)
            for name, table, weight in zip("ab", (first, second), weights, strict=True)
        ]
        goal, joint = Utility.of(targets), Joint(counts)
        halves = [labels for labels in map(np.array, partitions(4)) if labels.max() == 1]
        found = max(halves, key=lambda labels: goal.kept(joint, labels))
        assert found.tolist() == best


def test_a_target_value_that_no_record_has_changes_nothing():
    """p(u|x) may come from more records than those that are released."""
    joint = Joint([[1, 2], [2, 1]], public=["x", "w"])
    more = Joint([[5, 5, 0, 0], [3, 7, 0, 0], [0, 0, 1, 1]], public=["x", "w", "z"])
    wide = Utility.of([Target.given("u", more)]).worth(joint)
    narrow = Utility.of([Target.given("u", [[5, 5], [3, 7]])]).worth(joint)
    assert wide.prior.tolist() == pytest.approx([2.4, 3.6, 0.0, 0.0])
    channel = np.array([[0.4, 0.6], [1.0, 0.0]])
    assert wide.of_channel(channel) == pytest.approx(narrow.of_channel(channel))
    assert wide.values().tolist() == pytest.approx(narrow.values().tolist())
