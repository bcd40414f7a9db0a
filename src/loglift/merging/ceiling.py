"""The ceiling: how much utility a safe partition can keep at most.

A price for every value, such that no safe block has more utility than the sum of its members'
prices, is a proof: no partition has more utility than all prices together. The prices come from
what each value must lose. A value that lacks something (its gain is negative) shares its block with
values that have it, and these have at least some mass m(x) (`_ceiling_kernels`). The utility says
what it loses then, alone or together with its company: for a single inequality the values that
lack and those that give are different ones, so both losses count.

The number of blocks limits utility too: see `Promise.most_blocks`.

Targets are bounded one by one (`least_target_loss`), beside the bound on I(X;Y).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from loglift._compute.kernels import is_short, kernels
from loglift.joint import FloatArray
from loglift.merging.problem import Problem
from loglift.merging.wide import is_written
from loglift.promise.limits import TOLERANCE
from loglift.promise.together import Together
from loglift.sparse import block_sums
from loglift.utility.information import least_joint_loss, least_loss, most_in_groups
from loglift.utility.weighted import WeightedTargets


def ceiling(problem: Problem) -> float:
    """Return an upper bound on the utility of all safe partitions. O(k n (log n + targets)).

    Of a problem with too many inequalities only the bound on log-lift is looked at. The least mass
    of a block, and that only some values may be merged, are not looked at.
    """
    if isinstance(problem.promise, Together) and not is_written(problem):
        problem = replace(problem, promise=problem.promise.plain)
    return with_targets(problem, _most_information(problem.of_rows))


def with_targets(problem: Problem, information: float) -> float:
    """Return the most utility of the values to partition, if they keep at most this I(X;Y).

    Targets lose by merging, so they keep no more than the values apart, less what they must lose.
    """
    worth = problem.worth
    if not isinstance(worth, WeightedTargets):
        return information
    apart = float(worth.apart()[problem.chosen].sum())
    most = worth.joint_weight * information + apart - least_target_loss(problem)
    if problem.rows is None and problem.groups is None:
        most = min(most, worth.most(information))
    return most


def least_target_loss(problem: Problem) -> float:
    """Return what the targets lose at least in a safe partition of the values to partition.

    For a target that is a function of x, and one inequality with gains g: the values with the same
    u lack D = -sum of g(x), if that is positive. In every block they have a mass a and company of
    mass c, and what they lack there, l, is at most a/s and c/r, with s the least mass of theirs per
    unit of lack and r the least mass of others per unit of gain. H(U|Y) has the term
    a log(1 + c/a) >= l s log(1 + r/s), and these add up to at least D s log(1 + r/s).

    The gains are tolerant: under a bound of 0 others may be the rounding of sums.
    """
    worth = problem.worth
    if not isinstance(worth, WeightedTargets):
        return 0.0
    rows, p = problem.chosen, problem.p[problem.chosen]
    cells = worth.cells.take(rows)
    charges = np.zeros(worth.prior.size)
    functions = [
        number
        for number in range(worth.nat_weights.size)
        if np.array_equal(cells.rows[worth.target[cells.columns] == number], np.arange(rows.size))
    ]
    values = [cells.columns[worth.target[cells.columns] == number] for number in functions]
    for column in problem.promise.columns(tolerant=True):
        gain = column[rows]
        givers, takers = gain > 0, gain < 0
        if not givers.any() or not takers.any():
            continue
        giving = float((p[givers] / gain[givers]).min())
        for of in values:
            lacking = -np.bincount(of, gain, minlength=charges.size) * (1 - TOLERANCE)
            taking = np.full(charges.size, np.inf)
            np.minimum.at(taking, of[takers], p[takers] / -gain[takers])
            short = lacking > 0
            charge = lacking[short] * taking[short] * np.log1p(giving / taking[short])
            charges[short] = np.maximum(charges[short], charge)
    return float(charges @ worth.cell_weights)


def _most_information(problem: Problem) -> float:
    """Return an upper bound on I(X;Y) of all safe partitions."""
    most = float(prices(problem).sum())
    blocks = float(problem.promise.most_blocks()[0])
    if np.isfinite(blocks):
        most = min(most, math.log(blocks))
    return max(0.0, min(most, _in_groups(problem)))


def prices(problem: Problem) -> FloatArray:
    """Return prices (n,) that no safe block exceeds: those with the least sum of all ways."""
    p = problem.p
    unsafe = ~problem.promise.safe()
    company = np.zeros_like(p)
    if p.size > 1:
        company[unsafe] = p.min()  # an unsafe value cannot stay alone
    charges = p * 0
    plain = is_short(p.size * p.size.bit_length() * problem.inequalities)
    for gain in problem.promise.columns():
        takers = unsafe & (gain < 0)
        if takers.any():
            needed = _least_company(gain, p, takers, plain=plain)
            company[takers] = np.maximum(company[takers], needed)
            charge = np.zeros_like(p)
            charge[takers] = least_joint_loss(p[takers], needed)
            charges = max(charges, charge, key=np.sum)
    charges = max(charges, least_loss(p, company), key=np.sum)
    found: FloatArray = problem.worth.values() - problem.worth.joint_weight * charges
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
    apart = block_sums(problem.worth.values(), groups.numbers)
    masses = block_sums(problem.p, groups.numbers)
    return float(np.minimum(apart, most_in_groups(masses, blocks)).sum())
