"""Shards, bundles and rounds: an improved partition is safe, and worth no less than before."""

from __future__ import annotations

import numpy as np

from loglift import Bound, Joint, refines
from loglift.measures.partition import canonical
from loglift.merging.building import repaired
from loglift.merging.improving import _bundled, improved, shards_of
from loglift.merging.problem import Problem


def test_more_iterations_never_give_less():
    rng = np.random.default_rng(3)
    problem = Problem.of(Joint(rng.integers(1, 9, (30, 3))).scaled, Bound.symmetric(0.3))
    begin = repaired(problem, np.arange(30), seed=0)
    found = [improved(problem, begin, iterations, 0) for iterations in (0, 10, 100, 1000)]
    assert found[0].tolist() == begin.tolist()
    assert all(problem.promise.blocks(labels).safe().all() for labels in found)
    kept = [problem.utility_of(labels) for labels in found]
    assert kept == sorted(kept)
    assert kept[0] < kept[-1]


def test_shards_are_whole_blocks_and_all_of_them():
    labels = canonical(np.random.default_rng(2).integers(0, 500, 1000))
    shards = shards_of(labels, seed=0, most=20)
    blocks = labels.max() + 1
    assert len(shards) == blocks // 24 > 1  # fewer than by values: each is to have 24 blocks
    assert sorted(np.concatenate(shards)) == list(range(1000))
    assert sum(np.unique(labels[rows]).size for rows in shards) == blocks


def test_large_blocks_are_improved_bundle_by_bundle():
    labels = canonical(np.random.default_rng(0).integers(0, 4, 1000))
    bundles = _bundled(labels, 50, seed=1)
    assert 40 <= bundles.max() + 1 <= 54
    assert refines(bundles, labels)
    assert np.bincount(bundles).max() <= 2 * np.bincount(bundles).min()
    alone = _bundled(np.arange(30), 5, seed=1)  # a block has one bundle at least
    assert alone.tolist() == list(range(30))
