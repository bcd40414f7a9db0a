"""Points of Q as simplex tableaux, compiled: pivots, ratio tests, moves to a limit.

A space is {q : lo <= (q, rows q) <= hi}. Its variables are the n entries of q, then the k values
of the rows. k of them are basic; at a vertex each of the n others sits at one of its limits.
`rate` (k, n) says how fast each basic variable grows with each of the others. k is the number of
sensitive values plus one, and more for other promises, so tableaux are small and dense; a pivot
costs O(k n).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled_part
from loglift.joint import FloatArray, IntArray

MIN_PIVOT = 1e-9  # relative to the largest rate beside it; smaller rates are rounding errors
MAX_TIE = 1e-13  # steps that differ by less end at the same vertex


class Space(NamedTuple):
    """The rows (k, n), and the limits (n + k,) of all variables."""

    rows: FloatArray
    lo: FloatArray
    hi: FloatArray


class Tableau(NamedTuple):
    """A point: `basic` (k,) and `other` (n,) are numbers of variables, `value` (n + k,) theirs."""

    rate: FloatArray
    basic: IntArray
    other: IntArray
    value: FloatArray


@compiled_part
def tableau_at(space: Space, q: FloatArray) -> Tableau:
    """Return the tableau of any point q, with the rows as basic variables. O(k n)."""
    k, n = space.rows.shape
    rate, value = np.empty((k, n)), np.zeros(n + k)
    basic, other = np.empty(k, np.int64), np.empty(n, np.int64)
    for j in range(n):
        other[j], value[j] = j, q[j]
    for i in range(k):
        basic[i] = n + i
        for j in range(n):
            rate[i, j] = space.rows[i, j]
            value[n + i] += space.rows[i, j] * q[j]
    return Tableau(rate, basic, other, value)


@compiled_part
def tableau_of(space: Space, basis: IntArray, at_hi: IntArray) -> Tableau:
    """Return the tableau of a basis (k,); rows that are not basic sit at hi where `at_hi` is 1.

    Computed from the rows, without the rounding errors of earlier pivots. O(k^2 n).
    """
    k, n = space.rows.shape
    tableau = tableau_at(space, np.zeros(n))
    wanted = np.zeros(n + k, dtype=np.bool_)
    for x in basis:
        wanted[x] = True
    for x in basis:
        if x < n:
            largest, row = -1.0, -1
            for i in range(k):
                if not wanted[tableau.basic[i]] and abs(tableau.rate[i, x]) > largest:
                    largest, row = abs(tableau.rate[i, x]), i
            pivot(tableau, row, x)
    for v in tableau.other:
        tableau.value[v] = space.hi[v] if v >= n and at_hi[v - n] == 1 else space.lo[v]
    settle(tableau)
    return tableau


@compiled_part
def pivot(tableau: Tableau, row: int, slot: int) -> None:
    """Exchange the basic variable of a row for the other one of a slot. O(k n)."""
    rate = tableau.rate
    k, n = rate.shape
    by = rate[row, slot]
    for j in range(n):
        rate[row, j] = -rate[row, j] / by
    rate[row, slot] = 1 / by
    for i in range(k):
        factor = rate[i, slot]
        if i != row and factor != 0:
            for j in range(n):
                rate[i, j] += factor * rate[row, j]
            rate[i, slot] = factor / by
    entering = tableau.other[slot]
    tableau.other[slot] = tableau.basic[row]
    tableau.basic[row] = entering


@compiled_part
def settle(tableau: Tableau) -> None:
    """Compute the basic variables from the others. O(k n)."""
    k, n = tableau.rate.shape
    for i in range(k):
        total = 0.0
        for j in range(n):
            total += tableau.rate[i, j] * tableau.value[tableau.other[j]]
        tableau.value[tableau.basic[i]] = total


@compiled_part
def step_to_limit(space: Space, tableau: Tableau, slot: int, way: float) -> tuple[float, int]:
    """Return how far an other variable can go up (way 1) or down (-1), and the row that stops it.

    The row is -1 when its own limit stops it. Of several rows, the steepest. O(k).
    """
    k = tableau.rate.shape[0]
    v, value = tableau.other[slot], tableau.value
    step = space.hi[v] - value[v] if way > 0 else value[v] - space.lo[v]
    stop, steepest, largest = -1, 0.0, 0.0
    for i in range(k):
        largest = max(largest, abs(tableau.rate[i, slot]))
    for i in range(k):
        rate = tableau.rate[i, slot] * way
        if abs(rate) <= MIN_PIVOT * largest:
            continue
        b = tableau.basic[i]
        room = space.hi[b] - value[b] if rate > 0 else value[b] - space.lo[b]
        length = max(room, 0.0) / abs(rate)
        if length < step - MAX_TIE or (
            length < step + MAX_TIE and stop >= 0 and abs(rate) > steepest
        ):
            step, stop, steepest = min(length, step), i, abs(rate)
    return step, stop


@compiled_part
def move(space: Space, tableau: Tableau, slot: int, way: float, step: float, stop: int) -> None:
    """Go as far as `step_to_limit` says; the variable that stops there leaves the basis. O(k n)."""
    k = tableau.rate.shape[0]
    v, value = tableau.other[slot], tableau.value
    for i in range(k):
        value[tableau.basic[i]] += tableau.rate[i, slot] * way * step
    if stop < 0:
        value[v] = space.hi[v] if way > 0 else space.lo[v]
        return
    value[v] += way * step
    b = tableau.basic[stop]
    value[b] = space.hi[b] if tableau.rate[stop, slot] * way > 0 else space.lo[b]
    pivot(tableau, stop, slot)
