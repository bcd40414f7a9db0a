"""The problem of merging as arrays: linear inequalities that every block must meet."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift.bound import TOLERANCE, Bound
from loglift.joint import FloatArray


class Problem(NamedTuple):
    """What to partition: gains (n, k) and shares p(x) of the values; needs and scales (k,)."""

    gain: FloatArray
    p: FloatArray
    need: FloatArray
    scale: FloatArray


def constraints(
    mass: FloatArray, bound: Bound, *, tolerant: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Write the bound as gains (n, k) that add up to at least zero in a safe block.

    One for each sensitive value and finite side: n(s,x) n - least n(s) n(x), and most n(s) n(x) -
    n(s,x) n, with the tolerance only if asked. Also returns their scales (k,): in units of n(s) n.
    """
    rows, columns, total = mass.sum(axis=1), mass.sum(axis=0), mass.sum()
    expected = np.outer(rows, columns)
    less, more = (1.0, 1.0) if tolerant else (1 - TOLERANCE, 1 + TOLERANCE)
    gains = []
    if math.isfinite(bound.lower):
        gains.append(mass * total - bound.least / less * expected)
    if math.isfinite(bound.most):
        gains.append(bound.most / more * expected - mass * total)
    if not gains:  # an upper bound beyond what floats hold excludes nothing
        gains.append(np.zeros_like(mass))
    return np.hstack(gains), np.tile(1 / (columns * total), len(gains))


def problem_of(mass: FloatArray, bound: Bound, least: float) -> Problem:
    """The constraints of the bound, and one for the least mass of a block."""
    gain, scale = constraints(mass, bound)
    need, rows = np.zeros(scale.size), mass.sum(axis=1)
    if least > 0:
        gain = np.hstack([gain, rows[:, np.newaxis]])
        need, scale = np.append(need, least), np.append(scale, 1 / least)
    return Problem(np.ascontiguousarray(gain), rows / rows.sum(), need, scale)
