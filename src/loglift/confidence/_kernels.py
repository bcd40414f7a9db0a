"""The compiled loop behind every exact confidence limit: the tails of one family of laws.

A count k has weights t(k) with t(k+1)/t(k) = (a-k)/(k+1) (b-k)/(c+k+1) w. With a = n(y), b = n(s)
and c = n - a - b this is the law of n(s,y) when both margins are known and the odds ratio is w;
with b = c = `ENDLESS` the second factor is exactly one, and it is the binomial law of a records
with odds w.

Tails are added up from the count itself, in units of its own weight: no factorials, so nothing is
lost at a billion records.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray

ENDLESS = 1e300
_NEGLIGIBLE = 1e-18  # share of a sum below which its remaining, falling terms are left out
_CERTAIN = 1e280  # a tail this many times the count's own weight decides every comparison
_CLOSE = 1e-9  # how far, relatively, the tail at a limit may fall short of alpha
_ROUNDING = 1e-14
_FARTHEST = 600.0  # nats of odds at which every tail is below 1e-100, and e^x no overflow


@compiled_part
def _log_tail(k: float, a: float, b: float, c: float, odds: float, below: bool) -> float:
    """The logarithm of P(K <= k), or of P(K >= k), by adding up both sides of k."""
    down, weight, j = 0.0, 1.0, k
    while j > 0 and c + j > 0 and down < _CERTAIN:
        step = j / (a - j + 1) * ((c + j) / (b - j + 1)) / odds
        weight *= step
        down = min(down + weight, _CERTAIN)
        j -= 1
        if step < 1 and weight < _NEGLIGIBLE * (1 + down):
            break
    up, weight, j = 0.0, 1.0, k
    while j < a and j < b and up < _CERTAIN:
        step = (a - j) / (j + 1) * ((b - j) / (c + j + 1)) * odds
        weight *= step
        up = min(up + weight, _CERTAIN)
        j += 1
        if step < 1 and weight < _NEGLIGIBLE * (1 + up):
            break
    return math.log(1 + (down if below else up)) - math.log1p(down + up)


@compiled_part
def _root(
    k: float,
    a: float,
    b: float,
    c: float,
    level: float,
    upper: bool,
    near: float,
    above: float,
    far: float,
    below: float,
) -> float:
    """Close in on the limit by false position (Illinois), and return its outer side.

    `above` and `below` are how far the logarithm of the tail is from the level at both ends.
    """
    far_below, last = below, 0
    while far_below < -_CLOSE and abs(far - near) > _ROUNDING * (1 + abs(far)):
        middle = far + (near - far) * (below / (below - above))
        found = _log_tail(k, a, b, c, math.exp(middle), upper) - level
        if found > 0:
            near, above = middle, found
            below = below / 2 if last == 1 else below
            last = 1
        else:
            far, below, far_below = middle, found, found
            above = above / 2 if last == -1 else above
            last = -1
    return far


@compiled_part
def _log_limit(k: float, a: float, b: float, c: float, alpha: float, upper: bool) -> float:
    """Return the log-odds at which the tail of k has probability alpha, rounded outwards."""
    if upper and k >= min(a, b):
        return math.inf
    if not upper and k <= max(0.0, -c):
        return -math.inf
    away = 1.0 if upper else -1.0
    level = math.log(alpha)
    near = math.log((k + 0.5) / (a - k + 0.5)) + math.log((c + k + 0.5) / (b - k + 0.5))
    step = math.sqrt(1 / (k + 0.5) + 1 / (a - k + 0.5) + 1 / (b - k + 0.5) + 1 / (c + k + 0.5))
    above = _log_tail(k, a, b, c, math.exp(near), upper) - level
    while above < 0:
        near -= away * step
        above = _log_tail(k, a, b, c, math.exp(near), upper) - level
    far = near + away * step
    below = _log_tail(k, a, b, c, math.exp(far), upper) - level
    while below > 0:
        near, above, far = far, below, far + 2 * (far - near)
        far = max(-_FARTHEST, min(far, _FARTHEST))
        below = _log_tail(k, a, b, c, math.exp(far), upper) - level
    return _root(k, a, b, c, level, upper, near, above, far, below)


@compiled
def log_limits(
    k: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray, alpha: float, upper: bool
) -> FloatArray:
    """The log-odds limit of each count; all arrays are flat and of one size."""
    found = np.empty(k.size)
    for i in range(k.size):
        found[i] = _log_limit(k[i], a[i], b[i], c[i], alpha, upper)
    return found
