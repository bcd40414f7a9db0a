"""The compiled walk over blocks that price out: the inner loop of exact merging.

A block is worth its utility -p(B) log p(B) less the duals of its members. Any multipliers of the
constraints and any tangent of the concave utility give every value a weight and every block an
upper bound, the sum of its weights; what a block could still take from later values adds at most
their positive weights. A walk that leaves out what cannot beat a threshold therefore sees every
block that does.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging._build_kernels import xlogx
from loglift.merging._compile import compiled

DONE, TIRED, FULL = 0, 1, 2  # how a walk ended


class Start(NamedTuple):
    """The part of a block that is given: sums of weights (j,), gains (k,), p and duals.

    The weights include the constants of their bounds.
    """

    weight: FloatArray
    gain: FloatArray
    p: float
    dual: float


class Company(NamedTuple):
    """Values that may join, the first row of weights (j, m) falling.

    `suffix` (j, m+1) has the positive weights from each position on. `twin` marks a value that is
    interchangeable with the one before it, `apart` (m, m) pairs that may not meet; it is empty when
    there are none.
    """

    weight: FloatArray
    suffix: FloatArray
    gain: FloatArray
    p: FloatArray
    dual: FloatArray
    twin: IntArray
    apart: IntArray


class Found(NamedTuple):
    """Room for blocks: positions in the company one after the other, and where each block ends."""

    members: IntArray
    ends: IntArray


@compiled
def worth(gain: FloatArray, p: float, dual: float, need: FloatArray) -> float:
    """Utility less duals of a block; minus infinity when it is not safe."""
    for c in range(need.size):
        if gain[c] < need[c]:
            return -math.inf
    return -xlogx(p) - dual


@compiled
def meets(company: Company, chosen: IntArray, depth: int, i: int) -> bool:
    """Whether value i may not meet one of the chosen, or skips its twin."""
    if company.twin[i] and (depth == 0 or chosen[depth] != i - 1):
        return True
    if company.apart.size > 0:
        for d in range(1, depth + 1):
            if company.apart[chosen[d], i]:
                return True
    return False


@compiled
def hopeless(weight: FloatArray, company: Company, i: int, threshold: float) -> bool:
    """Whether no block with these weights, value i and later ones can beat the threshold."""
    for j in range(weight.size):
        if weight[j] + company.weight[j, i] + company.suffix[j, i + 1] <= threshold:
            return True
    return False


@compiled
def most_from(company: Company, i: int) -> float:
    """The most weight that value i or a later one can bring with it; weights fall."""
    return float(company.suffix[0, i] if company.weight[0, i] > 0 else company.weight[0, i])


@compiled
def keep(found: Found, count: int, chosen: IntArray, depth: int) -> bool:
    """Write a block down as number `count`; False when there is no room."""
    begin = found.ends[count - 1] if count > 0 else 0
    if count >= found.ends.size or begin + depth > found.members.size:
        return False
    for d in range(depth):
        found.members[begin + d] = chosen[d + 1]
    found.ends[count] = begin + depth
    return True


@compiled
def walk(
    start: Start,
    company: Company,
    need: FloatArray,
    threshold: float,
    every: bool,
    most: int,
    found: Found,
) -> tuple[int, int, int]:
    """Find the block of largest worth above the threshold, or every one above it.

    Depth first, each value after those before it. Returns how it ended, how many blocks were found
    (the best one only, unless `every`) and how many partial blocks were looked at, at most `most`.
    """
    m, k, j = company.p.size, need.size, start.weight.size
    weight, gain = np.zeros((m + 1, j)), np.zeros((m + 1, k))
    p, dual = np.zeros(m + 1), np.zeros(m + 1)
    chosen, following = np.full(m + 1, -1), np.zeros(m + 1, dtype=np.int64)
    weight[0], gain[0], p[0], dual[0] = start.weight, start.gain, start.p, start.dual
    depth, count, looked = 0, 0, 0
    new = True
    while depth >= 0:
        if new:
            value = worth(gain[depth], p[depth], dual[depth], need)
            if value > threshold:
                if not keep(found, count if every else 0, chosen, depth):
                    return FULL, count, looked
                count = count + 1 if every else 1
                threshold = threshold if every else value
        i, new = following[depth], False
        if i >= m or weight[depth, 0] + most_from(company, i) <= threshold:
            depth -= 1
            continue
        following[depth] = i + 1
        if meets(company, chosen, depth, i) or hopeless(weight[depth], company, i, threshold):
            continue
        looked += 1
        if looked > most:
            return TIRED, count, looked
        depth += 1
        for c in range(j):
            weight[depth, c] = weight[depth - 1, c] + company.weight[c, i]
        for c in range(k):
            gain[depth, c] = gain[depth - 1, c] + company.gain[i, c]
        p[depth], dual[depth] = p[depth - 1] + company.p[i], dual[depth - 1] + company.dual[i]
        chosen[depth], following[depth], new = i, i + 1, True
    return DONE, count, looked
