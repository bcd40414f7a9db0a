"""Random joints and bounds of all kinds, from a generator."""

from __future__ import annotations

import math

import numpy as np

from loglift import Bound

SIDES = (0.0, 0.1, 0.25, 0.5, math.log(2), 1.0, 2.0, math.inf)


def random_joint(rng):
    """Uniform, skewed, counts with zeros and ties, counts with identical rows; up to 14 rows."""
    n, m = int(rng.integers(1, 15)), int(rng.integers(1, 7))
    kind = rng.integers(4)
    if kind == 0:
        return rng.random((n, m))
    if kind == 1:
        return rng.random((n, m)) ** 4 + 1e-6
    counts = rng.integers(0, 4 if kind == 2 else 9, (n, m))
    if kind == 3:
        counts = counts[rng.integers(0, max(1, n // 3), n)]
    counts[np.arange(n), np.arange(n) % m] += counts.sum(axis=1) == 0
    counts[np.arange(m) % n, np.arange(m)] += counts.sum(axis=0) == 0
    return counts


def random_bound(rng):
    while True:
        lower, upper = (float(side) for side in rng.choice(SIDES, 2))
        if rng.random() < 0.5:
            upper = lower
        if math.isfinite(lower) or math.isfinite(upper):
            return Bound(lower, upper)
