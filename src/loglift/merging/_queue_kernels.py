"""The search for the best partner among many candidates, tested 64 at a time.

Candidates are in a queue that keeps its masses column by column. Most candidates are ruled out by
one of the four sensitive values with the largest excess of the block; these cost about a
nanosecond. The results are those of `best_partner`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.merging._partner_kernels import AS_GOOD, BEYOND, NOT_BETTER, excess_with
from loglift.merging._rules import Rules, Values

BITS = 64  # candidates tested at a time: one bit each
PACKING_DIVISOR = 8  # the queue is packed when more than an eighth of its places is empty


class Queue(NamedTuple):
    """Candidates in row order: `value` (h,), or -1 where one has left.

    `lifted` (m, h) holds n(s,x) n / n(s): a block's lift is their sum over its members, divided by
    n(B). `weight` (h,) holds n(x), and `place` (n,) where each value stands. `counts` = (places in
    use, candidates left).
    """

    value: IntArray
    lifted: FloatArray
    weight: FloatArray
    place: IntArray
    counts: IntArray


@compiled_part
def make_queue(candidates: IntArray, values: Values, rules: Rules) -> Queue:
    """Return a queue of the given values."""
    h, m = candidates.size, rules.prior.size
    lifted, weight = np.empty((m, h)), np.empty(h)
    place = np.empty(values.weight.size, dtype=np.int64)
    for i in range(h):
        x = candidates[i]
        place[x], weight[i] = i, values.weight[x]
        for s in range(m):
            lifted[s, i] = values.mass[x, s] * rules.total / rules.prior[s]
    return Queue(candidates.copy(), lifted, weight, place, np.array([h, h]))


@compiled_part
def leave(queue: Queue, x: int, rules: Rules) -> None:
    """Take value x out. Its place gets masses that rule it out, and stays until packing."""
    i = queue.place[x]
    queue.value[i] = -1
    queue.counts[1] -= 1
    if rules.up > 0:
        queue.lifted[:, i] = math.inf
    else:
        queue.weight[i] = math.inf
    if (queue.counts[0] - queue.counts[1]) * PACKING_DIVISOR > queue.counts[0]:
        pack(queue)


@compiled_part
def pack(queue: Queue) -> None:
    """Close the gaps and keep the order. O(h m), each time the queue shrank by a fixed share."""
    kept = 0
    for i in range(queue.counts[0]):
        if queue.value[i] >= 0:
            queue.value[kept], queue.weight[kept] = queue.value[i], queue.weight[i]
            queue.place[queue.value[i]] = kept
            for s in range(queue.lifted.shape[0]):
                queue.lifted[s, kept] = queue.lifted[s, i]
            kept += 1
    queue.counts[0] = kept


@compiled_part
def by_excess(lifted: FloatArray, weight: float, rules: Rules) -> IntArray:
    """Return the sensitive values by their part in the excess of a block, largest first."""
    order, keys = np.empty(lifted.size, dtype=np.int64), np.empty(lifted.size)
    for s in range(lifted.size):
        key = rules.up * lifted[s] / weight
        if rules.down > 0:
            key = max(key, rules.down * weight / lifted[s] if lifted[s] > 0 else math.inf)
        i = s
        while i > 0 and keys[i - 1] < key:
            keys[i], order[i] = keys[i - 1], order[i - 1]
            i -= 1
        keys[i], order[i] = key, s
    return order


@compiled_part
def four_allow(
    a: FloatArray,
    b: FloatArray,
    c: FloatArray,
    d: FloatArray,
    weights: FloatArray,
    begin: tuple[float, float, float, float],
    weight: float,
    least: float,
    most: float,
) -> np.uint64:
    """Return a bit for each of up to 64 candidates: whether four lifts stay within limits.

    `a` to `d` are the masses that the candidates add to those of the block, `begin`. There are no
    branches and no stores, so that the compiler makes vector instructions.
    """
    bits = np.uint64(0)
    for j in range(weights.size):
        low, high = least * (weight + weights[j]), most * (weight + weights[j])
        e, f, g, h = begin[0] + a[j], begin[1] + b[j], begin[2] + c[j], begin[3] + d[j]
        inside = (e >= low) & (e <= high) & (f >= low) & (f <= high)
        inside = inside & (g >= low) & (g <= high) & (h >= low) & (h <= high)
        bits |= np.uint64(inside) << np.uint64(j)
    return bits


@compiled_part
def limits(best: float, rules: Rules) -> tuple[float, float]:
    """Return the least and the largest lift of a block with less excess than the best."""
    limit = best * NOT_BETTER
    return rules.down / limit, limit / rules.up if rules.up > 0 else math.inf


@compiled_part
def best_of_many(
    block: FloatArray, weight: float, queue: Queue, values: Values, rules: Rules
) -> int:
    """Return the queued value with least excess; the first on a tie, or if all are infinite.

    O(h m) at worst.
    """
    lifted = block * rules.total / rules.prior
    order = by_excess(lifted, weight, rules)
    last, size = order.size - 1, queue.counts[0]
    s, t, u, v = order[0], order[min(1, last)], order[min(2, last)], order[min(3, last)]
    a, b, c, d = queue.lifted[s], queue.lifted[t], queue.lifted[u], queue.lifted[v]
    begin = (lifted[s], lifted[t], lifted[u], lifted[v])
    best, found = BEYOND, -1
    least, most = limits(best, rules)
    for start in range(0, size, BITS):
        stop, i = min(start + BITS, size), start
        ours, theirs = (a[start:stop], b[start:stop]), (c[start:stop], d[start:stop])
        weights = queue.weight[start:stop]
        bits = four_allow(*ours, *theirs, weights, begin, weight, least, most)
        while bits:
            if bits & np.uint64(1) and queue.value[i] >= 0:
                low, high = least * (weight + queue.weight[i]), most * (weight + queue.weight[i])
                allowed = True
                for r in order:
                    allowed = low <= lifted[r] + queue.lifted[r, i] <= high
                    if not allowed:
                        break
                if allowed:
                    excess = excess_with(block, weight, values, queue.value[i], rules)
                    if excess < best * AS_GOOD:
                        best, found = excess, queue.value[i]
                        least, most = limits(best, rules)
            bits >>= np.uint64(1)
            i += 1
    return found if found >= 0 else first_left(queue)


@compiled_part
def first_left(queue: Queue) -> int:
    """Return the first value that is still in the queue."""
    i = 0
    while queue.value[i] < 0:
        i += 1
    return int(queue.value[i])
