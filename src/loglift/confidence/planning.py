"""Candidate partitions for a certificate, chosen without the records that certify.

The certificate of a block is its log-lift plus a margin that shrinks like 1/sqrt(records), so that
small blocks need more room than large ones. A candidate is a partition that would be certified if
the certifying records looked like the choosing ones: found by merging within a tighter working
bound, with a least mass for every block, over a few pairs of both, and by merging what would still
fail. If two blocks would be certified, so (up to rounding) would be their union: counts add up, and
their spread grows less.

The certifying records will not look exactly like the choosing ones. A candidate with a *cushion* c
passes the prediction even if every count comes out c standard deviations worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.lifts import Swings, excess_bound
from loglift.confidence.needed import scaled
from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.entropy import entropy
from loglift.measures.partition import canonical
from loglift.promise.bound import Bound
from loglift.sparse import block_sums

Merge = Callable[[Joint, Bound, float], IntArray]

# From most to least conservative, in standard deviations.
CUSHIONS = (4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0)
# Shares of the bound that are kept as margin; how many least masses to try with each, from blocks
# that could be certified only with this share of the spread.
MARGINS = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
MASSES, FILL = 8, 0.5
_LEAST_SPREAD = 0.1  # standard deviations: at confidence 0.5 a limit has no spread at all
_FAINTEST = 1e-100  # the smallest error that limits are computed for
HOPELESS = 0.4  # share of failing blocks beyond which merging them is not worth the time


@dataclass(frozen=True, eq=False)
class Candidate:
    """A partition of the choosing records' values, with how it was found."""

    labels: IntArray
    working: Bound
    cushion: float


@dataclass(frozen=True, eq=False)
class Plan:
    """What a certificate will have to show.

    `tables` are the choosing records, one table per sensitive variable; `times` is how many
    certifying records there are for each of them; `merge` finds a partition for a joint, a bound
    and a least mass of blocks; `neighbours` lets only adjacent blocks
    be merged, for runs of an ordered column.
    """

    tables: Sequence[NDArray[np.int64]]
    bound: Bound
    alpha: float
    times: float
    merge: Merge
    least: float = 0.0
    neighbours: bool = False

    def level(self, cushion: float) -> float:
        """The error level whose margin has the cushion in it: z + c sqrt(1 + times)."""
        z = -NormalDist().inv_cdf(self.alpha) + cushion * math.sqrt(1 + self.times)
        return max(math.erfc(z / math.sqrt(2)) / 2, _FAINTEST)


def candidates(plan: Plan) -> Iterator[Candidate]:
    """Yield ever less conservative candidates of two blocks or more, each better than the last."""
    weight, best = plan.tables[0].sum(axis=1), 0.0
    pool = list(_pool(plan))
    for cushion in CUSHIONS:
        found = None
        for working, labels in pool:
            if entropy(block_sums(weight, labels)) <= best:
                continue
            passing = _passing(plan, labels, cushion, give_up=found is not None)
            utility = entropy(block_sums(weight, passing))
            if utility > best:
                best, found = utility, Candidate(passing, working, cushion)
        if found is not None:
            yield found


def _pool(plan: Plan) -> Iterator[tuple[Bound, IntArray]]:
    """Partitions within tighter working bounds, each with several least masses of a block.

    A count k falls by at most the share 1 - e^-d if k >= (z / (1 - e^-d))^2; the rarest sensitive
    value of a block has about its prior share of the block's records. One that the choosing
    records lack is taken to have one of them.
    """
    joint = Joint(np.hstack(plan.tables), empty_sensitive="drop")
    total = int(plan.tables[0].sum())
    rarest = max(1, min(int(table.sum(axis=0).min()) for table in plan.tables)) / total
    size = min(side for side in (plan.bound.lower, plan.bound.upper) if math.isfinite(side))
    fewest, most = (-NormalDist().inv_cdf(plan.level(c)) for c in (CUSHIONS[-1], CUSHIONS[0]))
    finest = max(FILL * fewest, _LEAST_SPREAD)
    for z in np.geomspace(most, finest, MASSES).tolist():  # coarse ones first
        for share in MARGINS:
            falls = -math.expm1(-share * size)
            spreads = z / falls if falls > 0 else math.inf
            least = max(plan.least, spreads * spreads / rarest / plan.times)
            if 2 * least <= total:
                sides = (side - share * size for side in (plan.bound.lower, plan.bound.upper))
                working = Bound(*sides)
                yield working, plan.merge(joint, working, least)


def _passing(plan: Plan, labels: IntArray, cushion: float, *, give_up: bool) -> IntArray:
    """Merge blocks until all would be certified; in the end there may be one, which always is.

    With `give_up` that is one block at once where most of the blocks would fail.
    """
    alpha = plan.level(cushion)
    blocks = [scaled(block_sums(table, labels), plan.times) for table in plan.tables]
    excess, left = excess_bound(blocks, plan.bound, alpha), np.ones(int(labels.max()) + 1, bool)
    if give_up and np.mean(excess > 0) > HOPELESS:
        return np.zeros_like(labels)
    while left.sum() > 1 and excess[left].max() > 0:
        worst = int(np.where(left, excess, -np.inf).argmax())
        left[worst] = False
        partner = _partner(plan, blocks, worst, left, alpha)
        for block in blocks:
            block[partner] += block[worst]
            block[worst] = 0
        labels = np.where(labels == worst, partner, labels)
        alone = [np.stack([b[partner], b.sum(axis=0) - b[partner]]) for b in blocks]
        excess[partner] = excess_bound(alone, plan.bound, alpha)[0]
    return canonical(labels)


def _partner(
    plan: Plan,
    blocks: Sequence[NDArray[np.int64]],
    worst: int,
    left: NDArray[np.bool_],
    alpha: float,
) -> int:
    """The block to merge with: the smallest one that helps enough, or that which helps most."""
    unions = [block + block[worst] for block in blocks]
    helped = np.max([_rough_excess(union, plan.bound, alpha) for union in unions], axis=0)
    allowed = left
    if plan.neighbours:  # runs are numbered in their order
        around = np.flatnonzero(left)
        place = int(np.searchsorted(around, worst))
        allowed = np.zeros_like(left)
        allowed[around[max(place - 1, 0) : place + 1]] = True
    enough = allowed & (helped <= 0)
    if enough.any():
        return int(np.where(enough, blocks[0].sum(axis=1), np.inf).argmin())
    return int(np.where(allowed, helped, np.inf).argmin())


def _rough_excess(counts: NDArray[np.int64], bound: Bound, alpha: float) -> FloatArray:
    """By how much rows would exceed the bound, by a normal law of log n(s,y); always finite."""
    total = max(int(counts.sum()), 1)  # a part of few records may have none left
    rows, prior = counts.sum(axis=1, keepdims=True), np.maximum(counts.sum(axis=0), 1) / total
    some, z = counts + 0.5, -NormalDist().inv_cdf(alpha)
    logs = np.log(some / ((rows + 1) * prior))
    spread = z * np.sqrt((1 - counts / np.maximum(rows, 1)) / some)
    return Swings(logs + spread, spread - logs).beyond(bound)
