"""The least H(q) - price.q over Q, compiled: branch and bound on the largest entries.

A node names the largest entries of q in falling order, each with an interval, and a cap on all
others. On it -q(x) log q(x) is at least its chord: on its interval for a named entry, from zero to
the cap for any other, so that one more named entry, or a lower cap, tightens *all* chords. The sum
of the chords is a linear program. A node is split

- at the interval of a named entry, or
- at a share s of the cap: either no other entry is above s, which lowers the cap, or the next entry
  x is from s to the cap, for every x. The duals of the node bound each of these at once, and so do
  the same duals with that of one sensitive value changed.

Nodes that are no better than `enough` need no further look, so that a proof with a tolerance of a
hundredth of H(X) takes a small part of the time of a full one.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.randomizing._cost_kernels import chord, surprise
from loglift.randomizing._program_kernels import (
    MAX_ROUNDING,
    Relaxed,
    proven,
    sieve_for,
    sifted,
    take_in,
)
from loglift.randomizing._simplex_kernels import MAX_TIE, Space

MAX_NAMED = 10  # entries that a node names
SPLIT = 0.6  # of the cap, where a node is split
MIN_SHARE = 0.2  # of an interval, on either side of a split
MIN_HELP = 1e-9  # nats: a point that is better than its price by less does not help
MIN_GAP = 1e-10  # nats, between the bound and the least value met
FIRST_MEMBERS = 40  # of the sieve
MAX_POINTS = 512  # that help, of a look at some nodes
PRESSES = (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0)  # nats: by how much single duals are changed
MIN_PRESSED = 10  # values that are left to name: for fewer, programs are faster


class Explored(NamedTuple):
    """What a look at some nodes finds, and leaves to do.

    Attributes
    ----------
    met
        The least value met, zero or less.
    cut
        The least bound of what had to be left out; infinite if nothing was.
    points
        The points met that help (r, n).
    programs
        The number of linear programs that were solved.
    bounds, opened
        The nodes that are still open, and their bounds.
    free
        The numbers that are free for new nodes.

    """

    met: float
    cut: float
    points: FloatArray
    programs: int
    bounds: FloatArray
    opened: IntArray
    free: IntArray


class Nodes(NamedTuple):
    """Nodes by number: named entries in falling order, their intervals, cap and basis.

    `free` are the numbers that new nodes may have, the first left[0] of them.
    """

    depth: IntArray
    named: IntArray
    low: FloatArray
    high: FloatArray
    cap: FloatArray
    basis: IntArray
    free: IntArray
    left: IntArray


class Box(NamedTuple):
    """A node as a linear program: the space with its limits, costs, and what is named.

    `slope` is that of the chord from zero to the largest entry of each value, for all nodes.
    """

    space: Space
    cost: FloatArray
    is_named: NDArray[np.bool_]
    slope: FloatArray


class Ends(NamedTuple):
    """The interval of the entry to name next: its lower end, and its upper end for each value.

    `cheap` and `dear` are -q log q there, times the weight.
    """

    low: float
    cheap: float
    high: FloatArray
    dear: FloatArray


@compiled_part
def new_node(nodes: Nodes, of: int) -> int:
    """Return the number of a copy of a node, or -1 where there is no room."""
    if nodes.left[0] == 0:
        return -1
    nodes.left[0] -= 1
    node = nodes.free[nodes.left[0]]
    nodes.depth[node], nodes.cap[node] = nodes.depth[of], nodes.cap[of]
    for i in range(nodes.depth[of]):
        nodes.named[node, i] = nodes.named[of, i]
        nodes.low[node, i], nodes.high[node, i] = nodes.low[of, i], nodes.high[of, i]
    nodes.basis[node] = nodes.basis[of]
    return int(node)


@compiled_part
def give_back(nodes: Nodes, node: int) -> None:
    """Free a node."""
    nodes.free[nodes.left[0]] = node
    nodes.left[0] += 1


@compiled_part
def left_of(nodes: Nodes, node: int) -> float:
    """Return the most that the entries that are not named add up to."""
    left = 1.0
    for i in range(nodes.depth[node]):
        left -= nodes.low[node, i]
    return max(left, MAX_TIE)


@compiled_part
def write_box(
    box: Box, nodes: Nodes, node: int, left: float, largest: FloatArray, price: FloatArray, w: float
) -> float:
    """Write the limits and chords of a node; return the sum of the chords' offsets. O(n)."""
    lo, hi, n = box.space.lo, box.space.hi, price.size
    cap = min(nodes.cap[node], left)
    slope = -math.log(cap)
    for x in range(n):
        lo[x], hi[x], box.is_named[x] = 0.0, min(cap, largest[x]), False
        box.cost[x] = w * max(slope, box.slope[x]) - price[x]
    base = 0.0
    for i in range(nodes.depth[node]):
        x, low = nodes.named[node, i], nodes.low[node, i]
        high = max(low, min(nodes.high[node, i], largest[x], left + low))
        offset, slope = chord(low, high)
        lo[x], hi[x], box.is_named[x] = low, high, True
        box.cost[x] = w * slope - price[x]
        base += w * offset
    return base


@compiled
def explore(
    space: Space,
    largest: FloatArray,
    price: FloatArray,
    w: float,
    enough: float,
    met: float,
    nodes: Nodes,
    bounds: FloatArray,
    opened: IntArray,
    programs: int,
) -> Explored:
    """Explore some nodes, best node first: bound w H(q) - price.q from below over each.

    `largest` are upper bounds on the entries; `bounds` are in rising order. Ends when all bounds
    are `enough` (at most zero) or the least value met, or after so many linear programs.
    """
    k, n = space.rows.shape
    box = Box(
        Space(space.rows, space.lo.copy(), space.hi.copy()),
        np.empty(n),
        np.empty(n, np.bool_),
        -np.log(largest),
    )
    sieve, basis = sieve_for(n), np.empty(k, np.int64)
    for x in np.argsort(-price)[:FIRST_MEMBERS]:
        take_in(sieve, x)
    heap = [(bounds[0], opened[0])]
    for i in range(1, opened.size):
        heap.append((bounds[i], opened[i]))  # noqa: PERF401, numba compiles a loop sooner
    points, found = np.empty((MAX_POINTS, n)), 0
    done, cut = 0, np.inf
    while len(heap) > 0 and done < programs and heap[0][0] < min(enough, met - MIN_GAP):
        above, node = heapq.heappop(heap)
        needed = min(enough, met - MIN_GAP)
        base = write_box(box, nodes, node, left_of(nodes, node), largest, price, w)
        for i in range(k):
            basis[i] = nodes.basis[node, i]
        relaxed = sifted(box.space, sieve, basis, box.cost, needed - base)
        for i in range(k):
            nodes.basis[node, i] = basis[i]
        done += 1
        least = max(above, relaxed.least + base)
        if least >= needed:
            give_back(nodes, node)
            continue
        value, off_named, off_others, at = distances(box, nodes, node, relaxed, price, w)
        if value < -MIN_HELP and found < len(points):
            points[found] = np.maximum(relaxed.value[:n], 0.0)
            found += 1
        met = min(met, value)
        if off_named + off_others < MIN_GAP:  # the program is exact here
            cut = min(cut, least)
            give_back(nodes, node)
        elif off_named > off_others or nodes.depth[node] == MAX_NAMED:
            cut = min(cut, split_interval(heap, nodes, node, box, relaxed, at, least))
        else:
            cut = min(
                cut, name_next(heap, nodes, node, box, relaxed, largest, price, w, least, needed)
            )
    bounds, opened = np.empty(len(heap)), np.empty(len(heap), np.int64)
    for i in range(len(heap)):
        bounds[i], opened[i] = heap[i]
    free = nodes.free[: nodes.left[0]].copy()
    return Explored(met, cut, points[:found].copy(), done, bounds, opened, free)


@compiled_part
def distances(
    box: Box, nodes: Nodes, node: int, relaxed: Relaxed, price: FloatArray, w: float
) -> tuple[float, float, float, int]:
    """Return the true value at a point, how far the chords are below it, and where most.

    For one named entry, the furthest, and for all others together.
    """
    value, named, others, at = 0.0, 0.0, 0.0, -1
    lo, hi = box.space.lo, box.space.hi
    for x in range(price.size):
        q = min(max(relaxed.value[x], lo[x]), hi[x])
        if q > 0.0:
            true = w * surprise(q)
            value += true - price[x] * q
            if not box.is_named[x]:
                others += true - (box.cost[x] + price[x]) * q
    for i in range(nodes.depth[node]):
        x = nodes.named[node, i]
        q = min(max(relaxed.value[x], lo[x]), hi[x])
        offset, slope = chord(lo[x], hi[x])
        off = w * (surprise(q) - offset - slope * q)
        if off > named:
            named, at = off, i
    return value, named, others, at


@compiled_part
def split_interval(
    heap: list[tuple[float, int]],
    nodes: Nodes,
    node: int,
    box: Box,
    relaxed: Relaxed,
    at: int,
    least: float,
) -> float:
    """Split the interval of a named entry; return the bound of what had to be left out."""
    if at < 0:
        give_back(nodes, node)
        return least
    other = new_node(nodes, node)
    if other < 0:
        return least
    x = nodes.named[node, at]
    low, high = box.space.lo[x], box.space.hi[x]
    spare = MIN_SHARE * (high - low)
    cut = min(max(relaxed.value[x], low + spare), high - spare)
    nodes.high[other, at], nodes.low[node, at] = cut, cut
    nodes.cap[other] = min(nodes.cap[other], cut)
    possible = True
    for i in range(nodes.depth[node]):  # entries are named in falling order
        if i > at:
            nodes.high[other, i] = min(nodes.high[other, i], cut)
            possible = possible and nodes.high[other, i] >= nodes.low[other, i]
        elif i < at:
            nodes.low[node, i] = max(nodes.low[node, i], cut)
    heapq.heappush(heap, (least, node))
    if possible:
        heapq.heappush(heap, (least, other))
    else:
        give_back(nodes, other)
    return np.inf


@compiled_part
def name_next(
    heap: list[tuple[float, int]],
    nodes: Nodes,
    node: int,
    box: Box,
    relaxed: Relaxed,
    largest: FloatArray,
    price: FloatArray,
    w: float,
    least: float,
    needed: float,
) -> float:
    """Split a node at a share of its cap; return the bound of what had to be left out.

    The duals of the node, with the cost of the cap that the next entry leaves, bound each of the
    nodes that name one more entry. O(k n) for all of them.
    """
    depth, cap, cut = nodes.depth[node], min(nodes.cap[node], left_of(nodes, node)), np.inf
    split, low = SPLIT * cap, nodes.low[node].copy()
    for i in range(depth):
        nodes.low[node, i] = max(low[i], split)
    left = left_of(nodes, node) - split
    if left > -MAX_ROUNDING:  # otherwise no other entry can be as large
        left = max(left, MAX_ROUNDING)
        base = write_box(box, nodes, node, left, largest, price, w)
        bounds, high, dear = np.full(price.size, least), np.empty(price.size), np.empty(price.size)
        for x in range(price.size):
            high[x] = max(split, min(cap, largest[x]))
            dear[x] = w * surprise(high[x])
        ends = Ends(split, w * surprise(split), high, dear)
        duals, reduced = relaxed.duals.copy(), np.empty(relaxed.reduced.size)
        for more in (0.0, w * math.log(cap / min(cap, left))):
            duals[-1] += more
            total = base + proven(box.space, box.cost, duals, reduced)
            raise_bounds(bounds, box, reduced, total, ends, price)
        open_bounds = 0
        for x in range(price.size):
            if not box.is_named[x] and largest[x] >= split and bounds[x] < needed:
                open_bounds += 1
        if open_bounds >= MIN_PRESSED:
            press(bounds, box, duals, reduced, base, ends, price)
        for x in range(price.size):
            if box.is_named[x] or largest[x] < split or bounds[x] >= needed:
                continue
            other = new_node(nodes, node)
            if other < 0:
                cut = min(cut, bounds[x])
                continue
            nodes.named[other, depth], nodes.depth[other], nodes.cap[other] = x, depth + 1, cap
            nodes.low[other, depth], nodes.high[other, depth] = split, min(cap, largest[x])
            heapq.heappush(heap, (bounds[x], other))
    nodes.low[node, :depth] = low[:depth]
    nodes.cap[node] = split
    heapq.heappush(heap, (least, node))
    return cut


@compiled_part
def raise_bounds(
    bounds: FloatArray, box: Box, reduced: FloatArray, total: float, ends: Ends, price: FloatArray
) -> None:
    """Raise the bounds of naming each value, with an entry between the given ends. O(n).

    `total` and the reduced costs are those of any duals without the value named.
    """
    for x in range(price.size):
        worth = box.cost[x] - reduced[x] + price[x]  # price and duals of an entry
        least = min(ends.cheap - worth * ends.low, ends.dear[x] - worth * ends.high[x])
        without = total - min(0.0, reduced[x] * box.space.hi[x])
        bounds[x] = max(bounds[x], without + least)


@compiled_part
def press(
    bounds: FloatArray,
    box: Box,
    duals: FloatArray,
    reduced: FloatArray,
    base: float,
    ends: Ends,
    price: FloatArray,
) -> None:
    """Raise the bounds of naming each value by the duals with one of them changed. O(k n).

    A value that is named brings its own lifts: the lift of a sensitive value that it puts out of
    the limits has to be brought back by the others, which a larger dual of it makes expensive. The
    dual of the sum is such that no value that is not named has a negative reduced cost.
    """
    space, n, k = box.space, price.size, duals.size
    fixed, shifted = base, np.empty(n)
    for i in range(k):
        fixed += min(duals[i] * space.lo[n + i], duals[i] * space.hi[n + i])
    for s in range(k - 1):
        before = min(duals[s] * space.lo[n + s], duals[s] * space.hi[n + s])
        for step in PRESSES:
            dual, least = duals[s] + step, np.inf
            for x in range(n):
                shifted[x] = reduced[x] - step * space.rows[s, x]
                if not box.is_named[x]:
                    least = min(least, shifted[x])
            total = fixed - before + min(dual * space.lo[n + s], dual * space.hi[n + s]) + least
            for x in range(n):
                shifted[x] -= least
                if box.is_named[x]:
                    total += min(shifted[x] * space.lo[x], shifted[x] * space.hi[x])
            raise_bounds(bounds, box, shifted, total, ends, price)
