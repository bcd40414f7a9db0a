"""The compiled loop behind every exact confidence limit: the tails of one family of laws.

A count k has weights t(k) with t(k+1)/t(k) = (a-k)/(k+1) (b-k)/(c+k+1) w. With a = n(y), b = n(s)
and c = n - a - b this is the law of n(s,y) when both margins are known and the odds ratio is w;
with b = c = `ENDLESS` the second factor is exactly one, and it is the binomial law of a records
with odds w.

Tails are added up from the count itself, in units of its own weight. That needs no factorials, so
it loses no digits at a billion records.
"""

from __future__ import annotations

import math

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray

ENDLESS = 1e300
_MIN_TERM = 1e-18  # falling terms below this share of their sum are left out
_MAX_TAIL = 1e280  # in units of the count's own weight: larger tails are not told apart
_MAX_SHORTFALL = 1e-9  # relative: how far below alpha the tail at a limit may be
_ROUNDING = 1e-14
_MAX_LOG_ODDS = 600.0  # nats: every tail is below 1e-100 there, and e^x does not overflow


@compiled_part
def _log_tail(k: float, a: float, b: float, c: float, odds: float, below: bool) -> float:
    """Return the logarithm of P(K <= k), if `below`, or of P(K >= k); adds up both sides of k."""
    down, weight, j = 0.0, 1.0, k
    while j > 0 and c + j > 0 and down < _MAX_TAIL:
        step = j / (a - j + 1) * ((c + j) / (b - j + 1)) / odds
        weight *= step
        down = min(down + weight, _MAX_TAIL)
        j -= 1
        if step < 1 and weight < _MIN_TERM * (1 + down):
            break
    up, weight, j = 0.0, 1.0, k
    while j < a and j < b and up < _MAX_TAIL:
        step = (a - j) / (j + 1) * ((b - j) / (c + j + 1)) * odds
        weight *= step
        up = min(up + weight, _MAX_TAIL)
        j += 1
        if step < 1 and weight < _MIN_TERM * (1 + up):
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
    """Find the limit between `near` and `far` by false position (Illinois); return its outer side.

    `above` and `below` are the logarithm of the tail minus the level at `near` and at `far`.
    """
    far_below, last = below, 0
    while far_below < -_MAX_SHORTFALL and abs(far - near) > _ROUNDING * (1 + abs(far)):
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
        far = max(-_MAX_LOG_ODDS, min(far, _MAX_LOG_ODDS))
        below = _log_tail(k, a, b, c, math.exp(far), upper) - level
    return _root(k, a, b, c, level, upper, near, above, far, below)


@compiled
def log_limits(
    k: FloatArray, a: FloatArray, b: FloatArray, c: FloatArray, alpha: float, upper: bool
) -> FloatArray:
    """Return the log-odds limit of each count; all arrays are flat and of one size."""
    found = np.empty(k.size)
    for i in range(k.size):
        found[i] = _log_limit(k[i], a[i], b[i], c[i], alpha, upper)
    return found
