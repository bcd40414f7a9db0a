"""The best partition of a few values by dynamic programming over all their subsets.

O(3^n + t 2^n) steps for n values and t sums, in numpy: about 50 ms for twelve values. Nothing is
compiled.
"""

from __future__ import annotations

import math

import numpy as np

from loglift.joint import IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical
from loglift.merging.problem import Problem
from loglift.promise.conditions import lacking_of

MAX_VALUES = 12  # values for which this is fast


def best_of_all(problem: Problem) -> IntArray:
    """Return the block numbers, canonical, of the safe partition with the largest utility.

    One block if there is no safe partition.
    """
    chosen = problem.chosen
    gain, need = problem.scaled_inequalities(chosen)
    n = chosen.size
    inside = (np.arange(1 << n)[:, np.newaxis] >> np.arange(n)) & 1
    sums_of_sets = inside @ gain
    safe = (sums_of_sets >= need).all(axis=1)
    safe &= lacking_of(problem.promise.conditions(tolerant=True), sums_of_sets) <= 0
    worth = np.where(safe, 0.0, -math.inf)
    for sums, coefficient in zip(*(part.T for part in problem.worth.sums(chosen)), strict=True):
        worth += coefficient * plogp(inside @ sums)
    best, first = np.zeros(1 << n), np.zeros(1 << n, dtype=np.int64)
    subsets = [np.zeros(1, dtype=np.int64)]
    for values in range(1, 1 << n):
        highest = 1 << (values.bit_length() - 1)
        others = subsets[values ^ highest]  # what may share the block of the highest value
        utility = worth[others | highest] + best[values ^ highest ^ others]
        chosen_set = int(utility.argmax())
        best[values], first[values] = utility[chosen_set], int(others[chosen_set]) | highest
        subsets.append(np.concatenate([others, others | highest]))
    return _blocks(first, n) if best[-1] > -math.inf else np.zeros(n, dtype=np.int64)


def _blocks(first: IntArray, n: int) -> IntArray:
    """Follow the chosen blocks, which are sets of bits, until every value has one."""
    labels, left, number = np.zeros(n, dtype=np.int64), (1 << n) - 1, 0
    while left:
        block = int(first[left])
        labels[[x for x in range(n) if block >> x & 1]] = number
        left, number = left ^ block, number + 1
    return canonical(labels)
