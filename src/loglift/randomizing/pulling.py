"""Pulling a channel towards a constant one until it is inside the bound.

Mixing every row with the constant channel w(y) = p(y),  p'(y|x) = (1-t) p(y|x) + t w(y),  keeps
p(y) and moves every lift towards one:  l' - 1 = (1-t) (l - 1).
"""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray
from loglift.promise.bound import Bound, safe_rows

_MIN_PULL = 1e-13  # a little more than the lifts need, which are rounded themselves


def pulled(channel: FloatArray, p: FloatArray, share: float) -> FloatArray:
    """Mix a share of the constant channel p(y) into every row of p(y|x)."""
    mixed = (1 - share) * channel + share * (p @ channel)
    rows: FloatArray = mixed / mixed.sum(axis=1, keepdims=True)
    return rows


def pulled_inside(channel: FloatArray, mass: FloatArray, bound: Bound) -> FloatArray:
    """Return the channel if it is safe for a trusted mass (n, m), else pulled until it is.

    Only rounding puts an optimal channel outside, so the pull is tiny.
    """
    p = mass.sum(axis=1) / mass.sum()
    share = _share_needed(channel, mass, bound)
    found = channel
    while not safe_rows(found.T @ (mass / mass.sum()), bound).all():
        share = min(1.0, max(2 * share, _MIN_PULL))
        found = pulled(channel, p, share)
        if share == 1:
            return np.ones((p.size, 1))
    return found


def _share_needed(channel: FloatArray, mass: FloatArray, bound: Bound) -> float:
    """Return half of the share that takes the lift furthest outside to its limit."""
    shown = channel.T @ mass
    lifts = shown * shown.sum() / np.outer(shown.sum(axis=1), shown.sum(axis=0))
    least, most = lifts.min(), lifts.max()
    below = 1 - (1 - bound.least) / (1 - least) if least < bound.least else 0.0
    above = 1 - (bound.most - 1) / (most - 1) if most > bound.most else 0.0
    return max(below, above) / 2
