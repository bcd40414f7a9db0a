"""All safe blocks of few members."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from loglift import Bound
from loglift.merging import listing as module
from loglift.merging.listing import listed, pairs_of
from loglift.merging.problem import Problem
from naive import partitions
from random_joints import random_bound, random_joint


def is_safe(problem, block):
    """Whether some values are a safe block: alone among the values of the table."""
    labels = np.ones(problem.size, dtype=np.int64)
    labels[list(block)] = 0
    if len(block) == problem.size:
        labels[:] = 0
    heavy = problem.sizes[list(block)].sum() >= problem.least * (1 - 1e-12)
    return heavy and bool(problem.promise.blocks(labels).safe()[0])


def listed_sets(listing):
    return {frozenset(block) for blocks in listing.blocks for block in blocks.tolist()}


@pytest.mark.parametrize("seed", range(40))
def test_every_safe_block_is_listed_and_every_listed_block_is_safe(seed, monkeypatch):
    monkeypatch.setattr(module, "ENOUGH_BLOCKS", 10**6)
    rng = np.random.default_rng(seed)
    joint = random_joint(rng).astype(float)
    least = float(joint.sum() * rng.choice([0, 0, 0.2]))
    problem = Problem.of(joint, random_bound(rng), least=least)
    listing = listed(problem)
    found = listed_sets(listing)
    single = {x for x in range(problem.size) if is_safe(problem, [x])}
    assert listing.depth >= min(2, problem.size)
    for size in range(1, listing.depth + 1):
        for block in combinations(range(problem.size), size):
            implied = size > 1 and single.issuperset(block)  # made of safe values only
            assert (frozenset(block) in found) == (is_safe(problem, block) and not implied)


def test_larger_blocks_are_listed_while_there_are_few():
    tight = Problem.of(np.random.default_rng(0).random((30, 8)), Bound.symmetric(0.25))
    assert listed(tight).depth > 3
    loose = Problem.of(np.random.default_rng(0).random((300, 2)), Bound.symmetric(1.0))
    assert listed(loose).depth == 2


def test_too_many_comparisons_end_the_listing():
    tight = Problem.of(np.random.default_rng(0).random((30, 8)), Bound.symmetric(0.25))
    assert listed(tight, 100).depth == 2


def test_too_many_blocks_end_the_listing(monkeypatch):
    tight = Problem.of(np.random.default_rng(0).random((30, 8)), Bound.symmetric(0.25))
    full = listed(tight)
    numbers = full.blocks[-1].size - 1
    monkeypatch.setattr(module, "MAX_LISTED_MEMBERS", numbers)
    assert listed(tight).depth == full.depth - 1
    monkeypatch.setattr(module, "MAX_LISTED_MEMBERS", 1)
    loose = Problem.of(np.random.default_rng(0).random((30, 2)), Bound.symmetric(0.5))
    assert pairs_of(loose).depth == 1


def test_no_safe_partition_has_more_blocks():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        joint = rng.integers(1, 9, (7, 3)).astype(float)
        problem = Problem.of(joint, random_bound(rng))
        most = max(
            max(labels) + 1
            for labels in map(list, partitions(7))
            if problem.promise.blocks(np.array(labels)).safe().all()
        )
        for listing in (pairs_of(problem), listed(problem)):
            assert most <= listing.most_blocks * (1 + 1e-12)


def test_a_shorter_listing_has_whole_sizes():
    full = listed(Problem.of(np.random.default_rng(0).random((30, 8)), Bound.symmetric(0.25)))
    counts = [len(blocks) for blocks in full.blocks]
    shorter = full.with_at_most(sum(counts) - 1)
    assert [len(blocks) for blocks in shorter.blocks] == counts[:-1]
