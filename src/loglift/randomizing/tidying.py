"""From posteriors and weights to a channel that is fit for use.

Released values are rows of masses p(x,y) = w(y) q_y(x), which add up to p(x). Adding two rows that
are safe gives one that is safe, and leaves the sums as they are: so that values that are released
hardly ever, or less often than is asked for, can always be put together with others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loglift.joint import FloatArray
from loglift.measures.entropy import plogp
from loglift.randomizing.columns import Column

DUST = 1e-9  # values that are released with less probability than this are put together with others
_SPARE = 4.0
_EXACT = 1e-14  # relative errors of sums that are those of adding up
_SAME = 8  # decimals to which posteriors that are the same agree


def masses(columns: Sequence[Column], weights: FloatArray, n: int) -> FloatArray:
    """Return p(x,y) with one row per released value, those of the same posterior added up."""
    rows: dict[bytes, FloatArray] = {}
    for column, weight in zip(columns, weights, strict=True):
        if weight > 0:
            key = column.support.tobytes() + np.round(column.values, _SAME).tobytes()
            row = rows.setdefault(key, np.zeros(n))
            row[column.support] += weight * column.values
    return np.array(list(rows.values()))


def completed(shares: FloatArray, p: FloatArray, width: float) -> FloatArray:
    """Make rows of p(x,y) add up to p(x), by one more row that is safe.

    Errors of the sums are rounding, r relative to p(x) at most. Taking a share t = 4r/width off
    all rows leaves t p(x) (1 -+ r/t), with lifts within `width` of one.
    """
    error = float(np.abs(shares.sum(axis=0) / p - 1).max())
    share = _SPARE * error / width if width > 0 else 1.0
    if error <= _EXACT or share >= 1:  # none to speak of, or no room: the bound will tell
        return shares
    shares = shares * (1 - share)
    return np.vstack([shares, np.maximum(p - shares.sum(axis=0), 0)])


def put_together(shares: FloatArray, least: float = 0.0) -> FloatArray:
    """Add rows of p(x,y) to others until each has at least the mass `least`, and is no dust.

    The smallest first, into the one with which it loses least information. O(rows) each.
    """
    shares = shares[np.argsort(shares.sum(axis=1), kind="stable")]
    mass = shares.sum(axis=1)
    left = np.ones(mass.size, dtype=bool)
    while left.sum() > 1:
        y = int(np.where(left, mass, np.inf).argmin())
        if mass[y] >= max(least, DUST):
            break
        left[y] = False
        others = np.flatnonzero(left)
        partner = others[_losses(shares, mass, y, others).argmin()]
        shares[partner] += shares[y]
        mass[partner] += mass[y]
    return shares[left]


def _losses(shares: FloatArray, mass: FloatArray, y: int, others: np.ndarray) -> FloatArray:
    """Return the loss of I(X;Y), nats, of adding a row to each of the others.

    With rows a and b of masses v and w: the sums of a log a + b log b - (a+b) log(a+b) over x,
    which is zero where either is, and the same of v and w, taken away.
    """
    support = np.flatnonzero(shares[y])
    mine, theirs = shares[y, support], shares[np.ix_(others, support)]
    overlap = plogp(mine) + plogp(theirs) - plogp(mine + theirs)
    whole = plogp(mass[y : y + 1]) + plogp(mass[others]) - plogp(mass[y] + mass[others])
    losses: FloatArray = overlap.sum(axis=1) - whole
    return losses


def channel_of(shares: FloatArray) -> FloatArray:
    """p(y|x), one row per public value, from p(x,y) with one row per released value."""
    channel: FloatArray = (shares / shares.sum(axis=0)).T
    return np.ascontiguousarray(channel)
