"""Leakage measures that a bounded lift bounds too.

Each takes a joint with one row per released value y and one column per sensitive value s (before
protection: y = x). If every log-lift is within -lower <= i(s,y) <= upper, then each measure is at
most the figure in its "Implied by lift" line; the tests check it on random joints. An average over
y is a number, a property of a single y has one entry per row; of a stack of joints there is one
for each joint, along its leading axes. With several sensitive variables, a measure is the largest
over the variables. All take O(cells).

References: Issa, Wagner, Kamath (2020) for maximal leakage; Verdu (2015) for Sibson's alpha mutual
information; Liao, Kosut, Sankar, Calmon (2019) for alpha-leakage; Duchi, Jordan, Wainwright
(2013) for local differential privacy; Sadeghi, Ding, Rakotoarivelo (2020) for l1-lift,
chi-squared-lift and alpha-lift.
"""

from __future__ import annotations

import math

import numpy as np

from loglift.errors import BoundError
from loglift.joint import FloatArray, Joint
from loglift.measures.closeness import basic_beta_likeness, total_variation
from loglift.measures.lift import log_lift, positive_lifts
from loglift.measures.stack import largest
from loglift.sparse import Mass, as_cells
from loglift.values import checked_number

# Orders closer to 1 than this give I(S;Y), up to rounding.
_MAX_SHANNON_DISTANCE = 1e-7
# Beyond these orders, rounding hides 1/alpha, or alpha times a logarithm.
_MIN_ORDER, _MAX_ORDER = 1e-6, 1e9


@largest
def shannon_information(joint: Joint) -> float:
    """I(S;Y) = sum p(s,y) i(s,y), nats.

    Implied by lift: at most upper.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.shannon_information(table), 3)
    0.087
    """
    return information_of(joint.scaled)


def information_of(mass: Mass) -> float:
    """Return I(S;Y) of a checked mass of one sensitive variable, from its positive cells; nats."""
    cells, total = as_cells(mass), float(mass.sum())
    p = cells.values / total
    expected = (mass.sum(axis=1) / total)[cells.rows] * (mass.sum(axis=0) / total)[cells.columns]
    return max(0.0, float((p * np.log(p / expected)).sum()))


@largest
def sibson_information(joint: Joint, alpha: float) -> float:
    """Sibson mutual information of order alpha in (0, inf], nats.

    alpha/(alpha-1) log sum_y p(y) (sum_s p(s) l(s,y)^alpha)^(1/alpha). Order 1 is I(S;Y), order
    infinity is maximal leakage; it grows with alpha.
    Implied by lift: at most upper.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.
    alpha
        The order, larger than 0; may be infinite.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.
    BoundError
        When the order is not positive.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.sibson_information(table, 2), 3)
    0.151
    """
    order = _checked_order(alpha)
    if abs(order - 1) < _MAX_SHANNON_DISTANCE:
        return shannon_information(joint)
    norms = _log_norm(np.log(joint.p_sensitive), log_lift(joint), order)
    return _tilted(order, np.logaddexp.reduce(np.log(joint.p_public) + norms))


@largest
def maximal_leakage(joint: Joint) -> float:
    """Return log sum_y max_s p(y|s), nats: Sibson mutual information of order infinity.

    That is the logarithm of the mean of the largest lift, 1 + beta, over y. O(positive cells).
    Implied by lift: at most upper.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.maximal_leakage(table), 3)
    0.288
    """
    return math.log1p((joint.p_public * basic_beta_likeness(joint)).sum())


@largest
def alpha_leakage(joint: Joint, alpha: float) -> float:
    """alpha-leakage from S to Y: Arimoto mutual information of order alpha in (0, inf], nats.

    alpha/(alpha-1) log [ sum_y p(y) |p(.|y)|_alpha / |p(.)|_alpha ], with |q|_alpha the alpha-norm
    of q over s. Order 1 is I(S;Y), order infinity the gain of the best single guess of S.
    Implied by lift: at most upper (it is Sibson's measure under a tilted prior, and those are at
    most the maximal leakage).

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.
    alpha
        The order, larger than 0; may be infinite.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.
    BoundError
        When the order is not positive.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.alpha_leakage(table, 2), 3)
    0.151
    """
    order = _checked_order(alpha)
    if abs(order - 1) < _MAX_SHANNON_DISTANCE:
        return shannon_information(joint)
    prior = np.log(joint.p_sensitive)
    flat = np.zeros_like(prior)
    norms = _log_norm(flat, prior + log_lift(joint), order)
    gain = np.logaddexp.reduce(np.log(joint.p_public) + norms)
    return _tilted(order, gain - _log_norm(flat, prior[np.newaxis], order)[0])


@largest
def local_privacy_level(joint: Joint) -> float:
    """Return the least epsilon of local differential privacy of Y with respect to S, nats.

    max over y, s, s' of log p(y|s)/p(y|s'), infinite when a y rules an s out.
    Implied by lift: at most lower + upper.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.local_privacy_level(table), 3)
    1.099
    """
    logs = log_lift(joint)
    return float((logs.max(axis=1) - logs.min(axis=1)).max())


@largest
def l1_lift(joint: Joint) -> FloatArray:
    """sum_s p(s) |l(s,y) - 1|, the l1 distance of p(.|y) from p(.), twice the total variation.

    Implied by lift: at most 2 (M-1)(1-m)/(M-m) with M = e^upper and m = e^-lower.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    numpy.ndarray
        One entry per row of the joint.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.l1_lift(table).round(3)
    array([0.5, 0.5, 0. ])
    """
    return 2 * total_variation(joint)


@largest
def chi_squared_lift(joint: Joint) -> FloatArray:
    """sum_s p(s) (l(s,y) - 1)^2, the chi-squared distance of p(.|y) from p(.), for each y.

    Implied by lift: at most (M-1)(1-m) with M = e^upper and m = e^-lower (Bhatia and Davis).

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    numpy.ndarray
        One entry per row of the joint.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.chi_squared_lift(table).round(3)
    array([0.25, 0.25, 0.  ])
    """
    lifts, shares = positive_lifts(joint), joint.p_sensitive
    prior, size = shares[lifts.columns], np.diff(lifts.starts)
    squares = np.add.reduceat(prior * (lifts.values - 1) ** 2, lifts.starts[:-1])
    absent = np.maximum(0, 1 - np.add.reduceat(prior, lifts.starts[:-1]))  # each has (0 - 1)^2
    return np.asarray(squares + np.where(size < shares.size, absent, 0))


@largest
def alpha_lift(joint: Joint, alpha: float) -> FloatArray:
    """Return (sum_s p(s) l(s,y)^alpha)^(1/alpha) for each y, alpha in (0, inf].

    Order 1 is always 1, order infinity is the largest lift of y.
    Implied by lift: for alpha >= 1 at most e^(upper (alpha-1)/alpha); below 1 at most 1.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.
    alpha
        The order, larger than 0; may be infinite.

    Returns
    -------
    numpy.ndarray
        One entry per row of the joint.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.
    BoundError
        When the order is not positive.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.alpha_lift(table, 2).round(3)
    array([1.118, 1.118, 1.   ])
    """
    order = _checked_order(alpha)
    return np.exp(_log_norm(np.log(joint.p_sensitive), log_lift(joint), order))


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
    """Return the order as a float, infinite beyond `_MAX_ORDER`."""
    order = checked_number(alpha, "the order alpha", least=_MIN_ORDER, error=BoundError)
    return math.inf if order > _MAX_ORDER else order
