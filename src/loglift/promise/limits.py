"""The limits of the sensitive values of one joint, and the tolerance of every inequality.

An inequality counts as met when its two sides differ by at most `TOLERANCE`, relative to them. This
absorbs the rounding of sums and nothing more. The certificate of a table is checked without it, in
exact arithmetic (`loglift.promise.integers`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, Variable
from loglift.promise.requirement import Placed, met

TOLERANCE = 1e-12

# Below every positive lift that a joint can have (see SMALLEST_SHARE of `loglift.joint`): however
# large a finite lower bound is, it rules out zeros. The inverse is above every lift.
LEAST_LIFT = 1e-100


@dataclass(frozen=True, eq=False)
class Limits:
    """The bounds of the sensitive values of one joint: lower and upper, shape (m,), nats.

    It stands where a plain `Bound` does, with one limit for each column of the mass. `placed` are
    the requirements on each of its sensitive variables.
    """

    lower: FloatArray
    upper: FloatArray
    placed: tuple[Placed, ...] = ()

    def of_columns(self, columns: Any, /) -> Limits:
        """Return the bounds of some sensitive values, given by their columns of the mass."""
        return Limits(self.lower[columns], self.upper[columns])

    @property
    def least(self) -> FloatArray:
        """The least safe lift of each sensitive value; see `Bound.least`."""
        found = np.maximum(np.exp(-self.lower) * (1 - TOLERANCE), LEAST_LIFT)
        return np.where(np.isinf(self.lower), 0.0, found)

    @property
    def most(self) -> FloatArray:
        """The largest safe lift of each sensitive value; see `Bound.most`."""
        wide = self.upper > -math.log(LEAST_LIFT)
        return np.where(wide, np.inf, np.exp(np.where(wide, 0, self.upper)) * (1 + TOLERANCE))

    def belief_range(
        self, prior: FloatArray, place: int, variable: Variable
    ) -> tuple[float, float]:
        """Return the least and the largest p(s|y) of one value of a variable.

        `prior` has p(s) of all its values, and `place` is the number of the value among them. Its
        own limits count, and those of the others, which add up to limits on 1 - p(s|y).
        """
        least, most = self.least[variable.place] * prior, np.full(prior.size, np.inf)
        finite = np.isfinite(self.most[variable.place])
        most[finite] = self.most[variable.place][finite] * prior[finite]
        others = np.arange(prior.size) != place
        return (
            max(float(least[place]), 1 - float(most[others].sum()), 0.0),
            min(float(most[place]), 1 - float(least[others].sum()), 1.0),
        )

    def is_safe(self, mass: FloatArray, expected: FloatArray) -> NDArray[np.bool_]:
        """Return which rows (blocks, m) are within all limits and meet all requirements."""
        return self.within(mass, expected) & met(self.placed, mass, TOLERANCE)

    def within(self, mass: FloatArray, expected: FloatArray) -> NDArray[np.bool_]:
        """Return which rows are within the limits; see `Bound.within`. No lift exceeds infinity."""
        below = self.least * expected <= mass
        most = self.most
        above = (mass <= np.where(np.isinf(most), 0, most) * expected) | np.isinf(most)
        return np.asarray((below & above).all(axis=-1))
