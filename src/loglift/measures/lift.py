"""The lift of public values on sensitive ones, and omega, its largest size.

Joints have one row per public value x (or released value y) and one column per sensitive value
s. Logarithms are natural: log-lifts are in nats. A zero cell has log-lift minus infinity: ruling
a sensitive value out is the largest change of belief there is, so its omega is infinite.

With k sensitive variables side by side every record is in the mass k times. That cancels in
p(s,x)/(p(s)p(x)), so nothing here depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import BoundError
from loglift.joint import FloatArray, IntArray, Joint, as_joint
from loglift.joint.stack import as_stack, is_stack, masses_of
from loglift.measures.partition import as_rows, canonical
from loglift.measures.stack import of_joints
from loglift.sparse import Cells, Mass, block_sums, by_rows
from loglift.values import checked_number

_ROUNDING = 1e-12  # nats


def lift(joint: Joint | ArrayLike | Sequence[Joint]) -> FloatArray:
    """l(s,x) = p(s|x)/p(s) = p(s,x)/(p(s)p(x)), equation 1; shape of the joint, or of the stack.

    Counts up to 2^26 records give every ratio correctly rounded, so equal lifts are equal floats.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    numpy.ndarray
        The shape of the joint.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.lift(table)
    array([[1.5, 0.5],
           [0.5, 1.5],
           [1. , 1. ]])
    """
    return lift_ratios(masses_of(joint))


def log_lift(joint: Joint | ArrayLike | Sequence[Joint]) -> FloatArray:
    """i(s,x) = log l(s,x) in nats, minus infinity where p(s,x) = 0; shape as `lift`.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    numpy.ndarray
        The shape of the joint, in nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.log_lift(table).round(3)
    array([[ 0.405, -0.693],
           [-0.693,  0.405],
           [ 0.   ,  0.   ]])
    """
    with np.errstate(divide="ignore"):
        return np.log(lift_ratios(masses_of(joint)))


def omega(joint: Joint | ArrayLike | Sequence[Joint]) -> FloatArray:
    """omega(x) = max over s of |i(s,x)| in nats, equation 2; one entry per row, (..., n).

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.

    Returns
    -------
    numpy.ndarray
        One entry per row of the joint, in nats; infinite where a sensitive value is ruled out.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.omega(table).round(3)
    array([0.693, 0.693, 0.   ])
    >>> measures.omega([[5, 0], [5, 10]]).round(3)
    array([  inf, 0.405])
    """
    if is_stack(joint):
        return largest_log(lift_ratios(as_stack(joint)))
    return omegas_of(as_joint(joint).scaled)  # type: ignore[arg-type]  # no stack: one joint


@of_joints
def outside(joint: Joint | ArrayLike, eps: float) -> float:
    """Return the total probability of the released values y with omega(y) > eps.

    The least delta of (eps, delta)-log-lift, under which released values of total probability delta
    may exceed eps. It is weaker than it sounds: delta says for how many people the promise fails,
    and nothing about how badly. Of one in 1/delta people, the release may tell the sensitive value
    itself. An excess of 1e-12 nats counts as rounding. O(cells).

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.
    eps
        The bound on |log-lift|, in nats.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.
    BoundError
        When eps is negative or not a number.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.outside(table, 0.5), 3)
    0.667
    """
    most = checked_number(eps, "eps", least=0, error=BoundError)
    given = as_joint(joint)
    return float(given.p_public[omegas_of(given.scaled) > most + _ROUNDING].sum())


@of_joints
def omega_of_subset(joint: Joint | ArrayLike, rows: ArrayLike) -> float:
    """omega(X_Q) of the rows released as one value, equation 4, in nats.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.
    rows
        The row numbers of the subset.

    Returns
    -------
    float
        In nats.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.
    PartitionError
        When a row does not exist or is named twice.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> round(measures.omega_of_subset(table, [0, 1]), 3)
    0.0
    """
    trusted = as_joint(joint)
    subset = as_rows(rows, trusted.mass.shape[0])
    labels = np.ones(trusted.mass.shape[0], dtype=np.int64)
    labels[subset] = 0
    return float(omegas_of(block_sums(trusted.scaled, labels))[0])


def omega_of_blocks(joint: Joint | ArrayLike, labels: ArrayLike) -> FloatArray:
    """omega(B) of every block of a partition, equation 4, in nats; blocks in canonical order.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public or released value, one column per
        sensitive value: counts, probabilities or weights.
    labels
        The block number of each row.

    Returns
    -------
    numpy.ndarray
        One entry per block, in nats; blocks in the order of their first rows.

    Raises
    ------
    JointError
        When the mass is not a joint: negative, not finite, or with an empty row or column.
    PartitionError
        When there is not one block number for each row.

    Examples
    --------
    >>> from loglift import measures
    >>> table = [[30, 10], [10, 30], [20, 20]]
    >>> measures.omega_of_blocks(table, [0, 0, 1]).round(3)
    array([0., 0.])
    """
    trusted = as_joint(joint)
    of = canonical(labels, size=trusted.mass.shape[0])
    return omegas_of(block_sums(trusted.scaled, of))


def unweighted_leakage(joint: Joint, among: IntArray | None = None) -> float | None:
    """Return max over x of omega(x) of the records of a weighted joint, each counted the same.

    None for a joint without survey weights; nats. `among` is as in `omegas_of`.
    """
    return None if joint.survey is None else float(omegas_of(joint.counts, among).max())


def positive_lifts(joint: Joint) -> Cells:
    """Return the lifts of the positive cells of a joint of one sensitive variable. O(cells)."""
    cells = joint.positive
    expected = joint.p_public[cells.rows] * joint.p_sensitive[cells.columns]
    return cells.mapped(lambda values: values / values.sum() / expected)


def lift_ratios(mass: FloatArray) -> FloatArray:
    """Return lifts of checked masses (..., n, m): mass * total / (row sum * column sum)."""
    total = mass.sum(axis=(-2, -1), keepdims=True)
    return _ratios(mass, mass.sum(axis=-2, keepdims=True), total)


def largest_log(lifts: FloatArray) -> FloatArray:
    """Return max |log l| along the last axis, infinite where a lift is zero; nats."""
    with np.errstate(divide="ignore"):  # the logarithm of the extremes: of few numbers
        found: FloatArray = np.maximum(np.log(lifts.max(axis=-1)), -np.log(lifts.min(axis=-1)))
    return found + 0.0  # no negative zero


def log_lifts_of(rows: NDArray[Any], columns: NDArray[Any]) -> FloatArray:
    """Return log-lifts of some rows of a checked mass, whose column sums are `columns`; nats."""
    with np.errstate(divide="ignore"):
        return np.log(_ratios(rows, columns, columns.sum()))


def omegas_of(mass: Mass, among: IntArray | None = None) -> FloatArray:
    """Return omega of every row of a checked mass, some rows at a time; nats. O(cells).

    `among` are the columns of the sensitive values to look at; None for all.
    """
    columns, total = mass.sum(axis=0), mass.sum()

    def sizes(rows: FloatArray) -> FloatArray:
        lifts = _ratios(rows, columns, total)
        return largest_log(lifts if among is None else lifts[:, among])

    return by_rows(sizes, mass)


def _ratios(rows: NDArray[Any], columns: NDArray[Any], total: Any) -> FloatArray:
    mass = rows.astype(np.float64, copy=False)  # products of counts can exceed an integer
    lifts: FloatArray = mass * total / (mass.sum(axis=-1, keepdims=True) * columns)
    return lifts
