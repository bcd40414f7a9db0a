"""How far the sensitive values of a released value are from those of the whole table.

Each takes a joint with one row per released value y and one column per sensitive value s, and
returns one figure per row, of a stack of joints (..., rows); small is good. A zero p(s,y) counts as
p(s|y) = 0. With several sensitive variables, a figure is the largest over the variables. If every
log-lift is within -lower <= i(s,y) <= upper, each is at most the figure in its "Implied by lift"
line, with M = e^upper and m = e^-lower; the tests check it on random joints.

References: Li, Li, Venkatasubramanian (2007) for t-closeness and its two distances; Cao, Karras
(2012) for beta-likeness.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, Joint
from loglift.measures.lift import positive_lifts
from loglift.measures.stack import largest
from loglift.sparse import by_rows


@largest
def total_variation(joint: Joint) -> FloatArray:
    """1/2 sum_s |p(s|y) - p(s)| for each y: the t of t-closeness with the equal distance.

    The same as sum_s max(0, p(s|y) - p(s)), which the positive cells tell. O(positive cells).
    Implied by lift: at most (M-1)(1-m)/(M-m).

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
    >>> measures.total_variation(table).round(3)
    array([0.25, 0.25, 0.  ])
    """
    lifts = positive_lifts(joint)
    more = joint.p_sensitive[lifts.columns] * np.maximum(lifts.values - 1, 0)
    return np.add.reduceat(more, lifts.starts[:-1])


@largest
def ordered_distance(joint: Joint) -> FloatArray:
    """1/(m-1) sum over the m-1 first ranks r of |sum_{s<=r} p(s|y) - p(s)|, for each y.

    The t of t-closeness with the ordered distance: the earth mover's distance where neighbours in
    the order of the m columns are 1/(m-1) apart; zero for a single column. O(cells).
    Implied by lift: at most (M-1)(1-m)/(M-m), because it is at most the total variation.

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
    >>> measures.ordered_distance([[30, 10, 0], [10, 20, 30]]).round(3)
    array([0.325, 0.217])
    """
    prior = np.cumsum(joint.p_sensitive)[:-1]
    if not prior.size:
        return np.zeros(joint.mass.shape[0])

    def distances(rows: NDArray[np.float64]) -> FloatArray:
        cumulated = np.cumsum(rows, axis=1)
        found: FloatArray = np.abs(cumulated[:, :-1] / cumulated[:, -1:] - prior).mean(axis=1)
        return found

    return by_rows(distances, joint.scaled)


@largest
def average_log_lift(joint: Joint) -> FloatArray:
    """sum_s p(s|y) i(s,y) = D(p(.|y) || p(.)) for each y, nats. Its mean over y is I(S;Y).

    Always finite: p(s|y) = 0 adds nothing, and no s with p(s) = 0 occurs. O(positive cells).
    Implied by lift: at most ((1-m) M upper - (M-1) m lower)/(M-m), itself at most upper.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    numpy.ndarray
        One entry per row of the joint, in nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.average_log_lift(table).round(3)
    array([0.131, 0.131, 0.   ])
    """
    lifts = positive_lifts(joint)
    gains = joint.p_sensitive[lifts.columns] * lifts.values * np.log(lifts.values)
    return np.maximum(0, np.add.reduceat(gains, lifts.starts[:-1]))


@largest
def basic_beta_likeness(joint: Joint) -> FloatArray:
    """Return max over s of (p(s|y) - p(s))/p(s) for each y: the largest lift, less 1.

    This is the beta of basic beta-likeness; it says nothing of a share that falls. log(1 + beta) is
    the pointwise maximal leakage of y. O(positive cells).
    Implied by lift: at most M-1, and it implies upper = log(1 + beta).

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
    >>> measures.basic_beta_likeness(table)
    array([0.5, 0.5, 0. ])
    """
    lifts = positive_lifts(joint)
    most: FloatArray = np.maximum.reduceat(lifts.values, lifts.starts[:-1])
    return np.maximum(0, most - 1)
