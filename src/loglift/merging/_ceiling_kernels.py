"""The compiled loop of the ceiling: the least mass of the company of each value."""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray


@compiled_part
def add(tree: FloatArray, rank: int, amount: float) -> None:
    """Add an amount at a rank of a tree of partial sums."""
    i = rank + 1
    while i < tree.size:
        tree[i] += amount
        i += i & -i


@compiled_part
def fraction_for(
    needed: float, supply: FloatArray, weight: FloatArray, gain: FloatArray, p: FloatArray
) -> float:
    """Return the least weight of ranks in order, the last one in part, that supply what is needed.

    `gain` and `p` are those of each rank; `supply` and `weight` are trees over the ranks in use.
    """
    position, step, carried = 0, 1, 0.0
    while step * 2 < supply.size:
        step *= 2
    while step > 0:
        if position + step < supply.size and supply[position + step] < needed:
            position += step
            needed -= supply[position]
            carried += weight[position]
        step //= 2
    if position >= gain.size:
        return math.inf
    return float(carried + p[position] * needed / gain[position])


@compiled
def least_company(
    lacking: FloatArray, by_lacking: IntArray, gain: FloatArray, p: FloatArray, by_gain: IntArray
) -> FloatArray:
    """Return, for each lack, the least mass of values that supply it; values are sorted by gain/p.

    Either one value has all that is lacking: then the mass is at least that of the lightest such
    value. Or each value has less: then it is at least that of a fractional knapsack of such values.
    O(n log n): values enter the knapsack as the lack grows beyond them.
    """
    n = gain.size
    lightest = np.full(n + 1, math.inf)
    for i in range(n - 1, -1, -1):
        lightest[i] = min(lightest[i + 1], p[by_gain[i]])
    supply, weight = np.zeros(n + 1), np.zeros(n + 1)
    company, entered = np.empty(lacking.size), 0
    for x in by_lacking:
        while entered < n and gain[by_gain[entered]] < lacking[x]:
            add(supply, by_gain[entered], gain[by_gain[entered]])
            add(weight, by_gain[entered], p[by_gain[entered]])
            entered += 1
        parts = fraction_for(lacking[x], supply, weight, gain, p)
        company[x] = min(lightest[entered], parts)
    return company
