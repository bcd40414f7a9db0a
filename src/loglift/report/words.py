"""How numbers and bounds are said, the same in every renderer."""

from __future__ import annotations

import math
from collections.abc import Sequence

from loglift.bound import Bound


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
