"""Vertices of Q near single values, compiled: linear programs that follow the slope of the score.

With the largest entry x in an interval, the chords of `_branching_kernels` make a linear program
whose solution is a good start. H is concave, so at any point q it lies below its tangent plane: the
vertex of least slope is no worse than q, and a few such steps end at a vertex that no tangent
plane improves. Entries that are zero get the slope of a chord from zero to `MIN_SLOPE_ENTRY`.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._cost_kernels import chord, surprise
from loglift.randomizing._program_kernels import Relaxed, Sieve, sieve_for, sifted, take_in
from loglift.randomizing._simplex_kernels import Space

MIN_SLOPE_ENTRY = 0.05
MAX_STEPS = 8
MIN_STEP_GAIN = 1e-9  # nats
PAIR_SHARES = (0.5, 0.57, 0.64)  # of the larger one of a pair
LACK_PRICE = 1.5  # nats, for a unit of lift that a pair lacks


@compiled
def vertices_near(
    space: Space,
    largest: FloatArray,
    price: FloatArray,
    values: IntArray,
    share: float,
    bases: IntArray,
    at_hi: IntArray,
) -> FloatArray:
    """Return a vertex near each of some values (r, n), and write their bases (r, k).

    q(x) of the start is from `share` of its largest value up to it.
    """
    k, n = space.rows.shape
    found, sieve, basis = np.zeros((values.size, n)), sieve_for(n), np.arange(n, n + k)
    free = Space(space.rows, space.lo.copy(), space.hi.copy())
    box = Space(space.rows, space.lo.copy(), space.hi.copy())
    cost = np.empty(n)
    for r in range(values.size):
        at = values[r]
        low, high = share * largest[at], largest[at]
        cap = min(high, max(1 - low, 1e-6))
        for x in range(n):
            box.lo[x], box.hi[x] = 0.0, min(cap, largest[x])
            cost[x] = -math.log(box.hi[x]) - price[x]
        box.lo[at], box.hi[at] = low, high
        cost[at] = chord(low, high)[1] - price[at]
        start = sifted(box, sieve, basis, cost, np.inf)
        if np.isfinite(start.least):
            end = sharpened(free, sieve, basis, price, np.maximum(start.value[:n], 0.0))
            _write(free, end, basis, found[r], bases[r], at_hi[r])
    return found


@compiled
def best_pairs(space: Space, price: FloatArray) -> FloatArray:
    """Return, for each value x, the pair with another value that is likeliest to help; (n, n).

    The best posteriors of many values are nearly pairs that balance each other. A mix of two is
    outside Q by what its lifts lack; making up for that costs about `LACK_PRICE` a unit. O(k n^2).
    """
    k, n = space.rows.shape
    rows = np.ascontiguousarray(space.rows[: k - 1].T)
    found = np.zeros((n, n))
    for x in range(n):
        best, at, share = -np.inf, -1, 0.0
        for t in PAIR_SHARES:
            mixed = -surprise(t) - surprise(1 - t) + t * price[x]
            for y in range(n):
                score = mixed + (1 - t) * price[y]
                if score <= best or y == x:
                    continue
                for s in range(k - 1):
                    lift = t * rows[x, s] + (1 - t) * rows[y, s]
                    lack = max(space.lo[n + s] - lift, lift - space.hi[n + s])
                    if lack > 0:
                        score -= LACK_PRICE * lack
                if score > best:
                    best, at, share = score, y, t
        if at >= 0:
            found[x, x], found[x, at] = share, 1 - share
    return found


@compiled
def vertices_from(
    space: Space, price: FloatArray, points: FloatArray, bases: IntArray, at_hi: IntArray
) -> FloatArray:
    """Return a vertex no worse than each point (r, n), and write their bases (r, k).

    A point may be outside Q: then the vertex is where its slope leads.
    """
    k, n = space.rows.shape
    found, sieve, basis = np.zeros(points.shape), sieve_for(n), np.arange(n, n + k)
    for r in range(len(points)):
        for x in range(n):
            if points[r, x] > 0:
                take_in(sieve, x)
        end = sharpened(space, sieve, basis, price, points[r].copy())
        _write(space, end, basis, found[r], bases[r], at_hi[r])
    return found


@compiled_part
def sharpened(
    space: Space, sieve: Sieve, basis: IntArray, price: FloatArray, q: FloatArray
) -> Relaxed:
    """Go to the vertex of least slope as long as that improves H(q) - price.q."""
    n, last = price.size, np.inf
    cost, zero = np.empty(n), -math.log(MIN_SLOPE_ENTRY)
    end = Relaxed(np.inf, q, q, q, 0)
    for _ in range(MAX_STEPS):
        for x in range(n):
            cost[x] = (-math.log(q[x]) if q[x] > MIN_SLOPE_ENTRY else zero) - price[x]
        end = sifted(space, sieve, basis, cost, np.inf)
        value = 0.0
        for x in range(n):
            q[x] = max(end.value[x], 0.0)
            if q[x] > 0:
                value += surprise(q[x]) - price[x] * q[x]
        if value >= last - MIN_STEP_GAIN:
            break
        last = value
    return end


@compiled_part
def _write(
    space: Space, end: Relaxed, basis: IntArray, q: FloatArray, to: IntArray, at_hi: IntArray
) -> None:
    """Write a vertex, its basis, and which rows are at their upper limit."""
    n = q.size
    to[:] = basis
    for i in range(at_hi.size):
        at_hi[i] = 1 if end.value[n + i] >= space.hi[n + i] else 0
    for x in range(n):
        q[x] = max(end.value[x], 0.0)
