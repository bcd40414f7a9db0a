"""Problems solved again: with other events, other bounds, in runs."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from loglift import Bound, Joint, entropy, merge
from loglift.explain import again
from loglift.explain.again import (
    is_ordered,
    is_solvable,
    problem_of,
    share_of,
    solve_again,
    utility_of,
    with_events,
)
from naive import partitions


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
        labels = solve_again(with_events(problem, events), found.labels, runs=False)
        assert utility_of(Joint(joint), labels) == pytest.approx(best)


def test_values_of_one_event_are_bounded_together():
    joint = np.array([[9, 1, 1], [1, 9, 0], [5, 4, 0], [2, 6, 3], [4, 4, 0]])
    found = merge(joint, 0.7)
    events = with_events(problem_of(Joint(joint), found), np.array([0, 1, 1]))
    labels = solve_again(events, found.labels, runs=False)
    together = np.stack([joint[:, 0], joint[:, 1] + joint[:, 2]], axis=1)
    assert utility_of(Joint(joint), labels) == pytest.approx(merge(together, 0.7).utility)


def test_an_ordered_release_stays_ordered():
    joint = np.random.default_rng(1).integers(0, 5, (15, 3)) + np.eye(15, 3, dtype=int)
    found = merge(joint, 0.5, "ordered")
    assert is_ordered(found)
    problem = problem_of(Joint(joint), found, bound=Bound.symmetric(1))
    labels = solve_again(problem, found.labels, runs=True)
    assert labels.tolist() == merge(joint, 1, "ordered").labels.tolist()


@pytest.mark.parametrize("size", [10, 40])
def test_the_result_is_never_worse_than_the_start(size):
    joint = Joint(np.random.default_rng(size).integers(1, 20, (size, 3)))
    found = merge(joint, 0.3, intact=["a", "b"] * (size // 2), min_count=30)
    labels = solve_again(problem_of(joint, found), found.labels, runs=False)
    assert utility_of(joint, labels) >= found.utility - 1e-9
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
    assert share_of(joint, entropy([4, 4, 8])) == pytest.approx(1)
    assert share_of(Joint([[3, 1]]), 0.0) == 1
