"""What merging would keep at bounds around the one asked for.

Each bound is solved from the partition of the bound before it, away from the one asked for. A
partition that is safe at a tighter bound is safe at a wider one, so what is kept never falls as
the bound widens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter

from loglift.explain.again import (
    is_solvable,
    kept_by,
    problem_of,
    solve_again,
)
from loglift.joint import IntArray, Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.promise.bipartition import safe_rows
from loglift.promise.bound import Bound
from loglift.sparse import block_sums

MAX_SWEPT_VALUES = 20_000  # public values: beyond, the sweep takes longer than the release
MIN_SWEPT_BOUND = 1e-300  # nats: below it, and above its inverse, factors over- or underflow
FACTORS = (0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Nearby:
    """A bound, as a multiple of the one asked for, and the share of the goal kept there."""

    factor: float
    bound: Bound
    kept: float
    values: int


def nearby(
    joint: Joint, mechanism: Mechanism, improved: IntArray | None = None
) -> tuple[Nearby, ...]:
    """Sweep the bound around a merging of the joint's public values.

    `improved` is its partition solved again under its own bound, if that was done. A bound that is
    too tight for an intact group is left out. The result is empty for a joint that is too large to
    be solved again, and for a bound that floats cannot multiply.
    """
    labels, asked = mechanism.partition, mechanism.bound
    finite = [side for side in (asked.lower, asked.upper) if math.isfinite(side)]
    if not is_solvable(joint, mechanism) or labels.size > MAX_SWEPT_VALUES:
        return ()
    if min(finite) < MIN_SWEPT_BOUND or max(finite) > 1 / MIN_SWEPT_BOUND:
        return ()
    bounds = {factor: asked.times(factor) for factor in FACTORS}
    solved: dict[float, tuple[float, IntArray]] = {}  # by factor: the share kept, the partition

    def measured(part: IntArray) -> tuple[float, IntArray]:
        return kept_by(joint, mechanism, part), part

    def solve(factors: Iterable[float]) -> None:
        """Solve each bound from the partition of the one before, the first from the release."""
        start = released
        for factor in factors:
            bound = bounds[factor]
            if not math.isfinite(bound.most) and math.isinf(bound.lower):
                break
            if factor == 1 and improved is not None:
                again = measured(improved)
            else:
                problem = problem_of(joint, mechanism, bound=bound)
                again = measured(solve_again(problem, start[1], mechanism))
            safe = [
                (share, part)
                for share, part in (again, *([start] if factor >= 1 else []))
                if safe_rows(block_sums(joint.scaled, part), bound).all()
            ]
            if safe:
                start = solved[factor] = max(safe, key=itemgetter(0))

    released = measured(labels)
    solve(factor for factor in reversed(FACTORS) if factor < 1)
    solve(factor for factor in FACTORS if factor >= 1)
    found: list[Nearby] = []
    best = -math.inf, labels
    for factor in sorted(solved):
        best = max(solved[factor], best, key=itemgetter(0))
        share, part = best
        found.append(Nearby(factor, bounds[factor], share, int(part.max()) + 1))
    return tuple(found)
