"""The compiled loops of Algorithm 1; `tests/naive.py` holds their slow, obvious oracles.

The lift of a block is n(s,B) n / (n(s) n(B)) on any common scale of the masses. For counts both
products are exact and the division rounds once. Excesses that differ by less than the tolerance of
`loglift.bound` are ties, so that probabilities behave like the counts they come from.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift.bound import TOLERANCE
from loglift.joint import FloatArray, IntArray
from loglift.merging._compile import compiled

# Products of rounded numbers decide on a candidate only when they are this far from a tie.
_CLEARLY = 1 + 1e-9
_AS_GOOD = 1 - TOLERANCE


class Values(NamedTuple):
    """Public values or blocks to choose from: n(s,x) of shape (n, m), and n(x) of shape (n,)."""

    mass: FloatArray
    weight: FloatArray


class Rules(NamedTuple):
    """What every block is measured against.

    `prior` holds n(s), `total` is n; `least` and `most` are the safe lifts, tolerance included.
    `down` and `up` weigh the two directions of the excess of a block,

        excess(B) = max over s of max(up * l(s,B), down / l(s,B)),

    which is e^omega(B) for a symmetric bound, where down = up = 1.
    """

    prior: FloatArray
    total: float
    least: float
    most: float
    down: float
    up: float


@compiled
def is_safe(block: FloatArray, weight: float, rules: Rules) -> bool:
    """Whether a block is safe: the linear inequalities of `loglift.bound`."""
    for s in range(block.size):
        expected, found = rules.prior[s] * weight, block[s] * rules.total
        if not rules.least * expected <= found <= rules.most * expected:
            return False
    return True


@compiled
def excess_with(block: FloatArray, weight: float, values: Values, x: int, rules: Rules) -> float:
    """Excess of the block and value x together."""
    worst, both = 0.0, weight + values.weight[x]
    for s in range(block.size):
        found = (block[s] + values.mass[x, s]) * rules.total
        expected = rules.prior[s] * both
        if rules.up > 0:
            worst = max(worst, rules.up * (found / expected))
        if rules.down > 0:
            worst = max(worst, rules.down * (expected / found) if found > 0 else math.inf)
    return worst


@compiled
def exceeds(
    block: FloatArray, weight: float, values: Values, x: int, s: int, rules: Rules, limit: float
) -> bool:
    """Whether sensitive value s alone lifts the excess with value x above the limit.

    Divides nothing, so that most candidates of a scan cost a few multiplications.
    """
    found = (block[s] + values.mass[x, s]) * rules.total
    expected = rules.prior[s] * (weight + values.weight[x])
    return bool(rules.up * found > limit * expected or rules.down * expected > limit * found)


@compiled
def best_partner(
    block: FloatArray, weight: float, candidates: IntArray, values: Values, rules: Rules
) -> int:
    """Position in `candidates` of the value with least excess; the first one on a tie."""
    best, found, worst = math.inf, 0, 0
    for position in range(candidates.size):
        x, limit = candidates[position], best * _CLEARLY
        if exceeds(block, weight, values, x, worst, rules, limit):
            continue  # by the sensitive value that ruled out the candidate before
        ruled_out = False
        for s in range(block.size):
            if exceeds(block, weight, values, x, s, rules, limit):
                ruled_out, worst = True, s
                break
        if not ruled_out:
            excess = excess_with(block, weight, values, x, rules)
            if excess < best * _AS_GOOD:
                best, found = excess, position
    return found


@compiled
def remove(queue: IntArray, size: int, value: int) -> int:
    """Take `value` out of the first `size` entries, keeping their order; return the new size."""
    kept = 0
    for position in range(size):
        if queue[position] != value:
            queue[kept] = queue[position]
            kept += 1
    return kept


@compiled
def add(block: FloatArray, values: Values, x: int) -> float:
    """Add value x to a block's masses in place; return its weight."""
    for s in range(block.size):
        block[s] += values.mass[x, s]
    return float(values.weight[x])


@compiled
def build_blocks(
    block_of: IntArray, queue: IntArray, seeds: IntArray, values: Values, rules: Rules
) -> Values:
    """Lines 4 to 10 of Algorithm 1: fuse around the riskiest value left until safe.

    `queue` holds the high-risk values in row order and is used up; `seeds` holds them riskiest
    first. Writes block numbers into `block_of`, returns the blocks.
    """
    blocks = Values(np.zeros((seeds.size, rules.prior.size)), np.zeros(seeds.size))
    left, p = queue.size, 0
    for seed in seeds:
        if block_of[seed] >= 0:
            continue
        chosen, block, weight = seed, blocks.mass[p], 0.0
        while True:
            block_of[chosen] = p
            weight += add(block, values, chosen)
            left = remove(queue, left, chosen)
            if left == 0 or is_safe(block, weight, rules):
                break
            chosen = queue[best_partner(block, weight, queue[:left], values, rules)]
        blocks.weight[p] = weight
        p += 1
    return Values(blocks.mass[:p], blocks.weight[:p])


@compiled
def merge_last(block_of: IntArray, blocks: Values, rules: Rules) -> None:
    """Lines 11 to 15 of Algorithm 1: while the last block is unsafe, fuse it with another."""
    last = blocks.weight.size - 1
    others = np.arange(last)
    left, block = last, blocks.mass[last]
    while left > 0 and not is_safe(block, blocks.weight[last], rules):
        chosen = others[best_partner(block, blocks.weight[last], others[:left], blocks, rules)]
        blocks.weight[last] += add(block, blocks, chosen)
        left = remove(others, left, chosen)
        for x in range(block_of.size):
            if block_of[x] == chosen:
                block_of[x] = last


@compiled
def absorb(
    block_of: IntArray, spare: IntArray, blocks: Values, values: Values, rules: Rules
) -> None:
    """Add the spare values to the last block, in their order, until it is safe."""
    last = blocks.weight.size - 1
    for x in spare:
        if is_safe(blocks.mass[last], blocks.weight[last], rules):
            return
        block_of[x] = last
        blocks.weight[last] += add(blocks.mass[last], values, x)


@compiled
def algorithm1(
    queue: IntArray, seeds: IntArray, spare: IntArray, values: Values, rules: Rules
) -> IntArray:
    """Block number of each value, -1 for the values that stay alone.

    `queue` and `seeds` are the high-risk values in row order and riskiest first; `spare` are the
    low-risk values to absorb, least risk first, or none.
    """
    block_of = np.full(values.weight.size, -1)
    if seeds.size > 0:
        blocks = build_blocks(block_of, queue, seeds, values, rules)
        merge_last(block_of, blocks, rules)
        absorb(block_of, spare, blocks, values, rules)
    return block_of


@compiled
def algorithm1_many(
    masses: FloatArray, high_risk: IntArray, by_risk: IntArray, sizes: IntArray, rules: Rules
) -> IntArray:
    """`algorithm1` for each joint of masses (d, n, m); priors and totals are each joint's own.

    The first sizes[i] entries of rows i of `high_risk` and `by_risk` are its queue and seeds.
    """
    block_of = np.empty(masses.shape[:2], dtype=np.int64)
    for i in range(masses.shape[0]):
        mass, h = masses[i], sizes[i]
        prior = mass.sum(axis=0)
        own = Rules(prior, prior.sum(), rules.least, rules.most, rules.down, rules.up)
        values = Values(mass, mass.sum(axis=1))
        block_of[i] = algorithm1(high_risk[i, :h], by_risk[i, :h], by_risk[i, :0], values, own)
    return block_of
