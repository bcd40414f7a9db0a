"""Pulling a channel towards a constant one until it is inside the bound.

Mixing every row with the constant channel w(y) = p(y),  p'(y|x) = (1-t) p(y|x) + t w(y),  keeps
p(y) and moves every lift towards one:  l' - 1 = (1-t) (l - 1). It moves every posterior towards
p(x), which meets every promise that a release can meet.
"""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray
from loglift.promise.lift import LiftPromise
from loglift.promise.promise import Inequalities, Promise
from loglift.promise.together import parted

_MIN_PULL = 1e-13  # a little more than the lifts need, which are rounded themselves


def pulled(channel: FloatArray, p: FloatArray, share: float) -> FloatArray:
    """Mix a share of the constant channel p(y) into every row of p(y|x)."""
    mixed = (1 - share) * channel + share * (p @ channel)
    rows: FloatArray = mixed / mixed.sum(axis=1, keepdims=True)
    return rows


def pulled_inside(channel: FloatArray, promise: Promise) -> FloatArray:
    """Return the channel if it is safe for a promise of a whole table, else pulled until it is.

    Only rounding puts an optimal channel outside, so the pull is tiny.
    """
    lift, others = parted(promise)
    p = lift.weight / lift.total
    shares = [_share_of(channel, each, p) for each in others]
    share = max([_share_of_lifts(channel, lift), *shares])
    found = channel
    while not promise.safe_drawn(found).all():
        share = min(1.0, max(2 * share, _MIN_PULL))
        found = pulled(channel, p, share)
        if share == 1:
            return np.ones((p.size, 1))
    return found


def _share_of_lifts(channel: FloatArray, lift: LiftPromise) -> float:
    """Return half of the share that takes the lift furthest outside to its limit."""
    shown = channel.T @ lift.mass[:]
    lifts = shown * lift.total / np.outer(channel.T @ lift.weight, lift.prior)
    low, high, bound = lifts.min(axis=0), lifts.max(axis=0), lift.bound
    below, above = low < bound.least, high > bound.most
    least, most = (np.broadcast_to(limit, low.size) for limit in (bound.least, bound.most))
    shares = np.concatenate(
        [
            1 - (1 - least[below]) / (1 - low[below]),
            1 - (most[above] - 1) / (high[above] - 1),
        ]
    )
    return float(shares.max(initial=0.0)) / 2


def _share_of(channel: FloatArray, promise: Inequalities, p: FloatArray) -> float:
    """Return half of the share that takes the gains furthest below zero to zero."""
    gains = promise.gains(slice(None))
    found, whole = channel.T @ gains, np.outer(p @ channel, gains.sum(axis=0))
    below = found < 0
    shares = found[below] / np.minimum(found[below] - whole[below], found[below])
    return float(shares.max(initial=0.0)) / 2
