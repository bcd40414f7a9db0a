"""Linear programs over a space, compiled: the dual simplex method for variables with two limits.

It can start from any basis: every variable has two finite limits, and sits at the one that fits the
sign of its reduced cost. A step passes all variables that can change sides on its way (the ratio
test with bound flips), so that caps on single entries cost no steps of their own. Any duals prove a
bound, whatever the rounding that led to them: `proven` uses nothing else.

Where public values are many, most of them are far from helpful. `sifted` solves the program of a
few, and takes in those that its duals show to help. The bound is proven with all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loglift._compute.compiling import compiled, compiled_part, compiled_sum
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._simplex_kernels import MIN_PIVOT, Space

MAX_LIMIT_ERROR = 1e-11  # a variable further outside its limits is outside
MAX_ROUNDING = 1e-9  # a violation beyond it proves that nothing is inside
COST_NUDGE = 1e-12  # of the largest cost: more than rounding, less than a proof's slack
GOLDEN = 0.6180339887498949  # its multiples are far apart, modulo 1
RAY_ROUNDING = 1e-13  # of a proof that nothing is inside, relative to its duals
MAX_BASIC_COST = 1e-8  # reduced costs of basic variables are zero, but for rounding
MIN_SINGULAR = 1e-11  # a smaller pivot says that a basis is singular
SIEVE = 160  # public values of a sifted program
MAX_NEW = 12  # of them that are taken in at a time


class Relaxed(NamedTuple):
    """A proven least cost, infinite if nothing is inside; a point; its reduced costs and duals.

    `value` (n + k,) and `reduced` (n + k,) are of entries and rows. `steps` is how many it took.
    """

    least: float
    value: FloatArray
    reduced: FloatArray
    duals: FloatArray
    steps: int


class Sieve(NamedTuple):
    """The public values of a sifted program: members[: size[0]]; `inside` (n,) tells which."""

    members: IntArray
    size: IntArray
    inside: NDArray[np.bool_]


@compiled_sum
def proven(space: Space, cost: FloatArray, duals: FloatArray, reduced: FloatArray) -> float:
    """Return a lower bound on cost.q over the space for any duals, and write the reduced costs.

    cost.q = (cost - duals rows).q + duals.(rows q): take each term at its least. O(k n).
    """
    k, n = space.rows.shape
    least = 0.0
    for j in range(n):
        reduced[j] = cost[j]
    for i in range(k):
        dual = duals[i]
        reduced[n + i] = dual
        if dual != 0.0:
            least += min(dual * space.lo[n + i], dual * space.hi[n + i])
            for j in range(n):
                reduced[j] -= dual * space.rows[i, j]
    for j in range(n):
        least += min(reduced[j] * space.lo[j], reduced[j] * space.hi[j])
    return least


@compiled_part
def inverse_of(space: Space, basis: IntArray, inverse: FloatArray) -> None:
    """Write the inverse of the basis (k, k); a singular basis is replaced by that of the rows.

    Variables are the entries q and the values y of the rows: rows q - y = 0. O(k^3).
    """
    k, n = space.rows.shape
    system = np.zeros((k, 2 * k))
    for i in range(k):
        for s in range(k):
            if basis[i] < n:
                system[s, i] = space.rows[s, basis[i]]
        if basis[i] >= n:
            system[basis[i] - n, i] = -1.0
        system[i, k + i] = 1.0
    for c in range(k):
        at = c
        for s in range(c + 1, k):
            if abs(system[s, c]) > abs(system[at, c]):
                at = s
        if abs(system[at, c]) < MIN_SINGULAR:
            for i in range(k):
                basis[i] = n + i
                inverse[i] = 0.0
                inverse[i, i] = -1.0
            return
        for t in range(2 * k):
            system[c, t], system[at, t] = system[at, t], system[c, t]
        factor = 1 / system[c, c]
        for t in range(2 * k):
            system[c, t] *= factor
        for s in range(k):
            factor = system[s, c]
            if s != c and factor != 0.0:
                for t in range(2 * k):
                    system[s, t] -= factor * system[c, t]
    inverse[:] = system[:, k:]


@compiled_part
def duals_of(basis: IntArray, inverse: FloatArray, cost: FloatArray, duals: FloatArray) -> None:
    """Write the duals of a basis. O(k^2)."""
    k, n = duals.size, cost.size
    for s in range(k):
        duals[s] = 0.0
        for i in range(k):
            if basis[i] < n:
                duals[s] += cost[basis[i]] * inverse[i, s]


@compiled_part
def settled(
    space: Space, basis: IntArray, inverse: FloatArray, basic: NDArray[np.bool_], value: FloatArray
) -> tuple[int, float]:
    """Compute basic variables; return the row furthest outside, or -1, and how far: < 0 below."""
    k, n = space.rows.shape
    sums = np.zeros(k)
    for j in range(n):
        if value[j] != 0.0 and not basic[j]:
            for s in range(k):
                sums[s] += space.rows[s, j] * value[j]
    for s in range(k):
        if not basic[n + s]:
            sums[s] -= value[n + s]
    row, far = -1, MAX_LIMIT_ERROR
    for i in range(k):
        total = 0.0
        for s in range(k):
            total -= inverse[i, s] * sums[s]
        v = basis[i]
        value[v] = total
        below, above = space.lo[v] - total, total - space.hi[v]
        if max(below, above) > abs(far):
            row, far = i, above if above > below else -below
    return row, far


@compiled_sum
def rates_of(space: Space, inverse: FloatArray, row: int, way: float, rates: FloatArray) -> None:
    """Write how the basic variable of a row falls with every variable, times `way`. O(k n)."""
    k, n = space.rows.shape
    rates[:n] = 0.0
    for s in range(k):
        factor = inverse[row, s] * way
        rates[n + s] = -factor
        if factor != 0.0:
            for j in range(n):
                rates[j] += factor * space.rows[s, j]


@compiled_part
def entering(
    space: Space,
    rates: FloatArray,
    reduced: FloatArray,
    basic: NDArray[np.bool_],
    value: FloatArray,
    far: float,
) -> tuple[int, float]:
    """Return the variable that enters, or -1, and its ratio; those that are passed change sides."""
    places, ratios = np.empty(rates.size, np.int64), np.empty(rates.size)
    largest, count = 0.0, 0
    for v in range(rates.size):
        if not basic[v]:
            largest = max(largest, abs(rates[v]))
    for v in range(rates.size):
        rate = rates[v]
        if basic[v] or abs(rate) <= MIN_PIVOT * largest or space.hi[v] <= space.lo[v]:
            continue
        if (value[v] == space.hi[v]) == (rate < 0):
            places[count], ratios[count] = v, max(0.0, reduced[v] / rate)
            count += 1
    room = abs(far)
    while count > 0:
        at = 0
        for i in range(1, count):
            if ratios[i] < ratios[at]:
                at = i
        v, ratio = places[at], ratios[at]
        room -= abs(rates[v]) * (space.hi[v] - space.lo[v])
        if room <= MAX_LIMIT_ERROR:
            return v, ratio
        value[v] = space.lo[v] if value[v] == space.hi[v] else space.hi[v]
        count -= 1
        places[at], ratios[at] = places[count], ratios[count]
    return -1, 0.0


@compiled_part
def exchange(space: Space, basis: IntArray, inverse: FloatArray, row: int, new: int) -> None:
    """Exchange the basic variable of a row for another one. O(k^2)."""
    k, n = space.rows.shape
    column = np.empty(k)
    for i in range(k):
        column[i] = 0.0 if new < n else -inverse[i, new - n]
        if new < n:
            for s in range(k):
                column[i] += inverse[i, s] * space.rows[s, new]
    inverse[row] /= column[row]
    for i in range(k):
        if i != row and column[i] != 0.0:
            for s in range(k):
                inverse[i, s] -= column[i] * inverse[row, s]
    basis[row] = new


@compiled_part
def is_impossible(space: Space, ray: FloatArray, reduced: FloatArray) -> bool:
    """Return whether a row or its opposite proves that nothing is inside: no cost, a bound above 0.

    `reduced` is overwritten.
    """
    nothing = np.zeros(space.rows.shape[1])
    error = max(MAX_ROUNDING, RAY_ROUNDING * np.abs(ray).max())
    above = proven(space, nothing, ray, reduced)
    return bool(max(above, proven(space, nothing, -ray, reduced)) > error)


@compiled_part
def minimise(space: Space, basis: IntArray, cost: FloatArray, enough: float) -> Relaxed:
    """Minimise cost.q over a space from any basis (k,), or until the bound is `enough`.

    The last basis is left in `basis`. Steps use costs nudged by different amounts: equal costs
    would lead them in circles.
    """
    k, n = space.rows.shape
    inverse, basic = np.empty((k, k)), np.zeros(n + k, np.bool_)
    value, reduced, duals, rates = np.zeros(n + k), np.empty(n + k), np.empty(k), np.empty(n + k)
    nudge = COST_NUDGE * np.abs(cost).max()
    nudged = cost + nudge * (1 + np.arange(n) * GOLDEN % 1)
    inverse_of(space, basis, inverse)
    duals_of(basis, inverse, nudged, duals)
    proven(space, nudged, duals, reduced)
    for i in range(k):
        if abs(reduced[basis[i]]) > MAX_BASIC_COST:  # an inverse that rounding has spoilt
            basis[:] = np.arange(n, n + k)
            inverse_of(space, basis, inverse)
            duals[:] = 0.0
            proven(space, nudged, duals, reduced)
            break
    for i in range(k):
        basic[basis[i]] = True
        reduced[basis[i]] = 0.0
    for v in range(n + k):
        if not basic[v]:
            value[v] = space.lo[v] if reduced[v] >= 0 else space.hi[v]
    steps = 0
    for _ in range(20 * k + 20):  # stopping early is a weaker proof
        row, far = settled(space, basis, inverse, basic, value)
        if row < 0:
            break
        total = 0.0
        for v in range(n + k):
            if not basic[v]:
                total += reduced[v] * value[v]
        if total >= enough + MAX_ROUNDING:
            break
        rates_of(space, inverse, row, 1.0 if far > 0 else -1.0, rates)
        new, ratio = entering(space, rates, reduced, basic, value, far)
        if new < 0:
            if is_impossible(space, inverse[row], reduced):
                return Relaxed(np.inf, value, reduced, duals, steps)
            break
        steps += 1
        for v in range(n + k):
            reduced[v] -= ratio * rates[v]
        old = basis[row]
        value[old] = space.hi[old] if far > 0 else space.lo[old]
        reduced[old] = -ratio if far > 0 else ratio
        reduced[new] = 0.0
        basic[old], basic[new] = False, True
        exchange(space, basis, inverse, row, new)
    duals_of(basis, inverse, nudged, duals)
    least = proven(space, cost, duals, reduced)
    return Relaxed(least, value, reduced, duals, steps)


@compiled_part
def sieve_for(n: int) -> Sieve:
    """Return a sieve without members."""
    return Sieve(np.empty(n, np.int64), np.zeros(1, np.int64), np.zeros(n, np.bool_))


@compiled_part
def take_in(sieve: Sieve, x: int) -> None:
    """Add a public value to a sieve."""
    if not sieve.inside[x]:
        sieve.members[sieve.size[0]] = x
        sieve.size[0] += 1
        sieve.inside[x] = True


@compiled_part
def clear(sieve: Sieve) -> None:
    """Remove all members."""
    for i in range(sieve.size[0]):
        sieve.inside[sieve.members[i]] = False
    sieve.size[0] = 0


@compiled_part
def sifted(space: Space, sieve: Sieve, basis: IntArray, cost: FloatArray, enough: float) -> Relaxed:
    """Minimise as `minimise` does, over the members of a sieve and those that have to join them.

    The bound is proven with all values. Entries of others than the members are at their `lo`, which
    has to be zero.
    """
    k, n = space.rows.shape
    if n <= SIEVE:
        return minimise(space, basis, cost, enough)
    if sieve.size[0] > SIEVE:
        clear(sieve)
    take_in(sieve, int(np.argmin(cost)))
    for i in range(k):
        if basis[i] < n:
            take_in(sieve, basis[i])
    for x in range(n):
        if space.lo[x] > 0:
            take_in(sieve, x)
    value, reduced, steps = np.zeros(n + k), np.empty(n + k), 0
    while True:
        m = sieve.size[0]
        members = sieve.members[:m]
        part, local = part_of(space, members), np.empty(k, np.int64)
        place = np.empty(n, np.int64)
        for i in range(m):
            place[members[i]] = i
        for i in range(k):
            local[i] = place[basis[i]] if basis[i] < n else basis[i] - n + m
        found = minimise(part, local, cost[members], enough)
        steps += found.steps
        for i in range(k):
            basis[i] = members[local[i]] if local[i] < m else local[i] - m + n
        if not np.isfinite(found.least):
            for i in range(k):
                basis[i] = n + i
            found = minimise(space, basis, cost, enough)
            for i in range(k):
                if basis[i] < n:
                    take_in(sieve, basis[i])
            return found
        least = proven(space, cost, found.duals, reduced)
        if (
            least >= enough
            or least >= found.least - MAX_ROUNDING
            or not joined(space, sieve, reduced)
        ):
            value[n:] = found.value[m:]
            for i in range(m):
                value[members[i]] = found.value[i]
            return Relaxed(least, value, reduced, found.duals, steps)


@compiled_part
def part_of(space: Space, members: IntArray) -> Space:
    """Return the space of some of its entries. O(k members)."""
    k, n = space.rows.shape
    m = members.size
    rows, lo, hi = np.empty((k, m)), np.empty(m + k), np.empty(m + k)
    lo[m:], hi[m:] = space.lo[n:], space.hi[n:]
    for i in range(m):
        x = members[i]
        lo[i], hi[i] = space.lo[x], space.hi[x]
        for s in range(k):
            rows[s, i] = space.rows[s, x]
    return Space(rows, lo, hi)


@compiled_part
def joined(space: Space, sieve: Sieve, reduced: FloatArray) -> bool:
    """Take in the values that help most; return whether there are any. O(n)."""
    most, count = 0.0, 0
    for x in range(sieve.inside.size):
        if not sieve.inside[x]:
            most = max(most, -reduced[x] * space.hi[x])
    if most <= 0.0:
        return False
    for level in (0.5, 0.0):
        for x in range(sieve.inside.size):
            if count < MAX_NEW and not sieve.inside[x] and -reduced[x] * space.hi[x] > level * most:
                take_in(sieve, x)
                count += 1
    return True


@compiled
def largest_entries(space: Space, basis: IntArray) -> FloatArray:
    """Return an upper bound on every entry q(x) over Q, by one linear program each."""
    n = space.rows.shape[1]
    most, sieve = np.empty(n), sieve_for(n)
    for x in range(n):
        cost = np.zeros(n)
        cost[x] = -1
        most[x] = min(1.0, -sifted(space, sieve, basis.copy(), cost, np.inf).least)
    return most


@compiled
def entry_duals(space: Space, basis: IntArray, values: IntArray) -> FloatArray:
    """Return the duals of the largest entry q(x) over Q of some values, shape (r, k)."""
    k, n = space.rows.shape
    found, sieve = np.zeros((values.size, k)), sieve_for(n)
    for r in range(values.size):
        cost = np.zeros(n)
        cost[values[r]] = -1
        found[r] = sifted(space, sieve, basis.copy(), cost, np.inf).duals
    return found


@compiled
def extents(space: Space, basis: IntArray, directions: FloatArray) -> FloatArray:
    """Return bounds below and above on each direction.q over Q, shape (2, r), for rows (r, n)."""
    found = np.empty((2, len(directions)))
    for i in range(len(directions)):
        found[0, i] = minimise(space, basis.copy(), directions[i], np.inf).least
        found[1, i] = -minimise(space, basis.copy(), -directions[i], np.inf).least
    return found
