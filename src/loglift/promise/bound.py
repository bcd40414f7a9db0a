"""The bound on log-lift: what every released value must meet.

A block B is safe iff for every sensitive value s

    e^-lower p(s) p(B)  <=  p(s,B)  <=  e^upper p(s) p(B).

These inequalities are linear in the masses of the block. They need no logarithm, they treat a zero
like any other number (p(s,B) = 0 violates every finite lower bound), and unions of safe blocks are
safe.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from loglift.errors import BoundError
from loglift.joint import FloatArray, IntArray, Joint
from loglift.promise.limits import LEAST_LIFT, TOLERANCE, Limits
from loglift.promise.requirement import Requirement, placed
from loglift.promise.value_bound import ValueBound, same_value
from loglift.values import checked_number

_ROUNDING = 1e-15  # more than the error of a logarithm


@dataclass(frozen=True)
class Bound:
    """What a released value may show: -lower <= i(s,y) <= upper, in nats.

    Either side may be infinite, not both. `Bound.symmetric(eps)` is the paper's case. Single
    sensitive values may have bounds of their own (`with_values`), or limits that depend on how
    common they are (`beta_likeness`). `requirements` are limits on other measures of every released
    value, such as t-closeness; with some of them both sides may be infinite.

    Attributes
    ----------
    lower, upper
        How far a log-lift may fall and rise, nats; either may be infinite.
    values
        The bounds of single sensitive values, `ValueBound`s.
    beta
        The limit of enhanced beta-likeness, in place of `upper`; None without it.
    requirements
        Limits on other measures of every released value, `Requirement`s.

    Examples
    --------
    >>> import math
    >>> import loglift
    >>> loglift.Bound.symmetric(0.5) == loglift.Bound(0.5, 0.5)
    True
    >>> round(loglift.Bound(math.inf, 0.7).belief_range(0.1)[1], 3)
    0.201
    >>> loglift.Bound.symmetric(1).with_values({"HIV": 0.3}).values
    (ValueBound(value='HIV', lower=0.3, upper=0.3, column=None),)
    """

    lower: float
    upper: float
    values: tuple[ValueBound, ...] = ()
    beta: float | None = None
    requirements: tuple[Requirement, ...] = ()

    def __post_init__(self) -> None:
        for side in ("lower", "upper"):
            object.__setattr__(self, side, _checked_side(getattr(self, side), side))
        object.__setattr__(self, "requirements", tuple(self.requirements))
        if not all(isinstance(each, Requirement) for each in self.requirements):
            raise BoundError("requirements must be such as TCloseness(0.2) or L1Lift(0.4)")
        if not (self.bounds_lift or self.requirements):
            raise BoundError("lower and upper are both infinite, which bounds nothing: give one")
        if not all(isinstance(value, ValueBound) for value in self.values):
            raise BoundError("values must be ValueBounds: use Bound(...).with_values({...})")
        if self.beta is not None and not math.isinf(self.lower):
            raise BoundError("beta bounds upwards only: use Bound.beta_likeness(beta)")

    @classmethod
    def symmetric(cls, eps: float) -> Bound:
        """-eps <= i(s,y) <= eps."""
        side = _checked_side(eps, "eps")
        return cls(lower=side, upper=side)

    @classmethod
    def beta_likeness(cls, beta: float) -> Bound:
        """Enhanced beta-likeness: p(s|y)/p(s) <= 1 + min(beta, -log p(s)) for every s.

        Cao and Karras, "Publishing microdata with a robust privacy guarantee", 2012.
        """
        checked_number(beta, "beta", above=0, error=BoundError)
        return cls(lower=math.inf, upper=math.log1p(beta), beta=float(beta))

    @classmethod
    def requiring(
        cls, *requirements: Requirement, eps: float | None = None, bound: Bound | None = None
    ) -> Bound:
        """Return requirements as a bound, together with a bound on log-lift if one is given."""
        plain = bound_from(eps, bound, optional=True)
        if plain is None:
            return cls(math.inf, math.inf, requirements=requirements)
        return replace(plain, requirements=(*plain.requirements, *requirements))

    @property
    def bounds_lift(self) -> bool:
        """Whether log-lifts are bounded on some side."""
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    @property
    def sides(self) -> dict[str, float]:
        """The limits on log-lifts, by the options that set them: eps, lower and upper, or beta."""
        if self.beta is not None:
            return {"beta": self.beta}
        if self.lower == self.upper:
            return {"eps": self.upper} if self.bounds_lift else {}
        both = {"lower": self.lower, "upper": self.upper}
        return {name: side for name, side in both.items() if math.isfinite(side)}

    def with_values(self, values: Mapping[Any, Any], column: Hashable | None = None) -> Bound:
        """Return the bound with bounds of their own for some sensitive values.

        `values` maps them to an eps, a pair (lower, upper), a `Bound`, or None for no bound.
        `column` names the sensitive column, or the variable, where there are several.
        """
        if not isinstance(values, Mapping):
            raise BoundError(
                f"bounds of single values must be a mapping, such as {{'HIV': 0.3}}, got {values!r}"
            )
        new = [
            ValueBound(value, *_sides_of(value, given), column) for value, given in values.items()
        ]
        known = [
            v
            for v in self.values
            if not any(v.column == n.column and same_value(v.value, n.value) for n in new)
        ]
        return replace(self, values=(*known, *new))

    @property
    def is_plain(self) -> bool:
        """Whether all sensitive values have the same two limits, and nothing else is required."""
        return not (self.values or self.beta is not None or self.requirements)

    def check_values(self, joint: Joint) -> None:
        """Raise `BoundError` if a value with a bound of its own is not in the joint."""
        for entry in self.values:
            if not entry.columns(joint):
                of = "" if entry.column is None else f" of {entry.column!r}"
                raise BoundError(
                    f"the bound (--bound) of {entry.value!r}{of} is for a sensitive value that "
                    "does not occur: name a value and its column as they are in the table"
                )

    def on(self, joint: Joint) -> Bound | Limits:
        """Return the limits of each sensitive value of a joint; a plain bound is its own limits.

        Values with a bound of their own that do not occur in the joint have nothing to limit.
        """
        if self.is_plain:
            return self
        size = len(joint.sensitive)
        lower, upper = np.full(size, self.lower), np.full(size, self.upper)
        if self.beta is not None:
            # Rounded down, so that the limits are within beta-likeness in exact arithmetic, too.
            rarity = np.maximum(-np.log(joint.p_sensitive) - _ROUNDING, 0)
            upper = np.log1p(np.minimum(self.beta, rarity)) * (1 - _ROUNDING)
        own = np.full((2, size), math.inf)
        bounded = np.zeros(size, dtype=bool)
        for entry in self.values:
            # Of two bounds that meet in a value of several columns the tighter one counts.
            columns = entry.columns(joint)
            bounded[columns] = True
            own[0, columns] = np.minimum(own[0, columns], entry.lower)
            own[1, columns] = np.minimum(own[1, columns], entry.upper)
        sides = np.where(bounded, own[0], lower), np.where(bounded, own[1], upper)
        return Limits(*sides, placed(self.requirements, joint))

    def of_columns(self, _columns: Any, /) -> Bound:
        """Return the bound of some sensitive values: the same as that of all; see `Limits`."""
        return self

    def at(self, eps: float) -> Bound:
        """Return the bound with both sides at eps; all else stays as it is."""
        return replace(Bound.symmetric(eps), values=self.values, requirements=self.requirements)

    def times(self, factor: float) -> Bound:
        """Return the bound with all limits multiplied by a factor; finite sides stay finite."""

        def sides(of: Bound | ValueBound) -> dict[str, Any]:
            return {
                name: side if math.isinf(side) else min(factor * side, sys.float_info.max)
                for name, side in (("lower", of.lower), ("upper", of.upper))
            }

        plain = {"beta": None, **sides(self)}
        if self.beta is not None:
            beta = self.beta * factor
            plain = {"beta": beta, "lower": math.inf, "upper": math.log1p(beta)}
        return Bound(
            **plain,
            values=tuple(replace(value, **sides(value)) for value in self.values),
            requirements=tuple(each.scaled(factor) for each in self.requirements),
        )

    def inside(self, margin: float) -> Bound:
        """Return the bound with all sides tightened by a margin, in nats, others by that share."""

        def sides(of: Bound | ValueBound) -> dict[str, Any]:
            return {"lower": max(0.0, of.lower - margin), "upper": max(0.0, of.upper - margin)}

        values = tuple(replace(value, **sides(value)) for value in self.values)
        beta = None if self.beta is None else self.beta * (1 - margin)
        stricter = tuple(each.scaled(1 - margin) for each in self.requirements)
        return Bound(**sides(self), values=values, beta=beta, requirements=stricter)

    @property
    def least(self) -> float:
        """The least safe lift, e^-lower less the tolerance; zero when lower is infinite."""
        if math.isinf(self.lower):
            return 0.0
        return max(math.exp(-self.lower) * (1 - TOLERANCE), LEAST_LIFT)

    @property
    def most(self) -> float:
        """The largest safe lift, e^upper plus the tolerance.

        Infinite when it is above every lift that a joint can have, so that no product with a mass
        overflows.
        """
        if self.upper > -math.log(LEAST_LIFT):
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
        """Return which rows are safe; see `within`. Requirements are those of a joint: see `on`."""
        if self.requirements:
            raise TypeError("requirements are tested by the limits of a joint: bound.on(joint)")
        return self.within(mass, expected)

    def within(self, mass: FloatArray, expected: FloatArray) -> NDArray[np.bool_]:
        """Return for which rows least * expected <= mass <= most * expected everywhere.

        `mass` is p(s,B) and `expected` is p(s) p(B) on the same scale, trusted arrays of shape
        (..., blocks, sensitive values).
        """
        inside = (self.least * expected <= mass) & (mass <= self.most * expected)
        return np.asarray(inside.all(axis=-1))


@overload
def bound_from(eps: float | None, bound: Bound | None) -> Bound: ...
@overload
def bound_from(eps: float | None, bound: Bound | None, *, optional: bool) -> Bound | None: ...
def bound_from(eps: float | None, bound: Bound | None, *, optional: bool = False) -> Bound | None:
    """Return the bound that a function was given as `eps=` or as `bound=`: exactly one of them.

    None where both are left out, and that is allowed.
    """
    if bound is None and eps is not None:
        return Bound.symmetric(eps)
    if bound is None and optional:
        return None
    if bound is None or eps is not None:
        raise BoundError("give either eps or bound: eps=0.5, or bound=Bound(lower=0.5, upper=1)")
    if not isinstance(bound, Bound):
        raise BoundError(f"bound must be a Bound, got {bound!r}: give a number as eps")
    return bound


def limits_of(bound: Bound | Limits, size: int) -> Limits:
    """Return the limits on the log-lifts of each of `size` sensitive values."""
    return Limits(np.broadcast_to(bound.lower, size), np.broadcast_to(bound.upper, size))


def bounded_values(bound: Bound | Limits | None) -> IntArray | None:
    """Return the numbers of the sensitive values with a limit on some side; None where all have.

    Leakage is about these: nothing is promised about the others. Where no value has one, because
    only requirements are made, leakage is about all.
    """
    if not isinstance(bound, Limits):
        return None
    has = np.isfinite(bound.lower) | np.isfinite(bound.upper)
    return None if has.all() or not has.any() else np.flatnonzero(has)


def _checked_side(value: Any, name: str) -> float:
    return checked_number(value, f"{name} (nats)", least=0, error=BoundError)


def _sides_of(value: Any, given: Any) -> tuple[float, float]:
    """Return the lower and the upper side that were given for one sensitive value."""
    if given is None:
        return math.inf, math.inf
    if isinstance(given, Bound):
        if not given.is_plain:
            raise BoundError(f"the bound of {value!r} must be plain: give eps or (lower, upper)")
        return given.lower, given.upper
    sides = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)
    name = f"the bound of {value!r}"
    if len(sides) not in (1, 2):
        raise BoundError(f"{name} must be eps, a pair (lower, upper) or None, got {given!r}")
    return _checked_side(sides[0], name), _checked_side(sides[-1], name)
