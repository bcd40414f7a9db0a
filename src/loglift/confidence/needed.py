"""How many records it would take: what the confidence bound would be on more records alike.

An estimate, not a promise: it takes the counts for the truth and multiplies them. The bound
approaches the leakage of the counts like 1/sqrt(records).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from loglift.confidence.lifts import excess_bound
from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound

_MOST = 2**40  # records beyond which "more of them" is no advice
_CLOSE = 1.01  # how near to the least number, relatively


def times_needed(
    tables: Sequence[NDArray[np.int64]], bound: Bound, alpha: float, *, rows: int | None = None
) -> float:
    """Return by how much the counts have to be multiplied for the bound to be certified.

    For all rows, or for the first `rows`.

    Below one where fewer would do; infinite where the counts themselves are outside the bound (or
    on it), so that no number would do. Only the rows that need most are looked at, exactly.
    """
    rough = np.max([_rough_times(table, bound, alpha)[:rows] for table in tables], axis=0)
    total = int(tables[0].sum())
    if not rough.max() < _MOST / total:
        return math.inf
    worst = np.argsort(-rough)[:20]
    low, high = 0.0, max(float(rough.max()), 1 / total)
    while not _certified(tables, worst, bound, alpha, high):
        low, high = high, 2 * high
        if high * total > _MOST:
            return math.inf
    low = max(low, high / 16)
    while high / low > _CLOSE:
        middle = math.sqrt(low * high)
        if _certified(tables, worst, bound, alpha, middle):
            high = middle
        else:
            low = middle
    return high


def scaled(counts: NDArray[np.int64], times: float) -> NDArray[np.int64]:
    """Multiply counts, to whole numbers."""
    return np.asarray(np.rint(counts * times), dtype=np.int64)


def _certified(
    tables: Sequence[NDArray[np.int64]], rows: IntArray, bound: Bound, alpha: float, times: float
) -> bool:
    """Whether the given rows of the multiplied tables are certified, the rest being one row."""
    parts = [np.vstack([t[rows], np.delete(t, rows, axis=0).sum(axis=0)]) for t in tables]
    found = excess_bound([scaled(part, times) for part in parts], bound, alpha)
    return bool((found[: rows.size] <= 0).all())


def _rough_times(counts: NDArray[np.int64], bound: Bound, alpha: float) -> FloatArray:
    """The multiple each row needs, from n(s,y) +- z sqrt(n(s,y)(1 - p(s|y))).

    With d the distance of a log-lift to its side of the bound, that count has to stay above e^-d
    (below e^d) times itself.
    """
    rows, columns = counts.sum(axis=1)[:, np.newaxis], counts.sum(axis=0)
    z, times = -NormalDist().inv_cdf(alpha), np.zeros(counts.shape)
    for side, sign in ((bound.upper, 1), (bound.lower, -1)):
        if math.isinf(side):
            continue
        found = np.maximum(counts, 1) if sign > 0 else counts  # a zero may rise
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            room = side - sign * np.log(found * (counts.sum() / (rows * columns)))
            spread = z * np.sqrt(np.maximum(1 - found / rows, 0) / found)
            needed = (spread / np.expm1(sign * room)) ** 2
        times = np.maximum(times, np.where(room > 0, needed, np.inf))
    return np.asarray(np.nan_to_num(times, nan=np.inf).max(axis=1))
