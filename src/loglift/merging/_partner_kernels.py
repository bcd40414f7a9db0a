"""The compiled search for the best partner of a block: the inner loop of Algorithm 1.

The lift of a block is n(s,B) n / (n(s) n(B)) on any common scale of the masses. For counts both
products are exact and the division rounds once. Excesses that differ by less than the tolerance of
`loglift.promise.limits` are ties: probabilities give the same result as the counts they come from.
"""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.merging._rules import Rules, Values
from loglift.promise.limits import TOLERANCE

AS_GOOD = 1 - TOLERANCE
# An excess that is not below this share of the best one, by rounded products, is not better.
NOT_BETTER = 1 - TOLERANCE / 2
BEYOND = 1e100  # above every finite excess: see SMALLEST_SHARE of `loglift.joint`


@compiled_part
def excess_with(block: FloatArray, weight: float, values: Values, x: int, rules: Rules) -> float:
    """Return the excess of the block and value x together."""
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
    """Return whether sensitive value s puts the excess with value x above the limit.

    There is no division, so most candidates of a scan cost a few multiplications.
    """
    found = (block[s] + values.mass[x, s]) * rules.total
    expected = rules.prior[s] * (weight + values.weight[x])
    return bool(rules.up * found > limit * expected or rules.down * expected > limit * found)


@compiled_part
def best_partner(
    block: FloatArray, weight: float, candidates: IntArray, values: Values, rules: Rules
) -> int:
    """Return the candidate with least excess; the first on a tie, or if all are infinite."""
    best, found, worst = BEYOND, candidates[0], 0
    for x in candidates:
        limit = best * NOT_BETTER
        if exceeds(block, weight, values, x, worst, rules, limit):
            continue  # ruled out by the same sensitive value as the last one
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
