"""A bound from the safe blocks of few members, by a linear program.

Prices such that no safe block is worth more than those of its members are a proof: no partition is
worth more than all prices. For blocks of at most r members these are the inequalities of a listing.
A block of more members, safe or not, is worth no more than the prices

    s(x) = w (t/(r+1) - p(x) (1 + log t)) + targets(x)

of its members, for any mass t: the tangent of -p log p at t is t - p (1 + log t), and the shares
t/(r+1) of r+1 or more members add up to t. It is also worth no more than the prices

    s(x) = -w p(x) log(p(x) + m(x)) + targets(x)

where m(x) is the mass of the r lightest other values. So prices of at least s(x) that meet the
inequalities of the listing are a proof. The least ones are the duals of a linear program in which
each value may also be covered alone, for s(x). Without the program the prices

    s(x) with r+1 replaced by the fewest members of a block with x,

meet all inequalities: the bound is the logarithm of `Listing.most_blocks`.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.highs import new_program
from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.merging.listing import Listing
from loglift.merging.problem import Problem

MAX_PROGRAM_BLOCKS = 20_000  # listed blocks that a linear program chooses from
MAX_ROUNDS, BLOCKS_PER_ROUND = 40, 400  # of the linear program; violated blocks of a size
MIN_VIOLATION = 1e-10


def listed_bound(problem: Problem, listing: Listing) -> float:
    """Return an upper bound on the utility of the partitions of the values to partition."""
    sums, coefficients = problem.worth.sums(problem.chosen)
    weight, p = problem.worth.joint_weight, sums[:, 0]
    targets = plogp(sums) @ coefficients + weight * plogp(p)
    most = weight * (plogp(p.sum() / listing.most_blocks) * -listing.most_blocks) + targets.sum()
    listing = listing.with_at_most(MAX_PROGRAM_BLOCKS)
    worths = [plogp(sums[blocks].sum(axis=1)) @ coefficients for blocks in listing.blocks]
    r = listing.depth
    t = p.sum() * (r + 1) / p.size
    tangent = weight * (t / (r + 1) - p * (1 + math.log(t))) + targets
    lightest = np.sort(p)[: r + 1]
    company = lightest.sum() - np.maximum(lightest[-1], np.minimum(p, lightest[-1]))
    alone = -weight * p * np.log(p + company) + targets
    for floor in (tangent, alone):
        if floor.sum() < most:  # the program gives no less than the sum of the floor
            most = min(most, _programmed(floor, listing, worths))
    return float(most)


def _programmed(floor: FloatArray, listing: Listing, worths: list[FloatArray]) -> float:
    """Return the least sum of prices of at least `floor` that meet the listing's inequalities."""
    program = new_program(maximise=True)
    for _ in range(listing.n):
        program.addRow(1.0, 1.0, 0, [], [])
    for x, worth in enumerate(floor.tolist()):
        program.addCol(worth, 0.0, math.inf, 1, np.array([x], np.int32), np.ones(1))
    prices, most = floor, math.inf
    for _ in range(MAX_ROUNDS):
        most = min(most, _raised(prices, listing, worths))
        new = _violated(prices, listing, worths)
        if not new:
            break
        for worth, block in new:
            members = block.astype(np.int32)
            program.addCol(worth, 0.0, math.inf, block.size, members, np.ones(block.size))
        program.run()
        prices = np.maximum(np.array(program.getSolution().row_dual), floor)
    return most


def _violated(
    prices: FloatArray, listing: Listing, worths: list[FloatArray]
) -> list[tuple[float, IntArray]]:
    """Return the blocks of each size that exceed the prices most, with what they are worth."""
    found = []
    for blocks, worth in zip(listing.blocks, worths, strict=True):
        above = worth - prices[blocks].sum(axis=1)
        order = np.argsort(-above, kind="stable")[:BLOCKS_PER_ROUND]
        found += [(float(worth[b]), blocks[b]) for b in order[above[order] > MIN_VIOLATION]]
    return found


def _raised(prices: FloatArray, listing: Listing, worths: list[FloatArray]) -> float:
    """Return the sum of the prices, raised at the first member of each block that exceeds them."""
    raised = prices.copy()
    for blocks, worth in zip(listing.blocks, worths, strict=True):
        above = np.maximum(worth - raised[blocks].sum(axis=1), 0)
        more = np.zeros_like(raised)
        np.maximum.at(more, blocks[:, 0], above)
        raised += more
    return float(raised.sum())
