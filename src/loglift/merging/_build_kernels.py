"""The compiled loops that build a safe partition from single values.

A block is safe iff the sums of its members' `gain` are at least `need`. The shortfall of a block is
the total that it lacks, each inequality on its `scale`; a safe block has no shortfall.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute._random_kernels import below
from loglift._compute.compiling import compiled, compiled_lean_call
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Arrays
from loglift.promise._condition_kernels import lacking
from loglift.utility._utility_kernels import value

MAX_SCANNED = 128  # candidates that are looked at; of more, this many are drawn at random


@compiled_lean_call
def shortfall(total: FloatArray, gain: FloatArray, problem: Arrays) -> float:
    """Return what a block with these total gains lacks after one more vector of gains is added."""
    short_of = 0.0
    if problem.conditions.kind.size > 0:
        short_of = lacking(problem.conditions, total, gain, problem.conditions.nothing)
    for c in range(total.size):
        short = problem.need[c] - total[c] - gain[c]
        if short > 0:
            short_of += short * problem.scale[c]
    return short_of


@compiled_lean_call
def best_donor(
    total: FloatArray,
    short_of: float,
    free: IntArray,
    short: FloatArray,
    discount: float,
    problem: Arrays,
    state: IntArray,
) -> int:
    """Return the place in `free` of the value that ends the shortfall with the least mass, or -1.

    A value of mass q that takes the shortfall from a to b would need q a/(a-b) in all at that rate.
    Values that are unsafe themselves must be merged anyway, so they get a discount.
    """
    best, found = math.inf, -1
    for trial in range(min(free.size, MAX_SCANNED)):
        position = trial if free.size <= MAX_SCANNED else below(state, free.size)
        x = free[position]
        after = shortfall(total, problem.gain[x], problem)
        if after < short_of:
            cost = problem.sums[x, 0] * short_of / (short_of - after)
            if short[x] > 0:
                cost *= discount
            if cost < best:
                best, found = cost, position
    return found


@compiled
def grow(
    seeds: IntArray, short: FloatArray, discount: float, problem: Arrays, state: IntArray
) -> IntArray:
    """Grow a block around each seed in turn, if it is still free, until the block is safe.

    `short` is the shortfall of each value alone. Blocks that run out of donors stay unsafe. Returns
    the block number of each value, -1 for values in no block.
    """
    n, k = problem.gain.shape
    free, where, left, block = np.arange(n), np.arange(n), n, 0
    labels = np.full(n, -1)
    for seed in seeds:
        if labels[seed] >= 0:
            continue
        total, position = np.zeros(k), where[seed]
        while position >= 0:
            x = free[position]
            left -= 1
            free[position], free[left] = free[left], x
            where[free[position]], where[x] = position, left
            labels[x] = block
            short_of = shortfall(total, problem.gain[x], problem)
            for c in range(k):
                total[c] += problem.gain[x, c]
            if short_of <= 0:
                break
            position = best_donor(total, short_of, free[:left], short, discount, problem, state)
        block += 1
    return labels


@compiled
def repair(
    gain: FloatArray, sums: FloatArray, first: IntArray, problem: Arrays, state: IntArray
) -> IntArray:
    """Merge unsafe blocks, in the order `first`, each with the block that then lacks least.

    Of blocks that then lack the same, the one that loses least. `gain` (b, k) and `sums` (b, t) are
    those of the blocks, and are overwritten. Returns for each block the one it was merged into, or
    itself. All blocks are safe afterwards, or only one is left.
    """
    left, t = sums.shape
    into, alive, place = np.arange(left), np.arange(left), np.arange(left)
    nothing, both, weights = np.zeros(problem.need.size), np.empty(t), problem.coefficients
    worth = np.empty(left)
    for block in range(left):
        worth[block] = value(sums[block], weights)
    for unsafe in first:
        b = unsafe
        while into[b] == b and left > 1 and shortfall(nothing, gain[b], problem) > 0:
            best, best_loss, chosen = math.inf, math.inf, -1
            for trial in range(min(left, MAX_SCANNED)):
                other = alive[trial if left <= MAX_SCANNED else below(state, left)]
                if other == b:
                    continue
                short_of = shortfall(gain[other], gain[b], problem)
                if short_of > best:
                    continue
                for c in range(t):
                    both[c] = sums[other, c] + sums[b, c]
                loss = worth[other] - value(both, weights)  # and v(b), the same for each
                if short_of < best or loss < best_loss:
                    best, best_loss, chosen = short_of, loss, other
            if chosen >= 0:
                for c in range(t):
                    sums[chosen, c] += sums[b, c]
                worth[chosen] = value(sums[chosen], weights)
                for c in range(problem.need.size):
                    gain[chosen, c] += gain[b, c]
                into[b] = chosen
                left -= 1
                alive[place[b]] = alive[left]
                place[alive[left]] = place[b]
                b = chosen  # which may be unsafe still
    return into
