"""The compiled loops that find small safe blocks and choose disjoint ones."""

from __future__ import annotations

import math
from typing import NamedTuple

from loglift._compute._random_kernels import below, uniform
from loglift._compute.compiling import compiled_lean, compiled_lean_call, compiled_sum
from loglift.joint import FloatArray, IntArray


class Choices(NamedTuple):
    """Blocks to choose from: `members` (b, most), filled up with -1, and the `weight` of each (b,).

    Value x is in the blocks `holding[first[x, c]:first[x, c+1]]` of class c; blocks of a class
    have equally many members.
    """

    members: IntArray
    weight: FloatArray
    holding: IntArray
    first: IntArray


class Packing(NamedTuple):
    """Disjoint blocks: the block `of` each value, or -1.

    `free` lists the values in no block first, `place` says where each value is in it.
    """

    of: IntArray
    free: IntArray
    place: IntArray


@compiled_lean_call
def set_free(packing: Packing, members: IntArray, left: int) -> int:
    """Put the members of a block after the first `left` free values; return the new count."""
    for x in members:
        if x < 0:
            break
        packing.of[x] = -1
        other, place = packing.free[left], packing.place[x]
        packing.free[left], packing.free[place] = x, other
        packing.place[x], packing.place[other] = left, place
        left += 1
    return left


@compiled_lean_call
def take(packing: Packing, members: IntArray, b: int, left: int) -> int:
    """Make block b of values that are free; return how many of `left` stay free."""
    for x in members:
        if x < 0:
            break
        left -= 1
        packing.of[x] = b
        other, place = packing.free[left], packing.place[x]
        packing.free[left], packing.free[place] = x, other
        packing.place[x], packing.place[other] = left, place
    return left


@compiled_lean
def pack(
    choices: Choices,
    packing: Packing,
    moves: int,
    hottest: float,
    coldest: float,
    torn: IntArray,
    state: IntArray,
    best: IntArray,
) -> None:
    """Choose disjoint blocks of large total weight by simulated annealing.

    A move takes a random block with a random free value, and gives up the blocks that share values
    with it. At first no block is chosen. `best` (n,) becomes the block of each value, or -1, of the
    best choice of the second half. `torn` (most,) is overwritten.
    """
    left, n, classes, heat = packing.of.size, packing.of.size, choices.first.shape[1] - 1, hottest
    weight, most = 0.0, -math.inf
    for move in range(moves):
        if move % 64 == 0:
            heat = hottest * (coldest / hottest) ** (move / moves)
        x, c = packing.free[below(state, left if left > 0 else n)], below(state, classes)
        start, end = choices.first[x, c], choices.first[x, c + 1]
        if start == end:
            continue
        b = choices.holding[start + below(state, end - start)]
        gained, count = choices.weight[b], 0
        for y in choices.members[b]:
            if y < 0:
                break
            other = packing.of[y]
            if other >= 0:
                known = False
                for i in range(count):
                    known = known or torn[i] == other
                if not known:
                    torn[count] = other
                    count += 1
                    gained -= choices.weight[other]
        if gained < 0 and uniform(state) >= math.exp(gained / heat):
            continue
        for i in range(count):
            left = set_free(packing, choices.members[torn[i]], left)
        left = take(packing, choices.members[b], b, left)
        weight += gained
        if 2 * move > moves and weight > most:
            most = weight
            for y in range(n):
                best[y] = packing.of[y]
    if most == -math.inf:
        for y in range(n):
            best[y] = packing.of[y]


@compiled_sum
def shortfall(lacking: FloatArray, gain: FloatArray) -> float:
    """Return the total that is lacking after these gains are added."""
    short = 0.0
    for c in range(lacking.size):
        short += max(0.0, lacking[c] - gain[c])
    return short


@compiled_lean_call
def descend(
    gain: FloatArray,
    need: FloatArray,
    free: IntArray,
    lacking: FloatArray,
    members: IntArray,
    budget: IntArray,
    state: IntArray,
) -> bool:
    """Look for a safe block of free values by coordinate descent; return whether one was found.

    `gain` (n, k). The first of the `members` is given. Begins with random others, and exchanges one
    of them after the other for the free value with which the block lacks least, until it is safe or
    no exchange helps. An exchange looks at all free values, which the `budget` (1,) pays for.
    `lacking` (k,) is overwritten.
    """
    k, size = need.size, members.size
    for j in range(1, size):
        members[j] = free[below(state, free.size)]
    least, stale, j = math.inf, 0, 1
    while stale < size - 1:
        budget[0] -= free.size
        for c in range(k):
            lacking[c] = need[c]
        for i in range(size):
            if i != j:
                for c in range(k):
                    lacking[c] -= gain[members[i], c]
        best, chosen = math.inf, members[j]
        for x in free:
            short = shortfall(lacking, gain[x])
            if short < best:
                known = False
                for i in range(size):
                    known = known or (i != j and members[i] == x)
                if not known:
                    best, chosen = short, x
        members[j] = chosen
        stale = 0 if best < least else stale + 1
        least = min(least, best)
        if least <= 0.0:
            break
        j = j + 1 if j + 1 < size else 1
    for i in range(size):
        for other in range(i):
            if members[i] == members[other]:
                return False
    return least <= 0.0


@compiled_lean
def build(
    gain: FloatArray,
    need: FloatArray,
    order: IntArray,
    smallest: int,
    tries: int,
    free: IntArray,
    lacking: FloatArray,
    members: IntArray,
    budget: IntArray,
    state: IntArray,
    labels: IntArray,
) -> None:
    """Build small safe blocks around the values in turn, as long as they are free.

    The next size is tried when all tries of one fail, up to the size of `members`. There is only
    one try for sizes larger than usual, and when the `budget` (1,) is spent. `labels` (n,) are -1
    at first, and afterwards for values that are left over. `free` (n,) and `lacking` (k,) are
    overwritten.
    """
    left, block, usual = order.size, 0, smallest
    for x in range(left):
        free[x] = x
    for leader in order:
        size, found = max(smallest, usual - 1), labels[leader] >= 0
        while not found and size <= min(left, members.size):
            for _ in range(tries if budget[0] > 0 and size <= usual + 1 else 1):
                members[0] = leader
                if descend(gain, need, free[:left], lacking, members[:size], budget, state):
                    found, usual = True, size
                    for i in range(size):
                        labels[members[i]] = block
                    block += 1
                    break
            size += 1 + size // 8
            if found:
                kept = 0
                for i in range(left):
                    free[kept] = free[i]
                    kept += labels[free[i]] < 0
                left = kept
