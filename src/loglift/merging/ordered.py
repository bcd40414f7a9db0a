"""Contiguous blocks of an ordered attribute, optimal by dynamic programming.

The best partition of the first j values ends in some safe block i..j-1 and is best on the first
i: O(n^2) blocks to look at, each decided from prefix sums. Exact at any size.
"""

from __future__ import annotations

import numpy as np

from loglift._compute.plain import fitting
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Problem, problem_of
from loglift.promise.bound import Bound


def ordered(
    mass: FloatArray, bound: Bound, *, least: float = 0.0, rows: IntArray | None = None
) -> IntArray:
    """Block number of each row of a trusted mass (n, m), in which blocks are runs of rows.

    `least` is the least mass of a block, `rows` are the rows to partition, by default all. These
    as one block are always one of the choices.
    """
    problem = problem_of(mass, bound, least, tolerant=True)
    if rows is not None:
        problem = problem._replace(gain=problem.gain[rows], p=problem.p[rows])
    return best_runs(problem)


def best_runs(problem: Problem) -> IntArray:
    """Block number of each value of a problem with the tolerance, in which blocks are runs."""
    from loglift.merging import _ordered_kernels as kernels  # noqa: PLC0415, numba loads when used

    nothing = np.zeros((1, problem.need.size))
    gain = np.vstack([nothing, np.cumsum(problem.gain, axis=0)])
    p = np.concatenate([[0.0], np.cumsum(problem.p)])
    starts = fitting(kernels.best_runs, problem.p.size)(gain, p, problem)
    labels = np.zeros(problem.p.size, dtype=np.int64)
    labels[starts[starts > 0]] = 1
    return np.cumsum(labels)
