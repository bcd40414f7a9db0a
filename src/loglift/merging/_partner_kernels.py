"""The compiled search for the best partner of a block: the inner loop of Algorithm 1.

The lift of a block is n(s,B) n / (n(s) n(B)) on any common scale of the masses. For counts both
products are exact and the division rounds once. Excesses that differ by less than the tolerance of
`loglift.promise.bound` are ties, so that probabilities behave like the counts they come from.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from loglift._compute.compiling import compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import TOLERANCE

AS_GOOD = 1 - TOLERANCE
# What is not below this share of the best excess, by products of rounded numbers, is not better.
NOT_BETTER = 1 - TOLERANCE / 2
BEYOND = 1e100  # above every finite excess: see SMALLEST_SHARE of `loglift.joint`


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


@compiled_part
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


@compiled_part
def exceeds(
    block: FloatArray, weight: float, values: Values, x: int, s: int, rules: Rules, limit: float
) -> bool:
    """Whether sensitive value s alone lifts the excess with value x above the limit.

    Divides nothing, so that most candidates of a scan cost a few multiplications.
    """
    found = (block[s] + values.mass[x, s]) * rules.total
    expected = rules.prior[s] * (weight + values.weight[x])
    return bool(rules.up * found > limit * expected or rules.down * expected > limit * found)


@compiled_part
def best_partner(
    block: FloatArray, weight: float, candidates: IntArray, values: Values, rules: Rules
) -> int:
    """The candidate with least excess; the first one on a tie, or if every excess is infinite."""
    best, found, worst = BEYOND, candidates[0], 0
    for x in candidates:
        limit = best * NOT_BETTER
        if exceeds(block, weight, values, x, worst, rules, limit):
            continue  # by the sensitive value that ruled out the candidate before
        ruled_out = False
        for s in range(block.size):
            if exceeds(block, weight, values, x, s, rules, limit):
                ruled_out, worst = True, s
                break
        if not ruled_out:
            excess = excess_with(block, weight, values, x, rules)
            if excess < best * AS_GOOD:
                best, found = excess, x
    return int(found)


@compiled_part
def remove(candidates: IntArray, size: int, value: int) -> int:
    """Take `value` out of the first `size` entries, keeping their order; return the new size."""
    kept = 0
    for position in range(size):
        if candidates[position] != value:
            candidates[kept] = candidates[position]
            kept += 1
    return kept
