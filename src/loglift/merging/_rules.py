"""What Algorithm 1 measures blocks against; kernels, compiled or plain, share these types."""

from __future__ import annotations

from typing import NamedTuple

from loglift.joint import FloatArray


class Values(NamedTuple):
    """Public values or blocks to choose from: n(s,x) of shape (n, m), and n(x) of shape (n,)."""

    mass: FloatArray
    weight: FloatArray


class Rules(NamedTuple):
    """What every block is measured against.

    `prior` holds n(s), `total` is n; `least` and `most` are the safe lifts, tolerance included.
    `down` and `up` weigh the two directions of the excess of a block,

        excess(B) = max over s of max(up * l(s,B), down / l(s,B)),

    which is e^omega(B) for a symmetric bound, where down = up = 1.
    """

    prior: FloatArray
    total: float
    least: float
    most: float
    down: float
    up: float
