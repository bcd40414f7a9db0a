"""The compiled loops that test conditions; the formulas are those of `loglift.promise.conditions`.

The gains of the block are those of `total`, with `plus` added and `minus` taken away.
"""

from __future__ import annotations

import math

from loglift._compute.compiling import compiled_lean_call, compiled_lean_part
from loglift.joint import FloatArray
from loglift.promise.conditions import (
    DISTINCT,
    LOGARITHM,
    MIN_PRESENT,
    POWER,
    RANKED,
    SPREAD,
    Conditions,
)


@compiled_lean_part
def mass_of(
    conditions: Conditions,
    c: int,
    i: int,
    total: FloatArray,
    plus: FloatArray,
    minus: FloatArray,
) -> float:
    """Return the mass of the i-th sensitive value of condition c; never below zero by rounding."""
    column = conditions.columns[c, i]
    return float(max(total[column] + plus[column] - minus[column], 0.0))


@compiled_lean_call
def excess(
    conditions: Conditions, c: int, total: FloatArray, plus: FloatArray, minus: FloatArray
) -> float:
    """Return the value of condition c; at most zero iff it is met."""
    kind, size, w, found = conditions.kind[c], conditions.size[c], 0.0, 0.0
    for i in range(size):
        w += mass_of(conditions, c, i, total, plus, minus)
    if w <= 0:
        return 0.0
    if kind == SPREAD:
        for i in range(size):
            v = mass_of(conditions, c, i, total, plus, minus)
            found += abs(v - conditions.constant[c, i] * w)
    elif kind == RANKED:
        beyond = 0.0
        for i in range(size - 1):
            v = mass_of(conditions, c, i, total, plus, minus)
            beyond += v - conditions.constant[c, i] * w
            found += abs(beyond) / (size - 1)
    elif kind == POWER:
        for i in range(size):
            v = mass_of(conditions, c, i, total, plus, minus)
            found += conditions.constant[c, i] * (v / w) ** conditions.parameter[c]
        found = w * found ** (1 / conditions.parameter[c])
    elif kind == LOGARITHM:
        for i in range(size):
            v = mass_of(conditions, c, i, total, plus, minus)
            if v > 0:
                found += v * (math.log(v / w) - conditions.constant[c, i])
    elif kind == DISTINCT:
        present = 0
        for i in range(size):
            present += mass_of(conditions, c, i, total, plus, minus) > MIN_PRESENT * w
        return float(conditions.level[c] - present) * w
    return float(found - conditions.level[c] * w)


@compiled_lean_call
def lacking(
    conditions: Conditions, total: FloatArray, plus: FloatArray, minus: FloatArray
) -> float:
    """Return by how much the conditions are violated, all together."""
    found = 0.0
    for c in range(conditions.kind.size):
        over = excess(conditions, c, total, plus, minus)
        if over > 0:
            found += over
    return found
