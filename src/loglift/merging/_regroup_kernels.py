"""The compiled loops that improve a partition: tear down a few blocks and regroup their values.

The values of the torn blocks are dealt into a few chunks, and the best partition of the chunks is
found by dynamic programming over their subsets. The old blocks are among the choices, so the result
is never worse.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift._compute._random_kernels import below, seeded, uniform
from loglift._compute.compiling import compiled_lean, compiled_lean_call
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Arrays
from loglift.promise._condition_kernels import lacking
from loglift.promise.conditions import Conditions
from loglift.utility._utility_kernels import value

MAX_TORN_BLOCKS = 6  # torn down at a time
KICK_PROBABILITY, MAX_KICK_NOISE = 0.3, 0.3  # of regroupings that are not the best
MIN_GAIN = 1e-13  # nats: a partition that gains less is not better


class Blocks(NamedTuple):
    """A partition as linked lists: the block of each value, first member and next member.

    `order` lists the block numbers, first those with several members, then the other ones in use;
    `place` says where a block stands in it. `counts` = (blocks with several members, in use).
    """

    of: IntArray
    head: IntArray
    following: IntArray
    size: IntArray
    order: IntArray
    place: IntArray
    counts: IntArray


class Sets(NamedTuple):
    """All sets of the chunks of a pool: their gains, their sums, and their values as a block.

    `best` is the utility of the best partition of each set, `block` the block of that partition
    that holds the lowest chunk.
    """

    gain: FloatArray
    sums: FloatArray
    worth: FloatArray
    best: FloatArray
    block: IntArray


class Workspace(NamedTuple):
    """Arrays that are overwritten in every iteration, so that no loop allocates memory.

    The blocks to tear down and their sizes; their values with the chunk and the new block of each;
    all sets of the chunks; the sums of a block; the values that moved since the best partition was
    seen; and the state of the random numbers.
    """

    torn: IntArray
    sizes: IntArray
    pool: IntArray
    of: IntArray
    part: IntArray
    sets: Sets
    block: FloatArray
    journal: IntArray
    state: IntArray


def workspace(problem: Arrays, chunks: int, seed: int) -> Workspace:
    """Return the arrays that `improve` needs for a problem."""
    values, t = problem.sums.shape
    size = 1 << chunks
    sets = Sets(
        np.zeros((size, problem.need.size)),
        np.zeros((size, t)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size, dtype=np.int64),
    )
    torn, sizes = np.zeros((2, MAX_TORN_BLOCKS), dtype=np.int64)
    pool, of, part, journal = np.zeros((4, values), dtype=np.int64)
    return Workspace(torn, sizes, pool, of, part, sets, np.zeros(t), journal, seeded(seed))


def linked(labels: IntArray) -> Blocks:
    """Return a partition, given as canonical block numbers, as linked lists."""
    n, size = labels.size, np.bincount(labels, minlength=labels.size)
    by_label = np.argsort(labels, kind="stable")
    same = labels[by_label[1:]] == labels[by_label[:-1]]
    following = np.full(n, -1)
    following[by_label[1:][same]] = by_label[:-1][same]
    head = np.full(n, -1)
    head[labels[by_label]] = by_label  # the last of each block stays
    numbers, several = list(range(n)), np.flatnonzero(size > 1).tolist()
    for position, b in enumerate(several):
        numbers[position], numbers[b] = numbers[b], numbers[position]
    order, place = np.array(numbers), np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    counts = np.array([len(several), int(labels.max()) + 1])
    return Blocks(labels.copy(), head, following, size, order, place, counts)


@compiled_lean_call
def exchange(blocks: Blocks, a: int, b: int) -> None:
    """Exchange two positions of `order`."""
    first, second = blocks.order[a], blocks.order[b]
    blocks.order[a], blocks.order[b] = second, first
    blocks.place[first], blocks.place[second] = b, a


@compiled_lean_call
def remove_block(blocks: Blocks, b: int) -> None:
    """Take a block out of use; its members are without a block."""
    if blocks.size[b] > 1:
        blocks.counts[0] -= 1
        exchange(blocks, blocks.place[b], blocks.counts[0])
    blocks.counts[1] -= 1
    exchange(blocks, blocks.place[b], blocks.counts[1])
    blocks.head[b], blocks.size[b] = -1, 0


@compiled_lean_call
def add_block(blocks: Blocks, values: IntArray, labels: IntArray, label: int) -> None:
    """Make a block of the values that have this label, with a number that is not in use."""
    position = blocks.counts[1]
    b = blocks.order[position]
    blocks.counts[1] += 1
    for i in range(values.size):
        if labels[i] == label:
            x = values[i]
            blocks.of[x] = b
            blocks.following[x] = blocks.head[b]
            blocks.head[b] = x
            blocks.size[b] += 1
    if blocks.size[b] > 1:
        exchange(blocks, position, blocks.counts[0])
        blocks.counts[0] += 1


@compiled_lean_call
def choose(blocks: Blocks, most: int, chosen: IntArray, state: IntArray) -> int:
    """Draw two to five blocks to tear down, at least one with several members; return how many.

    Two may have any size; more are drawn while they have at most `most` values together.
    """
    wanted, used, size = 2 + below(state, MAX_TORN_BLOCKS - 2), 0, 0
    for _ in range(3 * wanted):
        several = used == 0 or uniform(state) < 0.5
        b = blocks.order[below(state, blocks.counts[0] if several else blocks.counts[1])]
        known = False
        for i in range(used):
            known = known or chosen[i] == b
        if not known and (used < 2 or size + blocks.size[b] <= most):
            chosen[used] = b
            used += 1
            size += blocks.size[b]
            if used == wanted:
                break
    return used


@compiled_lean_call
def members(blocks: Blocks, chosen: IntArray, sizes: IntArray, pool: IntArray) -> int:
    """Write the values of the chosen blocks into a pool, block by block; return how many."""
    filled = 0
    for i in range(chosen.size):
        sizes[i], x = blocks.size[chosen[i]], blocks.head[chosen[i]]
        while x >= 0:
            pool[filled] = x
            filled += 1
            x = blocks.following[x]
    return filled


@compiled_lean_call
def deal(sizes: IntArray, most: int, of: IntArray, state: IntArray) -> int:
    """Deal the values of blocks of these sizes into at most `most` chunks within blocks.

    At most that many values are chunks of one value. Writes the chunk of each value into `of`,
    returns the number of chunks.
    """
    first, start = 0, 0
    if of.size <= most:
        for i in range(of.size):
            of[i] = i
        return of.size
    for i in range(sizes.size):
        share = max(1, min(sizes[i], (most - first) // (sizes.size - i)))
        for j in range(sizes[i]):
            of[start + j] = first + (j if j < share else below(state, share))
        first += share
        start += sizes[i]
    return first


@compiled_lean_call
def is_enough(gain: FloatArray, need: FloatArray) -> bool:
    """Return whether every gain is at least its need."""
    short = False
    for c in range(need.size):
        short |= gain[c] < need[c]
    return not short


@compiled_lean_call
def rule_out(conditions: Conditions, chunks: int, sets: Sets) -> None:
    """Make sets of chunks that do not meet the conditions worth nothing as a block."""
    nothing = conditions.nothing
    for mask in range(1, 1 << chunks):
        safe = sets.worth[mask] > -math.inf
        if safe and lacking(conditions, sets.gain[mask], nothing, nothing) > 0:
            sets.worth[mask] = -math.inf


@compiled_lean_call
def add_up(
    pool: IntArray, of: IntArray, chunks: int, numbers: FloatArray, totals: FloatArray
) -> None:
    """Add up the numbers (n, w) of the values of a pool, for all sets of its chunks."""
    width = numbers.shape[1]
    for chunk in range(chunks):
        for c in range(width):
            totals[1 << chunk, c] = 0.0
    for i in range(pool.size):
        for c in range(width):
            totals[1 << of[i], c] += numbers[pool[i], c]
    for mask in range(1, 1 << chunks):
        low = mask & -mask
        if mask != low:
            for c in range(width):
                totals[mask, c] = totals[low, c] + totals[mask ^ low, c]


@compiled_lean_call
def regroup(
    pool: IntArray,
    of: IntArray,
    chunks: int,
    problem: Arrays,
    conditions: Conditions | None,
    noise: float,
    sets: Sets,
    labels: IntArray,
    state: IntArray,
) -> float:
    """Partition the chunks of a pool in the best way; return the utility of its blocks.

    The best partition of a set consists of a safe block with its lowest chunk and of the best
    partition of the rest: 3^(c-1) steps for c chunks. With `noise` the value of each block is
    lowered by up to that share at random, which gives good partitions other than the best. Writes
    the block of each value into `labels`.
    """
    add_up(pool, of, chunks, problem.gain, sets.gain)
    add_up(pool, of, chunks, problem.sums, sets.sums)
    worth, best, block = sets.worth, sets.best, sets.block
    for mask in range(1, 1 << chunks):
        worth[mask] = -math.inf
        if is_enough(sets.gain[mask], problem.need):
            worth[mask] = value(sets.sums[mask], problem.coefficients)
            if noise > 0:
                worth[mask] *= 1 - noise * uniform(state)
    if conditions is not None:  # not in the loop above: few problems have conditions
        rule_out(conditions, chunks, sets)
    best[0] = 0.0
    for half in range(1, (1 << chunks >> 1) + 1):  # sets without the first chunk, then all chunks
        mask = min(2 * half, (1 << chunks) - 1)
        low = mask & -mask
        rest = mask ^ low
        most, found, sub = -math.inf, 0, rest  # in registers: an array may be any other one
        while sub >= 0:
            utility = worth[sub | low] + best[rest ^ sub]
            if utility > most:
                most, found = utility, sub | low
            sub = (sub - 1) & rest if sub > 0 else -1
        best[mask], block[mask] = most, found
    mask, utility = (1 << chunks) - 1, 0.0
    if block[mask] == 0:
        return -math.inf  # there is no safe partition
    while mask > 0:
        for i in range(pool.size):
            if block[mask] >> of[i] & 1:
                labels[i] = block[mask]
        utility += value(sets.sums[block[mask]], problem.coefficients)
        mask ^= block[mask]
    return utility


@compiled_lean_call
def utility_of(blocks: Blocks, chosen: IntArray, problem: Arrays, sums: FloatArray) -> float:
    """Return the utility of the chosen blocks; `sums` (t,) is overwritten."""
    utility = 0.0
    for b in chosen:
        for c in range(sums.size):
            sums[c] = 0.0
        x = blocks.head[b]
        while x >= 0:
            for c in range(sums.size):
                sums[c] += problem.sums[x, c]
            x = blocks.following[x]
        utility += value(sums, problem.coefficients)
    return utility


@compiled_lean_call
def rebuild(blocks: Blocks, chosen: IntArray, pool: IntArray, part: IntArray) -> None:
    """Replace the chosen blocks by the blocks of the pool that `part` numbers."""
    for b in chosen:
        remove_block(blocks, b)
    for i in range(pool.size):
        if part[i] > 0:
            label = part[i]
            add_block(blocks, pool, part, label)
            for j in range(i, pool.size):
                if part[j] == label:
                    part[j] = 0


@compiled_lean_call
def note(journal: IntArray, noted: int, pool: IntArray) -> int:
    """Write the values of a pool into the journal while they fit; return the new count."""
    if noted + pool.size <= journal.size:
        for i in range(pool.size):  # assigning a slice takes seconds to compile
            journal[noted + i] = pool[i]
    return noted + pool.size


@compiled_lean_call
def catch_up(best: IntArray, of: IntArray, journal: IntArray, noted: int) -> None:
    """Copy `of` to `best` at the values in the journal, or everywhere if they did not fit."""
    if noted > journal.size:
        for x in range(of.size):
            best[x] = of[x]
    else:
        for i in range(noted):
            best[journal[i]] = of[journal[i]]


@compiled_lean
def improve(
    blocks: Blocks,
    problem: Arrays,
    conditions: Conditions | None,
    iterations: int,
    chunks: int,
    slack: float,
    pool_size: int,
    work: Workspace,
    best: IntArray,
) -> None:
    """Tear down and regroup blocks; `best` becomes the best partition seen.

    `best` is the partition of `blocks` at the start. The loop goes on from partitions up to `slack`
    nats below the best, to leave dead ends. The draws depend on the state only, so more iterations
    never give less. A pool of several times `pool_size` values counts as that many iterations.
    `conditions` is None where the problem has no conditions: then numba compiles no test of them.
    """
    state = work.state
    behind, spent, noted = 0.0, 0, 0  # noted: values moved since the best
    # Without merged values there is nothing to gain.
    while spent < iterations and blocks.counts[0] > 0:
        chosen = work.torn[: choose(blocks, chunks, work.torn, state)]
        sizes = work.sizes[: chosen.size]
        pool = work.pool[: members(blocks, chosen, sizes, work.pool)]
        of, part = work.of[: pool.size], work.part[: pool.size]
        spent += max(1, pool.size // pool_size)
        before = utility_of(blocks, chosen, problem, work.block)
        noise = MAX_KICK_NOISE * uniform(state) if uniform(state) < KICK_PROBABILITY else 0.0
        dealt = deal(sizes, chunks, of, state)
        gained = (
            regroup(pool, of, dealt, problem, conditions, noise, work.sets, part, state) - before
        )
        if gained < behind - slack:
            continue
        rebuild(blocks, chosen, pool, part)
        noted = note(work.journal, noted, pool)
        behind -= gained
        if behind < -MIN_GAIN:
            behind = 0.0
            catch_up(best, blocks.of, work.journal, noted)
            noted = 0
