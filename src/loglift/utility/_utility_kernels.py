"""What the compiled loops call: the value of a block from its sums, and tangents of I(X;Y)."""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_lean_call
from loglift.joint import FloatArray

MAX_EXPONENT = 700.0  # e^700 does not overflow


@compiled_lean_call
def value(sums: FloatArray, coefficients: FloatArray) -> float:
    """Return what a block with these sums (t,) is worth; the first of them is p(B)."""
    p = sums[0]
    found = coefficients[0] * (p * math.log(p)) if p > 0 else 0.0
    for c in range(1, sums.size):
        t = sums[c]
        if t > 0:
            found += coefficients[c] * (t * math.log(t))
    return found


@compiled_lean_call
def tangent_offset(slope: float, shift: float, weight: float) -> float:
    """Return the largest -w p log p - (slope + shift) p over all masses p: w e^(-1 - slope'/w).

    The tangent of that slope touches the curve at the mass p = e^(-1 - slope'/w).
    """
    return weight * math.exp(min(-1 - (slope + shift) / weight, MAX_EXPONENT))
