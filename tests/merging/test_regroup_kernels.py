"""Linked lists of blocks, chunks and regrouping, in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound
from loglift._compute.kernels import kernels
from loglift.measures.partition import canonical
from loglift.merging.problem import Problem
from loglift.sparse import block_sums

loops = kernels("merging._regroup_kernels", plain=True)
seeded = kernels("_compute._random_kernels", plain=True).seeded


def check_links(blocks, labels):
    """The lists hold the members of each block; blocks with several members come first."""
    several, used = blocks.counts
    for place, b in enumerate(blocks.order[:used]):
        members, x = [], blocks.head[b]
        while x >= 0:
            members.append(int(x))
            x = blocks.following[x]
        assert sorted(members) == np.flatnonzero(blocks.of == b).tolist()
        assert blocks.size[b] == len(members)
        assert (len(members) > 1) == (place < several)
        assert blocks.place[b] == place
    assert canonical(blocks.of).tolist() == canonical(labels).tolist()


def test_blocks_are_removed_and_added():
    labels = canonical(np.random.default_rng(0).integers(0, 5, 20))
    blocks = loops.linked(labels)
    check_links(blocks, labels)
    torn = np.array([0, 1])
    pool, sizes = np.zeros(20, dtype=np.int64), np.zeros(2, dtype=np.int64)
    pool = pool[: loops.members(blocks, torn, sizes, pool)]
    assert sorted(pool.tolist()) == np.flatnonzero(labels < 2).tolist()
    part = 1 + pool % 3
    loops.rebuild(blocks, torn, pool, part.copy())
    expected = labels.copy()
    expected[pool] = 100 + pool % 3
    check_links(blocks, expected)


def test_chunks_stay_within_blocks():
    sizes, of = np.array([7, 2, 9]), np.zeros(18, dtype=np.int64)
    chunks = loops.deal(sizes, 6, of, seeded(1))
    assert chunks <= 6
    blocks = np.repeat([0, 1, 2], sizes)
    assert len({(int(b), int(c)) for b, c in zip(blocks, of, strict=True)}) == chunks
    few = np.zeros(4, dtype=np.int64)
    assert loops.deal(np.array([3, 1]), 6, few, seeded(1)) == 4
    assert few.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("pool_size", [40, 5])
def test_improving_never_loses_and_stays_safe(pool_size):
    problem = Problem.of(
        np.random.default_rng(2).integers(1, 9, (40, 3)).astype(float), Bound.symmetric(0.5)
    )
    arrays, labels = problem.arrays(), np.zeros(40, dtype=np.int64)
    kept = []
    for iterations in (0, 10, 60):
        best, work = labels.copy(), loops.workspace(arrays, 6, 0)
        blocks = loops.linked(labels)
        loops.improve(blocks, arrays, None, iterations, 6, 1 / 40, pool_size, work, best)
        assert (block_sums(arrays.gain, canonical(best)) >= -1e-6).all()
        kept.append(problem.utility_of(canonical(best)))
    assert kept == sorted(kept)
    assert kept[0] < kept[-1]
