"""The compiled bound on the blocks that extend a part of one.

A block is worth its utility -p(B) log p(B) less the duals of its members. Multipliers y >= 0 of the
constraints, and the tangent of the concave utility with any slope, bound the worth of every block
that extends a given part A by members of F:

    e^(-1-slope) + sum over c of y(c) (gain(A,c) - need(c)) + slope p(A) - dual(A)
        + sum over x in F of max(0, weight(x)),
    weight(x) = sum over c of y(c) gain(x,c) + slope p(x) - dual(x).

It is convex in multipliers and slope: some steps along single coordinates, beginning where the
part without its last member ended, make it about as sharp as a linear program would.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled_part, compiled_sum
from loglift.joint import FloatArray, IntArray

FARTHEST = 700.0  # nats, of which the exponential is no overflow
HALVINGS = 7  # of the interval of a step
FIRST_STEPS, STEPS = 32, 4  # to sharpen the bounds of a leader, and of larger parts of blocks


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


@compiled_part
def add_along(weight: FloatArray, column: FloatArray, first: int, shift: float) -> None:
    """Shift the weights of the company along a column.

    Here and below, slices from `first` on are indexed from zero, which compiles to vectors.
    """
    weights, values = weight[first:], column[first:]
    for i in range(weights.size):
        weights[i] += shift * values[i]


@compiled_sum
def joining(weight: FloatArray, column: FloatArray, first: int, shift: float) -> float:
    """Sum of a column over the company whose weights are positive after a shift along it."""
    weights, values, total = weight[first:], column[first:], 0.0
    for i in range(weights.size):
        total += values[i] if weights[i] + shift * values[i] > 0 else 0.0
    return total


@compiled_sum
def above(weight: FloatArray, column: FloatArray, first: int, shift: float) -> float:
    """Sum of the positive weights of the company after a shift along a column."""
    weights, values, total = weight[first:], column[first:], 0.0
    for i in range(weights.size):
        moved = weights[i] + shift * values[i]
        total += moved if moved > 0 else 0.0
    return total


@compiled_part
def excess(
    weight: FloatArray, column: FloatArray, first: int, own: float, at: float, shift: float
) -> float:
    """Derivative of a bound along one multiplier, after a shift from where it is `at`.

    `own` is what the part has of the column beyond the need. For the slope, `at` is finite and the
    need is the mass e^(-1-slope) that the tangent touches; elsewhere `at` is infinite.
    """
    touched = math.exp(min(-1 - at - shift, FARTHEST)) if at < math.inf else 0.0
    return own + joining(weight, column, first, shift) - touched


@compiled_part
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


@compiled_part
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


@compiled_part
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
    add_along(weight, column, first, shift)
    return float(moved)


@compiled_part
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
            add_along(weight, company.column[c], first, multiplier)
    if company.apart.size > 0:
        for i in range(first, weight.size):
            for depth in range(d + 1):
                if company.apart[parts.member[depth], i]:
                    weight[i] = -math.inf
    parts.base[d] = base
    return float(base + above(weight, company.column[k], first, 0.0))


@compiled_part
def bounded(parts: Parts, d: int, company: Company, dual: FloatArray, threshold: float) -> float:
    """Bound the blocks of a part, no more sharply than the threshold asks.

    Sums up its suffixes if it is worth going on with.
    """
    first = parts.member[d] + 1
    bound = weigh(parts, d, first, company, dual)
    for _ in range(STEPS if d > 0 else FIRST_STEPS):
        if bound <= threshold:
            break
        c = steepest(parts, d, first, company)
        before = bound
        if c >= 0:
            bound = move(parts, d, first, company, c, bound)
        if bound >= before:
            break
    if bound > threshold:
        weight, suffix = parts.weight[d], parts.suffix[d]
        suffix[weight.size] = 0.0
        for i in range(weight.size - 1, first - 1, -1):
            suffix[i] = suffix[i + 1] + max(0.0, weight[i])
    return bound
