"""Leakage measures that a bounded lift bounds too.

Each takes a joint with one row per released value y and one column per sensitive value s (before
protection: y = x). If every log-lift is within -lower <= i(s,y) <= upper, then each measure is at
most the figure in its "Implied by lift" line; the tests prove it on random joints. Averages over
y return a number, properties of a single y return one entry per row.

References: Issa, Wagner, Kamath (2020) for maximal leakage; Verdu (2015) for Sibson's alpha mutual
information; Liao, Kosut, Sankar, Calmon (2019) for alpha-leakage; Duchi, Jordan, Wainwright
(2013) for local differential privacy; Sadeghi, Ding, Rakotoarivelo (2020) for l1-lift,
chi-squared-lift and alpha-lift.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import BoundError
from loglift.joint import FloatArray, Joint, as_joint
from loglift.measures.lift import lift, log_lift
from loglift.sparse import Mass, as_cells

# Closer to 1 than this, the alpha-measures equal their Shannon limit to within rounding.
_SHANNON_RANGE = 1e-7
# Outside these, 1/alpha or alpha times a logarithm drowns in rounding.
_SMALLEST_ORDER, _LARGEST_ORDER = 1e-6, 1e9


def shannon_information(joint: Joint | ArrayLike) -> float:
    """I(S;Y) = sum p(s,y) i(s,y), nats.

    Implied by lift: at most upper.
    """
    return information_of(as_joint(joint).scaled)


def information_of(mass: Mass) -> float:
    """I(S;Y) of a trusted mass, from its cells that are not zero."""
    cells, total = as_cells(mass), float(mass.sum())
    p = cells.values / total
    expected = (mass.sum(axis=1) / total)[cells.rows] * (mass.sum(axis=0) / total)[cells.columns]
    return max(0.0, float((p * np.log(p / expected)).sum()))


def sibson_information(joint: Joint | ArrayLike, alpha: float) -> float:
    """Sibson mutual information of order alpha in (0, inf], nats.

    alpha/(alpha-1) log sum_y p(y) (sum_s p(s) l(s,y)^alpha)^(1/alpha). Order 1 is I(S;Y), order
    infinity is maximal leakage; it grows with alpha.
    Implied by lift: at most upper.
    """
    trusted, order = as_joint(joint), _checked_order(alpha)
    if abs(order - 1) < _SHANNON_RANGE:
        return shannon_information(trusted)
    norms = _log_norm(np.log(trusted.p_sensitive), log_lift(trusted), order)
    return _tilted(order, np.logaddexp.reduce(np.log(trusted.p_public) + norms))


def maximal_leakage(joint: Joint | ArrayLike) -> float:
    """Return log sum_y max_s p(y|s), nats: Sibson mutual information of order infinity.

    Implied by lift: at most upper.
    """
    return sibson_information(joint, math.inf)


def alpha_leakage(joint: Joint | ArrayLike, alpha: float) -> float:
    """alpha-leakage from S to Y: Arimoto mutual information of order alpha in (0, inf], nats.

    alpha/(alpha-1) log [ sum_y p(y) |p(.|y)|_alpha / |p(.)|_alpha ], with |q|_alpha the alpha-norm
    of q over s. Order 1 is I(S;Y), order infinity the gain of the best single guess of S.
    Implied by lift: at most upper (it is Sibson's measure under a tilted prior, and those are at
    most the maximal leakage).
    """
    trusted, order = as_joint(joint), _checked_order(alpha)
    if abs(order - 1) < _SHANNON_RANGE:
        return shannon_information(trusted)
    prior = np.log(trusted.p_sensitive)
    flat = np.zeros_like(prior)
    norms = _log_norm(flat, prior + log_lift(trusted), order)
    gain = np.logaddexp.reduce(np.log(trusted.p_public) + norms)
    return _tilted(order, gain - _log_norm(flat, prior[np.newaxis], order)[0])


def local_privacy_level(joint: Joint | ArrayLike) -> float:
    """Return the least epsilon of local differential privacy of Y with respect to S, nats.

    max over y, s, s' of log p(y|s)/p(y|s'), infinite when a y rules an s out.
    Implied by lift: at most lower + upper.
    """
    logs = log_lift(joint)
    return float((logs.max(axis=1) - logs.min(axis=1)).max())


def l1_lift(joint: Joint | ArrayLike) -> FloatArray:
    """sum_s p(s) |l(s,y) - 1|, the l1 distance of p(.|y) from p(.), for each y.

    Implied by lift: at most 2 (M-1)(1-m)/(M-m) with M = e^upper and m = e^-lower.
    """
    trusted = as_joint(joint)
    return np.abs(lift(trusted) - 1) @ trusted.p_sensitive


def chi_squared_lift(joint: Joint | ArrayLike) -> FloatArray:
    """sum_s p(s) (l(s,y) - 1)^2, the chi-squared distance of p(.|y) from p(.), for each y.

    Implied by lift: at most (M-1)(1-m) with M = e^upper and m = e^-lower (Bhatia and Davis).
    """
    trusted = as_joint(joint)
    return (lift(trusted) - 1) ** 2 @ trusted.p_sensitive


def alpha_lift(joint: Joint | ArrayLike, alpha: float) -> FloatArray:
    """Return (sum_s p(s) l(s,y)^alpha)^(1/alpha) for each y, alpha in (0, inf].

    Order 1 is always 1, order infinity is the largest lift of y.
    Implied by lift: for alpha >= 1 at most e^(upper (alpha-1)/alpha); below 1 at most 1.
    """
    trusted, order = as_joint(joint), _checked_order(alpha)
    return np.exp(_log_norm(np.log(trusted.p_sensitive), log_lift(trusted), order))


def _log_norm(log_weights: FloatArray, log_values: FloatArray, alpha: float) -> FloatArray:
    """Return log (sum_s w(s) v(s)^alpha)^(1/alpha) along the last axis, all in the log domain."""
    norms: FloatArray
    if math.isinf(alpha):
        norms = log_values.max(axis=-1)
    else:
        norms = np.logaddexp.reduce(log_weights + alpha * log_values, axis=-1) / alpha
    return norms


def _tilted(alpha: float, log_gain: float) -> float:
    """alpha/(alpha-1) times the gain, with its limit at infinity; never below zero by rounding."""
    factor = 1.0 if math.isinf(alpha) else alpha / (alpha - 1)
    return max(0.0, float(factor * log_gain))


def _checked_order(alpha: float) -> float:
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.integer, np.floating)):
        raise BoundError(f"the order alpha must be a number above 0, got {alpha!r}")
    if not alpha >= _SMALLEST_ORDER:
        raise BoundError(
            f"the order alpha must be at least {_SMALLEST_ORDER:g}, got {alpha}: 1 is Shannon's, "
            "inf is maximal leakage"
        )
    return math.inf if alpha > _LARGEST_ORDER else float(alpha)
