"""How numbers are written: the same in reports, on terminals and in notebooks."""

from __future__ import annotations

import math

_NOTHING = 1e-9  # a smaller share is a rounding error
_HALF_A_STEP = 0.0005  # half of the last digit of a percentage with one decimal


def exact(number: float) -> str:
    """Return the shortest text of a number that does not round it."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def nats(number: float) -> str:
    """Return a number of nats with three decimals."""
    return "inf" if math.isinf(number) else f"{number:.3f}"


def percent(share: float) -> str:
    """Return a share with one decimal; it reads 0 % or 100 % only where it is."""
    if _NOTHING < share < _HALF_A_STEP:
        return "under 0.1 %"
    return f"{100 * (min(share, 0.999) if share < 1 else share):.1f} %"


def percent_up(share: float) -> str:
    """Return a share with one decimal, rounded up: a proven upper bound stays true."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:.1f} %"
