"""The compiled loops that build a safe partition from nothing.

Every constraint on a block is linear and reads "the sum of `gain` over its members is at least
`need`": for each sensitive value what is above the least allowed and below the most allowed, and
one more for the least number of records. The shortfall of a block is the total it lacks, each
constraint on its own `scale`; a block is safe iff nothing is short.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift._compute.random import below
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Problem

# A scan looks at all candidates up to this many, and at as many drawn at random beyond.
SCAN = 128


@compiled_part
def shortfall(total: FloatArray, gain: FloatArray, problem: Problem) -> float:
    """What a block with these total gains would lack after adding one more vector of gains."""
    lacking = 0.0
    for c in range(total.size):
        short = problem.need[c] - total[c] - gain[c]
        if short > 0:
            lacking += short * problem.scale[c]
    return lacking


@compiled_part
def xlogx(p: float) -> float:
    """Return p log p, zero at zero."""
    return p * math.log(p) if p > 0 else 0.0


@compiled_part
def best_donor(
    total: FloatArray,
    lacking: float,
    free: IntArray,
    short: FloatArray,
    discount: float,
    problem: Problem,
    state: IntArray,
) -> int:
    """Position in `free` of the value that lets the block end with the least added mass, or -1.

    A value that takes the shortfall from a to b with mass q would, at that rate, need q a/(a-b) in
    all; values that are unsafe themselves have to go somewhere and come at a discount.
    """
    best, found = math.inf, -1
    for trial in range(min(free.size, SCAN)):
        position = trial if free.size <= SCAN else below(state, free.size)
        x = free[position]
        after = shortfall(total, problem.gain[x], problem)
        if after < lacking:
            cost = problem.p[x] * lacking / (lacking - after)
            if short[x] > 0:
                cost *= discount
            if cost < best:
                best, found = cost, position
    return found


@compiled
def grow(
    seeds: IntArray, short: FloatArray, discount: float, problem: Problem, state: IntArray
) -> IntArray:
    """Grow a block around each seed in turn, if it is still free, until the block is safe.

    `short` is the shortfall of each value alone. Blocks that run out of donors stay unsafe. Returns
    the block number of each value, -1 for those no block took.
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
            lacking = shortfall(total, problem.gain[x], problem)
            for c in range(k):
                total[c] += problem.gain[x, c]
            if lacking <= 0:
                break
            position = best_donor(total, lacking, free[:left], short, discount, problem, state)
        block += 1
    return labels


@compiled
def repair(
    gain: FloatArray, p: FloatArray, first: IntArray, problem: Problem, state: IntArray
) -> IntArray:
    """Merge unsafe blocks, in the order `first`, each where it then lacks and loses least.

    `gain` (b, k) and `p` (b,) are the blocks' sums, and are used up. Returns for each block the one
    it was merged into, itself if none. All are safe afterwards, or only one is left.
    """
    into, alive, place, left = np.arange(p.size), np.arange(p.size), np.arange(p.size), p.size
    nothing = np.zeros(problem.need.size)
    for unsafe in first:
        b = unsafe
        while into[b] == b and left > 1 and shortfall(nothing, gain[b], problem) > 0:
            best, best_loss, chosen = math.inf, math.inf, -1
            for trial in range(min(left, SCAN)):
                other = alive[trial if left <= SCAN else below(state, left)]
                if other != b:
                    lacking = shortfall(gain[other], gain[b], problem)
                    loss = xlogx(p[other] + p[b]) - xlogx(p[other])
                    if lacking < best or (lacking == best and loss < best_loss):
                        best, best_loss, chosen = lacking, loss, other
            if chosen >= 0:
                p[chosen] += p[b]
                for c in range(problem.need.size):
                    gain[chosen, c] += gain[b, c]
                into[b] = chosen
                left -= 1
                alive[place[b]] = alive[left]
                place[alive[left]] = place[b]
                b = chosen  # which may be unsafe still
    return into
