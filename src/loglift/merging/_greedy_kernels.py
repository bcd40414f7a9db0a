"""The compiled loops of Algorithm 1; `tests/naive.py` holds their slow, obvious oracles."""

from __future__ import annotations

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.merging._partner_kernels import best_partner, remove
from loglift.merging._queue_kernels import best_of_many, leave, make_queue
from loglift.merging._rules import Rules, Values

MAX_UNQUEUED = 64  # candidates up to which a queue is not faster


@compiled_part
def is_safe(block: FloatArray, weight: float, rules: Rules) -> bool:
    """Return whether a block is safe by the inequalities of `loglift.promise.bound`."""
    for s in range(block.size):
        expected, found = rules.prior[s] * weight, block[s] * rules.total
        if not rules.least * expected <= found <= rules.most * expected:
            return False
    return True


@compiled_part
def add(block: FloatArray, values: Values, x: int) -> float:
    """Add value x to a block's masses in place; return its weight."""
    for s in range(block.size):
        block[s] += values.mass[x, s]
    return float(values.weight[x])


@compiled_part
def build_blocks(
    block_of: IntArray, high_risk: IntArray, seeds: IntArray, values: Values, rules: Rules
) -> Values:
    """Lines 4 to 10 of Algorithm 1: merge around the riskiest value left until safe.

    `high_risk` holds the high-risk values in row order and is overwritten; `seeds` holds them
    riskiest first. Writes block numbers into `block_of`, returns the blocks.
    """
    blocks = Values(np.zeros((seeds.size, rules.prior.size)), np.zeros(seeds.size))
    left, p, many = seeds.size, 0, seeds.size > MAX_UNQUEUED
    queue = make_queue(high_risk if many else high_risk[:0], values, rules)
    for seed in seeds:
        if block_of[seed] >= 0:
            continue
        chosen, block, weight = seed, blocks.mass[p], 0.0
        while True:
            block_of[chosen] = p
            weight += add(block, values, chosen)
            if many:
                leave(queue, chosen, rules)
                left -= 1
            else:
                left = remove(high_risk, left, chosen)
            if left == 0 or is_safe(block, weight, rules):
                break
            if many:
                chosen = best_of_many(block, weight, queue, values, rules)
            else:
                chosen = best_partner(block, weight, high_risk[:left], values, rules)
        blocks.weight[p] = weight
        p += 1
    return Values(blocks.mass[:p], blocks.weight[:p])


@compiled_part
def merge_last(block_of: IntArray, blocks: Values, rules: Rules) -> None:
    """Lines 11 to 15 of Algorithm 1: while the last block is unsafe, merge it with another."""
    last = blocks.weight.size - 1
    others, into = np.arange(last), np.arange(last + 1)
    left, block = last, blocks.mass[last]
    while left > 0 and not is_safe(block, blocks.weight[last], rules):
        chosen = best_partner(block, blocks.weight[last], others[:left], blocks, rules)
        blocks.weight[last] += add(block, blocks, chosen)
        left = remove(others, left, chosen)
        into[chosen] = last
    for x in range(block_of.size):
        if block_of[x] >= 0:
            block_of[x] = into[block_of[x]]


@compiled_part
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
    high_risk: IntArray, seeds: IntArray, spare: IntArray, values: Values, rules: Rules
) -> IntArray:
    """Return the block number of each value, -1 for values that stay alone.

    `high_risk` and `seeds` are the high-risk values in row order and riskiest first. `spare` are
    the low-risk values to absorb, least risk first; it may be empty.
    """
    block_of = np.full(values.weight.size, -1)
    if seeds.size > 0:
        blocks = build_blocks(block_of, high_risk, seeds, values, rules)
        merge_last(block_of, blocks, rules)
        absorb(block_of, spare, blocks, values, rules)
    return block_of


@compiled
def algorithm1_many(
    masses: FloatArray, high_risk: IntArray, by_risk: IntArray, sizes: IntArray, rules: Rules
) -> IntArray:
    """Run `algorithm1` on each joint of masses (d, n, m), with its own prior and total.

    The first sizes[i] entries of rows i of `high_risk` and `by_risk` are its high-risk values, in
    row order and riskiest first.
    """
    block_of = np.empty(masses.shape[:2], dtype=np.int64)
    for i in range(masses.shape[0]):
        mass, h = masses[i], sizes[i]
        prior = mass.sum(axis=0)
        own = Rules(prior, prior.sum(), rules.least, rules.most, rules.down, rules.up)
        values = Values(mass, mass.sum(axis=1))
        block_of[i] = algorithm1(high_risk[i, :h], by_risk[i, :h], by_risk[i, :0], values, own)
    return block_of
