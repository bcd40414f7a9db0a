"""How numbers, bounds and values are put into words: the same in every renderer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from loglift.certify.certificate import Belief
from loglift.cuts import Cut
from loglift.display.numbers import exact, percent_up
from loglift.explain.commands import Combined
from loglift.mechanism.words import requirement_words, value_words
from loglift.promise.bound import Bound
from loglift.promise.catalogue import BY_KEY
from loglift.promise.closeness import L1Lift, OrderedTCloseness, TCloseness
from loglift.promise.divergence import AlphaLift, AverageLogLift, ChiSquaredLift
from loglift.promise.diversity import DistinctDiversity, EntropyDiversity
from loglift.promise.requirement import Requirement

MAX_LISTED_NAMES = 12
MAX_COMBINED_NAMES = 4  # sensitive values of a group that a headline names
MAX_DECIMALS = 6  # of a percentage
MIN_WRITTEN_BELIEF = 1e-7  # a smaller share would need more than MAX_DECIMALS
_MAX_EXPONENT = 700.0  # e^710 is beyond the largest float
_ROUNDING = 1e-6  # of the last decimal: the error that floating point adds to a round number
_NOTHING = 1e-9  # a smaller share is a rounding error


def amount(number: float) -> str:
    """Return a number of nats with its unit, for a sentence."""
    return "infinitely many nats" if math.isinf(number) else f"{number:.3f} nats"


def rounded_up(number: float, digits: int = 2) -> float:
    """Round a positive number up to the given number of significant digits."""
    if math.isinf(number):
        return number
    unit = 10.0 ** (math.floor(math.log10(number)) - digits + 1)
    return float(f"{math.ceil(number / unit) * unit:.6g}")


def fold(size: float) -> str:
    """Return e^size with three digits, rounded up: "at most 2.72-fold" stays true."""
    factor = math.exp(min(size, _MAX_EXPONENT)) * (1 - _NOTHING)  # 1.5000000000000002 is 1.5
    return f"{rounded_up(factor, digits=3):g}"


def fraction(size: float) -> str:
    """Return e^-size with three digits, rounded down: "not below 0.367 times" stays true."""
    least = math.exp(-min(size, _MAX_EXPONENT))
    unit = 10.0 ** (math.floor(math.log10(least)) - 2)
    return f"{math.floor(least / unit + _ROUNDING) * unit:.3g}"


def number_of(count: float, what: str) -> str:
    """Return a number of things, with the word in singular or plural."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def either(count: float, singular: str, plural: str) -> str:
    """Return the word that goes with a number."""
    return singular if count == 1 else plural


def listed(names: Sequence[str], most: int = MAX_LISTED_NAMES) -> str:
    """Return names with commas between them; of many, the first ones and the number of others."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def first_of(what: str, most: int, size: int) -> str:
    """Name things of which at most `most` are listed: "Riskiest values (10 of 28,134)"."""
    return f"{what} ({most:,} of {size:,})" if size > most else what


def series(parts: Sequence[str], word: str = "and") -> str:
    """Return parts as "a, b and c", or with another word before the last."""
    *first, last = parts
    return f"{', '.join(first)} {word} {last}" if first else last


def binned(name: str, bins: Mapping[str, Cut]) -> str:
    """Return the name of a column with how it is cut, if it is: age (in steps of 10)."""
    return f"{name} ({bins[name].words})" if name in bins else name


def measure_words(measure: str) -> str:
    """Return what a sweep limits, in words: "eps", or the name of a requirement."""
    return measure if measure == "eps" else BY_KEY[measure].words.removeprefix("the ")


def measure_title(measure: str) -> str:
    """Return what a sweep limits as the title of an axis, with its unit."""
    in_nats = measure in ("eps", AverageLogLift.key)
    return f"{measure_words(measure)} (nats)" if in_nats else measure_words(measure)


def whole_words(weights: str | None) -> str:
    """Name what shares are shares of: the whole table, or what its survey weights stand for."""
    return "whole table" if weights is None else "population that the survey stands for"


def required(requirement: Requirement, names: str, whole: str = "whole table") -> str:
    """Say what a requirement promises about sensitive columns; `whole` is from `whole_words`."""
    limit, kind = exact(requirement.limit), type(requirement)
    if isinstance(requirement, AlphaLift):
        return (
            f"How many times as likely values of {names} become under a released value is at most "
            f"{fold(requirement.limit)} on average, in the mean of order "
            f"{exact(requirement.alpha)} (alpha-lift)."
        )
    if kind is AverageLogLift:
        return (
            f"Over the records of a released value, their own values of {names} become at most "
            f"{fold(requirement.limit)} times as likely on average (geometric mean)."
        )
    return {
        TCloseness: f"No released value changes how likely a value of {names} is, or any group of "
        f"values, by more than {percent_up(requirement.limit).removesuffix(' %')} percentage "
        "points (t-closeness).",
        OrderedTCloseness: f"Under every released value, the distribution of {names} is at most "
        f"{limit} away from that of the {whole}, where 1 is the way from its lowest to its "
        "highest value (t-closeness with the ordered distance).",
        L1Lift: f"Under every released value, the shares of the values of {names} differ by at "
        f"most {limit} in all from those in the {whole} (l1-lift).",
        ChiSquaredLift: f"Under every released value, the chi-squared distance of the shares of "
        f"{names} from those in the {whole} is at most {limit}.",
        DistinctDiversity: f"The records of every released value have at least {limit} different "
        f"values of {names} (l-diversity).",
        EntropyDiversity: f"The values of {names} under every released value are as varied as "
        f"{limit} values that are equally common, or more (entropy l-diversity).",
    }[kind]


def as_one(combined: Combined) -> str:
    """Return which sensitive values count as one: "NULL and HIV of diagnosis taken as one"."""
    parts = []
    for name, groups in combined.items():
        for group in groups:
            few = len(group) <= MAX_COMBINED_NAMES
            named = series([value_words(value) for value in group]) if few else "some values"
            parts.append(f"{named} of {name}")
    return f"{'; '.join(parts)} taken as one"


def held(bound: Bound, combined: Combined | None = None) -> str:
    """Say what holds inside a bound: "belief in any value moves at most 2.72-fold either way".

    Sensitive values that are combined are named: nothing is promised about a single one of them.
    """
    value = f"any value, {as_one(combined)}," if combined else "any value"
    parts = [f"belief in {value} {_moves(bound)}"] if bound.bounds_lift else []
    if bound.requirements:
        told = series([requirement_words(each) for each in bound.requirements])
        parts.append(f"every released value meets {told}")
    return ", and ".join(parts)


def _moves(bound: Bound) -> str:
    if bound.values:
        number = len(bound.values)
        but = f"except {'one value' if number == 1 else f'{number} values'} with a bound of "
        own = "its own" if number == 1 else "their own"
        return f"{_moves(replace(bound, values=()))}, {but}{own}"
    if bound.lower == bound.upper:
        if bound.upper == 0:
            return "does not move"
        return f"moves at most {fold(bound.upper)}-fold either way"
    sides = {"rises": bound.upper, "falls": bound.lower}
    return " and ".join(
        f"{verb} at most {fold(side)}-fold" for verb, side in sides.items() if math.isfinite(side)
    )


def belief_words(belief: Belief) -> tuple[str, str, str]:
    """Return a belief before, and the least and the most it can be after, in percent.

    The range is rounded outwards, so that it stays true. It has as many decimals as it takes to
    tell its ends from 0 and from 1, up to `MAX_DECIMALS`.
    """
    ends = (belief.least, 1 - belief.most)
    near = min((end for end in ends if end >= MIN_WRITTEN_BELIEF), default=1.0)
    decimals = min(max(1, -math.floor(math.log10(100 * near)) + 1), MAX_DECIMALS)
    unit = 10.0 ** (decimals + 2)
    least = math.floor(belief.least * unit + _ROUNDING) / unit
    most = math.ceil(belief.most * unit - _ROUNDING) / unit
    before, down, up = (f"{100 * share:.{decimals}f} %" for share in (belief.before, least, most))
    down = "nearly 0 %" if 0 < belief.least < MIN_WRITTEN_BELIEF else down
    up = "nearly 100 %" if 0 < 1 - belief.most < MIN_WRITTEN_BELIEF else up
    return before, down, up


def context_words(knows: Any) -> str:
    """Return what a reader knows in words: "region = North", or the numbers of released blocks."""
    if isinstance(knows, tuple):
        return f"earlier block {', '.join(str(number + 1) for number in knows)}"
    return event_words(knows)


def event_words(sensitive: Any) -> str:
    """Return a sensitive value in words: "illness = flu", or its label."""
    if not isinstance(sensitive, dict):
        return value_words(sensitive)
    return ", ".join(f"{name} = {value_words(value)}" for name, value in sensitive.items())


def events_words(sensitive: Sequence[Any]) -> str:
    """Return several sensitive values in words; a single column is named once."""
    if not all(isinstance(value, dict) and len(value) == 1 for value in sensitive):
        return "; ".join(event_words(value) for value in sensitive)
    [name] = sensitive[0]
    return f"{name} = {', '.join(value_words(value[name]) for value in sensitive)}"
