"""t-closeness and l1-lift: limits on the distance between p(.|y) and p(.)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, ClassVar

from loglift.errors import BoundError
from loglift.joint import FloatArray
from loglift.promise.conditions import RANKED, SPREAD, Condition
from loglift.promise.requirement import Requirement


@dataclass(frozen=True)
class TCloseness(Requirement):
    """t-closeness with the equal distance: 1/2 sum over s of |p(s|y) - p(s)| <= t.

    No event about S becomes more than t more likely or less likely. Li, Li and Venkatasubramanian,
    "t-closeness: privacy beyond k-anonymity and l-diversity", 2007. A bound -lower <= i <= upper
    implies t = (M-1)(1-m)/(M-m), with M = e^upper and m = e^-lower; t implies no bound on log-lift,
    because rare values count little.

    Attributes
    ----------
    limit
        t, from 0 to 1.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 5], [10, 30, 5], [20, 20, 5], [5, 5, 15]])
    >>> bound = loglift.Bound.requiring(loglift.TCloseness(0.2))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 3), (1, 2))
    """

    key: ClassVar[str] = "t"
    option: ClassVar[str] = "--t"
    words: ClassVar[str] = "t-closeness"

    @property
    def _range(self) -> dict[str, Any]:
        return {"least": 0, "most": 1, "error": BoundError}

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: sum of |v(s) - p(s) w| <= 2 t w."""
        return Condition(SPREAD, 2 * self.limit, prior)

    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Decide it in fractions."""
        return _distance(row, prior) <= 2 * self.exact_limit


@dataclass(frozen=True)
class OrderedTCloseness(TCloseness):
    """t-closeness with the ordered distance, for an ordered sensitive variable of m values.

    1/(m-1) sum over ranks i < m of |sum over s up to i of p(s|y) - p(s)| <= t: the work of moving
    p(.) to p(.|y), where a step from one value to the next costs 1/(m-1) (earth mover's distance).
    It is at most the equal distance, so t-closeness with that one implies it.

    Attributes
    ----------
    limit
        t, from 0 to 1.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 5], [10, 30, 5], [20, 20, 5], [5, 5, 15]])
    >>> bound = loglift.Bound.requiring(loglift.OrderedTCloseness(0.1))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 3), (1, 2))
    """

    key: ClassVar[str] = "ordered_t"
    option: ClassVar[str] = "--ordered-t"
    words: ClassVar[str] = "ordered t-closeness"
    ordered: ClassVar[bool] = True

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition on cumulated masses."""
        return Condition(RANKED, self.limit, prior)

    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Decide sum of |N(i,y) n - N(i) n(y)| <= t (m-1) n n(y) in integers, N cumulated."""
        size, total = sum(row), sum(prior)
        steps = [cell * total - n * size for cell, n in zip(row, prior, strict=True)]
        distance = sum(map(abs, accumulate(steps[:-1])))
        return distance <= self.exact_limit * (len(row) - 1) * total * size


@dataclass(frozen=True)
class L1Lift(Requirement):
    """l1-lift: sum over s of p(s) |l(s,y) - 1| = sum over s of |p(s|y) - p(s)| <= limit.

    Twice the equal distance: it is t-closeness with t = limit/2. Sadeghi, Ding and Rakotoarivelo,
    2020; Zarrabian, Ding and Sadeghi, 2023.

    Attributes
    ----------
    limit
        The most that the measure of a released value may be.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 5], [10, 30, 5], [20, 20, 5], [5, 5, 15]])
    >>> bound = loglift.Bound.requiring(loglift.L1Lift(0.4))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 3), (1, 2))
    """

    key: ClassVar[str] = "l1_lift"
    option: ClassVar[str] = "--l1-lift"
    words: ClassVar[str] = "l1-lift"

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: sum of |v(s) - p(s) w| <= limit w."""
        return Condition(SPREAD, self.limit, prior)

    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Decide it in fractions."""
        return _distance(row, prior) <= self.exact_limit


def _distance(row: Sequence[int], prior: Sequence[int]) -> Fraction:
    """Return sum over s of |p(s|y) - p(s)| = sum of |n(s,y) n - n(s) n(y)| / (n n(y))."""
    size, total = sum(row), sum(prior)
    steps = (abs(cell * total - n * size) for cell, n in zip(row, prior, strict=True))
    return Fraction(sum(steps), size * total)
