"""The compiled loops of Algorithm 1; `tests/naive.py` holds their slow, obvious oracles.

The lift of a block is n(s,B) n / (n(s) n(B)) on any common scale of the masses. For counts both
products are exact and the division rounds once, so equal lifts compare equal: a tie is a tie.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging._compile import compiled

# Products of rounded numbers decide on a candidate only when they are this far from a tie.
_CLEARLY = 1 + 1e-9


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
            if excess < best:
                best, found = excess, position
    return found


@compiled
def single_excess(values: Values, rules: Rules) -> FloatArray:
    """Excess of every value on its own."""
    nothing = np.zeros(rules.prior.size)
    excess = np.empty(values.weight.size)
    for x in range(values.weight.size):
        excess[x] = excess_with(nothing, 0.0, values, x, rules)
    return excess


@compiled
def build_blocks(values: Values, rules: Rules) -> tuple[IntArray, int]:
    """Lines 4 to 10 of Algorithm 1: fuse around the riskiest value left until safe.

    Returns the block number of each value, -1 for low-risk ones, and the number of blocks.
    """
    n, m = values.mass.shape
    block_of, p = np.full(n, -1), 0
    safe = [is_safe(values.mass[x], values.weight[x], rules) for x in range(n)]
    queue = np.array([x for x in range(n) if not safe[x]], dtype=np.int64)
    riskiest_first = queue[np.argsort(-single_excess(values, rules)[queue], kind="mergesort")]
    for seed in riskiest_first:
        if block_of[seed] >= 0:
            continue
        chosen, block, weight = seed, np.zeros(m), 0.0
        while True:
            block_of[chosen] = p
            block += values.mass[chosen]
            weight += values.weight[chosen]
            gap = np.searchsorted(queue, chosen)
            queue[gap:-1] = queue[gap + 1 :].copy()
            queue = queue[:-1]
            if queue.size == 0 or is_safe(block, weight, rules):
                break
            chosen = queue[best_partner(block, weight, queue, values, rules)]
        p += 1
    return block_of, p


@compiled
def merge_last(block_of: IntArray, p: int, values: Values, rules: Rules) -> None:
    """Lines 11 to 15 of Algorithm 1: while the last of p blocks is unsafe, fuse it with another."""
    blocks = Values(np.zeros((p, rules.prior.size)), np.zeros(p))
    for x in range(block_of.size):
        if block_of[x] >= 0:
            blocks.mass[block_of[x]] += values.mass[x]
            blocks.weight[block_of[x]] += values.weight[x]
    last = p - 1
    others = np.arange(max(last, 0))
    while others.size > 0 and not is_safe(blocks.mass[last], blocks.weight[last], rules):
        position = best_partner(blocks.mass[last], blocks.weight[last], others, blocks, rules)
        chosen = others[position]
        blocks.mass[last] += blocks.mass[chosen]
        blocks.weight[last] += blocks.weight[chosen]
        block_of[block_of == chosen] = last
        others = np.delete(others, position)


@compiled
def absorb_low_risk(block_of: IntArray, last: int, values: Values, rules: Rules) -> None:
    """Add low-risk values to the last block, least excess first, until it is safe."""
    block, weight = np.zeros(rules.prior.size), 0.0
    for x in np.flatnonzero(block_of == last):
        block += values.mass[x]
        weight += values.weight[x]
    for x in np.argsort(single_excess(values, rules), kind="mergesort"):
        if is_safe(block, weight, rules):
            return
        if block_of[x] == -1:
            block_of[x] = last
            block += values.mass[x]
            weight += values.weight[x]


@compiled
def algorithm1(values: Values, rules: Rules, absorb: bool) -> IntArray:
    """Block number of each value, -1 for the values that stay alone."""
    block_of, p = build_blocks(values, rules)
    merge_last(block_of, p, values, rules)
    if absorb and p > 0:
        absorb_low_risk(block_of, p - 1, values, rules)
    return block_of


@compiled
def algorithm1_many(masses: FloatArray, rules: Rules) -> IntArray:
    """`algorithm1` for each joint of masses (d, n, m); priors and totals are each joint's own."""
    block_of = np.empty(masses.shape[:2], dtype=np.int64)
    for i in range(masses.shape[0]):
        mass = masses[i]
        prior = mass.sum(axis=0)
        own = Rules(prior, prior.sum(), rules.least, rules.most, rules.down, rules.up)
        block_of[i] = algorithm1(Values(mass, mass.sum(axis=1)), own, False)
    return block_of
