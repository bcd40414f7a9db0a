"""The compiled loop of the dynamic programme over runs of rows."""

from __future__ import annotations

import math

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging._build_kernels import xlogx
from loglift.merging._compile import compiled, compiled_part
from loglift.merging.problem import Problem


@compiled_part
def run_is_safe(first: FloatArray, last: FloatArray, problem: Problem) -> bool:
    """Whether the run between two prefix sums of the gains meets every need.

    The prefix sums round; what they are off by is relative to the sums, not to their difference.
    """
    for c in range(problem.need.size):
        rounding = 1e-13 * (abs(first[c]) + abs(last[c]))
        if last[c] - first[c] < problem.need[c] - rounding:
            return False
    return True


@compiled
def best_runs(gain: FloatArray, p: FloatArray, problem: Problem) -> IntArray:
    """The first row of every block of the best partition into runs, from the last to the first.

    `gain` (n+1, k) and `p` (n+1,) are prefix sums. The whole alphabet counts as safe.
    """
    n = p.size - 1
    best, start = np.full(n + 1, -math.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = 0.0
    for j in range(1, n + 1):
        for i in range(j):
            if best[i] == -math.inf:
                continue
            utility = best[i] - xlogx(p[j] - p[i])
            if utility > best[j]:
                whole = i == 0 and j == n
                if whole or run_is_safe(gain[i], gain[j], problem):
                    best[j], start[j] = utility, i
    starts, blocks, j = np.empty(n, dtype=np.int64), 0, n
    while j > 0:
        j = start[j]
        starts[blocks] = j
        blocks += 1
    return starts[:blocks]
