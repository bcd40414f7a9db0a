"""How numbers and bounds are said, the same in every renderer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from loglift.bound import Bound
from loglift.naming import text_of
from loglift.why.caps import Cap
from loglift.why.explain import Remedy

CHANNEL_NOTE = (
    "Released values are drawn at random: the bound is on what a reader of the table can infer, "
    "and the records of one draw fluctuate. mechanism.json tells more than the table: whoever "
    "knows how common the sensitive values are can work out from p(y|x) and p(x|y) how common they "
    "are among the records of a public value. Give it only to those who may know that."
)


def nats(number: float) -> str:
    """Return a number of nats with three decimals."""
    return "inf" if math.isinf(number) else f"{number:.3f}"


def percent(share: float) -> str:
    """Return a share with one decimal, never rounded up to all or down to nothing."""
    if 0 < share < 1:
        share = min(max(share, 0.001), 0.999)
    return f"{100 * share:.1f} %"


def rounded_up(number: float) -> float:
    """Round up to two digits that matter."""
    if math.isinf(number):
        return number
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return float(f"{math.ceil(number / unit) * unit:.6g}")


def limit_of(bound: Bound) -> str:
    """Return a bound as its options say it."""
    if bound.lower == bound.upper:
        return f"eps {bound.upper:g}"
    sides = {"lower": bound.lower, "upper": bound.upper}
    return ", ".join(f"{name} {side:g}" for name, side in sides.items() if math.isfinite(side))


def options_of(bound: Bound) -> str:
    """Return a bound as it is given on the command line."""
    return " ".join(f"--{side}" for side in limit_of(bound).split(", "))


def event_words(sensitive: Any) -> str:
    """Return a sensitive value in words: its columns and their values."""
    if not isinstance(sensitive, dict):
        return text_of(sensitive)
    return ", ".join(f"{name} = {text_of(value)}" for name, value in sensitive.items())


def group_words(members: Sequence[Any]) -> str:
    """Return several sensitive values in words, a single column named once."""
    if not all(isinstance(member, dict) and len(member) == 1 for member in members):
        return "; ".join(event_words(member) for member in members)
    [name] = members[0]
    return f"{name} = {', '.join(text_of(member[name]) for member in members)}"


def cap_words(cap: Cap) -> str:
    """Say what a rare sensitive value allows at most."""
    return (
        f"Every released value must contain {event_words(cap.sensitive)}, which {cap.blocks:,} "
        f"public values have ({cap.records_with:,} records): there are at most {cap.blocks:,} "
        f"released values, which keep at most {percent(cap.kept)}."
    )


def remedy_words(remedy: Remedy) -> str:
    """Say what would keep more, as an option where there is one, and how much."""
    words = {
        "search": "--method search --over all, which finds better mergings",
        "groups": "no --groups",
        "min_count": "no --min-count",
    }
    if remedy.bound is not None:
        words["eps"] = options_of(remedy.bound)
        words["upper"] = f"{options_of(remedy.bound)} alone, which lets values be ruled out"
    groups = " and for ".join(group_words(group) for group in remedy.sensitive)
    words["sensitive"] = f"one sensitive value for {groups}"
    return f"{words[remedy.change]}: keeps at least {percent(remedy.kept)}"


def guarantee(bound: Bound, sensitive: Sequence[str]) -> str:
    """Say in plain words what the bound promises and what it does not."""
    names = ", ".join(sensitive)
    parts = []
    if math.isfinite(bound.upper):
        parts.append(f"at most {math.exp(min(bound.upper, 700)):.3g} times as likely")
    if math.isfinite(bound.lower):
        parts.append(f"at least {math.exp(-bound.lower):.3g} times as likely")
    return (
        f"Whoever knows how common each value of {names} is in this table, and sees a released "
        f"value, finds each of them {' and '.join(parts)} as before. This is about the released "
        "columns of this table alone: it says nothing about other columns, about a second release "
        "of the same people, or about what a reader knows from elsewhere."
    )
