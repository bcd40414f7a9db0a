"""From posteriors and weights to a channel.

Released values are rows of masses p(x,y) = w(y) q_y(x), which add up to p(x). The sum of two safe
rows is safe, and leaves the column sums as they are. So a value that is released too rarely can
always be merged with another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.randomizing.columns import Column
from loglift.randomizing.cost import Cost

MIN_PROBABILITY = 1e-9  # of a released value; rarer values are merged with others
_SPARE_FACTOR = 4.0
_MAX_SUM_ERROR = 1e-14  # relative: errors of sums up to this are those of adding up
_SAME_DECIMALS = 8  # of posteriors that are equal


def masses(columns: Sequence[Column], weights: FloatArray, n: int) -> FloatArray:
    """Return p(x,y) with one row per released value; rows of the same posterior are added up."""
    rows: dict[bytes, FloatArray] = {}
    for column, weight in zip(columns, weights, strict=True):
        if weight > 0:
            key = column.support.tobytes() + np.round(column.values, _SAME_DECIMALS).tobytes()
            row = rows.setdefault(key, np.zeros(n))
            row[column.support] += weight * column.values
    return np.array(list(rows.values()))


def completed(shares: FloatArray, p: FloatArray, width: float) -> FloatArray:
    """Make rows of p(x,y) add up to p(x), by one more row that is safe.

    Errors of the sums are rounding, r relative to p(x) at most. Taking a share t = 4r/width off
    all rows leaves t p(x) (1 -+ r/t), with lifts within `width` of one. O(rows n).
    """
    error = float(np.abs(shares.sum(axis=0) / p - 1).max())
    share = _SPARE_FACTOR * error / width if width > 0 else 1.0
    if error <= _MAX_SUM_ERROR or share >= 1:  # none, or too large: the bound is checked later
        return shares
    shares = shares * (1 - share)
    return np.vstack([shares, np.maximum(p - shares.sum(axis=0), 0)])


def put_together(shares: FloatArray, cost: Cost, least: float = 0.0) -> FloatArray:
    """Add rows of p(x,y) to others until each has the mass `least` and `MIN_PROBABILITY`.

    The smallest row first, to the row with which it loses least. O(rows) each.
    """
    shares = shares[np.argsort(shares.sum(axis=1), kind="stable")]
    mass, images = shares.sum(axis=1), cost.images(shares)
    left = np.ones(mass.size, dtype=bool)
    while left.sum() > 1:
        y = int(np.where(left, mass, np.inf).argmin())
        if mass[y] >= max(least, MIN_PROBABILITY):
            break
        left[y] = False
        others = np.flatnonzero(left)
        partner = others[losses_of(images, cost, mass, y, others).argmin()]
        images[partner] += images[y]
        mass[partner] += mass[y]
    return images[left, : shares.shape[1]]


def losses_of(
    images: FloatArray, cost: Cost, mass: FloatArray, y: int, others: IntArray
) -> FloatArray:
    """Return what adding a row to each of the others loses, nats.

    With rows a and b of masses v and w: the sum over x, and over the values of targets, of
    a log a + b log b - (a+b) log(a+b) with their weights, which is zero where a or b is, minus the
    sum of all weights times v log v + w log w - (v+w) log(v+w).
    """
    support = np.flatnonzero(images[y])
    mine, theirs = images[y, support], images[np.ix_(others, support)]
    overlap = plogp(mine) + plogp(theirs) - plogp(mine + theirs)
    whole = plogp(mass[y : y + 1]) + plogp(mass[others]) - plogp(mass[y] + mass[others])
    lost = (overlap * cost.weights[support]).sum(axis=1)
    losses: FloatArray = lost - cost.block_weight * whole
    return losses


def channel_of(shares: FloatArray) -> FloatArray:
    """p(y|x), one row per public value, from p(x,y) with one row per released value."""
    channel: FloatArray = (shares / shares.sum(axis=0)).T
    return np.ascontiguousarray(channel)
