"""The compiled loop of the dynamic program over runs of rows."""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Arrays
from loglift.promise._condition_kernels import lacking
from loglift.utility._utility_kernels import value


@compiled_part
def run_verdict(first: FloatArray, last: FloatArray, problem: Arrays) -> int:
    """Return whether the run between two prefix sums is safe: 1 yes, -1 no, 0 unclear.

    The rounding of prefix sums is relative to the sums, not to their difference. So they cannot
    tell a run that lacks a little from one that lacks nothing: under a wide bound a run without a
    sensitive value lacks very little.
    """
    clear = 1
    for c in range(problem.need.size):
        rounding = 1e-13 * (abs(first[c]) + abs(last[c]))
        over = last[c] - first[c] - problem.need[c]
        if over < -rounding:
            return -1
        if over < rounding:
            clear = 0
    conditions = problem.conditions
    if clear == 1 and conditions.kind.size > 0:
        if lacking(conditions, last, conditions.nothing, first) > 0:
            return -1
        clear = 0  # sums of rows decide
    return clear


@compiled
def best_runs(gain: FloatArray, sums: FloatArray, problem: Arrays) -> IntArray:
    """Return the first row of every block of the best partition into runs, the last block first.

    `gain` (n+1, k) and `sums` (n+1, t) are prefix sums. The run of all values counts as safe. Where
    the prefix sums are unclear, gains are added up row by row, at most once for each end of a run:
    O(n^2 (t + k)) in all.
    """
    n, t, k = sums.shape[0] - 1, sums.shape[1], problem.need.size
    between, nothing = np.empty(t), problem.conditions.nothing
    best, start = np.full(n + 1, -math.inf), np.zeros(n + 1, dtype=np.int64)
    best[0] = 0.0
    for j in range(1, n + 1):
        total, added = np.zeros(k), j  # the gains of the rows from `added` to j
        for i in range(j - 1, -1, -1):
            if best[i] == -math.inf:
                continue
            for c in range(t):
                between[c] = sums[j, c] - sums[i, c]
            utility = best[i] + value(between, problem.coefficients)
            if utility >= best[j]:
                safe = 1 if i == 0 and j == n else run_verdict(gain[i], gain[j], problem)
                if safe == 0:
                    while added > i:
                        added -= 1
                        total += problem.gain[added]
                    safe = 1 if (total >= problem.need).all() else -1
                    if safe == 1 and lacking(problem.conditions, total, nothing, nothing) > 0:
                        safe = -1
                if safe == 1:
                    best[j], start[j] = utility, i
    starts, blocks, j = np.empty(n, dtype=np.int64), 0, n
    while j > 0:
        j = start[j]
        starts[blocks] = j
        blocks += 1
    return starts[:blocks]
