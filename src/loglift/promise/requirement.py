"""What p(s|y) of every released value must meet beside the bound on log-lift.

A `Requirement` is a limit on one measure of how far p(.|y) is from p(.), or of how varied it is:
t-closeness, l1-lift, chi-squared-lift, alpha-lift, the average log-lift, l-diversity. A block that
is merged from blocks that meet it meets it (`loglift.promise.conditions`), so every solver takes
it. With several sensitive variables it holds for each of them, and it counts every sensitive value,
also one without a bound of its own.

A limit is taken as it is written: 0.2 is 1/5. `is_met` decides in exact arithmetic, or with
rounding that is never in favour of the release.
"""

from __future__ import annotations

import decimal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loglift.errors import BoundError
from loglift.joint import FloatArray, IntArray, Joint
from loglift.promise.conditions import Condition, excess
from loglift.values import checked_number

DIGITS = 50  # of rounded arithmetic
_ROUNDING = decimal.Decimal("1e-40")  # more than the rounding of a few thousand operations
_MIN_CLEAR_MARGIN = 1e-9  # of p(y): floats decide where they are further from the limit


@dataclass(frozen=True)
class Requirement(ABC):
    """A limit on one measure of p(.|y), for every released value y.

    Attributes
    ----------
    limit
        The limit, as it is written in decimals.

    Examples
    --------
    >>> import loglift
    >>> isinstance(loglift.TCloseness(0.1), loglift.Requirement)
    True
    """

    limit: float

    key: ClassVar[str]  # in files
    option: ClassVar[str]  # on the command line
    words: ClassVar[str]  # what the limit is on
    ordered: ClassVar[bool] = False
    counts_values: ClassVar[bool] = False  # the limit is a least number of sensitive values

    def __post_init__(self) -> None:
        name = f"the limit of {self.words} ({self.option})"
        object.__setattr__(self, "limit", checked_number(self.limit, name, **self._range))

    @property
    def _range(self) -> dict[str, Any]:
        return {"least": 0, "error": BoundError}

    def document(self) -> dict[str, Any]:
        """Return the JSON form, in mechanism.json and certificate.json."""
        return {"measure": self.key, "limit": self.limit}

    @property
    def exact_limit(self) -> Fraction:
        """The limit as it is written in decimals."""
        return Fraction(repr(self.limit))

    @abstractmethod
    def condition(self, prior: FloatArray) -> Condition:
        """Return the condition on the masses of a variable whose values have the shares `prior`."""

    @abstractmethod
    def is_met(self, row: Sequence[int], prior: Sequence[int], /) -> bool:
        """Return whether a released value with these counts n(s,y) meets it, given n(s)."""

    def scaled(self, factor: float, /) -> Requirement:
        """Return it with the limit multiplied by a factor; a number of values stays as it is."""
        if self.counts_values:
            return self
        limit = self.limit * factor
        return replace(self, limit=min(limit, self._range.get("most", limit)))


class Placed(NamedTuple):
    """A requirement on one sensitive variable of a joint: on the `columns` of its mass, in order.

    `condition` is its condition on their masses.
    """

    requirement: Requirement
    columns: IntArray
    condition: Condition


def placed(requirements: Sequence[Requirement], joint: Joint) -> tuple[Placed, ...]:
    """Return every requirement on every sensitive variable of a joint."""
    found, shares = [], joint.p_sensitive
    for requirement in requirements:
        for variable in joint.variables:
            columns = np.arange(variable.start, variable.stop)
            if requirement.ordered:
                columns = columns[_ranks(joint, variable.name, columns.size, requirement)]
            prior = shares[columns] / shares[columns].sum()
            found.append(Placed(requirement, columns, requirement.condition(prior)))
    return tuple(found)


def met(requirements: Sequence[Placed], masses: FloatArray, tolerance: float) -> NDArray[np.bool_]:
    """Return which rows of masses (rows, m) meet all requirements; `tolerance` is of p(B)."""
    found = np.ones(len(masses), dtype=bool)
    for each in requirements:
        part = masses[:, each.columns]
        found &= excess(each.condition, part) <= tolerance * part.sum(axis=1)
    return found


def exactly_met(
    requirements: Sequence[Placed], counts: NDArray[Any], prior: NDArray[Any]
) -> NDArray[np.bool_]:
    """Return which rows of whole counts (rows, m) meet all requirements, given n(s).

    Floats decide where they are clearly on one side, `Requirement.is_met` elsewhere.
    """
    found = np.ones(len(counts), dtype=bool)
    for each in requirements:
        rows, before = counts[:, each.columns], [int(n) for n in prior[each.columns]]
        total = sum(before)
        if not total:
            continue
        shares = np.array([n / total for n in before])
        known = shares > 0  # a value that the table does not have: nothing to compare with
        sizes = rows.sum(axis=1, dtype=np.float64)
        condition = each.requirement.condition(shares[known] / shares[known].sum())
        over = excess(condition, rows[:, known].astype(np.float64))
        clear = np.abs(over) > _MIN_CLEAR_MARGIN * sizes
        decided = over <= 0
        for y in np.flatnonzero(~clear).tolist():
            decided[y] = each.requirement.is_met([int(n) for n in rows[y]], before)
        stray = rows[:, ~known].sum(axis=1, dtype=np.float64) > 0
        found &= decided & ~stray
    return found


def rounded_up(value: decimal.Decimal) -> decimal.Decimal:
    """Return a number that is at least the true value of a sum of rounded terms."""
    return value + _ROUNDING * (1 + abs(value))


def rounded_down(value: decimal.Decimal) -> decimal.Decimal:
    """Return a number that is at most the true value of a rounded power of e."""
    return value * (1 - _ROUNDING)


def precise() -> AbstractContextManager[decimal.Context]:
    """Return a context of decimal arithmetic with `DIGITS` digits."""
    return decimal.localcontext(decimal.Context(prec=DIGITS))


def as_decimal(value: Fraction) -> decimal.Decimal:
    """Return a fraction, rounded to the digits of the context."""
    return decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)


def _ranks(joint: Joint, name: Any, size: int, requirement: Requirement) -> IntArray:
    """Return the columns of a sensitive variable in the order of its values.

    A joint that was not counted from a table has its columns in order.
    """
    if not joint.sensitive_columns:
        return np.arange(size)
    columns = [c for c in joint.sensitive_columns if len(joint.variables) == 1 or c.name == name]
    column = columns[0]
    if len(columns) > 1:
        raise BoundError(
            f"{requirement.words} ({requirement.option}) needs one ordered sensitive column: name "
            "one, or bound each on its own (each=True, --each)"
        )
    if column.order is None:
        why = "has values without a place in it" if column.is_ordered else "has none"
        raise BoundError(
            f"{requirement.words} ({requirement.option}) needs an order of all sensitive values, "
            f"and {column.name!r} {why}: use t (--t), or numbers, dates or ordered categories "
            "without missing or combined values"
        )
    return column.order
