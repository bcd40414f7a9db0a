"""Q, the polytope of safe posteriors.

A released value y is safe iff its posterior q = p(x|y) has, for every sensitive value s,

    e^-lower  <=  sum over x of q(x) l(s,x)  <=  e^upper,      l(s,x) = p(s|x)/p(s).

The sum is the lift of s under y. p(x) itself has lifts of one, so it is in Q.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray
from loglift.promise.bound import TOLERANCE, Bound

if TYPE_CHECKING:
    from loglift.randomizing._simplex_kernels import Space

MAX_FLAT_BOUND = 1e-9  # nats: smaller bounds are taken as zero, the polytope is lost in rounding
MIN_LIFT = 1e-10  # the least lift to aim at when lower is finite but large
NUDGE = 1e-11  # by which limits are moved inwards at random, so that no vertex is degenerate


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Q for p(x) (n,), p(s) (m,) and lifts (m, n), with a bound on the lifts."""

    p: FloatArray
    prior: FloatArray
    lifts: FloatArray
    bound: Bound

    @classmethod
    def of(cls, mass: FloatArray, bound: Bound) -> Posteriors:
        """Q of a trusted mass (n, m)."""
        rows, columns, total = mass.sum(axis=1), mass.sum(axis=0), mass.sum()
        lifts = (mass / rows[:, np.newaxis]).T / (columns / total)[:, np.newaxis]
        return cls(rows / total, columns / total, np.ascontiguousarray(lifts), bound)

    @property
    def dimension(self) -> int:
        """The dimension that lifts can span: they average to one under p(s)."""
        return len(self.prior) - 1

    @property
    def flat(self) -> bool:
        """Whether every lift must be one: lifts average to one, so one side at zero is enough."""
        return min(self.bound.lower, self.bound.upper) < MAX_FLAT_BOUND

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest lift, without the tolerance."""
        if min(self.bound.lower, self.bound.upper) == 0:
            return 1.0, 1.0
        return self.bound.least / (1 - TOLERANCE), self.bound.most / (1 + TOLERANCE)

    @property
    def width(self) -> float:
        """How far from one a lift may be, on the tighter side."""
        least, most = self.limits
        return min(1 - least, most - 1)

    @cached_property
    def exact(self) -> Space:
        """Q itself, for proofs."""
        return self._space(*(np.full(len(self.prior), limit) for limit in self.limits))

    def inner(self, seed: int) -> Space:
        """Return Q with limits nudged inwards, for finding vertices: none is degenerate."""
        size = len(self.prior)
        if self.flat:
            return self._space(np.ones(size), np.ones(size))
        least, most = self.limits
        nudges = NUDGE * (1 + np.random.default_rng(seed).random((2, size)))
        return self._space(max(least, MIN_LIFT) * (1 + nudges[0]), most * (1 - nudges[1]))

    @property
    def largest(self) -> FloatArray:
        """An upper bound on every q(x) over Q, from one limit at a time. O(m n).

        A value whose lift is outside a limit needs company to be inside, at best of the value
        whose lift is furthest on the other side.
        """
        (least, most), lifts = self.limits, self.lifts
        low, high = lifts.min(axis=1, keepdims=True), lifts.max(axis=1, keepdims=True)
        below, above = lifts < least, lifts > most
        raised = np.divide(high - least, high - lifts, out=np.ones_like(lifts), where=below)
        lowered = np.divide(most - low, lifts - low, out=np.ones_like(lifts), where=above)
        found: FloatArray = np.minimum(raised, lowered).min(axis=0)
        return found

    def contains(self, points: FloatArray) -> NDArray[np.bool_]:
        """Return which distributions (r, n) are in Q, with the tolerance of the bound."""
        return self.bound.is_safe(points @ self.lifts.T, np.ones(len(self.prior)))

    def _space(self, least: FloatArray, most: FloatArray) -> Space:
        """Write the limits for the kernels: finite, and out of reach where there is no limit."""
        from loglift.randomizing._simplex_kernels import Space  # noqa: PLC0415, numba

        n = self.p.size
        if math.isinf(self.bound.lower) and not self.flat:
            least = self.lifts.min(axis=1) - 1
        most = np.minimum(most, self.lifts.max(axis=1) + 1)
        return Space(
            np.vstack([self.lifts, np.ones(n)]),
            np.concatenate([np.zeros(n), least, [1.0]]),
            np.concatenate([np.full(n, 2.0), most, [1.0]]),
        )
