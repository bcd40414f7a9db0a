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
from loglift.sparse import Mass, by_rows

# Floats decide where they are further than this from the limit, relatively; their error is 1e-15.
_MIN_CLEAR_MARGIN = 1e-9
# nats: lifts lie between 1/n and n, so wider bounds exclude only zeros.
_MAX_EXPONENT = 200.0
_DIGITS = 50  # of the rational numbers


def exactly_safe(counts: Mass, bound: Bound) -> NDArray[np.bool_]:
    """Return which rows (released values) of a count matrix are safe, decided exactly.

    Counts are int64, or Python integers of any size: the counts of a channel times its denominator.
    The counts of several sensitive variables may stand side by side, as in a `Joint`.
    """
    columns, limits = counts.sum(axis=0), _Limits.of(bound)
    prior, weights = [int(n) for n in columns], columns.astype(np.float64)

    def decided(rows: NDArray[Any]) -> NDArray[np.bool_]:
        sizes = rows.sum(axis=1, dtype=np.float64)[:, np.newaxis]
        lifts = (rows * weights.sum() / (sizes * weights)).astype(np.float64)
        safe, unsafe = limits.clearly(lifts)
        for y in np.flatnonzero(~safe & ~unsafe):  # floats cannot decide these few
            safe[y] = limits.admit([int(n) for n in rows[y]], prior)
        return safe

    return by_rows(decided, counts)


@dataclass(frozen=True)
class _Limits:
    """e^-lower rounded up (0 when unbounded) and e^upper rounded down (None when unbounded)."""

    least: Fraction
    most: Fraction | None

    @classmethod
    def of(cls, bound: Bound) -> _Limits:
        least = Fraction(0) if math.isinf(bound.lower) else 1 / _exp_rounded_down(bound.lower)
        return cls(least, None if math.isinf(bound.upper) else _exp_rounded_down(bound.upper))

    def clearly(self, lifts: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which rows are safe, and which unsafe, whatever the rounding of their lifts."""
        least, most = float(self.least), math.inf if self.most is None else float(self.most)
        safe = (lifts >= least * (1 + _MIN_CLEAR_MARGIN)) & (
            lifts <= most * (1 - _MIN_CLEAR_MARGIN)
        )
        unsafe = (lifts < least * (1 - _MIN_CLEAR_MARGIN)) | (
            lifts > most * (1 + _MIN_CLEAR_MARGIN)
        )
        return np.asarray(safe.all(axis=1)), np.asarray(unsafe.any(axis=1))

    def admit(self, row: list[int], prior: list[int]) -> bool:
        """Return whether a released value with these counts is safe, decided in integers."""
        size, total = sum(row), sum(prior)
        for cell, n in zip(row, prior, strict=True):
            found, expected = cell * total, size * n
            if found * self.least.denominator < expected * self.least.numerator:
                return False
            if self.most and found * self.most.denominator > expected * self.most.numerator:
                return False
        return True


def _exp_rounded_down(power: float) -> Fraction:
    """Return a rational number at most e^power and within 1e-48 of it, relatively."""
    if power == 0:
        return Fraction(1)
    with decimal.localcontext(decimal.Context(prec=_DIGITS)):
        rounded = Fraction(decimal.Decimal(min(power, _MAX_EXPONENT)).exp().next_minus())
    return max(Fraction(1), rounded)  # e^power is at least 1 for every power
