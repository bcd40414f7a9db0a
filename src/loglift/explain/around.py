"""What merging would keep at bounds around the one asked for: where a release stands.

Each bound is solved from the partition of the tighter one before it, so what is kept never falls
as the bound widens; with a tenth of the iterations of `search`, as everything a report tells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from loglift.explain.case import Case
from loglift.joint import IntArray
from loglift.promise.bound import Bound, safe_rows
from loglift.sparse import block_sums

MOST_SWEPT = 20_000  # public values: beyond, the sweep would take longer than the release
LEAST_SWEPT = 1e-300  # nats
FACTORS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Nearby:
    """A bound, as a multiple of the one asked for, and the share of H(X) that is kept there."""

    factor: float
    bound: Bound
    kept: float
    values: int


def around(case: Case, labels: IntArray) -> tuple[Nearby, ...]:
    """Sweep the bound around a release; bounds too tight for a group, or no wider, are left out.

    Empty for a case that is too large to be solved again, and for a bound that floats cannot
    multiply: zero, next to it, or close to the largest number.
    """
    finite = [side for side in (case.bound.lower, case.bound.upper) if math.isfinite(side)]
    if not case.small or labels.size > MOST_SWEPT:
        return ()
    if min(finite) < LEAST_SWEPT or max(finite) > 1 / LEAST_SWEPT:
        return ()
    found: list[Nearby] = []
    best = labels
    for factor in FACTORS:
        bound = case.bound.times(factor)
        if not math.isfinite(bound.most) and math.isinf(bound.lower):
            break
        solved = [case.solved(case.problem(bound=bound), best)]
        solved += [labels] if factor >= 1 else []
        safe = [part for part in solved if safe_rows(block_sums(case.mass, part), bound).all()]
        if safe:
            best = max(safe, key=case.utility)
            kept = case.kept(case.utility(best))
            found.append(Nearby(factor, bound, kept, int(best.max()) + 1))
    return tuple(found)
