"""Building: a safe partition from single values, or from blocks that are not safe yet.

Blocks grow around the values that lack most, and take the values that end the shortfall with the
least mass (`_build_kernels`). Blocks that stay unsafe are merged where that loses least. Gains are
written out for some values at a time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._compute.kernels import is_short, kernels
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.balancing import short_of
from loglift.merging.problem import Problem
from loglift.promise.limits import TOLERANCE

MAX_BUILD_VALUES = 32_768  # values to build from at a time; fewer run out of donors
MAX_GAINS_AT_A_TIME = 2**23  # gains that are written out at a time


def built(whole: Problem, trial: int, seed: int) -> IntArray:
    """Build a partition: the first one without randomness, the others with some.

    Donors are drawn at random, so values are built in groups that fit into the cache.
    """
    random = np.random.default_rng([seed, trial])
    noise, discount = (0.0, 1.0) if trial == 0 else (0.5, random.random())
    most = affordable(MAX_BUILD_VALUES, whole.inequalities)
    coarse = np.arange(whole.size)
    if most < MAX_BUILD_VALUES:
        coarse = _paired(whole, most, random)
    paired = whole if coarse.max() + 1 == whole.size else whole.blocks(coarse)
    loops, seeded = _building(whole)
    groups, parts = dealt(paired.size, most, seed), []
    for rows in groups:
        part = paired.arrays(rows)
        short = short_of(part, part.gain)
        keys = short * (1 + noise * random.random(short.size))
        seeds = np.argsort(-keys, kind="stable")[: np.count_nonzero(short)]
        state = seeded(int(random.integers(2**31)))
        grown = loops.grow(seeds, short, discount, part, state)
        alone = np.arange(rows.size) + rows.size
        parts.append(np.where(grown < 0, alone, grown))
    return repaired(whole, canonical(joined(groups, parts)[coarse]), seed)


def _paired(whole: Problem, most: int, random: np.random.Generator) -> IntArray:
    """Merge unsafe values in random pairs until at most `most` blocks are unsafe.

    Where values have many gains and few records, a block needs many of them.
    """
    labels = np.arange(whole.size)
    while True:
        unsafe = random.permutation(np.flatnonzero(_shortfalls(whole) > 0))
        if unsafe.size <= most:
            return labels
        into = np.arange(whole.size)
        half = unsafe.size // 2
        into[unsafe[:half]] = unsafe[half : 2 * half]
        into = canonical(into)
        whole, labels = whole.blocks(into), into[labels]


def repaired(whole: Problem, labels: IntArray, seed: int) -> IntArray:
    """Merge unsafe blocks until all are safe, or one is left."""
    loops, seeded = _building(whole)
    while True:
        blocks = whole.blocks(labels)
        chosen = _to_repair(_shortfalls(blocks) > 0, blocks.inequalities, seed)
        if chosen.size <= 1:
            return labels
        part = blocks.arrays(chosen)
        heaviest = np.argsort(-part.sums[:, 0], kind="stable")
        into = loops.repair(part.gain, part.sums, heaviest, part, seeded(seed))
        while (into[into] != into).any():
            into = into[into]
        merged = np.arange(blocks.size)
        merged[chosen] = chosen[into]
        if np.array_equal(merged, np.arange(merged.size)):  # safe, but for rounding
            return labels
        labels = canonical(merged[labels])


def _to_repair(unsafe: NDArray[np.bool_], width: int, seed: int) -> IntArray:
    """Return the numbers of the blocks to repair, unsafe ones first; empty if all are safe.

    All blocks, or as many as are written out at a time.
    """
    most = affordable(unsafe.size, width)
    if not unsafe.any() or most == unsafe.size:
        return np.arange(unsafe.size if unsafe.any() else 0)
    shuffled, most = np.random.default_rng(seed).permutation(unsafe.size), max(most, 2)
    first = shuffled[unsafe[shuffled]][: most // 2 + 1]
    wanted = np.concatenate([first, shuffled[~unsafe[shuffled]]])
    return np.sort(wanted[:most])


def _building(whole: Problem) -> tuple[Any, Any]:
    """Return the loops that build blocks, and the function that makes the random state of a seed.

    Each value that joins a block is the best of at most `MAX_SCANNED` values.
    """
    loops = kernels("merging._build_kernels", plain=True)
    steps = whole.size * min(whole.size, loops.MAX_SCANNED) * whole.inequalities
    if is_short(steps):
        return loops, kernels("_compute._random_kernels", plain=True).seeded
    loops = kernels("merging._build_kernels", plain=False)
    return loops, kernels("_compute._random_kernels", plain=False).seeded


def utility_if_safe(whole: Problem, labels: IntArray) -> float:
    """Return the utility; minus infinity when a block is unsafe by more than rounding."""
    blocks = whole.blocks(labels)
    if (_shortfalls(blocks) > TOLERANCE * blocks.p).any():
        return -math.inf
    return float(blocks.worth.values().sum())


def _shortfalls(whole: Problem) -> FloatArray:
    """Return what each value lacks on its own, the least mass included."""
    short = whole.promise.shortfalls()
    if whole.least > 0:
        short = short + np.maximum(whole.least - whole.sizes, 0) / whole.least
    if whole.is_capped:
        short = short + np.maximum(whole.counted - whole.largest, 0) / whole.largest
    return short


def affordable(most: int, width: int) -> int:
    """Return `most`, or as many values of `width` numbers each as are written out at a time."""
    return max(1, min(most, MAX_GAINS_AT_A_TIME // width))


def dealt(n: int, most: int, seed: int) -> list[IntArray]:
    """Deal n rows at random into groups of at most `most` rows, each in row order."""
    if n <= most:
        return [np.arange(n)]
    shuffled = np.random.default_rng(seed).permutation(n)
    return [np.sort(group) for group in np.array_split(shuffled, math.ceil(n / most))]


def joined(groups: list[IntArray], parts: list[IntArray]) -> IntArray:
    """Join the partitions of groups of rows into one; canonical."""
    labels, used = np.empty(sum(rows.size for rows in groups), dtype=np.int64), 0
    for rows, part in zip(groups, parts, strict=True):
        labels[rows] = part + used
        used += int(part.max()) + 1
    return canonical(labels)
