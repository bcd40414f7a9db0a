"""The compiled walk over blocks that are worth more than their prices: the core of exact merging.

Members are added from heavy to light. What can still join becomes lighter with every member, and
the bound on it (`_bounding_kernels`) sharper. Parts that cannot beat a threshold are left out.
"""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_lean, compiled_lean_call
from loglift.joint import FloatArray
from loglift.merging._bounding_kernels import bounded
from loglift.merging._walk import BEGIN, DONE, FULL, TIRED, Company, Found, Parts, Walk
from loglift.promise._condition_kernels import lacking
from loglift.promise.conditions import Conditions
from loglift.utility._utility_kernels import value


@compiled_lean_call
def worth(parts: Parts, d: int, company: Company, conditions: Conditions | None) -> float:
    """Return the utility less the duals of a part as a block; minus infinity if it is unsafe."""
    need = company.need
    for c in range(need.size):
        if parts.total[d, c] < need[c]:
            return -math.inf
    if conditions is not None:
        nothing = conditions.nothing
        if lacking(conditions, parts.total[d], nothing, nothing) > 0:
            return -math.inf
    return value(parts.total[d, need.size :], company.coefficients) - float(parts.dual[d])


@compiled_lean_call
def extend(parts: Parts, d: int, i: int, company: Company, dual: FloatArray) -> None:
    """Make the part at depth d+1: the one at depth d and value i, with the same multipliers."""
    for c in range(company.column.shape[0]):
        parts.total[d + 1, c] = parts.total[d, c] + company.column[c, i]
    for c in range(company.need.size + 1):
        parts.multiplier[d + 1, c] = parts.multiplier[d, c]
    parts.dual[d + 1] = parts.dual[d] + dual[i]
    parts.member[d + 1], parts.after[d + 1] = i, i + 1


@compiled_lean_call
def begin(
    parts: Parts, d: int, leader: int, company: Company, dual: FloatArray, multiplier: FloatArray
) -> None:
    """Make the part at depth d = 0: a leader alone, with these multipliers (k+1,).

    (With the constant 0 in place of `d`, numba would compile this for itself.)
    """
    for c in range(company.column.shape[0]):
        parts.total[d, c] = company.column[c, leader]
    for c in range(multiplier.size):
        parts.multiplier[d, c] = multiplier[c]
    parts.dual[d], parts.member[d], parts.after[d] = dual[leader], leader, leader + 1


@compiled_lean_call
def keep(found: Found, count: int, parts: Parts, d: int) -> bool:
    """Write a part as block number `count`; return False when there is no space."""
    start = found.ends[count - 1] if count > 0 else 0
    if count >= found.ends.size or start + d + 1 > found.members.size:
        return False
    for depth in range(d + 1):
        found.members[start + depth] = parts.member[depth]
    found.ends[count] = start + d + 1
    return True


@compiled_lean_call
def left(parts: Parts, d: int) -> float:
    """Return the largest bound of what a walk that ends here has not seen."""
    most = -math.inf
    for depth in range(d + 1):
        most = max(most, parts.base[depth] + parts.suffix[depth, parts.after[depth]])
    return most


@compiled_lean
def walk(
    leader: int,
    company: Company,
    conditions: Conditions | None,
    dual: FloatArray,
    multiplier: FloatArray,
    every: bool,
    most: int,
    so_far: Walk,
    parts: Parts,
    found: Found,
) -> Walk:
    """Find the block of a leader of largest worth above the threshold, or every one above it.

    Looks at no more than `most` parts of blocks, and goes on from there when called again. The
    bound is on the worth of all blocks of the leader. When done it is at most the threshold, which
    is the largest worth found unless `every` block is asked for. The bound of the leader alone
    begins with `multiplier` (k+1,), which becomes where it is sharpest. `conditions` are those of
    a block; with None numba compiles no test of them.
    """
    state, d, count, threshold, bound, _ = so_far
    m, looked, new = dual.size, 0, state == BEGIN
    if new:
        begin(parts, d, leader, company, dual, multiplier)
        bound = bounded(parts, d, company, dual, threshold)
        for c in range(multiplier.size):
            multiplier[c] = parts.multiplier[d, c]
        d = d if bound > threshold else -1
    while d >= 0:
        if new:
            found_worth, new = worth(parts, d, company, conditions), False
            if found_worth > threshold:
                if not keep(found, count if every else 0, parts, d):
                    return Walk(FULL, d, count, threshold, bound, looked)
                count = count + 1 if every else 1
                threshold = threshold if every else found_worth
        i = parts.after[d]
        if i >= m or parts.base[d] + parts.suffix[d, i] <= threshold:
            d -= 1
            continue
        parts.after[d] = i + 1
        alone = company.twin[i] and parts.member[d] != i - 1
        if alone or parts.base[d] + parts.weight[d, i] + parts.suffix[d, i + 1] <= threshold:
            continue
        if looked >= most or d + 1 >= parts.dual.size:
            parts.after[d] = i
            unseen = max(threshold, left(parts, d))
            return Walk(TIRED, d, count, threshold, min(bound, unseen), looked)
        looked += 1
        extend(parts, d, i, company, dual)
        if bounded(parts, d + 1, company, dual, threshold) > threshold:
            d, new = d + 1, True
    return Walk(DONE, d, count, threshold, min(bound, threshold), looked)
