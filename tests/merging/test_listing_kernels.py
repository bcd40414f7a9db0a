"""Listing blocks of a size, in plain Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from loglift._compute.kernels import kernels

loops = kernels("merging._listing_kernels", plain=True)


def blocks_of(gain, need, size, leaders, most=10**6, space=1000):
    n, k = gain.shape
    column = np.ascontiguousarray(gain.T)
    largest = np.full((k, n + 1), -np.inf)
    largest[:, :n] = np.maximum.accumulate(column[:, ::-1], axis=1)[:, ::-1]
    found = np.zeros((space, size), dtype=np.int64)
    work = np.zeros((size, k)), np.zeros(size + n, dtype=np.int64)
    count, compared = loops.blocks_of_size(column, need, largest, leaders, *work, found, most)
    return count, compared, found[:count].tolist()


def test_lists_what_all_sets_tell():
    several = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        gain, need = rng.normal(size=(9, 4)), rng.normal(size=4)
        for size in (2, 3, 4):
            sets = combinations(range(9), size)
            expected = [
                list(s) for s in sets if s[0] < 5 and (gain[list(s)].sum(axis=0) >= need).all()
            ]
            count, _, found = blocks_of(gain, need, size, leaders=5)
            assert (count, sorted(found)) == (len(expected), expected)
            several += len(expected) > 1
    assert several > 20


def test_stops_when_there_is_no_space_or_no_time():
    gain, need = np.ones((9, 2)), np.zeros(2)
    assert blocks_of(gain, need, 3, leaders=9)[0] == 84
    assert blocks_of(gain, need, 3, leaders=9, space=20)[0] > 20
    assert blocks_of(gain, need, 3, leaders=9, most=30)[1] > 30
