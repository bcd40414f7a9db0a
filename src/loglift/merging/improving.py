"""Improving: tear down a few blocks of a safe partition at a time, and regroup their values.

They are regrouped in the best way, by dynamic programming over subsets of chunks, with random kicks
to leave dead ends (`_regroup_kernels`). Many values are dealt into shards that fit into the cache,
and all cores work on shards: an iteration costs the same for any number of values. Blocks with too
many gains to write out are improved in bundles of values.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.kernels import is_small, kernels
from loglift._compute.threads import spread
from loglift.joint import IntArray
from loglift.measures.partition import canonical
from loglift.merging.building import MAX_GAINS_AT_A_TIME, affordable, joined
from loglift.merging.exact import is_easy
from loglift.merging.problem import Problem
from loglift.sparse import any_row, stable_order

MAX_SHARD_VALUES, MIN_SHARD_BLOCKS = 8192, 24  # of a shard, improved by one core
MIN_SHARDS = 2  # if there are enough blocks: for two cores
ROUND_ITERATIONS = 2500  # until shards are dealt again
ROUND_SEED_STEP = 1_000_003  # between the seeds of two rounds
POOL_VALUES = 512  # torn down values that count as one iteration, where there are several shards
MIN_CHUNKS, MAX_REGROUP_OPERATIONS = 5, 200_000  # of one regrouping
# Up to 32 values 12 chunks are regrouped at a time (9 where `exact` follows), up to 3000 values 9.
MAX_SMALL_VALUES, MAX_MEDIUM_VALUES = 32, 3000
MAX_PLAIN_STEPS = 1_500_000  # of the iterations on a small problem in plain Python: half a second


def improved(whole: Problem, labels: IntArray, iterations: int, seed: int) -> IntArray:
    """Improve the blocks in rounds until all iterations are done."""
    done, length = 0, max(ROUND_ITERATIONS, labels.size)
    while done < iterations:
        effort = min(length, iterations - done)
        round_seed = seed + (done // length) * ROUND_SEED_STEP
        labels = _improved_once(whole, labels, effort, round_seed)
        done += effort
    return labels


def _improved_once(whole: Problem, labels: IntArray, iterations: int, seed: int) -> IntArray:
    """Improve all shards at once, with iterations in proportion to the values of each."""
    n, k = labels.size, whole.inequalities
    most = affordable(MAX_SHARD_VALUES, k)
    slack = 1 / n  # nats: what a single move is worth shrinks with the number of values
    shards = shards_of(labels, seed, most)
    chunks, size = _chunks(n, k), n if n <= MAX_SHARD_VALUES else POOL_VALUES
    steps = iterations * (3 ** (chunks - 1) + (k << chunks))
    plain = is_small(n, k) and steps <= MAX_PLAIN_STEPS
    loops = kernels("merging._regroup_kernels", plain=plain)

    def of_shard(shard: tuple[int, IntArray]) -> IntArray:
        random, rows = shard
        begin, effort = canonical(labels[rows]), math.ceil(iterations * rows.size / n)
        if rows.size * k <= 2 * MAX_GAINS_AT_A_TIME:
            part, of = whole.arrays(rows), np.arange(rows.size)
        else:
            of = _bundled(begin, most, random)
            part, begin = whole.only(rows).blocks(of).arrays(), begin[any_row(of)]
        best, work = begin.copy(), loops.workspace(part, chunks, random)
        blocks, conditions = loops.linked(begin), part.conditions.if_any
        loops.improve(blocks, part, conditions, effort, chunks, slack, size, work, best)
        return best[of]

    return joined(shards, spread(of_shard, enumerate(shards, start=seed)))


def _chunks(n: int, k: int) -> int:
    """Return how many chunks to regroup at a time: more for few values and few inequalities.

    Where `exact` follows with a proof, a start that is nearly as good is enough.
    """
    small = n <= MAX_SMALL_VALUES and not is_easy(n, k // 2)
    chunks = 12 if small else 9 if n <= MAX_MEDIUM_VALUES else 8
    while chunks > MIN_CHUNKS and k << chunks > MAX_REGROUP_OPERATIONS:
        chunks -= 1
    return chunks


def _bundled(labels: IntArray, most: int, seed: int) -> IntArray:
    """Bundle the values of each block at random, for about `most` bundles in all; canonical.

    Blocks with too many values to write out are improved bundle by bundle.
    """
    shuffled = np.random.default_rng(seed).permutation(labels.size)
    order = shuffled[stable_order(labels[shuffled], labels.size)]
    sizes = np.bincount(labels)
    share = np.maximum(1, sizes * most // labels.size)  # bundles of each block
    place = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    bundles = np.empty_like(labels)
    bundles[order] = place % share[labels[order]] + (np.cumsum(share) - share)[labels[order]]
    return canonical(bundles)


def shards_of(labels: IntArray, seed: int, most: int, least: int = MIN_SHARDS) -> list[IntArray]:
    """Deal whole blocks at random into shards of about `most` values; return the rows of each.

    There are at least `least` shards, if there are enough blocks. Shards of a few thousand values
    fit into the cache and contain good partners.
    """
    sizes = np.bincount(labels)
    wanted = max(least, math.ceil(labels.size / most))
    count = max(1, min(wanted, sizes.size // MIN_SHARD_BLOCKS))
    if count == 1:
        return [np.arange(labels.size)]
    shuffled = np.random.default_rng(seed).permutation(sizes.size)
    before = np.cumsum(sizes[shuffled]) - sizes[shuffled]
    shard_of = np.empty_like(sizes)
    shard_of[shuffled] = before * count // labels.size
    of = shard_of[labels]
    order = stable_order(of, count)
    shards = np.split(order, np.searchsorted(of[order], np.arange(1, count)))
    return [rows for rows in shards if rows.size]
