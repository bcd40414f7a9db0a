"""Partitions made of small safe blocks."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound
from loglift.merging.packing import Effort, Packer
from loglift.merging.problem import Problem
from loglift.merging.search import (
    FEW_VALUES_ITERATIONS,
    Options,
    search,
)

EFFORT = Effort(builds=2, tries=4, looks=10**6, choices=3, moves=300, comparisons=10**7)


def tight(seed, n=60, least=0.0):
    return Problem.of(
        np.random.default_rng(seed).random((n, 9)), Bound.symmetric(0.25), least=least
    )


def test_blocks_are_safe_or_single_values():
    for problem in (tight(0), tight(1, least=20.0)):
        found = Packer(problem, EFFORT.comparisons).partitions(EFFORT, 0)
        assert len(found) == EFFORT.builds + EFFORT.choices
        for labels in found:
            safe, sizes = problem.blocks(labels).promise.safe(), np.bincount(labels)
            heavy = problem.blocks(labels).sizes >= problem.least * (1 - 1e-12)
            assert ((safe & heavy) | (sizes == 1)).all()
            assert (sizes > 1).sum() > 4


def test_a_seed_gives_the_same_partitions():
    first, again, other = (
        Packer(tight(0), EFFORT.comparisons).partitions(EFFORT, seed) for seed in (3, 3, 4)
    )
    assert all(map(np.array_equal, first, again))
    assert not all(map(np.array_equal, first, other))


def test_pays_where_values_have_few_partners():
    assert Packer(tight(0), EFFORT.comparisons).pays
    loose = Problem.of(np.random.default_rng(0).random((60, 9)), Bound.symmetric(1.0))
    assert not Packer(loose, EFFORT.comparisons).pays
    safe = Problem.of(np.ones((60, 9)), Bound.symmetric(1.0))
    assert not Packer(safe, EFFORT.comparisons).pays


def test_only_the_values_to_partition_are_packed():
    joint = np.random.default_rng(0).random((60, 9))
    whole = Problem.of(joint, Bound.symmetric(0.25))
    rows = np.arange(10, 50)
    found = Packer(whole.only(rows), EFFORT.comparisons).partitions(EFFORT, 0)
    assert {labels.size for labels in found} == {rows.size}


def test_search_packs_at_tight_bounds():
    """With one iteration less, search does not pack: it keeps less."""
    for seed in range(3):
        problem = tight(seed)
        with_packing = search(problem, Options(iterations=FEW_VALUES_ITERATIONS))
        without = search(problem, Options(iterations=FEW_VALUES_ITERATIONS - 1))
        assert problem.promise.blocks(with_packing).safe().all()
        assert problem.utility_of(with_packing) > 1.02 * problem.utility_of(without)


def test_search_looks_for_no_small_blocks_where_good_ones_are_large_and_it_takes_long(monkeypatch):
    monkeypatch.setattr("loglift.merging.search.MAX_VAIN_PACKING", 10**6)
    problem = Problem.of(np.random.default_rng(0).random((200, 60)), Bound.symmetric(0.03))
    plain = search(problem)
    assert plain.max() + 1 == 2  # of a hundred values each
    monkeypatch.setattr("loglift.merging.search.packed", None)
    np.testing.assert_array_equal(search(problem), plain)
    with pytest.raises(TypeError):
        search(tight(0))


@pytest.mark.parametrize(("shape", "eps", "seed"), [((100, 20), 0.04, 11), ((200, 40), 0.06, 10)])
def test_of_few_blocks_packing_finds_one_more(monkeypatch, shape, eps, seed):
    counts = np.random.default_rng(seed).integers(1, 60, shape)
    problem = Problem.of(counts, Bound.symmetric(eps))
    with_packing = search(problem)
    monkeypatch.setattr("loglift.merging.search.packed", lambda *_: None)
    assert with_packing.max() == search(problem).max() + 1


def test_packing_is_tried_beside_one_block_where_it_is_cheap(monkeypatch):
    """Of a hundred values or more, which one block tells to be too many to pack."""
    counts = np.random.default_rng(1).integers(1, 60, (150, 60))
    problem, tried = Problem.of(counts, Bound.symmetric(0.03)), []
    monkeypatch.setattr("loglift.merging.search.packed", lambda *_: tried.append(1))
    assert search(problem).max() == 0
    assert tried == [1]
