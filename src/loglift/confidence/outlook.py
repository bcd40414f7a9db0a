"""How many records, or which wider bound, would certify two released values: an estimate.

For use when only a single released value can be certified. It takes a few coarse partitions of the
choosing records into two blocks or more, and finds the least number of records like them, and the
least widening of the bound with as many records as there are, with which one of them passes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from loglift.confidence.candidates import Demand
from loglift.confidence.needed import scaled, times_needed
from loglift.confidence.swings import excess_bound
from loglift.joint import IntArray
from loglift.sparse import block_sums

CUSHION = 1.5  # standard deviations
_LEAST_MASSES = (0.4, 0.25, 0.1, 0.04)  # of a block, as shares of the records
_TIGHTER, _WIDER = (0.3, 0.6, 0.9), (1.5, 2.5, 4.0)  # working bounds, as multiples of the bound
_MIN_FACTOR = 1.1  # advise at least this multiple of what has just failed


@dataclass(frozen=True)
class Outlook:
    """The number of certifying records, or the widening of the bound in nats, that is enough.

    Infinite where no number is enough.
    """

    records: float
    widening: float


def outlook(demand: Demand) -> Outlook:
    """Estimate what certifies a release of two values or more, with a cushion."""
    total = int(demand.variables[0].sum())
    alpha, now = demand.level(CUSHION), total * demand.times
    records = widening = math.inf
    for labels, inside in _coarse(demand):
        blocks = [block_sums(counts, labels) for counts in demand.variables]
        if inside:
            records = min(records, times_needed(blocks, demand.bound, alpha) * total)
        expected = [scaled(block, demand.times) for block in blocks]
        widening = min(widening, float(excess_bound(expected, demand.bound, alpha).max()))
    size = min(side for side in (demand.bound.lower, demand.bound.upper) if math.isfinite(side))
    return Outlook(max(records, _MIN_FACTOR * now), max(widening, (_MIN_FACTOR - 1) * size))


def _coarse(demand: Demand) -> Iterator[tuple[IntArray, bool]]:
    """Yield partitions into few large blocks, and whether they are well inside the bound."""
    total = int(demand.variables[0].sum())
    for factor in (*_TIGHTER, *_WIDER):
        working = demand.bound.times(factor)
        for share in _LEAST_MASSES:
            labels = demand.merge(demand.joint, working, max(demand.least, share * total))
            if labels.max() > 0:
                yield labels, factor < 1
