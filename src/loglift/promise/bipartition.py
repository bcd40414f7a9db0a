"""Which public values are inside a bound, and which are not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.joint import FloatArray, IntArray, Joint, as_joint
from loglift.promise.bound import Bound, bound_from
from loglift.promise.limits import Limits
from loglift.sparse import Mass, by_rows


@dataclass(frozen=True, eq=False, repr=False)
class BiPartition:
    """The rows inside and outside the bound, as row numbers in order.

    Attributes
    ----------
    low_risk
        The row numbers of the values inside the bound.
    high_risk
        The row numbers of the others.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> loglift.bipartition(joint, 0.5).high_risk.tolist()
    [0, 1]
    """

    low_risk: IntArray
    high_risk: IntArray

    def __repr__(self) -> str:
        return f"BiPartition({self.low_risk.size} low-risk, {self.high_risk.size} high-risk values)"


def safe_rows(mass: Mass, bound: Bound | Limits) -> NDArray[np.bool_]:
    """Return which rows of a trusted mass (`Joint.scaled`, or block sums of it) are safe."""
    columns, total = mass.sum(axis=0), mass.sum()

    def safe(rows: FloatArray) -> NDArray[np.bool_]:
        return bound.is_safe(rows * total, rows.sum(axis=1, keepdims=True) * columns)

    return by_rows(safe, mass)


def bipartition(
    joint: Joint | ArrayLike, eps: float | None = None, *, bound: Bound | None = None
) -> BiPartition:
    """Split the public values into low-risk ones, inside the bound, and high-risk ones.

    With `eps` a value is low-risk iff omega(x) <= eps; `bound` is the alternative, a `Bound`.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps, bound
        The bound on |log-lift| in nats, or a `Bound`: give one of them.

    Returns
    -------
    BiPartition
        The row numbers of both kinds.

    Raises
    ------
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> loglift.bipartition(joint, 0.5)
    BiPartition(1 low-risk, 2 high-risk values)
    """
    given, limit = as_joint(joint), bound_from(eps, bound)
    limit.check_values(given)
    safe = safe_rows(given.scaled, limit.on(given))
    return BiPartition(low_risk=np.flatnonzero(safe), high_risk=np.flatnonzero(~safe))
