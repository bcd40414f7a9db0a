"""Blocks of at most K values: safe, as good as all partitions allow, or refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

import naive
from loglift import Bound, MechanismError, TCloseness, UnsafeError, merge
from loglift.joint import Joint
from loglift.merging.balancing import capped_partition
from loglift.merging.problem import Problem


def within(eps):
    def meets(row, prior):
        lifts = row * prior.sum() / (prior * row.sum())
        return math.exp(-eps) <= lifts.min() and lifts.max() <= math.exp(eps)

    return meets


def random_counts(rng, n, m):
    return rng.integers(1, 12, (n, m))


def test_few_values_are_merged_as_well_as_the_cap_allows():
    rng, made, refused = np.random.default_rng(0), 0, 0
    for _ in range(60):
        counts = random_counts(rng, int(rng.integers(3, 8)), 3)
        eps, most = float(rng.choice([0.2, 0.4, 0.7])), int(rng.integers(1, 5))
        best = naive.best_required(counts, within(eps), most)
        if best == -math.inf:
            refused += 1
            with pytest.raises(UnsafeError, match="there is no safe partition with at most"):
                merge(counts, eps, max_block=most)
            continue
        made += 1
        for method in ("search", "exact"):
            found = merge(counts, eps, method, max_block=most)
            assert found.safe
            assert np.bincount(found.labels).max() <= most
            assert found.utility == pytest.approx(best, abs=1e-9)
            assert found.upper_bound >= best - 1e-9
    assert made > 10
    assert refused > 10


@pytest.mark.parametrize("most", [3, 4, 6])
def test_many_values_are_dealt_so_that_they_balance(most):
    counts = random_counts(np.random.default_rng(3), 120, 4)
    free = merge(counts, 0.4)
    found = merge(counts, 0.4, max_block=most)
    assert found.safe
    assert np.bincount(found.labels).max() <= most
    assert found.utility <= free.upper_bound + 1e-9
    assert "no larger blocks than allowed" in found.upper_bound_scope


def test_a_cap_goes_with_requirements_and_least_records():
    counts = random_counts(np.random.default_rng(5), 40, 3)
    found = merge(counts, bound=Bound.requiring(TCloseness(0.1)), max_block=5, min_count=30)
    assert found.safe
    assert np.bincount(found.labels).max() <= 5
    assert min(counts[found.labels == b].sum() for b in range(found.size)) >= 30


def test_runs_have_a_cap_too():
    counts = random_counts(np.random.default_rng(6), 10, 2)
    free, found = merge(counts, 0.5, "ordered"), merge(counts, 0.5, "ordered", max_block=4)
    assert np.bincount(found.labels).max() <= 4
    assert found.utility <= free.utility + 1e-12


def test_where_nothing_is_found_nothing_is_returned():
    counts = np.eye(6, dtype=int) * 5 + 1
    problem = Problem.of(Joint(counts).scaled, Bound.symmetric(0.1), largest=2)
    assert capped_partition(problem, seed=0) is None


@pytest.mark.parametrize("given", [0, 1.5, -1, "2", True])
def test_other_caps_are_refused(given):
    with pytest.raises(MechanismError, match="max_block"):
        merge([[1, 2], [3, 4]], 1, max_block=given)


def test_published_methods_have_no_cap():
    with pytest.raises(MechanismError, match="greedy has no limit on the values"):
        merge([[1, 2], [3, 4]], 1, "greedy", max_block=2)


def test_a_cap_that_the_best_partition_meets_costs_nothing():
    joint = np.random.default_rng(1).random((40, 13))
    free = merge(joint, 0.5)
    most = int(np.bincount(free.labels).max())
    assert merge(joint, 0.5, max_block=most).utility >= free.utility - 1e-12
