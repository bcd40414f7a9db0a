"""Pricing, compiled: vertices of Q that are worth more than their price.

For given prices of the public values, a released value with posterior q is worth

    score(q) = price.q - c(q) = sum over x of q(x) (j log q(x) + price(x)) - what targets lose,

which is convex: along any line in Q it is largest at an end. So a point can be moved to a vertex,
and a vertex to its best neighbour, by trying the ends. This needs no gradient, which is infinite
wherever q(x) = 0.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._cost_kernels import image_of, target_gain
from loglift.randomizing._simplex_kernels import (
    MIN_PIVOT,
    Space,
    Tableau,
    move,
    pivot,
    step_to_limit,
    tableau_at,
    tableau_of,
)
from loglift.randomizing.cost import Terms

MIN_GAIN = 1e-12  # nats, of a move: rounding must not lead in circles
MIN_STEP = 1e-14
MAX_LIMIT_ERROR = 1e-12  # a variable this close to a limit is at the limit


@compiled_part
def term(x: int, q: float, price: FloatArray, weight: float) -> float:
    """Return what the entry q(x) adds to the score; zero for the variables of rows."""
    if x >= price.size or q <= 0:
        return 0.0
    return float(q * (weight * math.log(q) + price[x]))


@compiled_part
def entry_gain(tableau: Tableau, price: FloatArray, weight: float, slot: int, by: float) -> float:
    """Return what the entries of q gain when the other variable of a slot grows by `by`. O(k)."""
    v, value = tableau.other[slot], tableau.value
    total = term(v, value[v] + by, price, weight) - term(v, value[v], price, weight)
    for i in range(tableau.basic.size):
        b = tableau.basic[i]
        new = value[b] + tableau.rate[i, slot] * by
        total += term(b, new, price, weight) - term(b, value[b], price, weight)
    return total


@compiled_part
def hold(space: Space, tableau: Tableau) -> None:
    """Take rows at a limit out of the basis, so that no move leaves the limit. O(k^2 n)."""
    n, value = tableau.other.size, tableau.value
    for i in range(tableau.basic.size):
        row = tableau.basic[i]
        low, high = value[row] - space.lo[row], space.hi[row] - value[row]
        if min(low, high) > MAX_LIMIT_ERROR:
            continue
        largest, slot = MIN_PIVOT, -1
        for j in range(n):
            x = tableau.other[j]
            if x < n and value[x] > MAX_LIMIT_ERROR and abs(tableau.rate[i, j]) > largest:
                largest, slot = abs(tableau.rate[i, j]), j
        if slot >= 0:
            value[row] = space.lo[row] if low < high else space.hi[row]
            pivot(tableau, i, slot)


@compiled_part
def purify(
    space: Space, terms: Terms, q: FloatArray, price: FloatArray, order: IntArray
) -> Tableau:
    """Return a vertex with a score no less than that of the point q of Q, on the same face.

    Moves the entries of q, in the given order, to the better end of their line. An entry that was
    not moved yet is in the slot of its number, or basic. O(k n^2) at most.
    """
    tableau, image = tableau_at(space, q), image_of(terms, q)
    weight, has_targets, own = terms.joint_weight, terms.weights.size > 0, price + terms.alone
    hold(space, tableau)
    for x in order:
        slot = x
        if tableau.other[slot] != x or tableau.value[x] <= space.lo[x]:
            continue
        down, stop_down = step_to_limit(space, tableau, slot, -1.0)
        up, stop_up = step_to_limit(space, tableau, slot, 1.0)
        above = entry_gain(tableau, own, weight, slot, up)
        below = entry_gain(tableau, own, weight, slot, -down)
        if has_targets:
            above += target_gain(terms, image, tableau, slot, up, False)
            below += target_gain(terms, image, tableau, slot, -down, False)
        way, step, stop = (1.0, up, stop_up) if above > below else (-1.0, down, stop_down)
        if has_targets:
            target_gain(terms, image, tableau, slot, way * step, True)
        move(space, tableau, slot, way, step, stop)
    return tableau


@compiled_part
def climb(space: Space, terms: Terms, tableau: Tableau, price: FloatArray, moves: int) -> None:
    """Go to the best neighbour `moves` times, or until none is better; a move costs O(k n)."""
    n = price.size
    image = image_of(terms, tableau.value[:n])
    weight, has_targets, own = terms.joint_weight, terms.weights.size > 0, price + terms.alone
    for _ in range(moves):
        best, at, way, length, stop = MIN_GAIN, -1, 0.0, 0.0, -1
        for slot in range(n):
            v = tableau.other[slot]
            if space.hi[v] <= space.lo[v]:
                continue
            direction = 1.0 if tableau.value[v] <= space.lo[v] else -1.0
            step, row = step_to_limit(space, tableau, slot, direction)
            if step <= MIN_STEP:
                continue
            found = entry_gain(tableau, own, weight, slot, direction * step)
            if has_targets:
                found += target_gain(terms, image, tableau, slot, direction * step, False)
            if found > best:
                best, at, way, length, stop = found, slot, direction, step, row
        if at < 0:
            return
        if has_targets:
            target_gain(terms, image, tableau, at, way * length, True)
        move(space, tableau, at, way, length, stop)


@compiled
def climb_from_bases(
    space: Space,
    terms: Terms,
    bases: IntArray,
    at_hi: IntArray,
    price: FloatArray,
    moves: int,
) -> FloatArray:
    """Climb from vertices given by their bases (r, k), which are replaced; the points (r, n)."""
    found = np.empty((bases.shape[0], price.size))
    for i in range(bases.shape[0]):
        tableau = tableau_of(space, bases[i], at_hi[i])
        climb(space, terms, tableau, price, moves)
        _write(space, tableau, found[i], bases[i], at_hi[i])
    return found


@compiled
def climb_from_point(
    space: Space,
    terms: Terms,
    point: FloatArray,
    prices: FloatArray,
    orders: IntArray,
    bases: IntArray,
    at_hi: IntArray,
) -> FloatArray:
    """Climb from a point of Q, once for each row of prices (r, n) and of orders of the entries.

    Returns the points (r, n), and writes their bases.
    """
    found = np.empty(prices.shape)
    for i in range(prices.shape[0]):
        tableau = purify(space, terms, point, prices[i], orders[i])
        climb(space, terms, tableau, prices[i], 50 * space.rows.shape[0])
        _write(space, tableau, found[i], bases[i], at_hi[i])
    return found


@compiled_part
def _write(space: Space, tableau: Tableau, q: FloatArray, basis: IntArray, at_hi: IntArray) -> None:
    """Write a vertex, computed anew from its basis, and the basis."""
    n = q.size
    basis[:] = tableau.basic
    for i in range(at_hi.size):
        at_hi[i] = 1 if tableau.value[n + i] >= space.hi[n + i] else 0
    fresh = tableau_of(space, basis, at_hi)
    q[:] = fresh.value[:n]


@compiled
def decompose(
    space: Space, terms: Terms, q: FloatArray, price: FloatArray, order: IntArray, most: int
) -> tuple[FloatArray, IntArray, IntArray]:
    """Write a point of Q as a mixture of vertices; returns them (r, n), and their bases.

    Each step subtracts a vertex of the face that the rest is on, as much as leaves the rest in Q.
    That puts the rest on a smaller face: at most n + k steps of O(k n^2).
    """
    k, n = space.rows.shape
    found = np.empty((most, n))
    bases, at_hi = np.empty((most, k), np.int64), np.empty((most, k), np.int64)
    rest = q.copy()
    for i in range(most):
        _write(space, purify(space, terms, rest, price, order), found[i], bases[i], at_hi[i])
        values, taken = np.zeros(k), np.zeros(k)
        share = 1.0
        for x in range(n):
            if found[i, x] > rest[x]:
                share = min(share, rest[x] / found[i, x])
            for s in range(k):
                values[s] += space.rows[s, x] * rest[x]
                taken[s] += space.rows[s, x] * found[i, x]
        for s in range(k):
            for limit in (space.lo[n + s], space.hi[n + s]):  # of (value - share taken)/(1 - share)
                if abs(taken[s] - limit) > MIN_STEP:
                    share = min(share, max(0.0, (values[s] - limit) / (taken[s] - limit)))
        if share >= 1 - MIN_GAIN:
            return found[: i + 1], bases[: i + 1], at_hi[: i + 1]
        for x in range(n):
            rest[x] = (rest[x] - share * found[i, x]) / (1 - share)
            if rest[x] < MIN_STEP:
                rest[x] = 0.0
    return found, bases, at_hi
