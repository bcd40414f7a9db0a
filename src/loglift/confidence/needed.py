"""How many records it takes to certify a bound: an estimate from multiples of the counts.

It takes the counts for the population and multiplies them; it promises nothing. The distance of
the confidence bound from the leakage of the counts falls like 1/sqrt(records).
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from loglift.confidence.swings import excess_bound
from loglift.confidence.variables import Counts
from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import Bound

_MAX_RECORDS = 2**40  # nobody collects more
_MAX_RATIO = 1.01  # of the number that is returned to the least that is enough
_EXACT_ROWS = 20  # of those that need most: only these are looked at exactly


def times_needed(
    variables: Counts, bound: Bound, alpha: float, *, rows: int | None = None
) -> float:
    """Estimate the least multiple of the counts with which the bound is certified.

    For all rows, or for the first `rows`; `variables` has n(s,y) of each sensitive variable. Below
    one where fewer records are enough; infinite where the counts themselves are outside the bound
    or on it. A normal approximation finds the `_EXACT_ROWS` rows that need most; bisection on these
    takes about 10 evaluations of `excess_bound`.
    """
    rough = np.max([_rough_times(counts, bound, alpha)[:rows] for counts in variables], axis=0)
    total = int(variables[0].sum())
    if not rough.max() < _MAX_RECORDS / total:
        return math.inf
    worst = np.argsort(-rough)[:_EXACT_ROWS]
    low, high = 0.0, max(float(rough.max()), 1 / total)
    while not _certified(variables, worst, bound, alpha, high):
        low, high = high, 2 * high
        if high * total > _MAX_RECORDS:
            return math.inf
    low = max(low, high / 16)
    while high / low > _MAX_RATIO:
        middle = math.sqrt(low * high)
        if _certified(variables, worst, bound, alpha, middle):
            high = middle
        else:
            low = middle
    return high


def scaled(counts: IntArray, times: float) -> IntArray:
    """Return a multiple of counts, rounded to whole numbers."""
    return np.asarray(np.rint(counts * times), dtype=np.int64)


def _certified(variables: Counts, rows: IntArray, bound: Bound, alpha: float, times: float) -> bool:
    """Return whether these rows of the multiplied counts are certified; the others are one row."""
    parts = [np.vstack([n[rows], np.delete(n, rows, axis=0).sum(axis=0)]) for n in variables]
    found = excess_bound([scaled(part, times) for part in parts], bound, alpha)
    return bool((found[: rows.size] <= 0).all())


def _rough_times(counts: IntArray, bound: Bound, alpha: float) -> FloatArray:
    """Return the multiple each row needs, by the normal law of n(s,y).

    With d the distance of a log-lift to its side of the bound, n(s,y) +- z sqrt(n(s,y)(1 - p(s|y)))
    has to stay above e^-d n(s,y), or below e^d n(s,y).
    """
    rows, columns = counts.sum(axis=1)[:, np.newaxis], counts.sum(axis=0)
    z, times = -NormalDist().inv_cdf(alpha), np.zeros(counts.shape)
    for side, sign in ((bound.upper, 1), (bound.lower, -1)):
        if math.isinf(side):
            continue
        found = np.maximum(counts, 1) if sign > 0 else counts  # a count of zero may rise
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            room = side - sign * np.log(found * (counts.sum() / (rows * columns)))
            spread = z * np.sqrt(np.maximum(1 - found / rows, 0) / found)
            needed = (spread / np.expm1(sign * room)) ** 2
        times = np.maximum(times, np.where(room > 0, needed, np.inf))
    return np.asarray(np.nan_to_num(times, nan=np.inf).max(axis=1))
