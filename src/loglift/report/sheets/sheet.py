"""A sheet: a table of figures, and how figures are written in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from loglift.display.numbers import percent
from loglift.readers.compared import Compared

THREE = ("original", "released", "shuffled")
_MIN_POWER = 1e4  # a factor from there on is written with a power of ten


@dataclass(frozen=True)
class Sheet:
    """A table of figures: its title, how they are measured, and what to know besides.

    The first cell of a row names it. `is_attack` tells what an attacker can from what readers can.
    """

    title: str
    says: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    is_attack: bool = False


def three_numbers(figure: Compared) -> tuple[str, ...]:
    """Return a figure of the original, the release and the shuffled table, with three decimals.

    A number that rounds to zero has no sign.
    """
    return tuple(f"{number:.3f}".replace("-0.000", "0.000") for number in figure.three)


def three_shares(figure: Compared) -> tuple[str, ...]:
    """Return a share of the original, the release and the shuffled table, in percent."""
    return tuple(map(percent, figure.three))


def three_factors(figure: Compared) -> tuple[str, ...]:
    """Return factors of belief of the original, the release and the shuffled table."""
    return tuple("ruled out" if math.isinf(n) else _fold(n) for n in figure.three)


def allowed_words(factor: float | None) -> str:
    """Say which factor of belief a bound allows; None where values have their own bounds."""
    if factor is None:
        return "by value"
    return "no limit" if math.isinf(factor) else _fold(factor)


def _fold(factor: float) -> str:
    return f"{factor:.1e}-fold" if factor >= _MIN_POWER else f"{factor:,.2f}-fold"
