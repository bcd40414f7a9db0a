"""Entropy, mutual information, and the share of information that is lost; nats, 0 log 0 = 0.

The utility of a mechanism is I(X;Y). For a partition Y is a function of X, so I(X;Y) = H(Y), the
entropy of the block masses.

`entropy` and `mutual_information` take stacks, too: distributions of shape (..., n), channels of
shape (..., n, y), and one figure for each along the leading axes. `nmil` takes arrays of figures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sized
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError
from loglift.joint import FloatArray, as_channel, as_distribution
from loglift.measures.partition import as_rows, as_subsets, labels_of
from loglift.measures.stack import of_distributions
from loglift.sparse import Cells, Mass
from loglift.values import checked_number


@of_distributions(1)
def entropy(mass: ArrayLike) -> float:
    """H = -sum p log p of a distribution, given as probabilities or counts; nats.

    Parameters
    ----------
    mass
        A distribution, as probabilities or counts.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When `mass` is not a distribution.

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.entropy([1, 1, 2]), 3)
    1.04
    """
    return entropy_of(as_distribution(mass))


def entropy_of(p: FloatArray) -> float:
    """Return H of probabilities that were checked before; nats."""
    return float(-plogp(p).sum()) + 0.0  # + 0.0: no negative zero


@of_distributions(1, 2)
def mutual_information(mass: ArrayLike, channel: ArrayLike) -> float:
    """I(X;Y) = sum p(x) p(y|x) log p(y|x)/p(y) of any channel p(y|x); nats.

    `mass` is p(x) or its counts, `channel` has one row p(.|x) per public value. O(cells).

    Parameters
    ----------
    mass
        p(x), or its counts: one entry per public value.
    channel
        p(y|x): one row per public value, one column per released value; rows add up to one.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When `mass` is not a distribution.
    MechanismError
        When `channel` is not a channel with a row for each public value.

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.mutual_information([1, 1, 2], [[1, 0], [1, 0], [0, 1]]), 3)
    0.693
    """
    p = as_distribution(mass)
    rows = as_channel(channel, inputs=p.size)
    information = p @ plogp(rows).sum(axis=1) - plogp(p @ rows).sum()
    return max(0.0, float(information))


def drawn_information(mass: FloatArray, channel: Mass) -> float:
    """I(X;Y) of p(x) or its counts and a channel p(y|x), dense or sparse; nats. O(cells)."""
    if not isinstance(channel, Cells):
        return mutual_information(mass, channel)
    shares = as_distribution(mass)[channel.rows] * channel.values
    of_y: FloatArray = np.bincount(channel.columns, shares, channel.width).astype(np.float64)
    return max(0.0, float(shares @ np.log(channel.values) - plogp(of_y).sum()))


def information_of_complete_merging(mass: ArrayLike, high_risk: ArrayLike) -> float:
    """I(X;Y) when the high-risk rows are released as one value, equation 6; nats.

    H(X) + sum over x in X_c of p(x) log p(x)/p(X_c). `high_risk` has the row numbers of X_c, and
    may be empty.

    Parameters
    ----------
    mass
        p(x), or its counts: one entry per public value.
    high_risk
        The row numbers of the values that are released as one.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When `mass` is not a distribution.
    PartitionError
        When rows do not exist, or are named twice.

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.information_of_complete_merging([1, 1, 2], [0, 1]), 3)
    0.693
    """
    nothing = isinstance(high_risk, Sized) and len(high_risk) == 0
    return information_of_subset_merging(mass, [] if nothing else [high_risk])


def information_of_subset_merging(mass: ArrayLike, subsets: Iterable[ArrayLike]) -> float:
    """I(X;Y) when each subset of rows is released as one value, equation 7; nats.

    H(X) + sum over i and over x in X_i of p(x) log p(x)/p(X_i). A row that is in no subset is
    released as it is.

    Parameters
    ----------
    mass
        p(x), or its counts: one entry per public value.
    subsets
        Disjoint lists of row numbers; each is released as one value.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When `mass` is not a distribution.
    PartitionError
        When rows do not exist, or are named twice.

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.information_of_subset_merging([1, 1, 2, 2], [[0, 1], [2, 3]]), 3)
    0.637
    """
    p = as_distribution(mass)
    parts = [as_rows(subset, p.size) for subset in as_subsets(subsets)]
    labels_of(parts, p.size)  # refuses subsets that overlap
    lost = sum(plogp(p[rows].sum()) - plogp(p[rows]).sum() for rows in parts)
    return max(0.0, float(entropy(p) - lost))


def nmil(information: float, entropy_public: float) -> float:
    """NMIL = (H(X) - I(X;Y))/H(X), equation 8: the share of information lost, in [0, 1].

    Zero when H(X) is zero: then there is nothing to lose. Arrays are broadcast against each other.

    Parameters
    ----------
    information
        I(X;Y), in nats.
    entropy_public
        H(X), in nats.

    Returns
    -------
    float
        From 0 (nothing is lost) to 1.

    Raises
    ------
    JointError
        When I(X;Y) is negative or larger than H(X).

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.nmil(0.693, 1.04), 3)
    0.334
    """
    if np.ndim(information) or np.ndim(entropy_public):
        each: Any = np.vectorize(nmil, otypes=[np.float64])(information, entropy_public)
        return each  # type: ignore[no-any-return]  # an array has one for each
    most = sys.float_info.max
    before = checked_number(entropy_public, "H(X)", least=0, most=most, error=JointError)
    rounded_up = before * (1 + 1e-9) + 1e-12
    kept = checked_number(information, "I(X;Y)", least=0, most=rounded_up, error=JointError)
    return max(0.0, 1.0 - kept / before) if before else 0.0


def plogp(p: FloatArray) -> FloatArray:
    """Return p log p entry by entry, zero at zero."""
    logs = np.log(p, out=np.zeros_like(p), where=p > 0)
    return p * logs
