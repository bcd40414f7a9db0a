"""The least H(q) - price.q over Q, compiled: branch and bound on intervals of entries.

On a box lo <= q <= hi each term -q log q is concave and lies above its chord. The sum of the chords
is a linear program, exact where every entry is at an end of its interval. Splitting the interval
whose chord is furthest off makes the bound as tight as needed (Falk and Soland).

The linear programs are solved by the dual simplex method. It can start from any basis: every
variable has two finite limits, and sits at the one that fits the sign of its reduced cost. Any dual
values prove a bound, whatever the rounding that led to them: `proven` uses nothing else.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._simplex_kernels import (
    MAX_TIE,
    MIN_PIVOT,
    Space,
    Tableau,
    pivot,
    settle,
    tableau_of,
)

MAX_LIMIT_ERROR = 1e-11  # a variable further outside its limits is outside
MAX_ROUNDING = 1e-9  # a violation beyond it proves that nothing is inside


class Relaxed(NamedTuple):
    """A proven least cost, infinite if nothing is inside; the tableau; its reduced costs (n,)."""

    least: float
    tableau: Tableau
    reduced: FloatArray


class Proof(NamedTuple):
    """A proven lower bound; the best point that was met; the number of boxes."""

    least: float
    point: FloatArray
    boxes: int


@compiled_part
def reduced_costs(tableau: Tableau, cost: FloatArray) -> FloatArray:
    """Return how the cost changes with each of the other variables. O(k n)."""
    n = cost.size
    reduced = np.zeros(n)
    for j in range(n):
        if tableau.other[j] < n:
            reduced[j] = cost[tableau.other[j]]
    for i in range(tableau.basic.size):
        if tableau.basic[i] < n:
            for j in range(n):
                reduced[j] += cost[tableau.basic[i]] * tableau.rate[i, j]
    return reduced


@compiled_part
def proven(space: Space, tableau: Tableau, cost: FloatArray, reduced: FloatArray) -> float:
    """Return a lower bound on cost.q over the space, from the reduced costs of its rows only.

    cost.q = (cost - duals rows).q + duals.(rows q) for any duals: take each term at its least.
    """
    k, n = space.rows.shape
    duals = np.zeros(k)
    for j in range(n):
        if tableau.other[j] >= n:
            duals[tableau.other[j] - n] = reduced[j]
    least = 0.0
    for v in range(n + k):
        slope = cost[v] if v < n else duals[v - n]
        if v < n:
            for i in range(k):
                slope -= duals[i] * space.rows[i, v]
        least += slope * (space.lo[v] if slope > 0 else space.hi[v])
    return least


@compiled_part
def leaving(space: Space, tableau: Tableau) -> tuple[int, float]:
    """Return the row furthest outside its limits, or -1, and how far: negative below lo."""
    row, far = -1, MAX_LIMIT_ERROR
    for i in range(tableau.basic.size):
        b = tableau.basic[i]
        below, above = space.lo[b] - tableau.value[b], tableau.value[b] - space.hi[b]
        if max(below, above) > abs(far):
            row, far = i, above if above > below else -below
    return row, far


@compiled_part
def entering(space: Space, tableau: Tableau, reduced: FloatArray, row: int, far: float) -> int:
    """Return the slot that brings a row back inside and keeps reduced costs right, or -1."""
    rates = tableau.rate[row]
    largest, least, slot = 0.0, np.inf, -1
    for j in range(rates.size):
        largest = max(largest, abs(rates[j]))
    for j in range(rates.size):
        v, size = tableau.other[j], abs(rates[j])
        if size <= MIN_PIVOT * largest or space.hi[v] <= space.lo[v]:
            continue
        if (reduced[j] >= 0) == (rates[j] * far < 0):
            ratio = abs(reduced[j]) / size
            steeper = slot >= 0 and size > abs(rates[slot])
            if ratio < least - MAX_TIE or (ratio < least + MAX_TIE and steeper):
                least, slot = min(ratio, least), j
    return slot


@compiled_part
def minimise(space: Space, basis: IntArray, cost: FloatArray, enough: float) -> Relaxed:
    """Minimise cost.q over a space from any basis, or until the bound is `enough`."""
    k, n = space.rows.shape
    tableau = tableau_of(space, basis, np.zeros(k, np.int64))
    reduced = reduced_costs(tableau, cost)
    least = -np.inf
    for _ in range(20 * k + 20):  # stopping early is a weaker proof
        for j in range(n):
            v = tableau.other[j]
            tableau.value[v] = space.lo[v] if reduced[j] >= 0 else space.hi[v]
        settle(tableau)
        least = max(least, proven(space, tableau, cost, reduced))
        row, far = leaving(space, tableau)
        if row < 0 or least >= enough:
            break
        slot = entering(space, tableau, reduced, row, far)
        if slot < 0:
            if abs(far) > MAX_ROUNDING:
                least = np.inf
            break
        ratio = reduced[slot] / tableau.rate[row, slot]
        for j in range(n):
            reduced[j] -= ratio * tableau.rate[row, j]
        reduced[slot] = ratio
        pivot(tableau, row, slot)
    return Relaxed(least, tableau, reduced)


@compiled
def largest_entries(space: Space, basis: IntArray) -> FloatArray:
    """Return an upper bound on every entry q(x) over Q, by one linear program each."""
    n = space.rows.shape[1]
    most = np.empty(n)
    for x in range(n):
        cost = np.zeros(n)
        cost[x] = -1
        most[x] = min(1.0, -minimise(space, basis, cost, np.inf).least)
    return most


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
def bound_below(
    space: Space, basis: IntArray, most: FloatArray, price: FloatArray, slack: float, boxes: int
) -> Proof:
    """Bound H(q) - price.q over Q from below, best box first.

    Ends when the bound is within `slack` of the least value met (zero at the start, the value of
    the posteriors in use), or after `boxes` boxes. `most` bounds q.
    """
    k, n = space.rows.shape
    size = boxes + 3
    lows, highs = np.empty((size, n)), np.empty((size, n))
    bases = np.empty((size, k), np.int64)
    lows[0], highs[0], bases[0] = 0.0, most, basis
    heap = [(-np.inf, 0)]
    met, point, used, looked = 0.0, np.zeros(n), 1, 0
    lo, hi = space.lo.copy(), space.hi.copy()
    while len(heap) > 0 and looked < boxes and heap[0][0] < met - slack:
        above, box = heapq.heappop(heap)
        looked += 1
        low, high = lows[box], highs[box]
        offset, cost, base = np.empty(n), np.empty(n), 0.0
        for x in range(n):
            lo[x], hi[x] = low[x], high[x]
            offset[x], slope = chord(low[x], high[x])
            cost[x] = slope - price[x]
            base += offset[x]
        relaxed = minimise(Space(space.rows, lo, hi), bases[box], cost, met - slack - base)
        least = max(above, relaxed.least + base)
        if least >= met - slack:
            continue
        at, worst, value, q = -1, -1.0, 0.0, np.empty(n)
        for x in range(n):
            q[x] = min(max(relaxed.tableau.value[x], low[x]), high[x])
            true = surprise(q[x]) - price[x] * q[x]
            value += true
            if true - offset[x] - cost[x] * q[x] > worst:
                at, worst = x, true - offset[x] - cost[x] * q[x]
        if value < met:
            met, point = value, q
        narrow(relaxed, low, high, met - slack - relaxed.least - base + MAX_TIE)
        for x in range(n):
            lows[used, x], highs[used, x] = low[x], high[x]
        cut = min(max(q[at], low[at]), high[at])
        high[at] = lows[used, at] = cut
        for i in range(k):
            bases[box, i] = bases[used, i] = relaxed.tableau.basic[i]
        heapq.heappush(heap, (least, box))
        heapq.heappush(heap, (least, used))
        used += 1
    least = met - slack
    for bound, _ in heap:
        least = min(least, bound)
    return Proof(least, point, looked)


@compiled_part
def narrow(relaxed: Relaxed, low: FloatArray, high: FloatArray, room: float) -> None:
    """Cut off values that cost more than `room`, by reduced costs."""
    for j in range(low.size):
        v, reduced = relaxed.tableau.other[j], relaxed.reduced[j]
        if v < low.size and abs(reduced) > MAX_ROUNDING:
            if reduced > 0:
                high[v] = min(high[v], low[v] + room / reduced)
            else:
                low[v] = max(low[v], high[v] + room / reduced)
