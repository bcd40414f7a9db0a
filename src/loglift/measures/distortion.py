"""The other utilities of a mechanism that the paper names: f-information and Hamming distortion.

`mass` is p(x) or its counts; `channel` is p(y|x) with one row per public value. Both may be stacks,
of shapes (..., n) and (..., n, y): there is one figure for each along the leading axes.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import MechanismError
from loglift.joint import FloatArray, as_channel, as_distribution
from loglift.measures.entropy import mutual_information
from loglift.measures.stack import of_distributions

Divergence: TypeAlias = Literal["kl", "total-variation", "chi-squared"]


@of_distributions(1, 2)
def f_information(mass: ArrayLike, channel: ArrayLike, divergence: Divergence) -> float:
    """D_f(p(x,y) || p(x)p(y)): how far X and Y are from being independent.

    "kl" is sum p(x,y) log p(x,y)/(p(x)p(y)) = I(X;Y), nats; "total-variation" is half the sum of
    |p(x,y) - p(x)p(y)|, in [0, 1]; "chi-squared" is the sum of (p(x,y) - p(x)p(y))^2/(p(x)p(y)).

    Parameters
    ----------
    mass
        p(x), or its counts: one entry per public value.
    channel
        p(y|x): one row per public value, one column per released value; rows add up to one.
    divergence
        "kl", "total-variation" or "chi-squared".

    Returns
    -------
    float
        In nats for "kl", else without a unit.

    Raises
    ------
    JointError
        When `mass` is not a distribution.
    MechanismError
        When `channel` is not a channel with a row for each public value, or the divergence is
        unknown.

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.f_information([1, 1, 2], [[1, 0], [1, 0], [0, 1]], "total-variation"), 3)
    0.5
    """
    if not isinstance(divergence, str) or divergence not in get_args(Divergence):
        raise MechanismError(
            f"no divergence {divergence!r}: choose one of {', '.join(get_args(Divergence))}"
        )
    if divergence == "kl":
        return mutual_information(mass, channel)
    p = as_distribution(mass)
    rows = as_channel(channel, inputs=p.size)
    independent = p[:, np.newaxis] * (p @ rows)
    gap = p[:, np.newaxis] * rows - independent
    if divergence == "total-variation":
        return float(np.abs(gap).sum() / 2)
    ratio = np.divide(gap**2, independent, out=np.zeros_like(gap), where=independent > 0)
    return float(ratio.sum())


@of_distributions(1, 2)
def hamming_distortion(
    mass: ArrayLike, channel: ArrayLike, stands_for: ArrayLike | None = None
) -> float:
    """P(X != x(Y)), the expected Hamming distortion when y is read as the public value x(y).

    `stands_for` gives the row number x(y) of each released value; without it each y is read as
    its likeliest public value, which gives the least distortion any reader can have.

    Parameters
    ----------
    mass
        p(x), or its counts: one entry per public value.
    channel
        p(y|x): one row per public value, one column per released value; rows add up to one.
    stands_for
        The row number that each released value is read as; by default its likeliest one.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    JointError
        When `mass` is not a distribution.
    MechanismError
        When `channel` is not a channel with a row for each public value.

    Examples
    --------
    >>> from loglift import measures
    >>> round(measures.hamming_distortion([1, 1, 2], [[1, 0], [1, 0], [0, 1]]), 3)
    0.25
    """
    p = as_distribution(mass)
    joint: FloatArray = p[:, np.newaxis] * as_channel(channel, inputs=p.size)
    if stands_for is None:
        right = joint.max(axis=0).sum()
    else:
        right = joint[_checked_rows(stands_for, joint.shape), np.arange(joint.shape[1])].sum()
    return max(0.0, float(1 - right))


def _checked_rows(stands_for: ArrayLike, shape: tuple[int, ...]) -> np.ndarray:
    inputs, outputs = shape
    try:
        rows = np.asarray(stands_for)
    except ValueError:  # ragged nested lists
        rows = np.empty(0)
    if rows.shape != (outputs,) or rows.dtype.kind not in "iu":
        raise MechanismError(
            f"stands_for must be a list with one row number for each of {outputs} released values"
        )
    if rows.min() < 0 or rows.max() >= inputs:
        wrong = rows.min() if rows.min() < 0 else rows.max()
        raise MechanismError(f"stands_for names row {wrong}: the rows are 0 to {inputs - 1}")
    return rows
