"""How many sensitive values a released value may stand for: l-diversity.

Each takes a joint with one row per released value y and one column per sensitive value s, and
returns one figure per row, of a stack of joints (..., rows); large is good. A sensitive value
without mass in y does not count. With several sensitive variables, a figure is the least over them.
All take O(positive cells).

Reference: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007).
"""

from __future__ import annotations

import numpy as np

from loglift.joint import FloatArray, IntArray, Joint
from loglift.measures.entropy import plogp
from loglift.measures.lift import positive_lifts
from loglift.measures.stack import least


@least
def distinct_sensitive(joint: Joint) -> IntArray:
    """Return the number of sensitive values with p(s|y) > 0 for each y: distinct l-diversity.

    Implied by lift: all of them where lower is finite; at least 1/(e^upper max p(s)) in any case.

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
    >>> measures.distinct_sensitive([[30, 10, 0], [10, 20, 30]])
    array([2, 3])
    """
    return np.diff(joint.positive.starts)


@least
def entropy_diversity(joint: Joint) -> FloatArray:
    """e^H(S|Y=y) for each y: the l of entropy l-diversity, from 1 to `distinct_sensitive`.

    As many equally common sensitive values would have the same entropy.
    Implied by lift: at least 1/(e^upper max p(s)), because no share is larger than e^upper p(s).

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
    >>> measures.entropy_diversity(table).round(3)
    array([1.755, 1.755, 2.   ])
    """
    lifts = positive_lifts(joint)
    shares = joint.p_sensitive[lifts.columns] * lifts.values
    entropies: FloatArray = -np.add.reduceat(plogp(shares), lifts.starts[:-1])
    return np.exp(np.maximum(0, entropies))
