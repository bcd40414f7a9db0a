"""Exact one-sided confidence limits: of a proportion, and of an odds ratio.

Both invert the tail of a count k. The upper limit is the parameter at which P(K <= k) = alpha, the
lower limit the one at which P(K >= k) = alpha. Whatever the true parameter is, it lies beyond such
a limit with probability at most alpha. Nothing is approximated; a limit is rounded away from the
count. alpha is from 1e-100 to 1/2.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from loglift.joint import FloatArray

Side: TypeAlias = Literal["lower", "upper"]


def proportion_limit(found: ArrayLike, total: ArrayLike, alpha: float, side: Side) -> FloatArray:
    """Return Clopper and Pearson's limit of p where found ~ Bin(total, p), with error alpha.

    0 (1) where every smaller (larger) proportion is possible. O(sqrt(total)) each.
    """
    from loglift.confidence._kernels import ENDLESS  # noqa: PLC0415, numba loads when used

    logs = _log_limits(found, total, ENDLESS, ENDLESS, alpha, side)
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logs)))


def odds_ratio_limit(
    cell: ArrayLike, row: ArrayLike, column: ArrayLike, total: ArrayLike, alpha: float, side: Side
) -> FloatArray:
    """Return Fisher's exact limit of the logarithm of the odds ratio of a 2 x 2 table.

    `row` of `total` records have a public value, `column` of them a sensitive value, and `cell`
    have both. Given these margins the cell has Fisher's noncentral hypergeometric law, which
    depends on the odds ratio alone. Infinite where every larger (or smaller) odds ratio is
    possible. O(sqrt(total)) each.
    """
    rest = np.asarray(total, float) - np.asarray(row, float) - np.asarray(column, float)
    return _log_limits(cell, row, column, rest, alpha, side)


def _log_limits(
    k: ArrayLike, a: ArrayLike, b: ArrayLike, c: ArrayLike, alpha: float, side: Side
) -> FloatArray:
    from loglift.confidence._kernels import log_limits  # noqa: PLC0415, numba loads when used

    arrays = np.broadcast_arrays(*(np.asarray(item, dtype=np.float64) for item in (k, a, b, c)))
    count, row, column, rest = (np.ascontiguousarray(array).ravel() for array in arrays)
    found = log_limits(count, row, column, rest, alpha, side == "upper")
    return found.reshape(arrays[0].shape)
