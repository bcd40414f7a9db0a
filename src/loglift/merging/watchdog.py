"""The privacy watchdog of the paper, and subset merging with subsets that are chosen by hand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError, MechanismError
from loglift.joint import FloatArray, Joint, as_distribution, as_joint
from loglift.measures.partition import as_rows, as_subsets, labels_of
from loglift.mechanism.channel import refuse_dense
from loglift.mechanism.making import channel_mechanism, partition_mechanism
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.scope import ALL_MERGINGS
from loglift.merging.ceiling import ceiling
from loglift.merging.problem import Problem
from loglift.promise.bipartition import bipartition
from loglift.promise.bound import Bound, bound_from


def watchdog(
    joint: Joint | ArrayLike,
    eps: float | None = None,
    release: ArrayLike | None = None,
    *,
    bound: Bound | None = None,
) -> Mechanism:
    """Return the watchdog in its general form, equation 3.

    Low-risk values stay as they are. A high-risk value is replaced by a draw from R(y) on the
    high-risk set. The log-lift of every such y, and I(X;Y), are the same for every R.

    Parameters
    ----------
    joint, eps, bound
        As in `merge`.
    release
        R(y) over the high-risk values in row order; by default the first one is always released.

    Returns
    -------
    Mechanism
        A partition without `release`, else a channel.

    Raises
    ------
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.
    MechanismError
        When `release` has not one weight, zero or more, for each high-risk value.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> loglift.watchdog(joint, 0.5, release=[0.5, 0.5]).channel
    array([[0.5, 0.5, 0. ],
           [0.5, 0.5, 0. ],
           [0. , 0. , 1. ]])
    """
    given, limit = as_joint(joint), bound_from(eps, bound)
    high_risk = bipartition(given, bound=limit).high_risk
    if high_risk.size == 0:
        if release is not None:
            raise MechanismError("no value is high-risk under this bound: leave R(y) out")
        return merge_subsets(given, subsets=[], releases=[], bound=limit, method="watchdog")
    rule = np.eye(1, high_risk.size)[0] if release is None else release
    return merge_subsets(
        given, subsets=[high_risk], releases=[rule], bound=limit, method="watchdog"
    )


def merge_subsets(
    joint: Joint | ArrayLike,
    eps: float | None = None,
    subsets: Iterable[ArrayLike] | None = None,
    releases: Iterable[ArrayLike] | None = None,
    *,
    bound: Bound | None = None,
    method: Literal["given", "watchdog"] = "given",
) -> Mechanism:
    """Merge subsets that are chosen by hand.

    Parameters
    ----------
    joint, eps, bound
        As in `merge`. The bound decides `.safe` and changes nothing else.
    subsets
        Disjoint lists of row numbers, required; all other rows stay as they are.
    releases
        R_i(y) over the members of each subset, in the order given there. Without it each subset
        is released as one value, and the mechanism is a partition.
    method
        The name to record in the mechanism.

    Returns
    -------
    Mechanism
        A partition without `releases`, else a channel.

    Raises
    ------
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.
    PartitionError
        When the subsets overlap or name rows that do not exist.
    MechanismError
        When a release rule has not one weight, zero or more, for each member.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> loglift.merge_subsets(joint, 0.5, [[0, 1]]).blocks
    (('a', 'b'), ('c',))
    """
    given, limit = as_joint(joint), bound_from(eps, bound)
    size = given.mass.shape[0]
    parts = as_subsets(subsets)
    labels = labels_of(parts, size)

    def most() -> float:
        return ceiling(Problem.of(given.scaled, limit))

    if releases is None:
        return partition_mechanism(
            given, labels, limit, method=method, upper_bound=most, scope=ALL_MERGINGS
        )
    rules = _as_rules(releases, len(parts))
    refuse_dense(size, size)
    channel = np.eye(size)
    for subset, release in zip(parts, rules, strict=True):
        rows = as_rows(subset, size)
        channel[rows] = 0
        channel[np.ix_(rows, rows)] = _release_rule(release, rows.size)
    return channel_mechanism(
        given, channel, limit, method=method, upper_bound=most, scope=ALL_MERGINGS
    )


def _as_rules(releases: Iterable[ArrayLike], subsets: int) -> list[ArrayLike]:
    if isinstance(releases, (str, bytes)) or not isinstance(releases, Iterable):
        raise MechanismError(f"the rules R(y) must be a list of distributions, got {releases!r}")
    rules = list(releases)
    if len(rules) != subsets:
        raise MechanismError(f"{len(rules)} rules R(y) for {subsets} subsets: give one each")
    return rules


def _release_rule(release: ArrayLike, size: int) -> FloatArray:
    try:
        rule = as_distribution(release)
    except JointError as error:
        raise MechanismError(f"R(y) is not a distribution: {error}") from None
    if rule.size != size:
        raise MechanismError(f"R(y) has {rule.size} entries for {size} values: give one each")
    return rule
