"""Confidence bounds on log-lifts, and on the leakage: the largest of them.

**One cell.** Records are independent draws from p(s,x), and y is what the mechanism makes of x.
The 2 x 2 table of "has y" against "has s" has an odds ratio w, and with p = p(y), q = p(s) the lift
l solves

    w = l (1 - p - q + l p q) / ((1 - l p)(1 - l q)).

The derivative of the right side in p has the sign of l - 1, the same holds in q, and it grows with
l. So for a given w the log-lift has the sign of log w, and |log l| falls as p or q grows: it is
largest at the smallest p and q, and never more than |log w|. Hence, with an exact upper limit of w
and exact lower limits of p and q whose errors add up to alpha, the lift at the three limits exceeds
the true one but for a probability alpha; likewise downwards with a lower limit of w. Near a lift
of one, where w is one, the margins cost nothing. With `SHARES` the odds ratio gets most of alpha.

**All cells.** The leakage is the log-lift of *one* cell in *one* direction, whichever is the worst
in truth; which one does not depend on the sample. That cell's bound fails with probability at most
alpha, and the largest bound over all cells is no smaller. So the maximum of the bounds, each at
level alpha, bounds the maximum of the log-lifts at level alpha: nothing has to be divided by the
number of cells (Berger's intersection-union test). A bound on *every* cell at once would have to.

A zero is a count: it leaves n(s,y) no positive lower limit, so the bound downwards is infinite.
One released value has lifts of exactly one, whatever the truth: its bound is zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.limits import Side, odds_ratio_limit, proportion_limit
from loglift.joint import FloatArray
from loglift.promise.bound import Bound

# Of alpha: for the odds ratio, for p(y) and for p(s). The margins matter less, so they get less.
SHARES = (0.9, 0.05, 0.05)


@dataclass(frozen=True, eq=False)
class Swings:
    """How far log-lifts may rise above and fall below zero, nats; shape (released, sensitive)."""

    rise: FloatArray
    fall: FloatArray

    def beyond(self, bound: Bound) -> FloatArray:
        """By how much each released value exceeds the bound, on the worse side; shape (rows,)."""
        sides = ((self.rise, bound.upper), (self.fall, bound.lower))
        found = [swing - side for swing, side in sides if math.isfinite(side)]
        return np.asarray(np.max(found, axis=(0, 2)))


def most_swings(counts: NDArray[np.int64], alpha: float) -> Swings:
    """Upper confidence bounds on i(s,y) and -i(s,y), each of them valid with error alpha.

    `counts` has one row per released value and one column per sensitive value.
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


def excess_bound(tables: Sequence[NDArray[np.int64]], bound: Bound, alpha: float) -> FloatArray:
    """By how much each released value may exceed the bound; negative where it is well inside.

    Each table is one sensitive variable. The largest number is an upper confidence bound, with
    error alpha, on the largest excess of any log-lift over its side of the bound; an excess of at
    most zero certifies the bound.
    """
    found = [most_swings(table, alpha).beyond(bound) for table in tables]
    return np.asarray(np.max(found, axis=0))


def size_of_log_lift(odds: FloatArray, p: FloatArray, q: FloatArray, *, up: bool) -> FloatArray:
    """Return |log-lift| from |log odds ratio|, towards more (`up`) or less, and the margins.

    The lift is the root of (w-1) p q l^2 - (1 + (w-1)(p+q)) l + w = 0 that is one at w = 1, in the
    form that does not cancel; zero where the odds point the other way. An infinite odds ratio
    leaves the lift 1/max(p,q), an odds ratio of zero max(0, p+q-1)/(p q).
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
