"""Candidates for a certificate, chosen without the records that certify.

A certificate bounds the log-lift of a released value plus a margin that falls like 1/sqrt(records),
so rare values need a larger distance to the bound than common ones. A candidate is a partition, or
a channel, that would be certified if the certifying records looked like the choosing ones. It is
found within a tighter working bound and with a least mass of released values, for several pairs of
both, and then by merging the released values that would still fail. If two of them would be
certified, then (up to rounding) their union would be: counts add up, and their spread grows less
than they do. Channels are proposed beside the partitions, which are channels, too.

The certifying records will not look exactly like the choosing ones. A candidate with a *cushion* c
passes even if every count comes out c standard deviations worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.needed import scaled
from loglift.confidence.proposal import Blocks, Draws, Proposal
from loglift.confidence.swings import Swings, excess_bound
from loglift.confidence.variables import Counts
from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.partition import canonical
from loglift.promise.bound import Bound
from loglift.randomizing.cost import Cost
from loglift.randomizing.tidying import losses_of

Merge = Callable[[Joint, Bound, float], IntArray]
Draw = Callable[[Joint, Bound, Sequence[float]], Iterable[FloatArray]]

CUSHIONS = (4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5, 0.0)  # standard deviations, most conservative first
_MARGINS = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)  # shares of the bound that are kept as margin
_LEAST_MASSES = 8  # that are tried with each margin
_MIN_SPREAD_SHARE = 0.5  # of the spread of a limit: smaller blocks are not tried
_MIN_SPREAD = 0.1  # standard deviations: at confidence 0.5 the spread of a limit is zero
_MIN_ERROR = 1e-100  # the smallest alpha that limits are computed for
_MAX_FAILING_SHARE = 0.4  # of the blocks: if more fail, merging them is not worth the time


@dataclass(frozen=True, eq=False)
class Candidate:
    """A proposal for the values with choosing records, its working bound and its cushion."""

    proposal: Proposal
    working: Bound
    cushion: float


@dataclass(frozen=True, eq=False)
class Demand:
    """What a candidate has to show, and how to find one.

    Attributes
    ----------
    variables
        n(s,x) of the choosing records, for each sensitive variable; every row has records.
    bound, alpha
        The bound to certify, and the error that is allowed.
    times
        The number of certifying records for each choosing one.
    merge
        Returns a partition of a joint for a working bound and a least number of records of a block.
    least
        The least number of records that every block must have.
    neighbours
        Merge adjacent blocks only, for runs of an ordered column.
    draw
        Returns channels p(y|x) of a joint for a working bound, one for each least number of records
        of a released value; None where only partitions are wanted.

    """

    variables: Counts
    bound: Bound
    alpha: float
    times: float
    merge: Merge
    least: float = 0.0
    neighbours: bool = False
    draw: Draw | None = None

    @cached_property
    def joint(self) -> Joint:
        """The choosing records as a joint; it lacks sensitive values without records."""
        names = np.repeat(range(len(self.variables)), [n.shape[1] for n in self.variables])
        return Joint(np.hstack(self.variables), variables=names.tolist(), empty_sensitive="drop")

    def level(self, cushion: float) -> float:
        """Return the error level whose margin includes the cushion: z + c sqrt(1 + times)."""
        z = -NormalDist().inv_cdf(self.alpha) + cushion * math.sqrt(1 + self.times)
        return max(math.erfc(z / math.sqrt(2)) / 2, _MIN_ERROR)


def candidates(demand: Demand) -> Iterator[Candidate]:
    """Yield candidates of two released values or more, the most conservative first.

    Each keeps more information than the one before.
    """
    weight, best = demand.variables[0].sum(axis=1), 0.0
    pool = [(working, one, one.utility(weight)) for working, one in _pool(demand)]
    for cushion in CUSHIONS:
        found = None
        for working, proposal, most in pool:
            if most <= best:
                continue
            labels = _passing(demand, proposal, cushion, give_up=found is not None)
            passing = proposal.merged(labels)
            utility = passing.utility(weight)
            if utility > best:
                best, found = utility, Candidate(passing, working, cushion)
        if found is not None:
            yield found


def _pool(demand: Demand) -> Iterator[tuple[Bound, Proposal]]:
    """Yield proposals within tighter working bounds, with several least masses each."""
    limits = list(_limits(demand))
    for working, least in limits:
        labels = demand.merge(demand.joint, working, least)
        if demand.draw is None:
            yield working, Blocks(labels)
        else:
            yield working, Draws.of(np.eye(int(labels.max()) + 1)[labels])
    if demand.draw is None:
        return
    for working in dict.fromkeys(bound for bound, _ in limits):
        leasts = [least for bound, least in limits if bound == working]
        for channel in demand.draw(demand.joint, working, leasts):
            yield working, Draws.of(channel)


def _limits(demand: Demand) -> Iterator[tuple[Bound, float]]:
    """Yield tighter working bounds, and least masses of a released value.

    A count k falls by at most the share 1 - e^-d if k >= (z / (1 - e^-d))^2. The rarest sensitive
    value has about its prior share of the records of a released value; if no choosing record has
    it, it counts as one record.
    """
    total = int(demand.variables[0].sum())
    rarest = max(1, min(int(counts.sum(axis=0).min()) for counts in demand.variables)) / total
    size = min(side for side in (demand.bound.lower, demand.bound.upper) if math.isfinite(side))
    fewest, most = (-NormalDist().inv_cdf(demand.level(c)) for c in (CUSHIONS[-1], CUSHIONS[0]))
    finest = max(_MIN_SPREAD_SHARE * fewest, _MIN_SPREAD)
    for z in np.geomspace(most, finest, _LEAST_MASSES).tolist():  # coarse ones first
        for share in _MARGINS:
            falls = -math.expm1(-share * size)
            spreads = z / falls if falls > 0 else math.inf
            least = max(demand.least, spreads * spreads / rarest / demand.times)
            if 2 * least <= total:
                lower, upper = demand.bound.lower, demand.bound.upper
                working = Bound(lower - share * size, upper - share * size)
                yield working, least


def _passing(demand: Demand, proposal: Proposal, cushion: float, *, give_up: bool) -> IntArray:
    """Merge released values until all would be certified; a single one always is.

    Returns the number that each gets. With `give_up`, return a single one at once if more than
    `_MAX_FAILING_SHARE` of them fail.
    """
    alpha, labels = demand.level(cushion), np.arange(proposal.size)
    shares = proposal.shares(demand.variables[0].sum(axis=1))
    blocks = [scaled(counts, demand.times) for counts in proposal.expected(demand.variables)]
    excess, left = excess_bound(blocks, demand.bound, alpha), np.ones(labels.size, bool)
    if give_up and np.mean(excess > 0) > _MAX_FAILING_SHARE:
        return np.zeros_like(labels)
    while left.sum() > 1 and excess[left].max() > 0:
        worst = int(np.where(left, excess, -np.inf).argmax())
        left[worst] = False
        partner = _partner(demand, blocks, shares, worst, left, alpha)
        for block in blocks if shares is None else (*blocks, shares):
            block[partner] += block[worst]
            block[worst] = 0
        labels = np.where(labels == worst, partner, labels)
        alone = [np.stack([b[partner], b.sum(axis=0) - b[partner]]) for b in blocks]
        excess[partner] = excess_bound(alone, demand.bound, alpha)[0]
    return canonical(labels)


def _partner(
    demand: Demand,
    blocks: Counts,
    shares: FloatArray | None,
    worst: int,
    left: NDArray[np.bool_],
    alpha: float,
) -> int:
    """Return the released value with which the worst one would be certified, at the least loss.

    Where there is none, the one with which it would fail least.
    """
    unions = [block + block[worst] for block in blocks]
    helped = np.max([_rough_excess(union, demand.bound, alpha) for union in unions], axis=0)
    allowed = left
    if demand.neighbours:  # runs are numbered in their order
        around = np.flatnonzero(left)
        place = int(np.searchsorted(around, worst))
        allowed = np.zeros_like(left)
        allowed[around[max(place - 1, 0) : place + 1]] = True
    enough = np.flatnonzero(allowed & (helped <= 0))
    if enough.size and shares is None:  # of two blocks, the smaller one
        return int(enough[blocks[0][enough].sum(axis=1).argmin()])
    if enough.size and shares is not None:
        cost, mass = Cost.joint(shares.shape[1]), shares.sum(axis=1)
        return int(enough[losses_of(shares, cost, mass, worst, enough).argmin()])
    return int(np.where(allowed, helped, np.inf).argmin())


def _rough_excess(counts: IntArray, bound: Bound, alpha: float) -> FloatArray:
    """Return by how much rows exceed the bound, by the normal law of log n(s,y); always finite."""
    total = max(int(counts.sum()), 1)  # scaled counts of few records may all round to zero
    rows, prior = counts.sum(axis=1, keepdims=True), np.maximum(counts.sum(axis=0), 1) / total
    some, z = counts + 0.5, -NormalDist().inv_cdf(alpha)
    logs = np.log(some / ((rows + 1) * prior))
    spread = z * np.sqrt((1 - counts / np.maximum(rows, 1)) / some)
    return Swings(logs + spread, spread - logs).beyond(bound)
