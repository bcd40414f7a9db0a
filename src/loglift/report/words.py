"""How numbers and bounds are said, the same in every renderer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from loglift.audit.audit import MAX_PAIRED_COLUMNS, Audit
from loglift.certify.certificate import Belief, Certificate
from loglift.explain.caps import Cap
from loglift.explain.explain import Remedy
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import text_of
from loglift.promise.bound import Bound

_ROUNDING = 1e-6  # of the last decimal: what floating point adds to a number that is round
_NOTHING = 1e-9  # of the information: what rounding leaves
_HALF_A_STEP = 0.0005  # of a percentage with one decimal
_MOST_DECIMALS = 6
_FAINTEST_BELIEF = 1e-7  # shown with six decimals of a percent at the most
CHANNEL_NOTE = (
    "Released values are drawn at random: the bound is on what a reader of the table can infer, "
    "and the records of one draw fluctuate. mechanism.json tells more than the table: whoever "
    "knows how common the sensitive values are can work out from p(y|x) and p(x|y) how common they "
    "are among the records of a public value. Never publish it; give it only to those who may know "
    "that."
)
MECHANISM_NOTE = (
    "What mechanism.json tells is not bounded: what to merge was chosen by looking at the "
    "sensitive columns. Whoever knows how many records each public value has can often tell which "
    "values were outside the bound. Released groups show the same. docs/guarantee.md has figures."
)


def nats(number: float) -> str:
    """Return a number of nats with three decimals."""
    return "inf" if math.isinf(number) else f"{number:.3f}"


def percent(share: float) -> str:
    """Return a share with one decimal, never rounded up to all or down to nothing."""
    if _NOTHING < share < _HALF_A_STEP:
        return "under 0.1 %"
    return f"{100 * (min(share, 0.999) if share < 1 else share):.1f} %"


def percent_up(share: float) -> str:
    """Return a share with one decimal, rounded up: what is proven stays true as it is said."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:.1f} %"


def proven_words(mechanism: Mechanism, entropy_public: float) -> str:
    """Say what is proven about the most that can be kept, and over which releases."""
    words = f"no {mechanism.upper_bound_scope} can keep more"
    if mechanism.optimal or not entropy_public:
        return words
    return f"{words} than {percent_up(mechanism.upper_bound / entropy_public)}"


def at_most_words(scopes: Mapping[str, str]) -> str:
    """Say over which releases each method's "at most" is proven; `scopes` is by method."""
    if len(set(scopes.values())) == 1:
        return f"At most: no {next(iter(scopes.values()))} can keep more."
    said = (f"for {method}, no {scope} can keep more" for method, scope in scopes.items())
    return f"At most: {'; '.join(said)}."


def belief_words(belief: Belief) -> tuple[str, str, str]:
    """Return a belief before, and its least and most after, in percent.

    The range is rounded outwards, so that what is said stays true, with as many decimals as tell
    its ends from nothing and from certainty, up to `_MOST_DECIMALS`.
    """
    ends = (belief.least, 1 - belief.most)
    near = min((end for end in ends if end >= _FAINTEST_BELIEF), default=1.0)
    decimals = min(max(1, -math.floor(math.log10(100 * near)) + 1), _MOST_DECIMALS)
    unit = 10.0 ** (decimals + 2)
    least = math.floor(belief.least * unit + _ROUNDING) / unit
    most = math.ceil(belief.most * unit - _ROUNDING) / unit
    before, down, up = (f"{100 * share:.{decimals}f} %" for share in (belief.before, least, most))
    down = "nearly 0 %" if 0 < belief.least < _FAINTEST_BELIEF else down
    up = "nearly 100 %" if 0 < 1 - belief.most < _FAINTEST_BELIEF else up
    return before, down, up


def rounded_up(number: float) -> float:
    """Round up to two digits that matter."""
    if math.isinf(number):
        return number
    unit = 10.0 ** (math.floor(math.log10(number)) - 1)
    return float(f"{math.ceil(number / unit) * unit:.6g}")


def limit_of(bound: Bound) -> str:
    """Return a bound as its options say it."""
    if bound.lower == bound.upper:
        return f"eps {exact(bound.upper)}"
    sides = {"lower": bound.lower, "upper": bound.upper}
    return ", ".join(f"{name} {exact(side)}" for name, side in sides.items() if math.isfinite(side))


def exact(number: float) -> str:
    """Return a number as short as it can be said without rounding it."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def options_of(bound: Bound) -> str:
    """Return a bound as it is given on the command line."""
    return " ".join(f"--{side}" for side in limit_of(bound).split(", "))


def released_words(certificate: Certificate) -> str:
    """Name the columns whose released values were checked."""
    return listed([_binned(name, certificate.bins) for name in certificate.public])


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names with commas between them; of many, the first ones and how many more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def bounded_words(certificate: Certificate) -> str:
    """Name the columns a check is about, and the bound on what belief in their values may do."""
    names = [_binned(name, certificate.bins) for name in certificate.sensitive]
    apart = ", each on its own," if certificate.each else ", taken together,"
    several = apart if len(names) > 1 else ""
    return f"belief about {', '.join(names)}{several} beyond {limit_of(certificate.bound)}"


def _binned(name: str, bins: Mapping[str, float]) -> str:
    return f"{name} (in steps of {exact(bins[name])})" if name in bins else name


def not_covered(certificate: Certificate, where: str) -> str | None:
    """Say which columns beside the checked ones a check is not about; None without any."""
    if not certificate.beside:
        return None
    return (
        f"Not covered: {listed(certificate.beside)} ({where}). What they add to the released "
        "values is not part of this check."
    )


def sensitive_released(certificate: Certificate) -> str | None:
    """Say that sensitive columns are released beside the others; None where they are not."""
    shown = [name for name in certificate.beside if name in certificate.sensitive]
    if not shown:
        return None
    released = f"{', '.join(shown)} {'is' if len(shown) == 1 else 'are'} released as in the table"
    return (
        f"{released}: whoever finds the row of a person reads it there. The bound is only about "
        "readers who do not see it."
    )


def unseen_words(certificate: Certificate) -> str:
    """Say how records with values that the mechanism does not know were checked."""
    records = certificate.unseen_records
    has = "record has a value" if records == 1 else "records have values"
    return (
        f"{records:,} {has} that the mechanism does not know: checked as 'apply --unseen "
        f"{certificate.unseen}' releases them."
    )


def nothing_left(before: Audit, bound: Bound, released_values: int, *, drawn: bool) -> str:
    """Say that a release without information has no use, and what may help."""
    values = f"{before.public_values:,}"
    if released_values == 1:
        fact = f"All {values} public values are released as one."
    else:
        fact = f"What is released tells nothing about which of {values} values it was."
    helps = ["fewer or coarser sensitive values"]
    if math.isfinite(bound.lower):
        helps.append("a bound upwards only (--upper)")
    # By merging, a sensitive value that only one public value has allows one block at any bound.
    if drawn or not before.caps or before.caps[0].blocks > 1:
        helps.append("a looser bound")
    *first, last = helps
    listing = f"{', '.join(first)} or {last}" if first else last
    return f"{fact} What may keep more: {listing}."


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


def left_out_words(pairs: int) -> str:
    """Say which pairs of public columns were not tried."""
    return (
        f"Only the {MAX_PAIRED_COLUMNS} columns that leak most on their own were paired: "
        f"{pairs:,} other pairs were not tried."
    )


def number_of(count: float, what: str) -> str:
    """Return a number of things, the word in its right form."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def cap_words(cap: Cap) -> str:
    """Say what a rare sensitive value allows at most."""
    return (
        f"Every released value must contain {event_words(cap.sensitive)}, which "
        f"{number_of(cap.blocks, 'public value')} {'has' if cap.blocks == 1 else 'have'} "
        f"({number_of(cap.records_with, 'record')}): a merging has at most "
        f"{number_of(cap.blocks, 'released value')}, and keeps at most {percent_up(cap.kept)}."
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
