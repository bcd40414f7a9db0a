"""The best partition of a few values by dynamic programming over all their subsets.

Nothing is compiled for it, so that a small table is protected at once on a new machine. For n
values O(3^n) steps, in numpy: some 50 ms for twelve.
"""

from __future__ import annotations

import math

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical

MOST = 12  # values for which this is fast


def best_of_all(gain: FloatArray, p: FloatArray, need: FloatArray) -> IntArray:
    """Block numbers, canonical, of the partition with the largest -sum of p(B) log p(B).

    The gains (n, k) of a block must add up to at least `need` (k,). One block if there is no such
    partition.
    """
    n = p.size
    inside = (np.arange(1 << n)[:, np.newaxis] >> np.arange(n)) & 1
    worth = np.where((inside @ gain >= need).all(axis=1), -plogp(inside @ p), -math.inf)
    best, first = np.zeros(1 << n), np.zeros(1 << n, dtype=np.int64)
    subsets = [np.zeros(1, dtype=np.int64)]
    for values in range(1, 1 << n):
        highest = 1 << (values.bit_length() - 1)
        others = subsets[values ^ highest]  # what may share the block of the last value
        utility = worth[others | highest] + best[values ^ highest ^ others]
        chosen = int(utility.argmax())
        best[values], first[values] = utility[chosen], int(others[chosen]) | highest
        subsets.append(np.concatenate([others, others | highest]))
    return _blocks(first, n) if best[-1] > -math.inf else np.zeros(n, dtype=np.int64)


def _blocks(first: IntArray, n: int) -> IntArray:
    """Follow the chosen blocks (as sets of bits) from all values down to none."""
    labels, left, number = np.zeros(n, dtype=np.int64), (1 << n) - 1, 0
    while left:
        block = int(first[left])
        labels[[x for x in range(n) if block >> x & 1]] = number
        left, number = left ^ block, number + 1
    return canonical(labels)
