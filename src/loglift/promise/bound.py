"""The bound on log-lift, and which blocks are safe under it.

A block B is safe iff for every sensitive value s

    e^-lower p(s) p(B)  <=  p(s,B)  <=  e^upper p(s) p(B).

These inequalities are linear in the block's masses, so they need no logarithm, they treat a zero
like any other number (p(s,B) = 0 violates every finite lower bound), and sums of safe blocks are
safe.

The tolerance rule, used everywhere: an inequality counts as met when its two sides differ by at
most `TOLERANCE` relative to them. It absorbs the rounding of sums and nothing more; a table's
certificate is checked without it, in exact arithmetic.
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

TOLERANCE = 1e-12

# Below every positive lift a joint can have (see SMALLEST_SHARE), so that a finite lower bound
# of any size rules zeros out and nothing else. Its inverse is above every lift.
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
        """Return the bound with both sides multiplied; a finite side stays finite."""
        sides = (
            side if math.isinf(side) else min(factor * side, sys.float_info.max)
            for side in (self.lower, self.upper)
        )
        return Bound(*sides)

    @property
    def least(self) -> float:
        """e^-lower with the tolerance: the least lift that is safe; zero when lower is infinite."""
        if math.isinf(self.lower):
            return 0.0
        return max(math.exp(-self.lower) * (1 - TOLERANCE), _LEAST_LIFT)

    @property
    def most(self) -> float:
        """e^upper with the tolerance: the largest lift that is safe; infinite beyond every lift.

        So that no product with a mass overflows.
        """
        if self.upper > -math.log(_LEAST_LIFT):
            return math.inf
        return math.exp(self.upper) * (1 + TOLERANCE)

    def belief_range(self, prior: float) -> tuple[float, float]:
        """The least and the most that p(s|y) can be for a sensitive value of share p(s) = `prior`.

        Its own limits are p e^-lower <= p' <= p e^upper. Those of all other sensitive values add
        up to limits on 1 - p', which keep it between 1 - (1-p) e^upper and 1 - (1-p) e^-lower: no
        value becomes certain while the others must keep a part of their shares. Both ends of the
        range are reached by scaling all other values alike.
        """
        if prior == 1:
            return 1.0, 1.0
        others = 1 - prior
        return (
            max(prior * self.least, 1 - others * self.most),
            min(prior * self.most, 1 - others * self.least),
        )

    def is_safe(self, mass: FloatArray, expected: FloatArray) -> NDArray[np.bool_]:
        """Which rows are safe: least * expected <= mass <= most * expected in every column.

        `mass` is p(s,B), `expected` is p(s)p(B) on the same scale, both trusted arrays of shape
        (..., blocks, sensitive values).
        """
        inside = (self.least * expected <= mass) & (mass <= self.most * expected)
        return np.asarray(inside.all(axis=-1))


@dataclass(frozen=True, eq=False)
class BiPartition:
    """The rows inside and outside the bound, as row numbers in order."""

    low_risk: IntArray
    high_risk: IntArray


def as_bound(eps: float | Bound) -> Bound:
    """Return the bound itself, or the symmetric bound of a number."""
    return eps if isinstance(eps, Bound) else Bound.symmetric(eps)


def safe_rows(mass: Mass, bound: Bound) -> NDArray[np.bool_]:
    """Which rows of a trusted joint's mass (`Joint.scaled`, or block sums of it) are safe."""
    columns, total = mass.sum(axis=0), mass.sum()

    def safe(rows: FloatArray) -> NDArray[np.bool_]:
        return bound.is_safe(rows * total, rows.sum(axis=1, keepdims=True) * columns)

    return by_rows(safe, mass)


def bipartition(joint: Joint | ArrayLike, eps: float | Bound) -> BiPartition:
    """Split the public values into low-risk (omega(x) <= eps) and high-risk ones."""
    safe = safe_rows(as_joint(joint).scaled, as_bound(eps))
    return BiPartition(low_risk=np.flatnonzero(safe), high_risk=np.flatnonzero(~safe))


def _checked_side(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise BoundError(f"{name} must be a number of nats, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if math.isnan(number) or number < 0:
        raise BoundError(f"{name} must be zero or more, got {value}: it is a size of log-lift")
    return number
