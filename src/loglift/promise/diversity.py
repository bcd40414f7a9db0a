"""l-diversity: limits on how varied the sensitive values of a released value are.

It does not compare with p(s), so the whole table may not meet it: then there is no release.
Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, "l-diversity: privacy beyond k-anonymity",
2006.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from loglift.errors import BoundError
from loglift.joint import FloatArray
from loglift.promise.conditions import DISTINCT, LOGARITHM, Condition
from loglift.promise.requirement import Requirement, as_decimal, precise, rounded_up

MAX_EXACT_SIZE = 100_000  # n(y), without common factors, up to which a tie is decided in integers


@dataclass(frozen=True)
class DistinctDiversity(Requirement):
    """Distinct l-diversity: every released value has at least l different sensitive values.

    A finite lower bound implies it with l = the number of all sensitive values.

    Attributes
    ----------
    limit
        l, at least 1.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 0], [10, 30, 5], [20, 20, 5]])
    >>> bound = loglift.Bound.requiring(loglift.DistinctDiversity(3))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 1), (2,))
    """

    key: ClassVar[str] = "distinct_l"
    option: ClassVar[str] = "--distinct-l"
    words: ClassVar[str] = "distinct l-diversity"
    counts_values: ClassVar[bool] = True

    @property
    def _range(self) -> dict[str, Any]:
        return {"least": 1, "whole": True, "error": BoundError}

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: at least l values have mass."""
        return Condition(DISTINCT, float(self.limit), prior)

    def is_met(self, row: Sequence[int], _prior: Sequence[int], /) -> bool:
        """Count the sensitive values that occur."""
        return sum(cell > 0 for cell in row) >= self.limit


@dataclass(frozen=True)
class EntropyDiversity(Requirement):
    """Entropy l-diversity: H(S|Y=y) >= log l for every released value y.

    It implies distinct l-diversity.

    Attributes
    ----------
    limit
        l, at least 1.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10, 0], [10, 30, 5], [20, 20, 5]])
    >>> bound = loglift.Bound.requiring(loglift.EntropyDiversity(2))
    >>> loglift.merge(joint, bound=bound).blocks
    ((0, 1), (2,))
    """

    key: ClassVar[str] = "entropy_l"
    option: ClassVar[str] = "--entropy-l"
    words: ClassVar[str] = "entropy l-diversity"
    counts_values: ClassVar[bool] = True

    @property
    def _range(self) -> dict[str, Any]:
        return {"least": 1, "error": BoundError}

    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition: sum of v(s) log(v(s)/w) <= -log(l) w."""
        return Condition(LOGARITHM, -math.log(self.limit), np.ones_like(prior))

    def is_met(self, row: Sequence[int], _prior: Sequence[int], /) -> bool:
        """Decide sum of n(s,y) log n(s,y) <= n(y) log(n(y)/l), rounded against the release.

        A tie, such as l values that are equally common, is decided in integers where they are small
        enough: product of n(s,y)^n(s,y) <= (n(y)/l)^n(y).
        """
        divisor = math.gcd(*row)
        counts = [cell // divisor for cell in row if cell]
        size, least = sum(counts), self.exact_limit
        with precise():
            terms = (as_decimal(Fraction(n, size)) * decimal.Decimal(n).ln() for n in counts)
            found = sum(terms, decimal.Decimal(0))
            most = decimal.Decimal(size).ln() - as_decimal(least).ln()
            if rounded_up(found) <= most:
                return True
            if found > rounded_up(most) or size > MAX_EXACT_SIZE:
                return False
        product = math.prod(n**n for n in counts)
        return bool(product * least.numerator**size <= (size * least.denominator) ** size)
