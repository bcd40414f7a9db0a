"""The utility as the compiled loops call it: the value of a block from its sums, and its tangents.

The values are those of `Information`: v(B) = -p(B) log p(B).
"""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_part
from loglift.joint import FloatArray

MAX_EXPONENT = 700.0  # e^700 does not overflow


@compiled_part
def value(sums: FloatArray) -> float:
    """Return the utility of a block with these sums (t,), nats; the first of them is p(B)."""
    p = sums[0]
    return -p * math.log(p) if p > 0 else 0.0


@compiled_part
def tangent_offset(slope: float, shift: float) -> float:
    """Return the largest v - (slope + shift) p over all masses p: e^(-1 - slope - shift).

    The tangent of v with that slope touches it at the mass p of the same number.
    """
    return math.exp(min(-1 - slope - shift, MAX_EXPONENT))
