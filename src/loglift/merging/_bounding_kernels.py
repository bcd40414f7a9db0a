"""The compiled bound on the worth of all blocks that extend a part of a block.

A block is worth its utility v(B) less the duals of its members. The utility is w times -p log p,
which is concave in p = p(B), and targets, which lose by merging: those of a block keep no more than
those of a part of it and of its other members on their own. Multipliers y >= 0 of the inequalities,
and the tangent of the concave part with any slope, bound the worth of every block that extends a
given part A by members of F:

    offset(slope) + sum over c of y(c) (gain(A,c) - need(c)) + slope p(A) + targets(A) - dual(A)
        + sum over x in F of max(0, weight(x)),
    weight(x) = sum over c of y(c) gain(x,c) + slope p(x) + targets(x) - dual(x),

with offset(slope) the largest -w p log p - slope p (`tangent_offset`). The bound is convex in
multipliers and slope. A few steps along single coordinates, which begin where the part without its
last member ended, make it about as sharp as a linear program would.
"""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_lean_call, compiled_sum
from loglift.joint import FloatArray
from loglift.merging._walk import Company, Parts
from loglift.utility._utility_kernels import tangent_offset, value

MAX_HALVINGS = 7  # of the interval of a step
MAX_LEADER_STEPS, MAX_STEPS = 32, 4  # that sharpen the bound of a leader, and of a larger part


@compiled_lean_call
def add_along(weight: FloatArray, column: FloatArray, first: int, shift: float) -> None:
    """Shift the weights of the company along a column.

    Here and below, slices from `first` on are indexed from zero: that compiles to vector code.
    """
    weights, values = weight[first:], column[first:]
    for i in range(weights.size):
        weights[i] += shift * values[i]


@compiled_sum
def joining(weight: FloatArray, column: FloatArray, first: int, shift: float) -> float:
    """Return the sum of a column over the company with positive weight after a shift along it."""
    weights, values, total = weight[first:], column[first:], 0.0
    for i in range(weights.size):
        total += values[i] if weights[i] + shift * values[i] > 0 else 0.0
    return total


@compiled_sum
def above(weight: FloatArray, column: FloatArray, first: int, shift: float) -> float:
    """Return the sum of the positive weights of the company after a shift along a column."""
    weights, values, total = weight[first:], column[first:], 0.0
    for i in range(weights.size):
        moved = weights[i] + shift * values[i]
        total += moved if moved > 0 else 0.0
    return total


@compiled_lean_call
def excess(
    weight: FloatArray,
    column: FloatArray,
    first: int,
    own: float,
    at: float,
    shift: float,
    joint_weight: float,
) -> float:
    """Return the derivative of a bound along one multiplier, after a shift from where it is `at`.

    `own` is what the part has of the column beyond the need. For the slope, `at` is finite and the
    need is the mass at which the tangent touches the utility; elsewhere `at` is infinite.
    """
    touched = tangent_offset(at, shift, joint_weight) / joint_weight if at < math.inf else 0.0
    return own + joining(weight, column, first, shift) - touched


@compiled_lean_call
def best_shift(
    weight: FloatArray,
    column: FloatArray,
    first: int,
    own: float,
    at: float,
    lowest: float,
    joint_weight: float,
) -> float:
    """Return the shift of a multiplier, at least `lowest`, at which its derivative changes sign."""
    low, high, step = 0.0, 0.0, 0.1
    if excess(weight, column, first, own, at, 0.0, joint_weight) < 0:
        while step < 1e6:
            high += step
            if excess(weight, column, first, own, at, high, joint_weight) >= 0:
                break
            low, step = high, 2 * step
    else:
        while step < 1e6 and low > lowest:
            low = max(low - step, lowest)
            if excess(weight, column, first, own, at, low, joint_weight) <= 0:
                break
            high, step = low, 2 * step
    for _ in range(MAX_HALVINGS):
        middle = 0.5 * (low + high)
        if excess(weight, column, first, own, at, middle, joint_weight) < 0:
            low = middle
        else:
            high = middle
    return high


@compiled_lean_call
def steepest(parts: Parts, d: int, first: int, company: Company) -> int:
    """Return the multiplier along which the bound falls most steeply; -1 if it does not fall."""
    k, best, found = company.need.size, 1e-12, -1
    for c in range(k + 1):
        if c < k:
            own, at = parts.total[d, c] - company.need[c], math.inf
        else:
            own, at = parts.total[d, k], parts.multiplier[d, k]
        slope = excess(
            parts.weight[d], company.column[c], first, own, at, 0.0, company.joint_weight
        )
        if abs(slope) > best and (slope < 0 or c == k or parts.multiplier[d, c] > 0):
            best, found = abs(slope), c
    return found


@compiled_lean_call
def move(parts: Parts, d: int, first: int, company: Company, c: int, bound: float) -> float:
    """Shift one multiplier to where the bound is least along it; return the bound."""
    k, weight, column = company.need.size, parts.weight[d], company.column[c]
    multiplier, w = parts.multiplier[d, c], company.joint_weight
    if c < k:
        own, at, lowest = parts.total[d, c] - company.need[c], math.inf, -multiplier
        shift = best_shift(weight, column, first, own, at, lowest, w)
        base = parts.base[d] + shift * own
    else:
        own, at, lowest = parts.total[d, k], multiplier, -math.inf
        shift = best_shift(weight, column, first, own, at, lowest, w)
        base = parts.base[d] + shift * own
        base += tangent_offset(at, shift, w) - tangent_offset(at, 0.0, w)
    moved = base + above(weight, column, first, shift)
    if moved >= bound:
        return bound
    parts.base[d], parts.multiplier[d, c] = base, multiplier + shift
    add_along(weight, column, first, shift)
    return float(moved)


@compiled_lean_call
def weigh(parts: Parts, d: int, first: int, company: Company, dual: FloatArray) -> float:
    """Weigh the company of a part by its multipliers; return the bound."""
    k, weight = company.need.size, parts.weight[d]
    for i in range(first, weight.size):
        weight[i] = company.alone[i] - dual[i]
    w = company.joint_weight
    targets = 0.0
    if company.coefficients.size > 1:
        p = parts.total[d, k]
        targets = value(parts.total[d, k:], company.coefficients) + w * p * math.log(p)
    base = targets - parts.dual[d] + tangent_offset(parts.multiplier[d, k], 0.0, w)
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


@compiled_lean_call
def bounded(parts: Parts, d: int, company: Company, dual: FloatArray, threshold: float) -> float:
    """Bound the worth of the blocks of a part, no more sharply than the threshold asks.

    Adds up the suffixes of the part if its bound is above the threshold.
    """
    first = parts.member[d] + 1
    bound = weigh(parts, d, first, company, dual)
    for _ in range(MAX_STEPS if d > 0 else MAX_LEADER_STEPS):
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
