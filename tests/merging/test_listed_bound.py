"""The bound by small blocks holds for every safe partition."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound, entropy, merge
from loglift.merging import listing as listing_module
from loglift.merging.listed_bound import listed_bound
from loglift.merging.listing import listed
from loglift.merging.problem import Problem
from naive import subset_dp
from random_joints import random_bound, random_goal, random_joint, random_joint_of_table


@pytest.mark.parametrize("seed", range(60))
def test_no_partition_has_more_utility(seed, monkeypatch):
    monkeypatch.setattr(listing_module, "ENOUGH_BLOCKS", 10**6)
    rng = np.random.default_rng(seed)
    joint, bound = random_joint(rng).astype(float), random_bound(rng)
    least = float(joint.sum() * rng.choice([0, 0, 0.2]))
    problem = Problem.of(joint, bound, least=least)
    best = subset_dp(joint, bound.lower, bound.upper, least)
    full = listed(problem)
    assert listed_bound(problem, full) >= best - 1e-9
    for depth in range(1, full.depth):
        counts = [len(blocks) for blocks in full.blocks[:depth]]
        assert listed_bound(problem, full.with_at_most(sum(counts))) >= best - 1e-9


def test_few_inequalities_are_a_bound_too(monkeypatch):
    """Where the linear program is cut short, and where it has few blocks to choose from."""
    joint = np.random.default_rng(0).random((14, 5))
    problem = Problem.of(joint, Bound.symmetric(0.3))
    best, full = subset_dp(joint, 0.3, 0.3, 0), listed(problem)
    sharp = listed_bound(problem, full)
    monkeypatch.setattr("loglift.merging.listed_bound.MAX_ROUNDS", 1)
    assert listed_bound(problem, full) >= sharp - 1e-12
    monkeypatch.setattr("loglift.merging.listed_bound.MAX_PROGRAM_BLOCKS", 0)
    assert listed_bound(problem, full) >= best - 1e-9
    assert sharp >= best - 1e-9


def test_targets_are_bounded_too():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        joint = random_joint_of_table(rng, 9)
        goal, _ = random_goal(rng, joint)
        problem = Problem.of(joint.scaled, Bound.symmetric(0.5), worth=goal.worth(joint))
        best = merge(joint, 0.5, "exact", utility=goal)
        assert best.optimal
        reached = problem.utility_of(best.labels)
        assert listed_bound(problem, listed(problem)) >= reached - 1e-9


def test_is_tight_where_all_values_are_safe():
    joint = np.ones((12, 3))
    problem = Problem.of(joint, Bound.symmetric(0.5))
    assert listed_bound(problem, listed(problem)) == pytest.approx(entropy(np.ones(12) / 12))


def test_is_sharp_at_a_tight_bound():
    """Where pricing alone is several percent off."""
    joint = np.random.default_rng(7).random((60, 13))
    made = merge(joint, 0.25)
    assert made.utility >= 0.96 * made.upper_bound
