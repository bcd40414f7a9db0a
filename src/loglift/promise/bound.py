"""The bound on log-lift, and which rows of a joint are safe under it.

A block B is safe iff for every sensitive value s

    e^-lower p(s) p(B)  <=  p(s,B)  <=  e^upper p(s) p(B).

These inequalities are linear in the masses of the block. They need no logarithm, they treat a zero
like any other number (p(s,B) = 0 violates every finite lower bound), and unions of safe blocks are
safe.

Tolerance: an inequality counts as met when its two sides differ by at most `TOLERANCE`, relative to
them. This absorbs the rounding of sums and nothing more. The certificate of a table is checked
without it, in exact arithmetic (`loglift.promise.integers`).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import BoundError
from loglift.joint import FloatArray, IntArray, Joint, as_joint
from loglift.sparse import Mass, by_rows
from loglift.values import checked_number

TOLERANCE = 1e-12

# Below every positive lift that a joint can have (see SMALLEST_SHARE of `loglift.joint`): however
# large a finite lower bound is, it rules out zeros. The inverse is above every lift.
_LEAST_LIFT = 1e-100


@dataclass(frozen=True)
class Bound:
    """What a released value may show: -lower <= i(s,y) <= upper, in nats.

    Either side may be infinite, not both. `Bound.symmetric(eps)` is the paper's case.
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        for side in ("lower", "upper"):
            object.__setattr__(self, side, _checked_side(getattr(self, side), side))
        if math.isinf(self.lower) and math.isinf(self.upper):
            raise BoundError("lower and upper are both infinite, which bounds nothing: give one")

    @classmethod
    def symmetric(cls, eps: float) -> Bound:
        """-eps <= i(s,y) <= eps."""
        side = _checked_side(eps, "eps")
        return cls(lower=side, upper=side)

    def times(self, factor: float) -> Bound:
        """Return the bound with both sides multiplied by a factor; finite sides stay finite."""
        sides = (
            side if math.isinf(side) else min(factor * side, sys.float_info.max)
            for side in (self.lower, self.upper)
        )
        return Bound(*sides)

    @property
    def least(self) -> float:
        """The least safe lift, e^-lower less the tolerance; zero when lower is infinite."""
        if math.isinf(self.lower):
            return 0.0
        return max(math.exp(-self.lower) * (1 - TOLERANCE), _LEAST_LIFT)

    @property
    def most(self) -> float:
        """The largest safe lift, e^upper plus the tolerance.

        Infinite when it is above every lift that a joint can have, so that no product with a mass
        overflows.
        """
        if self.upper > -math.log(_LEAST_LIFT):
            return math.inf
        return math.exp(self.upper) * (1 + TOLERANCE)

    def belief_range(self, prior: float) -> tuple[float, float]:
        """Return the least and the largest p(s|y) of a sensitive value with p(s) = `prior`.

        With p = p(s) and p' = p(s|y), the limits of s itself are p e^-lower <= p' <= p e^upper.
        The limits of all other sensitive values add up to limits on 1 - p', so that also
        1 - (1-p) e^upper <= p' <= 1 - (1-p) e^-lower. Both ends of the range are reached: scale
        all other values by the same factor.
        """
        if prior == 1:
            return 1.0, 1.0
        others = 1 - prior
        return (
            max(prior * self.least, 1 - others * self.most),
            min(prior * self.most, 1 - others * self.least),
        )

    def is_safe(self, mass: FloatArray, expected: FloatArray) -> NDArray[np.bool_]:
        """Return which rows are safe: least * expected <= mass <= most * expected everywhere.

        `mass` is p(s,B) and `expected` is p(s) p(B) on the same scale, trusted arrays of shape
        (..., blocks, sensitive values).
        """
        inside = (self.least * expected <= mass) & (mass <= self.most * expected)
        return np.asarray(inside.all(axis=-1))


@dataclass(frozen=True, eq=False)
class BiPartition:
    """The rows inside and outside the bound, as row numbers in order."""

    low_risk: IntArray
    high_risk: IntArray


def bound_from(eps: float | None, bound: Bound | None) -> Bound:
    """Return the bound that a function was given as `eps=` or as `bound=`: exactly one of them."""
    if (eps is None) == (bound is None):
        raise BoundError("give either eps or bound: eps=0.5, or bound=Bound(lower=0.5, upper=1)")
    if bound is None:
        return Bound.symmetric(eps)  # type: ignore[arg-type]  # one of them is not None
    if not isinstance(bound, Bound):
        raise BoundError(f"bound must be a Bound, got {bound!r}: give a number as eps")
    return bound


def safe_rows(mass: Mass, bound: Bound) -> NDArray[np.bool_]:
    """Return which rows of a trusted mass (`Joint.scaled`, or block sums of it) are safe."""
    columns, total = mass.sum(axis=0), mass.sum()

    def safe(rows: FloatArray) -> NDArray[np.bool_]:
        return bound.is_safe(rows * total, rows.sum(axis=1, keepdims=True) * columns)

    return by_rows(safe, mass)


def bipartition(
    joint: Joint | ArrayLike, eps: float | None = None, *, bound: Bound | None = None
) -> BiPartition:
    """Split the public values into low-risk ones, inside the bound, and high-risk ones.

    With `eps` a value is low-risk iff omega(x) <= eps; `bound` is the alternative, a `Bound`.
    """
    safe = safe_rows(as_joint(joint).scaled, bound_from(eps, bound))
    return BiPartition(low_risk=np.flatnonzero(safe), high_risk=np.flatnonzero(~safe))


def _checked_side(value: Any, name: str) -> float:
    return checked_number(value, f"{name} (nats)", least=0, error=BoundError)
