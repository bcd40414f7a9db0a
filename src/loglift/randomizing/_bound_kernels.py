"""The least c(q) - price.q over Q, compiled: branch and bound on intervals.

On a box lo <= q <= hi each term -q log q is concave and lies above its chord. The sum of the chords
is a linear program, exact where every entry is at an end of its interval. Splitting the interval
whose chord is furthest off makes the bound as tight as needed (Falk and Soland).

Targets add terms -r log r of their images r = p(u|q), which are rows of the space, with intervals
of their own. Such a term also lies above the straight line that meets it at every single value,
sum over x of -q(x) p(u|x) log p(u|x), which is often higher than the chord of a wide interval. So
the straight line is used until the interval of the image is cut.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._cost_kernels import chord, surprise
from loglift.randomizing._program_kernels import MAX_ROUNDING, Relaxed, minimise
from loglift.randomizing._simplex_kernels import MAX_TIE, Space


class Line(NamedTuple):
    """A linear function below the cost: base + cost.q. offset and slope (b,) are of the chords."""

    base: float
    cost: FloatArray
    offset: FloatArray
    slope: FloatArray


class Proof(NamedTuple):
    """A proven lower bound; the best point that was met; the number of boxes."""

    least: float
    point: FloatArray
    boxes: int


@compiled
def bound_below(
    space: Space, basis: IntArray, weights: FloatArray, price: FloatArray, slack: float, boxes: int
) -> Proof:
    """Bound the sum over variables v of -w(v) v log v, minus price.q, from below, best box first.

    The first variables have the weights (b,), b >= n: the entries of q, then rows that are images
    of q. Ends when the bound is within `slack` of the least value met (zero at the start, the value
    of the posteriors in use), or after `boxes` boxes. The limits of the space are the first box.
    """
    k, n = space.rows.shape
    b, size = weights.size, boxes + 3
    lows, highs = np.empty((size, b)), np.empty((size, b))
    bases, straight = np.empty((size, k), np.int64), np.empty((size, b - n), np.bool_)
    own = own_surprises(space, weights)
    lows[0], highs[0], bases[0] = space.lo[:b], space.hi[:b], basis
    straight[0] = first_straight(space, weights, own)
    heap = [(-np.inf, 0)]
    met, point, used, looked = 0.0, np.zeros(n), 1, 0
    lo, hi = space.lo.copy(), space.hi.copy()
    while len(heap) > 0 and looked < boxes and heap[0][0] < met - slack:
        above, box = heapq.heappop(heap)
        looked += 1
        low, high = lows[box], highs[box]
        lo[:b], hi[:b] = low, high
        line = line_below(space, weights, price, own, low, high, straight[box])
        relaxed = minimise(
            Space(space.rows, lo, hi), bases[box], line.cost, met - slack - line.base
        )
        least = max(above, relaxed.least + line.base)
        if least >= met - slack:
            continue
        q = np.minimum(np.maximum(relaxed.value[:b], low), high)
        value, at = value_and_worst(line, weights, price, own, q, straight[box])
        if value < met and is_inside(space, q[:n]):
            met, point = value, q[:n].copy()
        narrow(relaxed, low, high, met - slack - relaxed.least - line.base + MAX_TIE)
        if at >= n:
            straight[box, at - n] = False
        lows[used], highs[used], straight[used] = low, high, straight[box]
        cut = min(max(q[at], low[at]), high[at])
        high[at] = lows[used, at] = cut
        bases[used] = bases[box]
        heapq.heappush(heap, (least, box))
        heapq.heappush(heap, (least, used))
        used += 1
    least = met - slack
    for bound, _ in heap:
        least = min(least, bound)
    return Proof(least, point, looked)


@compiled_part
def is_inside(space: Space, q: FloatArray) -> bool:
    """Return whether the rows of a point are within their limits: `minimise` may stop outside."""
    k, n = space.rows.shape
    for i in range(k):
        value = 0.0
        for x in range(n):
            value += space.rows[i, x] * q[x]
        if value < space.lo[n + i] - MAX_ROUNDING or value > space.hi[n + i] + MAX_ROUNDING:
            return False
    return True


@compiled_part
def own_surprises(space: Space, weights: FloatArray) -> FloatArray:
    """Return -w(u) p(u|x) log p(u|x) of each image u and value x, shape (b - n, n)."""
    n = space.rows.shape[1]
    own = np.empty((weights.size - n, n))
    for u in range(own.shape[0]):
        for x in range(n):
            own[u, x] = weights[n + u] * surprise(space.rows[u, x])
    return own


@compiled_part
def first_straight(space: Space, weights: FloatArray, own: FloatArray) -> NDArray[np.bool_]:
    """Return for which images the straight line is above the chord of the first box, on average."""
    n = own.shape[1]
    found = np.empty(own.shape[0], np.bool_)
    for u in range(own.shape[0]):
        offset, slope = chord(space.lo[n + u], space.hi[n + u])
        mean = space.rows[u].sum() / n
        found[u] = own[u].sum() / n > weights[n + u] * (offset + slope * mean)
    return found


@compiled_part
def line_below(
    space: Space,
    weights: FloatArray,
    price: FloatArray,
    own: FloatArray,
    low: FloatArray,
    high: FloatArray,
    straight: NDArray[np.bool_],
) -> Line:
    """Return a linear function below the cost minus price.q on the box from low to high. O(b n)."""
    b, n = weights.size, price.size
    offset, slope, base = np.empty(b), np.empty(b), 0.0
    for v in range(b):
        start, rise = chord(low[v], high[v])
        offset[v], slope[v] = weights[v] * start, weights[v] * rise
        if v < n:
            slope[v] -= price[v]
        if v < n or not straight[v - n]:
            base += offset[v]
    cost = slope[:n].copy()
    for u in range(b - n):
        for x in range(n):
            cost[x] += own[u, x] if straight[u] else slope[n + u] * space.rows[u, x]
    return Line(base, cost, offset, slope)


@compiled_part
def value_and_worst(
    line: Line,
    weights: FloatArray,
    price: FloatArray,
    own: FloatArray,
    q: FloatArray,
    straight: NDArray[np.bool_],
) -> tuple[float, int]:
    """Return the cost minus price.q at a point, and the variable whose line is furthest below."""
    n = price.size
    value, worst, at = 0.0, -1.0, -1
    for v in range(weights.size):
        true = weights[v] * surprise(q[v])
        if v < n:
            true -= price[v] * q[v]
        value += true
        off = true - line.offset[v] - line.slope[v] * q[v]
        if v >= n and straight[v - n]:
            off = true
            for x in range(n):
                off -= own[v - n, x] * q[x]
        if off > worst:
            at, worst = v, off
    return value, at


@compiled_part
def narrow(relaxed: Relaxed, low: FloatArray, high: FloatArray, room: float) -> None:
    """Cut off values that cost more than `room`, by reduced costs."""
    for v in range(low.size):
        reduced = relaxed.reduced[v]
        if abs(reduced) > MAX_ROUNDING:
            if reduced > 0:
                high[v] = min(high[v], low[v] + room / reduced)
            else:
                low[v] = max(low[v], high[v] + room / reduced)
