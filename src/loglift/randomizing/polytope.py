"""Q, the polytope of safe posteriors.

A released value y is safe iff its posterior q = p(x|y) has, for every sensitive value s,

    e^-lower  <=  sum over x of q(x) l(s,x)  <=  e^upper,      l(s,x) = p(s|x)/p(s).

The sum is the lift of s under y. p(x) itself has lifts of one, so it is in Q.

Every other promise adds up over public values, so it is linear in q as well: an inequality with the
gains g(x) says that the sum over x of q(x) g(x)/n(x) is at least zero. These are the rows. p(x) has
the slack in them that the whole table has: next to none where an earlier release is at its bound.
The posteriors of a release average to p(x), so that all of them then have next to none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray
from loglift.promise.bound import Bound
from loglift.promise.limits import TOLERANCE, Limits
from loglift.promise.promise import Inequalities, Promise
from loglift.promise.together import parted

if TYPE_CHECKING:
    from loglift.randomizing._simplex_kernels import Space

MAX_FLAT_BOUND = 1e-9  # nats: smaller bounds are taken as zero, the polytope is lost in rounding
MAX_FLAT_SLACK = 1e-9  # of p(x) in a row, whose largest entry is one: less is taken as none
MIN_LIFT = 1e-10  # the least lift to aim at when lower is finite but large
_MIN_ROW_SCALE = 1e-4  # of a row, as a share of the sides of its inequality
_MIN_SPARE_ROW = 1e-4  # what a row is at least all over Q where it is never the limit
_MAX_REDUCING = 2_000_000  # rows^2 values: where such rows are found within a second
NUDGE = 1e-11  # by which limits are moved inwards at random, so that no vertex is degenerate


@dataclass(frozen=True, eq=False)
class Rows:
    """Inequalities row.q >= 0, shape (r, n), scaled so that the largest entry of each is one.

    Where the two sides of an inequality are almost equal for every public value, as those of an
    earlier release at its bound, the entries are less: rounding is not scaled up. `tolerant` are
    the same with the tolerance of the promise: tolerant.q >= 0 counts as met.
    """

    exact: FloatArray
    tolerant: FloatArray

    @classmethod
    def of(cls, promises: Sequence[Inequalities], weight: FloatArray) -> Rows:
        """Write promises as rows, n(x) given. Rows that every distribution meets are left out."""
        found, tolerant = np.zeros((0, weight.size)), np.zeros((0, weight.size))
        for promise in promises:
            exact = (promise.gains(slice(None)) / weight[:, np.newaxis]).T
            loose = (promise.gains(slice(None), tolerant=True) / weight[:, np.newaxis]).T
            largest = np.abs(exact).max(axis=1, keepdims=True, initial=0.0)
            sides = (loose - exact).max(axis=1, keepdims=True, initial=0.0) / TOLERANCE
            binds = (loose < 0).any(axis=1)
            scale = np.maximum(largest, _MIN_ROW_SCALE * sides)[binds]
            found = np.vstack([found, exact[binds] / scale])
            tolerant = np.vstack([tolerant, loose[binds] / scale])
        return cls(found, tolerant)


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Q for p(x) (n,), p(s) (m,) and lifts (m, n), with a bound on the lifts, and more rows.

    `margin` is how far inside the rows to look for vertices, where p(x) is that far inside.
    """

    p: FloatArray
    prior: FloatArray
    lifts: FloatArray
    bound: Bound | Limits
    rows: Rows
    margin: float = 0.0

    @classmethod
    def of(cls, promise: Promise, margin: float = 0.0) -> Posteriors:
        """Q of a promise for a whole table that begins with the bound on log-lift."""
        lift, others = parted(promise)
        mass, weight, total = lift.mass[:], lift.weight, lift.total
        lifts = (mass / weight[:, np.newaxis]).T / (lift.prior / total)[:, np.newaxis]
        rows = Rows.of(others, weight)
        p, prior = weight / total, lift.prior / total
        made = cls(p, prior, np.ascontiguousarray(lifts), lift.bound, rows, margin)
        count = len(rows.exact)
        return made._reduced() if 0 < count**2 * p.size <= _MAX_REDUCING else made

    @property
    def dimension(self) -> int:
        """The dimension that lifts can span: they average to one under p(s)."""
        return len(self.prior) - 1

    @property
    def pinned(self) -> NDArray[np.bool_]:
        """Which lifts must be one: they average to one over a release, so one side is enough."""
        return flat_values(self.bound, len(self.prior))

    @property
    def flat(self) -> bool:
        """Whether a lift must be one."""
        return bool(self.pinned.any())

    @property
    def limits(self) -> tuple[FloatArray, FloatArray]:
        """The least and the largest lift of each sensitive value, without the tolerance; (m,)."""
        size = len(self.prior)
        one = np.broadcast_to(np.minimum(self.bound.lower, self.bound.upper) == 0, size)
        least, most = self.bound.least / (1 - TOLERANCE), self.bound.most / (1 + TOLERANCE)
        return np.where(one, 1.0, least), np.where(one, 1.0, most)

    @cached_property
    def slack(self) -> FloatArray:
        """By how much p(x) is inside each row; (r,)."""
        slack: FloatArray = self.rows.exact @ self.p
        return slack

    @property
    def tight(self) -> NDArray[np.bool_]:
        """In which rows p(x) has next to no slack, so that no posterior of a release has any."""
        return self.slack < MAX_FLAT_SLACK

    @property
    def width(self) -> float:
        """How far from p(x) a posterior may be in each entry, relative to it, and be in Q."""
        least, most = self.limits
        found = float(min((1 - least).min(), (most - 1).min()))
        if self.slack.size:
            found = min(found, float((self.slack / (np.abs(self.rows.exact) @ self.p)).min()))
        return max(found, 0.0)

    @cached_property
    def exact(self) -> Space:
        """Q itself, for proofs; p(x) is in it whatever the rounding."""
        return self._space(*self.limits, np.minimum(self.slack, 0.0))

    def inner(self, seed: int) -> Space:
        """Return Q with limits nudged inwards, for finding vertices: none is degenerate.

        p(x) stays inside. A row in which it has no slack becomes an equation.
        """
        size, random = len(self.prior), np.random.default_rng(seed)
        least, most = self.limits
        nudges = NUDGE * (1 + random.random((2, size)))
        needs = np.minimum(self.margin, self.slack / 2) + NUDGE * (
            1 + random.random(self.slack.size)
        )
        return self._space(
            np.where(self.pinned, 1.0, np.maximum(least, MIN_LIFT) * (1 + nudges[0])),
            np.where(self.pinned, 1.0, most * (1 - nudges[1])),
            np.where(self.tight, self.slack, needs),
            equal=self.tight,
        )

    @property
    def largest(self) -> FloatArray:
        """An upper bound on every q(x) over Q, from one limit at a time. O((m + r) n).

        A value whose lift is outside a limit needs company to be inside, at best of the value
        whose lift is furthest on the other side. So does a value that is below zero in a row.
        """
        (least, most), lifts = self.limits, self.lifts
        low, high = lifts.min(axis=1, keepdims=True), lifts.max(axis=1, keepdims=True)
        least, most = least[:, np.newaxis], most[:, np.newaxis]
        below, above = lifts < least, lifts > most
        raised = np.divide(high - least, high - lifts, out=np.ones_like(lifts), where=below)
        lowered = np.divide(most - low, lifts - low, out=np.ones_like(lifts), where=above)
        found: FloatArray = np.minimum(raised, lowered).min(axis=0)
        rows = self.rows.exact
        if len(rows):
            need, high = np.minimum(self.slack, 0.0)[:, np.newaxis], rows.max(axis=1, keepdims=True)
            raised = np.divide(high - need, high - rows, out=np.ones_like(rows), where=rows < need)
            found = np.minimum(found, raised.min(axis=0))
        return found

    def contains(self, points: FloatArray) -> NDArray[np.bool_]:
        """Return which distributions (r, n) are in Q, with the tolerance of the promise."""
        inside = self.bound.within(points @ self.lifts.T, np.ones(len(self.prior)))
        if len(self.rows.tolerant):
            inside = inside & (points @ self.rows.tolerant.T >= 0).all(axis=1)
        return inside

    def _reduced(self) -> Posteriors:
        """Return Q without the rows that are above zero all over Q: it is the same without them."""
        from loglift.randomizing._program_kernels import extents  # noqa: PLC0415, numba

        n, rows = self.p.size, self.rows
        basis = np.arange(n, n + len(self.exact.rows))
        least = extents(self.exact, basis, rows.exact)[0]
        binds = least < _MIN_SPARE_ROW
        return replace(self, rows=Rows(rows.exact[binds], rows.tolerant[binds]))

    def _space(
        self,
        least: FloatArray,
        most: FloatArray,
        needs: FloatArray,
        equal: NDArray[np.bool_] | None = None,
    ) -> Space:
        """Write the limits for the kernels: finite, and out of reach where there is no limit."""
        from loglift.randomizing._simplex_kernels import Space  # noqa: PLC0415, numba

        n, rows = self.p.size, self.rows.exact
        unlimited = np.isinf(self.bound.lower) & ~self.pinned
        least = np.where(unlimited, self.lifts.min(axis=1) - 1, least)
        most = np.minimum(most, self.lifts.max(axis=1) + 1)
        above = rows.max(axis=1, initial=0.0) + 1
        return Space(
            np.vstack([self.lifts, rows, np.ones(n)]),
            np.concatenate([np.zeros(n), least, needs, [1.0]]),
            np.concatenate(
                [
                    np.full(n, 2.0),
                    most,
                    above if equal is None else np.where(equal, needs, above),
                    [1.0],
                ]
            ),
        )


def flat_values(bound: Bound | Limits, size: int) -> NDArray[np.bool_]:
    """Return which of `size` sensitive values have a bound that is taken as zero."""
    return np.broadcast_to(np.minimum(bound.lower, bound.upper) < MAX_FLAT_BOUND, size)
