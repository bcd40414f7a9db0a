"""The compiled loop that lists all safe blocks of a given number of members."""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_lean
from loglift.joint import FloatArray, IntArray


@compiled_lean
def blocks_of_size(
    column: FloatArray,
    need: FloatArray,
    largest: FloatArray,
    leaders: int,
    total: FloatArray,
    after: IntArray,
    found: IntArray,
    most: int,
) -> tuple[int, int]:
    """Write all safe blocks of as many members as `found` (b, size) has columns.

    `column` (k, n) has the gains by inequality; `largest` (k, n+1) the largest gain of a value and
    those after it. Members rise, and the first one is below `leaders`. A part of a block is left
    out if not even the largest gains end what it lacks. For the last member all candidates are
    filtered inequality by inequality, first by the one that lacks most. `total` (size, k) and
    `after` (size+n,) are overwritten.

    Returns how many blocks there are, and how many comparisons were made. Stops when there are more
    than fit, or more comparisons than `most`.
    """
    k, n = column.shape
    size, kept, compared, d = found.shape[1], 0, 0, 0
    candidates = after[size:]
    for c in range(k):
        total[0, c] = 0.0
    after[0] = 0
    while d >= 0:
        i = after[d]
        if i > n - size + d or (d == 0 and i >= leaders) or compared > most:
            d -= 1
            continue
        after[d] = i + 1
        if d + 1 < size:
            short = False
            for c in range(k):
                total[d + 1, c] = total[d, c] + column[c, i]
                short |= total[d + 1, c] + (size - d - 1) * largest[c, i + 1] < need[c]
            compared += k
            if not short:
                d += 1
                after[d] = i + 1
            continue
        worst, lacking = 0, -math.inf
        for c in range(k):
            if need[c] - total[d, c] > lacking:
                worst, lacking = c, need[c] - total[d, c]
        left = 0
        for x in range(i, n):
            candidates[left] = x
            left += column[worst, x] >= lacking
        compared += n - i + k
        for c in range(k):
            lacking, before, left = need[c] - total[d, c], left, 0
            for y in range(before):
                x = candidates[y]
                candidates[left] = x
                left += column[c, x] >= lacking
            compared += before
            if left == 0:
                break
        if kept + left > found.shape[0]:
            return kept + left, compared
        for y in range(left):
            for depth in range(d):
                found[kept, depth] = after[depth] - 1
            found[kept, d] = candidates[y]
            kept += 1
        d -= 1
    return kept, compared
