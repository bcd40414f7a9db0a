"""Problems solved again: with other events, other bounds, in runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from loglift import Bound, Joint, entropy, merge
from loglift.explain import again
from loglift.explain.again import (
    is_in_runs,
    is_solvable,
    kept_by,
    problem_of,
    solve_again,
    with_events,
)
from loglift.joint import Column
from loglift.utility.target import Target
from loglift.utility.utility import Utility
from naive import best_of_all, kept_of_targets, partitions, safe_blocks


def breaks(rows, joint, s, eps):
    """Whether the rows together break the bound on sensitive value s."""
    block = joint[rows].sum(axis=0) * joint.sum()
    expected = joint[rows].sum() * joint.sum(axis=0)
    return not math.exp(-eps) * expected[s] <= block[s] <= math.exp(eps) * expected[s]


def test_without_bounding_a_value_the_others_stay_bounded():
    """The best partitions that mind only the other sensitive values, by trying all."""
    joint = np.array([[9, 1, 1], [1, 9, 0], [5, 4, 0], [2, 6, 3], [4, 4, 0]])
    found = merge(joint, 0.7)
    problem = problem_of(Joint(joint), found)
    for dropped in range(3):
        best, kept = -math.inf, [s for s in range(3) if s != dropped]
        for trial in map(np.array, partitions(5)):
            rows = [np.flatnonzero(trial == block) for block in set(trial.tolist())]
            if not any(breaks(r, joint, s, 0.7) for r in rows for s in kept):
                best = max(best, entropy([joint[r].sum() for r in rows]))
        events = np.where(np.arange(3) == dropped, -1, np.arange(3))
        labels = solve_again(with_events(problem, events), found.labels, found)
        assert found.goal.kept(Joint(joint), labels) == pytest.approx(best)


def with_columns(size, seed):
    """A joint of counts with two columns, of which pairs are the public values."""
    rng = np.random.default_rng(seed)
    codes = np.array([(i // 4, i % 4) for i in range(size)]).T
    columns = [
        Column(name, "text", None, tuple(map(str, range(of.max() + 1))), of)
        for name, of in zip("ab", codes, strict=True)
    ]
    return Joint(rng.integers(1, 20, (size, 3))).with_columns(tuple(columns))


def test_a_goal_with_targets_is_solved_for_its_targets():
    """The best of all partitions in units of the goal, by trying all."""
    joint, goal = with_columns(8, 0), Utility.columns(joint_weight=0.2)
    found = merge(joint, 0.2, utility=goal)
    targets = [(np.eye(len(c.values))[c.codes], 1.0) for c in joint.columns]
    targets.append((np.eye(8), 0.2))
    for eps in (0.1, 0.3):
        best = best_of_all(
            joint.mass,
            eps,
            eps,
            lambda trial: kept_of_targets(joint.weight, targets, np.eye(8)[trial]),
        )
        problem = problem_of(joint, found, bound=Bound.symmetric(eps))
        labels = solve_again(problem, found.partition, found)
        assert kept_by(joint, found, labels) == pytest.approx(best)
        assert goal.kept(joint, labels) == pytest.approx(best)


@pytest.mark.parametrize("most_sums", [None, 0])
@pytest.mark.parametrize("size", [40, 120])
def test_targets_are_never_kept_worse_than_at_the_start(monkeypatch, size, most_sums):
    if most_sums is not None:  # as where targets have too many values to regroup for them
        monkeypatch.setattr(again, "MAX_REGROUPED_SUMS", most_sums)
        monkeypatch.setattr(again, "MAX_SUMS", most_sums)
    joint, goal = with_columns(size, size), Utility.columns()
    groups = [row % 2 for row in range(size)]
    found = merge(joint, 0.4, utility=goal, intact=groups, min_count=40, iterations=500)
    for eps in (0.4, 0.8):
        problem = problem_of(joint, found, bound=Bound.symmetric(eps))
        labels = solve_again(problem, found.partition, found)
        assert safe_blocks(joint.mass, labels, eps, eps).all()
        assert goal.kept(joint, labels) >= found.utility - 1e-9
        assert not (np.bincount(labels, joint.weight) < 40).any()
        assert len(set(zip(labels.tolist(), groups, strict=True))) == labels.max() + 1


def test_an_unsafe_start_is_made_safe():
    joint = with_columns(60, 5)
    found = merge(joint, 1, utility=Utility.of([Target.column("b")]), iterations=500)
    problem = problem_of(joint, found, bound=Bound.symmetric(0.2))
    assert not safe_blocks(joint.mass, found.partition, 0.2, 0.2).all()
    labels = solve_again(problem, found.partition, found)
    assert safe_blocks(joint.mass, labels, 0.2, 0.2).all()
    assert kept_by(joint, found, labels) > 0.3


def test_values_of_one_event_are_bounded_together():
    joint = np.array([[9, 1, 1], [1, 9, 0], [5, 4, 0], [2, 6, 3], [4, 4, 0]])
    found = merge(joint, 0.7)
    events = with_events(problem_of(Joint(joint), found), np.array([0, 1, 1]))
    labels = solve_again(events, found.labels, found)
    together = np.stack([joint[:, 0], joint[:, 1] + joint[:, 2]], axis=1)
    assert found.goal.kept(Joint(joint), labels) == pytest.approx(merge(together, 0.7).utility)


def test_an_ordered_release_stays_ordered():
    joint = np.random.default_rng(1).integers(0, 5, (15, 3)) + np.eye(15, 3, dtype=int)
    found = merge(joint, 0.5, "ordered")
    assert is_in_runs(found)
    problem = problem_of(Joint(joint), found, bound=Bound.symmetric(1))
    labels = solve_again(problem, found.labels, found)
    assert labels.tolist() == merge(joint, 1, "ordered").labels.tolist()


@pytest.mark.parametrize("size", [10, 40])
def test_the_result_is_never_worse_than_the_start(size):
    joint = Joint(np.random.default_rng(size).integers(1, 20, (size, 3)))
    found = merge(joint, 0.3, intact=["a", "b"] * (size // 2), min_count=30)
    labels = solve_again(problem_of(joint, found), found.labels, found)
    assert found.goal.kept(joint, labels) >= found.utility - 1e-9
    assert not (np.bincount(labels, joint.weight) < 30).any()


def test_large_releases_are_not_solved_again(monkeypatch):
    joint = Joint(np.ones((10, 5), dtype=int))
    found = merge(joint, 1, "ordered")
    assert is_solvable(joint, found)
    monkeypatch.setattr(again, "MAX_RUN_VALUES", 9)
    assert not is_solvable(joint, found)
    assert is_solvable(joint, replace(found, method="search"))
    monkeypatch.setattr(again, "MAX_GAINS", 99)
    assert not is_solvable(joint, replace(found, method="search"))


def test_shares_are_of_the_entropy_of_the_public_values():
    joint = Joint([[3, 1], [1, 3], [4, 4]])
    found = merge(joint, 1)
    assert kept_by(joint, found, np.array([0, 1, 2])) == pytest.approx(1)
    assert kept_by(joint, found, np.array([0, 0, 1])) == pytest.approx(
        entropy([8, 8]) / entropy([4, 4, 8])
    )
    one = Joint([[3, 1]])
    assert kept_by(one, merge(one, 1), np.array([0])) == 1
