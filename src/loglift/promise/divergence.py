"""chi-squared-lift, alpha-lift and the average log-lift: limits on averages over s."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from loglift.errors import BoundError
from loglift.joint import FloatArray
from loglift.promise.conditions import LOGARITHM, POWER, Condition
from loglift.promise.requirement import Requirement, as_decimal, precise, rounded_down, rounded_up
from loglift.values import checked_number

MAX_EXPONENT = 700.0  # e^700 does not overflow
MAX_ALPHA = 1000.0  # beyond, rounding hides the power; alpha-lift is nearly the largest lift


@dataclass(frozen=True)
class ChiSquaredLift(Requirement):
    """chi-squared-lift: sum over s of p(s) (l(s,y) - 1)^2 <= limit.

    Its value plus one is the square of the alpha-lift of order 2. A bound -lower <= i <= upper
    implies (M-1)(1-m), with M = e^upper and m = e^-lower (Bhatia and Davis); it implies an l1-lift
    of at most sqrt(limit). Zarrabian, Ding and Sadeghi, 2023.

    Attributes
    ----------
    limit
        The most that the measure of a released value may be.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 5], [10, 30, 5], [20, 20, 5], [5, 5, 15]])
    >>> bound = loglift.Bound.requiring(loglift.ChiSquaredLift(0.2))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 3), (1, 2))
    """

    key: ClassVar[str] = "chi2_lift"
    option: ClassVar[str] = "--chi2-lift"
    words: ClassVar[str] = "chi-squared-lift"

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: (sum of v(s)^2 / p(s))^(1/2) <= (1 + limit)^(1/2) w."""
        return Condition(POWER, math.sqrt(1 + self.limit), prior, 2.0)

    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Decide sum of (n(s,y) n - n(s) n(y))^2 / n(s) <= limit n n(y)^2 in fractions."""
        size, total = sum(row), sum(prior)
        pairs = zip(row, prior, strict=True)
        found = sum(
            (Fraction((cell * total - n * size) ** 2, n) for cell, n in pairs if n), Fraction(0)
        )
        return found <= self.exact_limit * total * size * size


@dataclass(frozen=True)
class AlphaLift(Requirement):
    """alpha-lift: (sum over s of p(s) l(s,y)^alpha)^(1/alpha) <= e^limit, alpha > 1.

    It grows with alpha, from 1 to the largest lift of y. So upper = limit implies it, for every
    alpha; and upper = u implies the limit u (alpha-1)/alpha. Zarrabian, Ding and Sadeghi, 2023.

    Attributes
    ----------
    limit
        The most that the logarithm of the alpha-lift may be, nats.
    alpha
        The order, larger than 1.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 5], [10, 30, 5], [20, 20, 5], [5, 5, 15]])
    >>> bound = loglift.Bound.requiring(loglift.AlphaLift(0.1, alpha=2))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 3), (1, 2))
    """

    alpha: float = 2.0
    key: ClassVar[str] = "alpha_lift"
    option: ClassVar[str] = "--alpha-lift"
    words: ClassVar[str] = "alpha-lift"

    def __post_init__(self) -> None:
        super().__post_init__()
        name = "the order alpha of alpha-lift (--alpha-lift ALPHA=EPS)"
        order = checked_number(self.alpha, name, above=1, most=MAX_ALPHA, error=BoundError)
        object.__setattr__(self, "alpha", order)

    def document(self) -> dict[str, Any]:
        """Return the JSON form, with the order."""
        return {**super().document(), "alpha": self.alpha}

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: (sum of p(s)^(1-a) v(s)^a)^(1/a) <= e^limit w."""
        return Condition(POWER, math.exp(min(self.limit, MAX_EXPONENT)), prior, self.alpha)

    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Decide sum of p(s) l(s,y)^alpha <= e^(alpha limit), rounded against the release.

        The sum is 1 only where all lifts are 1.
        """
        size, total = sum(row), sum(prior)
        cells = [(Fraction(n, total), Fraction(c * total, n * size)) for c, n in _pairs(row, prior)]
        if self.limit == 0:
            return all(lift == 1 for _, lift in cells)
        with precise():
            order = decimal.Decimal(self.alpha)
            terms = (
                as_decimal(share) * (order * as_decimal(lift).ln()).exp()
                for share, lift in cells
                if lift
            )
            found = rounded_up(sum(terms, decimal.Decimal(0)))
            most = (order * as_decimal(self.exact_limit)).exp()
            return found <= rounded_down(most)


@dataclass(frozen=True)
class AverageLogLift(Requirement):
    """The average log-lift of y: sum over s of p(s|y) i(s,y) = D(p(.|y) || p(.)) <= limit, nats.

    upper = limit implies it. It implies a t-closeness of t = sqrt(limit/2) (Pinsker).

    Attributes
    ----------
    limit
        The most that it may be, nats.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 5], [10, 30, 5], [20, 20, 5], [5, 5, 15]])
    >>> bound = loglift.Bound.requiring(loglift.AverageLogLift(0.1))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 3), (1, 2))
    """

    key: ClassVar[str] = "average_log_lift"
    option: ClassVar[str] = "--average-log-lift"
    words: ClassVar[str] = "the average log-lift"

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: sum of v(s) log(v(s) / (p(s) w)) <= limit w."""
        return Condition(LOGARITHM, self.limit, prior)

    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Decide with logarithms rounded against the release; zero is for p(.) itself only."""
        size, total = sum(row), sum(prior)
        cells = [
            (Fraction(c, size), Fraction(c * total, n * size)) for c, n in _pairs(row, prior) if c
        ]
        if all(lift == 1 for _, lift in cells):
            return True
        with precise():
            terms = (as_decimal(share) * as_decimal(lift).ln() for share, lift in cells)
            return rounded_up(sum(terms, decimal.Decimal(0))) <= as_decimal(self.exact_limit)


def _pairs(row: Sequence[int], prior: Sequence[int]) -> list[tuple[int, int]]:
    """Return n(s,y) and n(s) of the sensitive values that occur."""
    return [(cell, n) for cell, n in zip(row, prior, strict=True) if n]
