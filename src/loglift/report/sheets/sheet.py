"""A sheet: a table of figures, and how figures are written in it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from loglift.readers.compared import Compared

THREE = ("original", "released", "shuffled")
_WORST_PRINTED = 1e4  # a larger factor is printed as a power of ten


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


def three_numbers(figure: Compared) -> tuple[str, str, str]:
    """Return a figure of the original, the release and the shuffled table, with decimals."""
    return _decimal(figure.original), _decimal(figure.released), _decimal(figure.shuffled)


def _decimal(number: float) -> str:
    """Return a number with three decimals; one that rounds to zero has no sign."""
    return f"{number:.3f}".replace("-0.000", "0.000")


def three_factors(figure: Compared) -> tuple[str, ...]:
    """Return factors of belief of the original, the release and the shuffled table."""
    texts = (_factor(getattr(figure, side)) for side in THREE)
    return tuple("ruled out" if text == "inf" else f"{text}-fold" for text in texts)


def allowed_words(factor: float | None) -> str:
    """Say which factor of belief a bound allows; None where values have their own bounds."""
    if factor is None:
        return "by value"
    return "no limit" if math.isinf(factor) else f"{_factor(factor)}-fold"


def _factor(factor: float) -> str:
    if math.isinf(factor):
        return "inf"
    return f"{factor:.1e}" if factor >= _WORST_PRINTED else f"{factor:,.2f}"
