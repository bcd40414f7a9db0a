"""Simultaneous confidence intervals on omega(x), for every public value of a table at once.

With probability at least 1 - alpha over the sample *all* intervals hold. Half of alpha is shared by
the upper ends, half by the lower ends, equally among the n public values. An upper end is the
largest of the bounds on the value's cells, none of which has to pay for the others (see `lifts`).
A lower end must not be wrong about any cell, so that its part is shared by the value's cells.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.lifts import SHARES, most_swings, size_of_log_lift
from loglift.confidence.limits import Side, odds_ratio_limit, proportion_limit
from loglift.joint import FloatArray


def omega_intervals(tables: Sequence[NDArray[np.int64]], alpha: float) -> FloatArray:
    """Lower and upper ends on omega of each row, shape (rows, 2); nats, the upper may be infinite.

    Each table is one sensitive variable; omega is the largest over all of them.
    """
    share = alpha / 2 / tables[0].shape[0]
    columns = sum(table.shape[1] for table in tables)
    swings = [most_swings(table, share) for table in tables]
    upper = [np.maximum(swing.rise, swing.fall).max(axis=1) for swing in swings]
    lower = [least_swings(table, share / (2 * columns)).max(axis=1) for table in tables]
    return np.stack([np.max(lower, axis=0), np.max(upper, axis=0)], axis=1)


def least_swings(counts: NDArray[np.int64], alpha: float) -> FloatArray:
    """Lower confidence bounds on |i(s,y)|: each direction of each cell has error alpha.

    For a given odds ratio |log l| falls as the margins grow, so that here they are at their upper
    limits; zero where an odds ratio of one is not ruled out.
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
