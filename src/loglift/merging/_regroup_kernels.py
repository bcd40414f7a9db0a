"""The compiled loops that improve a partition: tear down a few blocks, put them together anew.

The values of the torn blocks are dealt into a few chunks, and the best partition of the chunks is
found by dynamic programming over their subsets. The old blocks are among the choices, so nothing
is ever lost by it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift._compute.random import below, seeded, uniform
from loglift.joint import FloatArray, IntArray
from loglift.merging._build_kernels import xlogx
from loglift.merging.problem import Problem

MOST_TORN = 6  # blocks torn down at a time
KICKS, NOISE = 0.3, 0.3  # how often the best regrouping is not taken, and how far from it one is


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


class Sums(NamedTuple):
    """All sets of the chunks of a pool: their gains, masses, and utilities as a block.

    `best` is the utility of the best partition of each, `block` what its lowest chunk is in there.
    """

    gain: FloatArray
    p: FloatArray
    value: FloatArray
    best: FloatArray
    block: IntArray


class Room(NamedTuple):
    """Where to write what is used again and again: no loop has to ask for memory.

    The blocks to tear down and their sizes, their values with the chunk and the new block of each,
    the sums, the values that were moved, and the state of the random numbers.
    """

    torn: IntArray
    sizes: IntArray
    pool: IntArray
    of: IntArray
    part: IntArray
    sums: Sums
    journal: IntArray
    state: IntArray


def room_for(values: int, constraints: int, chunks: int, seed: int) -> Room:
    """Return room to improve partitions of so many values."""
    sets = 1 << chunks
    sums = Sums(
        np.zeros((sets, constraints)),
        np.zeros(sets),
        np.zeros(sets),
        np.zeros(sets),
        np.zeros(sets, dtype=np.int64),
    )
    torn, sizes = np.zeros((2, MOST_TORN), dtype=np.int64)
    pool, of, part, journal = np.zeros((4, values), dtype=np.int64)
    return Room(torn, sizes, pool, of, part, sums, journal, seeded(seed))


def linked(labels: IntArray) -> Blocks:
    """Link up a partition given as canonical block numbers."""
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


@compiled_part
def exchange(blocks: Blocks, a: int, b: int) -> None:
    """Exchange two positions of `order`."""
    first, second = blocks.order[a], blocks.order[b]
    blocks.order[a], blocks.order[b] = second, first
    blocks.place[first], blocks.place[second] = b, a


@compiled_part
def remove_block(blocks: Blocks, b: int) -> None:
    """Take a block out of use; its members are without a block."""
    if blocks.size[b] > 1:
        blocks.counts[0] -= 1
        exchange(blocks, blocks.place[b], blocks.counts[0])
    blocks.counts[1] -= 1
    exchange(blocks, blocks.place[b], blocks.counts[1])
    blocks.head[b], blocks.size[b] = -1, 0


@compiled_part
def add_block(blocks: Blocks, values: IntArray, labels: IntArray, label: int) -> None:
    """Put a block number that is not in use to use, for the values that have this label."""
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


@compiled_part
def choose(blocks: Blocks, most: int, chosen: IntArray, state: IntArray) -> int:
    """Draw two to five blocks to tear down, at least one with several members; return how many.

    Two may have any size; more are taken as long as they hold at most `most` values together.
    """
    wanted, used, size = 2 + below(state, MOST_TORN - 2), 0, 0
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


@compiled_part
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


@compiled_part
def deal(sizes: IntArray, most: int, of: IntArray, state: IntArray) -> int:
    """Deal the values of blocks of these sizes into at most `most` chunks, none across two blocks.

    Up to that many values are chunks of one. Writes the chunk of each value into `of`, returns how
    many there are.
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


@compiled_part
def is_enough(gain: FloatArray, need: FloatArray) -> bool:
    """Whether nothing is short."""
    short = False
    for c in range(need.size):
        short |= gain[c] < need[c]
    return not short


@compiled_part
def add_up(pool: IntArray, of: IntArray, t: int, problem: Problem, sums: Sums) -> None:
    """Add up the gains and masses of all sets of the t chunks of a pool."""
    k = problem.need.size
    for chunk in range(t):
        sums.p[1 << chunk] = 0.0
        for c in range(k):
            sums.gain[1 << chunk, c] = 0.0
    for i in range(pool.size):
        sums.p[1 << of[i]] += problem.p[pool[i]]
        for c in range(k):
            sums.gain[1 << of[i], c] += problem.gain[pool[i], c]
    for mask in range(1, 1 << t):
        low = mask & -mask
        if mask != low:
            sums.p[mask] = sums.p[low] + sums.p[mask ^ low]
            for c in range(k):
                sums.gain[mask, c] = sums.gain[low, c] + sums.gain[mask ^ low, c]


@compiled_part
def regroup(
    pool: IntArray,
    of: IntArray,
    t: int,
    problem: Problem,
    noise: float,
    sums: Sums,
    labels: IntArray,
    state: IntArray,
) -> float:
    """Partition the t chunks of a pool in the best way there is; return its utility.

    The best partition of a set has some safe block with its lowest chunk, and is best on the rest:
    3^(t-1) steps for t chunks. With `noise` each block's utility is underrated by up to that share
    at random, which gives good partitions other than the best. Writes the block of each value into
    `labels`.
    """
    add_up(pool, of, t, problem, sums)
    p, value, best, block = sums.p, sums.value, sums.best, sums.block
    for mask in range(1, 1 << t):
        value[mask] = -math.inf
        if is_enough(sums.gain[mask], problem.need):
            value[mask] = -xlogx(p[mask])
            if noise > 0:
                value[mask] *= 1 - noise * uniform(state)
    best[0] = 0.0
    for half in range(1, (1 << t >> 1) + 1):  # all sets without the first chunk, then all chunks
        mask = min(2 * half, (1 << t) - 1)
        low = mask & -mask
        rest = mask ^ low
        best[mask], block[mask], sub = -math.inf, 0, rest
        while sub >= 0:
            utility = value[sub | low] + best[rest ^ sub]
            if utility > best[mask]:
                best[mask], block[mask] = utility, sub | low
            sub = (sub - 1) & rest if sub > 0 else -1
    mask, utility = (1 << t) - 1, 0.0
    if block[mask] == 0:
        return -math.inf  # there is no safe partition
    while mask > 0:
        for i in range(pool.size):
            if block[mask] >> of[i] & 1:
                labels[i] = block[mask]
        utility -= xlogx(p[block[mask]])
        mask ^= block[mask]
    return utility


@compiled_part
def utility_of(blocks: Blocks, chosen: IntArray, problem: Problem) -> float:
    """Entropy that the chosen blocks contribute."""
    utility = 0.0
    for b in chosen:
        p, x = 0.0, blocks.head[b]
        while x >= 0:
            p += problem.p[x]
            x = blocks.following[x]
        utility -= xlogx(p)
    return utility


@compiled_part
def rebuild(blocks: Blocks, chosen: IntArray, pool: IntArray, part: IntArray) -> None:
    """Replace the chosen blocks by those that `part` puts the values of the pool into."""
    for b in chosen:
        remove_block(blocks, b)
    for i in range(pool.size):
        if part[i] > 0:
            label = part[i]
            add_block(blocks, pool, part, label)
            for j in range(i, pool.size):
                if part[j] == label:
                    part[j] = 0


@compiled_part
def note(journal: IntArray, noted: int, pool: IntArray) -> int:
    """Write the values of a pool into the journal while it has room; return how many it noted."""
    if noted + pool.size <= journal.size:
        for i in range(pool.size):  # assigning a slice takes seconds to compile
            journal[noted + i] = pool[i]
    return noted + pool.size


@compiled_part
def catch_up(best: IntArray, of: IntArray, journal: IntArray, noted: int) -> None:
    """Make `best` what `of` is, where they differ: at the values noted, or anywhere if too many."""
    if noted > journal.size:
        for x in range(of.size):
            best[x] = of[x]
    else:
        for i in range(noted):
            best[journal[i]] = of[journal[i]]


@compiled
def improve(
    blocks: Blocks,
    problem: Problem,
    iterations: int,
    chunks: int,
    slack: float,
    pool_size: int,
    room: Room,
    best: IntArray,
) -> None:
    """Tear down and regroup blocks again and again; `best` becomes the best partition seen.

    It is that of `blocks` to begin with. Goes on from up to `slack` nats below the best, to leave
    dead ends. The draws depend on nothing but the state, so that more iterations never give less.
    A pool of more than `pool_size` values counts for as many iterations as it holds that many.
    """
    state = room.state
    behind, spent, noted = 0.0, 0, 0  # noted: the values moved since the best was seen
    while spent < iterations and blocks.counts[0] > 0:  # or nothing is merged: nothing to gain
        chosen = room.torn[: choose(blocks, chunks, room.torn, state)]
        sizes = room.sizes[: chosen.size]
        pool = room.pool[: members(blocks, chosen, sizes, room.pool)]
        of, part = room.of[: pool.size], room.part[: pool.size]
        spent += max(1, pool.size // pool_size)
        before = utility_of(blocks, chosen, problem)
        noise = NOISE * uniform(state) if uniform(state) < KICKS else 0.0
        t = deal(sizes, chunks, of, state)
        gained = regroup(pool, of, t, problem, noise, room.sums, part, state) - before
        if gained < behind - slack:
            continue
        rebuild(blocks, chosen, pool, part)
        noted = note(room.journal, noted, pool)
        behind -= gained
        if behind < -1e-13:
            behind = 0.0
            catch_up(best, blocks.of, room.journal, noted)
            noted = 0
