"""What it would take to certify a release where nothing but a single value could be: an estimate.

It looks at a few coarse partitions of the choosing records, of two blocks or more, and asks how
many more records like them, or which wider bound with as many, would let one pass with a cushion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loglift.confidence.lifts import excess_bound
from loglift.confidence.needed import scaled, times_needed
from loglift.confidence.planning import Plan
from loglift.joint import IntArray, Joint
from loglift.sparse import block_sums

CUSHION = 1.5  # standard deviations
_LEAST = (0.4, 0.25, 0.1, 0.04)  # least masses of a block, as shares of the records
_TIGHTER, _WIDER = (0.3, 0.6, 0.9), (1.5, 2.5, 4.0)  # working bounds, as multiples of the bound
_AT_LEAST = 1.1  # what has just failed is not advised again


@dataclass(frozen=True)
class Outlook:
    """The number of certifying records, and the widening of the bound in nats, that would do."""

    records: float
    widening: float


def outlook(plan: Plan) -> Outlook:
    """Estimate what would let a release of two values or more be certified; inf where nothing."""
    alpha, now = plan.level(CUSHION), int(plan.tables[0].sum()) * plan.times
    records = widening = math.inf
    for labels, inside in _coarse(plan):
        blocks = [block_sums(table, labels) for table in plan.tables]
        if inside:
            times = times_needed(blocks, plan.bound, alpha)
            records = min(records, times * int(plan.tables[0].sum()))
        alike = [scaled(block, plan.times) for block in blocks]
        widening = min(widening, float(excess_bound(alike, plan.bound, alpha).max()))
    size = min(side for side in (plan.bound.lower, plan.bound.upper) if math.isfinite(side))
    return Outlook(max(records, _AT_LEAST * now), max(widening, (_AT_LEAST - 1) * size))


def _coarse(plan: Plan) -> Iterator[tuple[IntArray, bool]]:
    """Partitions into few large blocks, and whether they are well inside the bound."""
    joint = Joint(np.hstack(plan.tables), empty_sensitive="drop")
    total = int(plan.tables[0].sum())
    for factor in (*_TIGHTER, *_WIDER):
        working = plan.bound.times(factor)
        for share in _LEAST:
            labels = plan.merge(joint, working, max(plan.least, share * total))
            if labels.max() > 0:
                yield labels, factor < 1
