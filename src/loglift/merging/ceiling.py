"""The ceiling: how much utility a safe partition can keep at most.

A price for every value, such that no safe block has more utility than the sum of its members'
prices, is a proof: no partition has more utility than all prices together. The prices come from
what each value must lose. A value that lacks something (its gain is negative) shares its block with
values that have it, and these have at least some mass m(x) (`_ceiling_kernels`). The utility says
what it loses then, alone or together with its company: for a single inequality the values that
lack and those that give are different ones, so both losses count.

The number of blocks limits utility too: see `Promise.most_blocks`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift._compute.kernels import is_small, kernels
from loglift.joint import FloatArray
from loglift.merging.problem import Problem
from loglift.promise.bound import TOLERANCE
from loglift.sparse import block_sums


def ceiling(problem: Problem) -> float:
    """Return an upper bound on the utility of all safe partitions. O(k n log n).

    It does not use the least mass of a block, nor that only some values may be merged.
    """
    most = float(prices(problem).sum())
    blocks = float(problem.promise.most_blocks()[0])
    if np.isfinite(blocks):
        most = min(most, problem.utility.most(blocks))
    return max(0.0, min(most, _in_groups(problem)))


def prices(problem: Problem) -> FloatArray:
    """Return prices (n,) that no safe block exceeds: those with the least sum of all ways."""
    p, utility = problem.p, problem.utility
    unsafe = ~problem.promise.safe()
    company = np.zeros_like(p)
    if p.size > 1:
        company[unsafe] = p.min()  # an unsafe value cannot stay alone
    charges = p * 0
    plain = is_small(p.size, problem.inequalities)
    for gain in problem.promise.columns():
        takers = unsafe & (gain < 0)
        if takers.any():
            needed = _least_company(gain, p, takers, plain=plain)
            company[takers] = np.maximum(company[takers], needed)
            charge = np.zeros_like(p)
            charge[takers] = utility.least_joint_loss(p[takers], needed)
            charges = max(charges, charge, key=np.sum)
    charges = max(charges, utility.least_loss(p, company), key=np.sum)
    found: FloatArray = utility.values(problem.shares) - charges
    return found


def _least_company(
    gain: FloatArray, p: FloatArray, takers: NDArray[np.bool_], *, plain: bool
) -> FloatArray:
    """Return the least mass of others in the block of each taker, by one inequality."""
    loops = kernels("merging._ceiling_kernels", plain=plain)
    lacking = -gain[takers] * (1 - TOLERANCE)
    givers = np.flatnonzero(gain > 0)
    givers = givers[np.argsort(-gain[givers] / p[givers], kind="stable")]
    company = loops.least_company(
        lacking, np.argsort(lacking), gain[givers], p[givers], np.argsort(gain[givers])
    )
    # All givers together are enough, whatever the rounding.
    return np.asarray(np.minimum(company, p[givers].sum()))


def _in_groups(problem: Problem) -> float:
    """Return an upper bound by the number of blocks of each group, or infinity."""
    groups = problem.groups
    if groups is None or len(groups.names) == 1:
        return np.inf
    blocks = problem.promise.most_blocks(groups.numbers)
    if np.isinf(blocks).any():
        return np.inf
    apart = block_sums(problem.utility.values(problem.shares), groups.numbers)
    masses = block_sums(problem.p, groups.numbers)
    return float(np.minimum(apart, problem.utility.most_in_groups(masses, blocks)).sum())
