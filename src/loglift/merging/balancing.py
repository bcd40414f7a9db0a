"""A safe partition into blocks of at most K values, where there is one to be found.

With a cap the whole alphabet is not a block, so merging more does not always help: values must
be dealt so that they balance. As few blocks as the cap allows are filled, each value going where
the block then lacks least. Then two values of different blocks change places as long as all blocks
together lack less. A heuristic: it may miss a partition, and `exact` looks on from what it finds.
"""

from __future__ import annotations

import math

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.problem import Arrays, Problem
from loglift.promise.conditions import lacking_of

MAX_TRIES = 8  # random orders in which values are dealt
MAX_SWAPS_PER_VALUE = 20
MAX_COMPARED = 200_000  # pairs of values to exchange that are compared at a time


def capped_partition(problem: Problem, seed: int) -> IntArray | None:
    """Return a safe partition of all values, canonical, or None if none is found.

    O(n^2 k) a try, for n values and k inequalities.
    """
    most, arrays = int(problem.largest), problem.arrays()
    random = np.random.default_rng(seed)
    for _ in range(MAX_TRIES):
        labels = _balanced(_dealt(arrays, most, random), arrays, random)
        if labels is not None:
            return canonical(labels)
    return None


def short_of(arrays: Arrays, gains: FloatArray) -> FloatArray:
    """Return what blocks with these gains (b, k) lack; (b,)."""
    lacks: FloatArray = np.maximum(arrays.need - gains, 0) @ arrays.scale
    return lacks + lacking_of(arrays.conditions, gains)


def _dealt(arrays: Arrays, most: int, random: np.random.Generator) -> IntArray:
    """Deal values into as few blocks as possible, those that lack most first."""
    n = len(arrays.gain)
    blocks = math.ceil(n / most)
    sums, sizes = np.zeros((blocks, arrays.need.size)), np.zeros(blocks, dtype=np.int64)
    order = np.argsort(-short_of(arrays, arrays.gain) * (1 + random.random(n)), kind="stable")
    labels = np.empty(n, dtype=np.int64)
    for x in order.tolist():
        lacks = short_of(arrays, sums + arrays.gain[x]) - short_of(arrays, sums)
        lacks[sizes >= most] = math.inf
        labels[x] = best = int(lacks.argmin())
        sums[best] += arrays.gain[x]
        sizes[best] += 1
    return labels


def _balanced(labels: IntArray, arrays: Arrays, random: np.random.Generator) -> IntArray | None:
    """Exchange values of two blocks while all together lack less; None if some still lack."""
    gain, blocks = arrays.gain, int(labels.max()) + 1
    sums = np.zeros((blocks, arrays.need.size))
    np.add.at(sums, labels, gain)
    for _ in range(MAX_SWAPS_PER_VALUE * labels.size):
        short = short_of(arrays, sums)
        if not short.any():
            return labels
        a = int(random.choice(np.flatnonzero(short > 0)))
        inside, outside = np.flatnonzero(labels == a), np.flatnonzero(labels != a)
        outside = random.permutation(outside)[: max(1, MAX_COMPARED // inside.size)]
        if not outside.size:
            return None
        x, y = (grid.ravel() for grid in np.meshgrid(inside, outside, indexing="ij"))
        moved, other = gain[y] - gain[x], labels[y]
        after = short_of(arrays, sums[a] + moved) + short_of(arrays, sums[other] - moved)
        less = after - short[a] - short[other]
        best = int(less.argmin())
        if less[best] >= 0:
            return None
        sums[a] += moved[best]
        sums[other[best]] -= moved[best]
        labels[x[best]], labels[y[best]] = other[best], a
    return None
