"""The targets' part of the cost, compiled: of whole posteriors, and of a move along a line."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._simplex_kernels import MAX_TIE, Tableau
from loglift.randomizing.cost import Terms


class Image(NamedTuple):
    """p(u|q) of all targets (t,) at a point q, and room for its changes, zero between calls."""

    sums: FloatArray
    change: FloatArray


@compiled_part
def surprise(q: float) -> float:
    """-q log q."""
    return -q * math.log(q) if q > 0 else 0.0


@compiled_part
def chord(lo: float, hi: float) -> tuple[float, float]:
    """Return offset and slope of the chord of -q log q between lo and hi."""
    if hi - lo <= MAX_TIE:
        return min(surprise(lo), surprise(hi)), 0.0
    slope = (surprise(hi) - surprise(lo)) / (hi - lo)
    return surprise(lo) - slope * lo, slope


@compiled
def target_costs(
    terms: Terms, starts: IntArray, support: IntArray, values: FloatArray
) -> FloatArray:
    """Return the sum over targets of a(U) [H(U|q) - sum of q(x) H(U|x)] of each posterior.

    Posterior i has values[starts[i] : starts[i + 1]] on the public values in `support`.
    """
    found = np.zeros(starts.size - 1)
    sums = np.zeros(terms.weights.size)
    for i in range(found.size):
        for e in range(starts[i], starts[i + 1]):
            x = support[e]
            found[i] -= values[e] * terms.alone[x]
            for c in range(terms.starts[x], terms.starts[x + 1]):
                sums[terms.columns[c]] += values[e] * terms.shares[c]
        for e in range(starts[i], starts[i + 1]):
            x = support[e]
            for c in range(terms.starts[x], terms.starts[x + 1]):
                u = terms.columns[c]
                found[i] += terms.weights[u] * surprise(sums[u])
                sums[u] = 0.0
    return found


@compiled_part
def image_of(terms: Terms, q: FloatArray) -> Image:
    """Return p(u|q) of a point q. O(cells)."""
    sums = np.zeros(terms.weights.size)
    if sums.size > 0:
        for x in range(q.size):
            if q[x] > 0:
                for c in range(terms.starts[x], terms.starts[x + 1]):
                    sums[terms.columns[c]] += q[x] * terms.shares[c]
    return Image(sums, np.zeros(sums.size))


@compiled_part
def target_gain(
    terms: Terms, image: Image, tableau: Tableau, slot: int, by: float, keep: bool
) -> float:
    """Return how much -sum of a(U) H(U|q) grows when the variable of a slot grows by `by`.

    With `keep` the image moves along. O(cells of the k + 1 values that move).
    """
    n, k = tableau.other.size, tableau.basic.size
    for i in range(k + 1):
        v = tableau.basic[i] if i < k else tableau.other[slot]
        step = tableau.rate[i, slot] * by if i < k else by
        if v < n and step != 0:
            for c in range(terms.starts[v], terms.starts[v + 1]):
                image.change[terms.columns[c]] += step * terms.shares[c]
    gained = 0.0
    for i in range(k + 1):
        v = tableau.basic[i] if i < k else tableau.other[slot]
        if v < n:
            for c in range(terms.starts[v], terms.starts[v + 1]):
                u = terms.columns[c]
                if image.change[u] != 0:
                    new = image.sums[u] + image.change[u]
                    gained += terms.weights[u] * (surprise(image.sums[u]) - surprise(new))
                    image.change[u] = 0.0
                    if keep:
                        image.sums[u] = max(new, 0.0)
    return gained
