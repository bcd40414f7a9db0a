"""Safety decided in exact arithmetic, independent of the solvers and their tolerance.

With integer counts a released value y is safe iff for every sensitive value s

    e^-lower n(s) n(y)  <=  n(s,y) n  <=  e^upper n(s) n(y).

e^upper is replaced by a rational number just below it, e^-lower by one just above it, and the
inequalities are decided in integers: whatever passes is safe.
"""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.promise.bound import Bound
from loglift.promise.limits import Limits
from loglift.promise.requirement import exactly_met, precise
from loglift.sparse import Mass, by_rows, in_parts

# Floats decide where they are further than this from the limit, relatively; their error is 1e-15.
_MIN_CLEAR_MARGIN = 1e-9
# nats: lifts lie between 1/n and n, so wider bounds exclude only zeros.
_MAX_EXPONENT = 200.0
BITS = 52  # of the numerators of a channel, which are exact as floats, too
DENOMINATOR = 2**BITS


def exactly_safe(
    counts: Mass, bound: Bound | Limits, prior: NDArray[Any] | None = None
) -> NDArray[np.bool_]:
    """Return which rows (released values) of a count matrix are safe, decided exactly.

    Counts are int64, or Python integers of any size: the counts of a channel times its denominator.
    The counts of several sensitive variables may stand side by side, as in a `Joint`. `prior` has
    the counts of the sensitive values that the rows are compared with, for each row or for all of
    them; by default those of all rows together. A value that has none there asks for nothing.
    """
    limits = _exact_limits(bound, counts.shape[1])
    before = np.asarray(counts.sum(axis=0) if prior is None else prior)
    required = bound.placed if isinstance(bound, Limits) else ()

    def decided(rows: NDArray[Any], prior: NDArray[Any]) -> NDArray[np.bool_]:
        sizes = rows.sum(axis=1, dtype=np.float64)[:, np.newaxis]
        weights = prior.astype(np.float64)
        expected = (sizes * weights).astype(np.float64)
        found = (rows * weights.sum(axis=-1, keepdims=True)).astype(np.float64)
        lifts = np.divide(found, expected, out=np.ones_like(found), where=expected > 0)
        lifts[(expected == 0) & (found > 0)] = np.inf
        safe, unsafe = _clearly(limits, lifts)
        for y in np.flatnonzero(~safe & ~unsafe):  # floats cannot decide these few
            against = prior if prior.ndim == 1 else prior[y]
            safe[y] = _admitted(limits, [int(n) for n in rows[y]], [int(n) for n in against])
        if required:
            safe &= exactly_met(required, rows, prior)
        return safe

    if before.ndim == 1:
        return by_rows(lambda rows: decided(rows, before), counts)
    return np.concatenate([decided(rows, before[place]) for place, rows in in_parts(counts)])


@dataclass(frozen=True)
class _Limit:
    """e^-lower rounded up (0 when unbounded) and e^upper rounded down (None when unbounded)."""

    least: Fraction
    most: Fraction | None

    @classmethod
    def of(cls, lower: float, upper: float) -> _Limit:
        least = Fraction(0) if math.isinf(lower) else 1 / _exp_rounded_down(lower)
        return cls(least, None if math.isinf(upper) else _exp_rounded_down(upper))


def _exact_limits(bound: Bound | Limits, size: int) -> list[_Limit]:
    """Return the limits of each of `size` sensitive values."""
    if isinstance(bound, Limits):
        sides = zip(bound.lower.tolist(), bound.upper.tolist(), strict=True)
        return [_Limit.of(lower, upper) for lower, upper in sides]
    return [_Limit.of(bound.lower, bound.upper)] * size


def _clearly(
    limits: list[_Limit], lifts: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows are safe, and which unsafe, whatever the rounding of their lifts."""
    least = np.array([float(limit.least) for limit in limits])
    most = np.array([math.inf if limit.most is None else float(limit.most) for limit in limits])
    safe = (lifts >= least * (1 + _MIN_CLEAR_MARGIN)) & (lifts <= most * (1 - _MIN_CLEAR_MARGIN))
    unsafe = (lifts < least * (1 - _MIN_CLEAR_MARGIN)) | (lifts > most * (1 + _MIN_CLEAR_MARGIN))
    return np.asarray(safe.all(axis=1)), np.asarray(unsafe.any(axis=1))


def _admitted(limits: list[_Limit], row: list[int], prior: list[int]) -> bool:
    """Return whether a released value with these counts is safe, decided in integers."""
    size, total = sum(row), sum(prior)
    for cell, n, limit in zip(row, prior, limits, strict=True):
        found, expected = cell * total, size * n
        if found * limit.least.denominator < expected * limit.least.numerator:
            return False
        if limit.most and found * limit.most.denominator > expected * limit.most.numerator:
            return False
    return True


def _exp_rounded_down(power: float) -> Fraction:
    """Return a rational number at most e^power and within 1e-48 of it, relatively."""
    if power == 0:
        return Fraction(1)
    with precise():
        rounded = Fraction(decimal.Decimal(min(power, _MAX_EXPONENT)).exp().next_minus())
    return max(Fraction(1), rounded)  # e^power is at least 1 for every power
