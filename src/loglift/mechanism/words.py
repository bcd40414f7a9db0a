"""Values and bounds in words: the same in cards, on terminals and on pages."""

from __future__ import annotations

import math
from typing import Any

from loglift.display.numbers import exact
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound
from loglift.promise.divergence import AlphaLift
from loglift.promise.requirement import Requirement
from loglift.promise.value_bound import ValueBound

STAND_INS = ("NULL", "NaN", "(empty)")  # what `text_of` says of values without a text


def value_words(value: Any) -> str:
    """Return a value as text; a text that reads like NULL, NaN or an empty one is quoted."""
    return f'"{value}"' if isinstance(value, str) and value in STAND_INS else text_of(value)


def limit_of(bound: Bound) -> str:
    """Return a bound in the words of its options, such as "eps 1" or "lower 1, upper 2".

    Values with a bound of their own are named: "eps 1 (HIV 0.3, NULL not bounded)".
    """
    sides = [f"{name} {exact(side)}" for name, side in bound.sides.items()]
    words = ", ".join([*sides, *map(requirement_words, bound.requirements)])
    if not bound.values:
        return words
    several = len({value.column for value in bound.values}) > 1
    told = [value_bound_words(value, with_column=several) for value in bound.values]
    return f"{words} ({', '.join(told)})"


def value_bound_words(value: ValueBound, *, with_column: bool = False) -> str:
    """Return the bound of one sensitive value: "HIV 0.3", "flu lower 1, upper 2"."""
    name = value_words(value.value)
    name = f"{value.column} = {name}" if with_column else name
    if math.isinf(value.lower) and math.isinf(value.upper):
        return f"{name} not bounded"
    if value.lower == value.upper:
        return f"{name} {exact(value.upper)}"
    sides = {"lower": value.lower, "upper": value.upper}
    told = [f"{side} {exact(size)}" for side, size in sides.items() if math.isfinite(size)]
    return f"{name} {' and '.join(told)}"


def requirement_words(requirement: Requirement) -> str:
    """Return a requirement with its limit: "t-closeness 0.2", "alpha-lift of order 2 0.5"."""
    order = f" of order {exact(requirement.alpha)}" if isinstance(requirement, AlphaLift) else ""
    return f"{requirement.words.removeprefix('the ')}{order} {exact(requirement.limit)}"
