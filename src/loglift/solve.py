"""From a joint and a bound to a mechanism: the wrappers around the solvers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift.bound import Bound, as_bound, bipartition
from loglift.errors import JointError, MechanismError
from loglift.joint import FloatArray, Joint, as_distribution, as_joint
from loglift.measures.partition import as_rows, labels_of
from loglift.mechanism import Mechanism, channel_mechanism, partition_mechanism
from loglift.merging.ceiling import ceiling
from loglift.merging.complete import complete
from loglift.merging.greedy import greedy

Method: TypeAlias = Literal["complete", "greedy"]


def merge(
    joint: Joint | ArrayLike, eps: float | Bound, *, method: Method, absorb: bool = False
) -> Mechanism:
    """Merge public values until the blocks are safe.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps
        The bound on |log-lift| in nats, or a `Bound`.
    method
        "complete" releases all high-risk values as one (the original watchdog); "greedy" is
        Algorithm 1 of the paper.
    absorb
        With "greedy": when the high-risk values cannot be made safe among themselves, go on with
        low-risk ones. Without it the result may be unsafe; its `.safe` tells.

    """
    given, bound = as_joint(joint), as_bound(eps)
    if method == "complete":
        if absorb:
            raise MechanismError("absorb belongs to method='greedy': drop one of the two")
        labels = complete(given.scaled, bound)
    elif method == "greedy":
        labels = greedy(given.scaled, bound, absorb=absorb)
    else:
        raise MechanismError(f"no method {method!r}: choose one of {', '.join(get_args(Method))}")
    return partition_mechanism(
        given, labels, bound, method=method, upper_bound=ceiling(given.scaled, bound)
    )


def watchdog(
    joint: Joint | ArrayLike, eps: float | Bound, release: ArrayLike | None = None
) -> Mechanism:
    """Return the watchdog's general form, equation 3.

    Low-risk values stay as they are; a high-risk value is replaced by a draw from R(y) on the
    high-risk set. The log-lift of every such y, and I(X;Y), are the same whatever R is.

    Parameters
    ----------
    joint, eps
        As in `merge`.
    release
        R(y) over the high-risk values in row order; by default all of it on the first one.

    """
    given, bound = as_joint(joint), as_bound(eps)
    high_risk = bipartition(given, bound).high_risk
    if high_risk.size == 0:
        if release is not None:
            raise MechanismError("no value is high-risk under this bound: leave R(y) out")
        return merge_subsets(given, bound, [], [], method="watchdog")
    rule = np.eye(1, high_risk.size)[0] if release is None else release
    return merge_subsets(given, bound, [high_risk], [rule], method="watchdog")


def merge_subsets(
    joint: Joint | ArrayLike,
    eps: float | Bound,
    subsets: Sequence[ArrayLike],
    releases: Sequence[ArrayLike] | None = None,
    *,
    method: str = "given subsets",
) -> Mechanism:
    """Subset merging with subsets chosen by hand.

    Parameters
    ----------
    joint, eps
        As in `merge`; the bound decides `.safe`, it changes nothing else.
    subsets
        Disjoint lists of row numbers; rows in none of them stay as they are.
    releases
        R_i(y) over the members of each subset, in the order given there. Without it each subset
        is released as one value, and the mechanism is a partition.
    method
        The name to record in the mechanism.

    """
    given, bound = as_joint(joint), as_bound(eps)
    size = given.mass.shape[0]
    labels = labels_of(subsets, size)
    most = ceiling(given.scaled, bound)
    if releases is None:
        return partition_mechanism(given, labels, bound, method=method, upper_bound=most)
    if len(releases) != len(subsets):
        raise MechanismError(
            f"{len(releases)} rules R(y) for {len(subsets)} subsets: give one each"
        )
    channel = np.eye(size)
    for subset, release in zip(subsets, releases, strict=True):
        rows = as_rows(subset, size)
        channel[rows] = 0
        channel[np.ix_(rows, rows)] = _release_rule(release, rows.size)
    return channel_mechanism(given, channel, bound, method=method, upper_bound=most)


def _release_rule(release: ArrayLike, size: int) -> FloatArray:
    try:
        rule = as_distribution(release)
    except JointError as error:
        raise MechanismError(f"R(y) is not a distribution: {error}") from None
    if rule.size != size:
        raise MechanismError(f"R(y) has {rule.size} entries for {size} values: give one each")
    return rule
