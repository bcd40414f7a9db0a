"""Finding small blocks and choosing disjoint ones, in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound
from loglift._compute.kernels import kernels
from loglift.merging.packing import _holding
from loglift.merging.problem import Problem

loops = kernels("merging._packing_kernels", plain=True)
seeded = kernels("_compute._random_kernels", plain=True).seeded


def test_the_shortfall_is_what_is_lacking():
    lacking, gain = np.array([1.0, -1.0, 0.5]), np.array([0.4, 0.1, 0.9])
    assert loops.shortfall(lacking, gain) == pytest.approx(0.6)


def packed(members, weight, n, moves):
    members = np.array(members)
    choices = loops.Choices(members, np.array(weight), *_holding(members, n))
    packing = loops.Packing(np.full(n, -1), np.arange(n), np.arange(n))
    best, torn = np.full(n, -1), np.zeros(members.shape[1], dtype=np.int64)
    loops.pack(choices, packing, moves, 0.3, 0.03, torn, seeded(1), best)
    return best, packing


def test_chosen_blocks_are_disjoint_and_the_best_ones():
    members = [[0, 1, -1], [2, 3, -1], [1, 2, 3], [0, 4, 5]]
    best, _ = packed(members, [1.0, 1.0, 1.6, 1.5], 6, 400)
    assert best.tolist() == [3, 2, 2, 2, 3, 3]


def test_places_of_free_values_are_kept():
    rng = np.random.default_rng(0)
    members = np.sort([rng.permutation(20)[:3] for _ in range(60)], axis=1)
    best, packing = packed(members, np.ones(60), 20, 500)
    assert sorted(packing.free.tolist()) == list(range(20))
    assert (packing.place[packing.free] == np.arange(20)).all()
    for b in set(best.tolist()) - {-1}:
        assert np.flatnonzero(best == b).tolist() == members[b].tolist()
    assert np.unique(best).size > 4


def built(problem, tries, budget):
    gain, need = problem.scaled_inequalities(np.arange(problem.size))
    n, labels = problem.size, np.full(problem.size, -1)
    space = np.empty(n, dtype=np.int64), np.empty(need.size), np.empty(8, dtype=np.int64)
    left = np.array([budget])
    loops.build(
        np.ascontiguousarray(gain), need, np.arange(n), 2, tries, *space, left, seeded(2), labels
    )
    return labels, gain, need


def test_built_blocks_are_safe():
    problem = Problem.of(np.random.default_rng(1).random((30, 4)), Bound.symmetric(0.4))
    labels, gain, need = built(problem, 3, 10**6)
    assert labels.max() >= 8
    for b in range(labels.max() + 1):
        assert (labels == b).sum() >= 2
        assert (gain[labels == b].sum(axis=0) >= need).all()


def test_a_spent_budget_leaves_one_try():
    problem = Problem.of(np.random.default_rng(0).random((40, 8)), Bound.symmetric(0.25))
    spent, single, paid = (
        built(problem, tries, budget)[0].tolist()
        for tries, budget in ((8, 0), (1, 10**6), (8, 10**6))
    )
    assert spent == single
    assert spent != paid
