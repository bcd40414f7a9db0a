"""Simultaneous confidence intervals on omega(x), for every public value of a table.

With probability at least 1 - alpha over the sample *all* intervals hold. Half of alpha is for the
upper ends, half for the lower ends, shared equally by the n public values. An upper end is the
largest of the bounds on the cells of its value; that costs nothing more, however many cells there
are (see `swings`). A lower end must hold for every cell, so its share is divided among the cells.
"""

from __future__ import annotations

import numpy as np

from loglift.confidence.limits import Side, odds_ratio_limit, proportion_limit
from loglift.confidence.swings import SHARES, most_swings, size_of_log_lift
from loglift.confidence.variables import Counts
from loglift.joint import FloatArray, IntArray


def omega_intervals(variables: Counts, alpha: float) -> FloatArray:
    """Return the lower and upper end on omega of each row, nats; shape (rows, 2).

    `variables` has n(s,x) of each sensitive variable; omega is the largest over all of them. An
    upper end may be infinite. O(cells sqrt(records)).
    """
    share = alpha / 2 / variables[0].shape[0]
    columns = sum(counts.shape[1] for counts in variables)
    swings = [most_swings(counts, share) for counts in variables]
    upper = [np.maximum(swing.rise, swing.fall).max(axis=1) for swing in swings]
    lower = [least_swings(counts, share / (2 * columns)).max(axis=1) for counts in variables]
    return np.stack([np.max(lower, axis=0), np.max(upper, axis=0)], axis=1)


def least_swings(counts: IntArray, alpha: float) -> FloatArray:
    """Return lower confidence bounds on |i(s,y)|, nats; each direction of a cell has error alpha.

    `counts` is n(s,y) of one sensitive variable. For a given odds ratio |log l| falls as p(y) or
    p(s) grows, so both are taken at their upper limits. Zero where an odds ratio of one is
    possible.
    """
    if 1 in counts.shape:
        return np.zeros(counts.shape)
    of_odds, of_row, of_column = (alpha * share for share in SHARES)
    rows, columns = counts.sum(axis=1)[:, np.newaxis], counts.sum(axis=0)
    total = int(counts.sum())
    p = proportion_limit(rows, total, of_row, "upper")
    q = proportion_limit(columns, total, of_column, "upper")

    def swing(side: Side, sign: int) -> FloatArray:
        odds = sign * odds_ratio_limit(counts, rows, columns, total, of_odds, side)
        return size_of_log_lift(odds, p, q, up=side == "lower")

    return np.maximum(swing("lower", 1), swing("upper", -1))
