"""The compiled walk over blocks that price out: the inner loop of exact merging.

A block is worth its utility -p(B) log p(B) less the duals of its members. Multipliers y >= 0 of the
constraints, and the tangent of the concave utility with any slope, bound the worth of every block
that extends a given part A by members of F:

    e^(-1-slope) + sum over c of y(c) (gain(A,c) - need(c)) + slope p(A) - dual(A)
        + sum over x in F of max(0, weight(x)),
    weight(x) = sum over c of y(c) gain(x,c) + slope p(x) - dual(x).

It is convex in multipliers and slope: some steps along single coordinates, beginning where the
part without its last member ended, make it about as sharp as a linear program would. A walk adds
members from heavy to light, the lightest of the block last, so that what is left to join in
fractions is ever lighter and the bound ever sharper; what cannot beat a threshold is left out.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging._build_kernels import xlogx
from loglift.merging._compile import compiled

BEGIN, DONE, TIRED, FULL = 0, 1, 2, 3  # how far a walk is
# Steps along coordinates at a leader and at larger parts of blocks, halvings of a step's interval.
FIRST_STEPS, STEPS, HALVINGS = 32, 4, 10


class Company(NamedTuple):
    """All values, heaviest first.

    `column` (k+1, m) has the gains by constraint, and p(x) last; `need` (k,). `twin` marks a value
    that is interchangeable with the one before it, `apart` (m, m) pairs that may not meet; it is
    empty when there are none.
    """

    column: FloatArray
    need: FloatArray
    twin: IntArray
    apart: IntArray


class Parts(NamedTuple):
    """The parts of a block on the way, one for each depth.

    `member` is the last one, `after` the next to try; `total` (k+1,) its gains and p, `dual` their
    duals; `multiplier` (k+1,) with the slope last, `base` the bound without company, `weight` (m,)
    and `suffix` (m+1,) the weights of the company and the sums of the positive ones from there on.
    """

    member: IntArray
    after: IntArray
    total: FloatArray
    dual: FloatArray
    multiplier: FloatArray
    base: FloatArray
    weight: FloatArray
    suffix: FloatArray


class Walk(NamedTuple):
    """How far a walk is: its depth, the number of blocks found, what others must beat, a bound."""

    state: int
    depth: int
    blocks: int
    threshold: float
    bound: float


class Found(NamedTuple):
    """Room for blocks: their members one after the other, and where each block ends."""

    members: IntArray
    ends: IntArray


def parts_for(depths: int, constraints: int, size: int) -> Parts:
    """Return room for the parts of blocks of up to so many members."""
    return Parts(
        np.zeros(depths, dtype=np.int64),
        np.zeros(depths, dtype=np.int64),
        np.zeros((depths, constraints + 1)),
        np.zeros(depths),
        np.zeros((depths, constraints + 1)),
        np.zeros(depths),
        np.zeros((depths, size)),
        np.zeros((depths, size + 1)),
    )


@compiled
def worth(parts: Parts, d: int, need: FloatArray) -> float:
    """Utility less duals of a part as a block; minus infinity when it is not safe."""
    for c in range(need.size):
        if parts.total[d, c] < need[c]:
            return -math.inf
    return -xlogx(parts.total[d, need.size]) - float(parts.dual[d])


@compiled
def joining(weight: FloatArray, column: FloatArray, first: int, shift: float) -> float:
    """Sum of a column over the company whose weights are positive after a shift along it."""
    total = 0.0
    for i in range(first, weight.size):
        total += column[i] if weight[i] + shift * column[i] > 0 else 0.0
    return total


@compiled
def above(weight: FloatArray, column: FloatArray, first: int, shift: float) -> float:
    """Sum of the positive weights of the company after a shift along a column."""
    total = 0.0
    for i in range(first, weight.size):
        moved = weight[i] + shift * column[i]
        total += moved if moved > 0 else 0.0
    return total


@compiled
def excess(
    weight: FloatArray, column: FloatArray, first: int, own: float, at: float, shift: float
) -> float:
    """Derivative of a bound along one multiplier, after a shift from where it is `at`.

    `own` is what the part has of the column beyond the need. For the slope, `at` is finite and the
    need is the mass e^(-1-slope) that the tangent touches; elsewhere `at` is infinite.
    """
    touched = math.exp(-1 - at - shift) if at < math.inf else 0.0
    return own + joining(weight, column, first, shift) - touched


@compiled
def best_shift(
    weight: FloatArray, column: FloatArray, first: int, own: float, at: float, lowest: float
) -> float:
    """The shift of a multiplier, not below `lowest`, at about which its derivative changes sign."""
    low, high, step = 0.0, 0.0, 0.1
    if excess(weight, column, first, own, at, 0.0) < 0:
        while step < 1e6:
            high += step
            if excess(weight, column, first, own, at, high) >= 0:
                break
            low, step = high, 2 * step
    else:
        while step < 1e6 and low > lowest:
            low = max(low - step, lowest)
            if excess(weight, column, first, own, at, low) <= 0:
                break
            high, step = low, 2 * step
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if excess(weight, column, first, own, at, middle) < 0:
            low = middle
        else:
            high = middle
    return high


@compiled
def steepest(parts: Parts, d: int, first: int, company: Company) -> int:
    """The multiplier along which the bound falls most steeply; -1 where it does along none."""
    k, best, found = company.need.size, 1e-12, -1
    for c in range(k + 1):
        if c < k:
            own, at = parts.total[d, c] - company.need[c], math.inf
        else:
            own, at = parts.total[d, k], parts.multiplier[d, k]
        slope = excess(parts.weight[d], company.column[c], first, own, at, 0.0)
        if abs(slope) > best and (slope < 0 or c == k or parts.multiplier[d, c] > 0):
            best, found = abs(slope), c
    return found


@compiled
def move(parts: Parts, d: int, first: int, company: Company, c: int, bound: float) -> float:
    """Shift one multiplier to where the bound is least along it; return the bound."""
    k, weight, column = company.need.size, parts.weight[d], company.column[c]
    multiplier = parts.multiplier[d, c]
    if c < k:
        own, at, lowest = parts.total[d, c] - company.need[c], math.inf, -multiplier
        shift = best_shift(weight, column, first, own, at, lowest)
        base = parts.base[d] + shift * own
    else:
        own, at, lowest = parts.total[d, k], multiplier, -math.inf
        shift = best_shift(weight, column, first, own, at, lowest)
        base = parts.base[d] + shift * own + math.exp(-1 - at - shift) - math.exp(-1 - at)
    moved = base + above(weight, column, first, shift)
    if moved >= bound:
        return bound
    parts.base[d], parts.multiplier[d, c] = base, multiplier + shift
    for i in range(first, weight.size):
        weight[i] += shift * column[i]
    return float(moved)


@compiled
def weigh(parts: Parts, d: int, first: int, company: Company, dual: FloatArray) -> float:
    """Weigh the company of a part by its multipliers; return the bound."""
    k, weight = company.need.size, parts.weight[d]
    for i in range(first, weight.size):
        weight[i] = -dual[i]
    base = -parts.dual[d] + math.exp(-1 - parts.multiplier[d, k])
    for c in range(k + 1):
        multiplier = parts.multiplier[d, c]
        if multiplier != 0:
            base += multiplier * (parts.total[d, c] - (company.need[c] if c < k else 0.0))
            for i in range(first, weight.size):
                weight[i] += multiplier * company.column[c, i]
    if company.apart.size > 0:
        for i in range(first, weight.size):
            for depth in range(d + 1):
                if company.apart[parts.member[depth], i]:
                    weight[i] = -math.inf
    parts.base[d] = base
    return float(base + above(weight, company.column[k], first, 0.0))


@compiled
def bounded(
    parts: Parts, d: int, company: Company, dual: FloatArray, steps: int, threshold: float
) -> float:
    """Bound the blocks of a part, no more sharply than the threshold asks; sum up its suffixes."""
    first = parts.member[d] + 1
    bound = weigh(parts, d, first, company, dual)
    for _ in range(steps):
        if bound <= threshold:
            break
        c = steepest(parts, d, first, company)
        before = bound
        if c >= 0:
            bound = move(parts, d, first, company, c, bound)
        if bound >= before:
            break
    weight, suffix = parts.weight[d], parts.suffix[d]
    suffix[weight.size] = 0.0
    for i in range(weight.size - 1, first - 1, -1):
        suffix[i] = suffix[i + 1] + max(0.0, weight[i])
    return bound


@compiled
def extend(parts: Parts, d: int, i: int, company: Company, dual: FloatArray) -> None:
    """Make the part at depth d+1: that at d with value i, and the same multipliers."""
    for c in range(company.column.shape[0]):
        parts.total[d + 1, c] = parts.total[d, c] + company.column[c, i]
        parts.multiplier[d + 1, c] = parts.multiplier[d, c]
    parts.dual[d + 1] = parts.dual[d] + dual[i]
    parts.member[d + 1], parts.after[d + 1] = i, i + 1


@compiled
def begin(
    parts: Parts,
    leader: int,
    company: Company,
    dual: FloatArray,
    multiplier: FloatArray,
    threshold: float,
) -> float:
    """Make the part at depth 0, a leader alone, and bound its blocks.

    `multiplier` (k+1,) is where to begin, and then where the bound is sharpest.
    """
    for c in range(multiplier.size):
        parts.total[0, c], parts.multiplier[0, c] = company.column[c, leader], multiplier[c]
    parts.dual[0], parts.member[0], parts.after[0] = dual[leader], leader, leader + 1
    bound = bounded(parts, 0, company, dual, FIRST_STEPS, threshold)
    for c in range(multiplier.size):
        multiplier[c] = parts.multiplier[0, c]
    return bound


@compiled
def keep(found: Found, count: int, parts: Parts, d: int) -> bool:
    """Write a part down as block number `count`; False when there is no room."""
    start = found.ends[count - 1] if count > 0 else 0
    if count >= found.ends.size or start + d + 1 > found.members.size:
        return False
    for depth in range(d + 1):
        found.members[start + depth] = parts.member[depth]
    found.ends[count] = start + d + 1
    return True


@compiled
def left(parts: Parts, d: int) -> float:
    """The largest bound of what a walk that ends here has not seen."""
    most = -math.inf
    for depth in range(d + 1):
        most = max(most, parts.base[depth] + parts.suffix[depth, parts.after[depth]])
    return most


@compiled
def walk(
    leader: int,
    company: Company,
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
    bound is one on the worth of all blocks of the leader; when done it is at most the threshold,
    which is the largest worth found unless it was `every` block that was asked for.
    """
    state, d, count, threshold, bound = so_far
    m, looked, new = dual.size, 0, state == BEGIN
    if new:
        bound = begin(parts, leader, company, dual, multiplier, threshold)
        d = 0 if bound > threshold else -1
    while d >= 0:
        if new:
            value, new = worth(parts, d, company.need), False
            if value > threshold:
                if not keep(found, count if every else 0, parts, d):
                    return Walk(FULL, d, count, threshold, bound)
                count = count + 1 if every else 1
                threshold = threshold if every else value
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
            return Walk(TIRED, d, count, threshold, min(bound, unseen))
        looked += 1
        extend(parts, d, i, company, dual)
        if bounded(parts, d + 1, company, dual, STEPS, threshold) > threshold:
            d, new = d + 1, True
    return Walk(DONE, d, count, threshold, min(bound, threshold))
