"""Branch and price against dynamic programming over all subsets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift import Bound, Joint, entropy, merge
from loglift.merging import exact as solver
from loglift.merging.ceiling import ceiling
from loglift.merging.items import Items
from loglift.merging.problem import Problem
from loglift.merging.search import Options, search
from loglift.sparse import block_sums
from naive import best_of_all, subset_dp
from random_joints import random_bound, random_joint, random_problem


@pytest.mark.parametrize("seed", range(20))
def test_equals_the_best_of_all_partitions(seed):
    """2,000 joints of all kinds, all kinds of bounds, with and without a least mass."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        joint, bound = random_joint(rng), random_bound(rng)
        least = float(joint.sum() * rng.choice([0, 0, 0.1, 0.3]))
        found = merge(joint, bound=bound, method="exact", min_count=least or None, iterations=20)
        best = subset_dp(joint.astype(float), bound.lower, bound.upper, least)
        assert found.safe
        assert found.utility == pytest.approx(best, abs=1e-9)
        assert found.upper_bound == pytest.approx(best, abs=1e-9)
        assert found.optimal
        assert block_sums(joint, found.labels).sum(axis=1).min() >= least * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_targets_are_kept_as_by_the_best_of_all_partitions(seed):
    rng = np.random.default_rng(seed)
    for _ in range(5):
        (joint, goal, kept), bound = random_problem(rng, 8), random_bound(rng)
        least = float(joint.total * rng.choice([0, 0, 0.2]))
        found = merge(joint, bound=bound, method="exact", utility=goal, min_count=least or None)
        mass = joint.mass.astype(float)
        counted = least * len(joint.variables)
        best = best_of_all(mass, bound.lower, bound.upper, kept, counted)
        assert found.safe
        assert found.optimal
        assert found.utility == pytest.approx(best, abs=1e-9)
        assert found.upper_bound == pytest.approx(best, abs=1e-9)


def test_targets_are_proven_by_branching_alone(monkeypatch):
    """With no room for a list of blocks."""
    monkeypatch.setattr("loglift.merging.pricing.MAX_LISTED_BLOCKS", 0)
    rng = np.random.default_rng(8)
    for _ in range(10):
        (joint, goal, kept), bound = random_problem(rng), random_bound(rng)
        found = merge(joint, bound=bound, method="exact", utility=goal, iterations=0)
        best = best_of_all(joint.mass.astype(float), bound.lower, bound.upper, kept)
        assert found.utility == pytest.approx(best, abs=1e-9)
        assert found.optimal


@pytest.mark.parametrize("seed", range(4))
def test_no_partition_keeps_more_than_the_ceiling(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        mass, bound = Joint(random_joint(rng)).scaled, random_bound(rng)
        assert (
            subset_dp(mass, bound.lower, bound.upper, 0.0)
            <= ceiling(Problem.of(mass, bound)) + 1e-12
        )


def test_rounds_of_pricing_are_a_proof(monkeypatch):
    """After any number of rounds no partition keeps more than the bound, and it only falls."""
    rng = np.random.default_rng(12)
    for _ in range(30):
        mass, bound = Joint(random_joint(rng)).scaled, random_bound(rng)
        problem = Problem.of(mass, bound)
        start = search(problem, Options(iterations=0))
        bounds = []
        for rounds in (0, 1, 3, 12):
            monkeypatch.setattr(solver, "MAX_BOUND_ROUNDS", rounds)
            bounds.append(solver.relaxed(problem, start))
        assert subset_dp(mass, bound.lower, bound.upper, 0.0) <= bounds[-1] + 1e-9
        assert bounds == sorted(bounds, reverse=True)


def test_search_says_how_good_it_is():
    joint = np.random.default_rng(4).random((60, 4))
    quick, found = merge(joint, 0.4, iterations=10), merge(joint, 0.4)
    best = merge(joint, 0.4, "exact")
    assert best.optimal
    assert best.utility <= found.upper_bound <= quick.upper_bound
    assert found.utility >= 0.97 * found.upper_bound


def test_pairs_of_items_part_all_partitions(monkeypatch):
    """With no room for a list of blocks the proof is by branching alone."""
    monkeypatch.setattr("loglift.merging.pricing.MAX_LISTED_BLOCKS", 0)
    rng = np.random.default_rng(8)
    branched = 0
    apart = Items.kept_apart

    def counted(*arguments):
        nonlocal branched
        branched += 1
        return apart(*arguments)

    monkeypatch.setattr(Items, "kept_apart", counted)
    for _ in range(25):
        joint, bound = random_joint(rng), Bound.symmetric(float(rng.choice([0.1, 0.5, 1])))
        found = merge(joint, bound=bound, method="exact", iterations=0)
        best = subset_dp(joint.astype(float), bound.lower, bound.upper, 0.0)
        assert found.utility == pytest.approx(best, abs=1e-9)
        assert found.optimal
    assert branched > 10


def test_an_integer_program_takes_over_from_a_tired_search(monkeypatch):
    monkeypatch.setattr("loglift.merging.covering.MAX_STEPS", 3)
    monkeypatch.setattr("loglift.merging.covering.MAX_LAST_STEPS", 0)
    rng = np.random.default_rng(4)
    for _ in range(25):
        joint, bound = random_joint(rng), Bound.symmetric(0.5)
        found = merge(joint, bound=bound, method="exact", iterations=0)
        best = subset_dp(joint.astype(float), bound.lower, bound.upper, 0.0)
        assert found.utility == pytest.approx(best, abs=1e-9)


def test_stopped_early_it_keeps_the_best_known_and_a_bound():
    joint = np.random.default_rng(1).random((30, 8))
    start = merge(joint, 0.3)
    stopped = merge(joint, 0.3, "exact", time_limit=0)
    proven = merge(joint, 0.3, "exact")
    assert stopped.safe
    assert not stopped.optimal
    assert stopped.utility == pytest.approx(start.utility)
    assert proven.optimal
    assert start.utility <= proven.utility + 1e-12
    assert proven.utility <= stopped.upper_bound


@pytest.mark.parametrize("node_work", [1.0, 1e4, 1e7])
def test_with_less_work_a_bound_stays_one(node_work):
    rng, left = np.random.default_rng(4), 0
    for _ in range(15):
        (joint, goal, kept), bound = random_problem(rng), random_bound(rng)
        mass = joint.mass.astype(float)
        problem = Problem.of(mass, bound, worth=goal.worth(joint))
        proof = solver.exact(problem, np.zeros(len(mass), np.int64), nodes=1, node_work=node_work)
        best = best_of_all(mass, bound.lower, bound.upper, kept)
        assert proof.utility <= best + 1e-9
        assert best <= proof.most + 1e-9
        left += not proof.is_closed
    assert left > 0 or node_work > 1


def test_high_risk_values_among_themselves():
    joint = np.random.default_rng(2).random((12, 3))
    among_all = merge(joint, 0.5, "exact")
    among_high = merge(joint, 0.5, "exact", over="high-risk")
    assert among_high.safe
    assert among_high.utility <= among_all.utility + 1e-12
    assert among_high.utility >= merge(joint, 0.5, over="high-risk").utility - 1e-12
    assert among_high.optimal


def test_groups_are_proven_one_by_one():
    joint = np.random.default_rng(3).random((12, 3))
    groups = [0, 1] * 6
    found = merge(joint, 0.8, "exact", intact=groups)
    assert found.optimal
    best = sum(subset_dp_of(joint, [x for x in range(12) if groups[x] == g], 0.8) for g in (0, 1))
    assert found.utility == pytest.approx(best, abs=1e-9)


def subset_dp_of(joint, rows, eps):
    """Utility of the best partition of some rows, the others as one block that is always safe."""
    best = -math.inf
    for labels in partitions_of(rows):
        blocks = {}
        for row, label in zip(rows, labels, strict=True):
            blocks.setdefault(label, []).append(row)
        total, p = joint.sum(), joint.sum(axis=1) / joint.sum()
        lifts = [joint[b].sum(axis=0) * total for b in blocks.values()]
        expected = [joint[b].sum() * joint.sum(axis=0) for b in blocks.values()]
        if np.abs(np.log(np.array(lifts) / np.array(expected))).max() <= eps:
            masses = np.array([p[b].sum() for b in blocks.values()])
            best = max(best, float(-(masses * np.log(masses)).sum()))
    return best


def partitions_of(rows):
    from naive import partitions  # noqa: PLC0415

    return partitions(len(rows))


def test_the_paper_s_size_is_proven():
    joint = np.random.default_rng(0).random((20, 13))
    found = merge(joint, 1, "exact")
    assert found.optimal
    assert found.nmil == pytest.approx(1 - found.utility / entropy(joint.sum(axis=1)))


def test_a_time_limit_lets_search_go_on():
    joint = np.random.default_rng(6).random((40, 6))
    short = merge(joint, 0.4, iterations=1)
    longer = merge(joint, 0.4, iterations=1, time_limit=0.2)
    assert longer.utility >= short.utility
    assert longer.safe
