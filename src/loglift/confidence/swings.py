"""Confidence bounds on log-lifts, and on the leakage: the largest of them.

**One cell.** Records are independent draws from p(s,x), and y is what the mechanism makes of x.
The 2 x 2 table of "has y" against "has s" has an odds ratio w, and with p = p(y), q = p(s) the lift
l solves

    w = l (1 - p - q + l p q) / ((1 - l p)(1 - l q)).

The derivative of the right side in p has the sign of l - 1, the same holds in q, and it grows with
l. So for a given w the log-lift has the sign of log w, and |log l| falls as p or q grows: it is
largest at the smallest p and q, and never more than |log w|. Hence, with an exact upper limit of w
and exact lower limits of p and q whose errors add up to alpha, the lift at the three limits is at
least the true one with probability 1 - alpha; the same holds downwards with a lower limit of w.
Near a lift of one, where w is one, the margins cost nothing. With `SHARES` the odds ratio gets most
of alpha.

**All cells.** The leakage is the log-lift of *one* cell in *one* direction: the worst one of the
population, which does not depend on the sample. The bound on that cell fails with probability at
most alpha, and the largest bound over all cells is at least that bound. So the maximum of the
bounds, each at level alpha, bounds the maximum of the log-lifts at level alpha: alpha is not
divided by the number of cells (Berger's intersection-union test). Bounds that hold for *every* cell
at once would need that.

A count of zero leaves a lift of zero possible, so the bound downwards is infinite. A single
released value has lifts of exactly one in every population: its bound is zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from loglift.confidence.limits import Side, odds_ratio_limit, proportion_limit
from loglift.confidence.variables import Counts
from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound

# The shares of alpha for the odds ratio, p(y) and p(s). The margins matter less, so they get less.
SHARES = (0.9, 0.05, 0.05)


@dataclass(frozen=True, eq=False)
class Swings:
    """How far log-lifts may rise above and fall below zero, nats; shape (released, sensitive)."""

    rise: FloatArray
    fall: FloatArray

    def beyond(self, bound: Bound) -> FloatArray:
        """Return by how much each released value exceeds the bound, on the worse side, nats."""
        sides = ((self.rise, bound.upper), (self.fall, bound.lower))
        found = [swing - side for swing, side in sides if math.isfinite(side)]
        return np.asarray(np.max(found, axis=(0, 2)))


def most_swings(counts: IntArray, alpha: float) -> Swings:
    """Return upper confidence bounds on i(s,y) and -i(s,y), each of them with error alpha.

    `counts` is n(s,y) of one sensitive variable. O(cells sqrt(records)).
    """
    if 1 in counts.shape:
        return Swings(np.zeros(counts.shape), np.zeros(counts.shape))
    of_odds, of_row, of_column = (alpha * share for share in SHARES)
    rows, columns = counts.sum(axis=1)[:, np.newaxis], counts.sum(axis=0)
    total = int(counts.sum())
    p = proportion_limit(rows, total, of_row, "lower")
    q = proportion_limit(columns, total, of_column, "lower")

    def swing(side: Side) -> FloatArray:
        odds = odds_ratio_limit(counts, rows, columns, total, of_odds, side)
        return size_of_log_lift(odds if side == "upper" else -odds, p, q, up=side == "upper")

    return Swings(swing("upper"), swing("lower"))


def excess_bound(variables: Counts, bound: Bound, alpha: float) -> FloatArray:
    """Return by how much each released value may exceed the bound, nats; negative if well inside.

    `variables` has n(s,y) of each sensitive variable. The largest number is an upper confidence
    bound, with error alpha, on the largest excess of any log-lift over its side of the bound; if
    it is at most zero, the bound is certified.
    """
    found = [most_swings(counts, alpha).beyond(bound) for counts in variables]
    return np.asarray(np.max(found, axis=0))


def size_of_log_lift(odds: FloatArray, p: FloatArray, q: FloatArray, *, up: bool) -> FloatArray:
    """Return |log-lift| from the logarithm of the odds ratio and the margins p(y) and p(s).

    `odds` is log w upwards (`up`) and -log w downwards; where it is negative the result is zero.
    The lift is the root of (w-1) p q l^2 - (1 + (w-1)(p+q)) l + w = 0 that is one at w = 1, in a
    form without cancellation. An infinite odds ratio gives the lift 1/max(p,q), an odds ratio of
    zero gives max(0, p+q-1)/(p q).
    """
    size = np.maximum(odds, 0)
    w = np.exp(-size)
    with np.errstate(divide="ignore", invalid="ignore"):
        if up:  # w is the inverse of the odds ratio
            b = w + (1 - w) * (p + q)
            root = np.sqrt(np.maximum(b * b - 4 * (1 - w) * p * q, 0))
            found = np.log(2) - np.log(b + root)
        else:
            b = 1 - (1 - w) * (p + q)
            root = np.sqrt(b * b + 4 * w * (1 - w) * p * q)
            few = np.log(b + root) - np.log(2) + size
            found = np.where(b > 0, few, np.log(2 * (1 - w) * p * q) - np.log(root - b))
    return np.asarray(np.maximum(found, 0))
