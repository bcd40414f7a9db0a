"""From a joint and a bound to a mechanism: the wrappers around the solvers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift.bound import Bound, as_bound, bipartition, safe_rows
from loglift.errors import JointError, MechanismError
from loglift.joint import FloatArray, Joint, as_distribution, as_joint
from loglift.measures.partition import as_rows, as_subsets, block_sums, labels_of
from loglift.mechanism import (
    Mechanism,
    channel_mechanism,
    partition_mechanism,
    refuse_dense,
)
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
        When the high-risk values are unsafe even as one block, go on with low-risk ones, least
        omega first. Without it the result may be unsafe; its `.safe` tells.

    """
    given, bound = as_joint(joint), as_bound(eps)
    if not isinstance(method, str) or method not in get_args(Method):
        raise MechanismError(f"no method {method!r}: choose one of {', '.join(get_args(Method))}")
    if not isinstance(absorb, bool):
        raise MechanismError(f"absorb must be True or False, got {absorb!r}")
    if method == "complete":
        labels = complete(given.scaled, bound)
        if absorb and not safe_rows(block_sums(given.scaled, labels), bound).all():
            # All high-risk values are one unsafe block: Algorithm 1 ends there too, and absorbs.
            labels = greedy(given.scaled, bound, absorb=True)
    else:
        labels = greedy(given.scaled, bound, absorb=absorb)
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
    subsets: Iterable[ArrayLike],
    releases: Iterable[ArrayLike] | None = None,
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
    parts = as_subsets(subsets)
    labels = labels_of(parts, size)
    most = ceiling(given.scaled, bound)
    if releases is None:
        return partition_mechanism(given, labels, bound, method=method, upper_bound=most)
    rules = _as_rules(releases, len(parts))
    refuse_dense(size, size)
    channel = np.eye(size)
    for subset, release in zip(parts, rules, strict=True):
        rows = as_rows(subset, size)
        channel[rows] = 0
        channel[np.ix_(rows, rows)] = _release_rule(release, rows.size)
    return channel_mechanism(given, channel, bound, method=method, upper_bound=most)


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
