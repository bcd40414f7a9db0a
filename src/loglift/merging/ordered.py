"""Contiguous blocks of an ordered attribute, optimal by dynamic programming.

The best partition of the first j values ends with some safe block i..j-1 and is best on the first
i values: O(n^2) blocks, each decided and valued from prefix sums. Exact for any number of values.
"""

from __future__ import annotations

import numpy as np

from loglift._compute.kernels import is_small, kernels
from loglift.joint import IntArray
from loglift.merging.problem import Problem


def ordered(problem: Problem) -> IntArray:
    """Return the block number of each value to partition; blocks are runs of rows.

    The run of all of them is always one of the choices.
    """
    arrays = problem.arrays(problem.chosen, tolerant=True)
    loops = kernels("merging._ordered_kernels", plain=is_small(len(arrays.sums), arrays.need.size))
    gain, sums = (
        np.vstack([np.zeros((1, column.shape[1])), np.cumsum(column, axis=0)])
        for column in (arrays.gain, arrays.sums)
    )
    starts = loops.best_runs(gain, sums, arrays)
    labels = np.zeros(len(arrays.sums), dtype=np.int64)
    labels[starts[starts > 0]] = 1
    return np.cumsum(labels)
