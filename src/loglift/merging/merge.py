"""From a joint and a bound to a mechanism: the wrappers around the solvers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral, Real
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import JointError, MechanismError, UnsafeError
from loglift.joint import FloatArray, IntArray, Joint, as_distribution, as_joint
from loglift.measures.entropy import entropy
from loglift.measures.partition import as_rows, as_subsets, canonical, labels_of
from loglift.mechanism.mechanism import (
    Mechanism,
    channel_mechanism,
    partition_mechanism,
    refuse_dense,
)
from loglift.mechanism.scope import ALL_MERGINGS, merging_scope
from loglift.merging.ceiling import ceiling
from loglift.merging.complete import complete
from loglift.merging.greedy import greedy
from loglift.merging.intact import (
    Groups,
    GroupsLike,
    as_groups,
    ceiling_in_groups,
    in_groups,
    refuse_small,
    refuse_unsafe,
)
from loglift.merging.minimum import fill_up
from loglift.merging.ordered import ordered
from loglift.merging.search import default_iterations
from loglift.merging.searching import Searcher
from loglift.promise.bound import Bound, as_bound, bipartition, safe_rows
from loglift.sparse import block_sums, dense

Method: TypeAlias = Literal["search", "exact", "ordered", "greedy", "complete"]
Over: TypeAlias = Literal["all", "high-risk"]
SEARCHING = frozenset({"search", "exact"})  # methods that improve a partition step by step


def merge(
    joint: Joint | ArrayLike,
    eps: float | Bound,
    method: Method = "search",
    *,
    absorb: bool = False,
    over: Over | None = None,
    min_count: int | None = None,
    groups: GroupsLike | None = None,
    start: ArrayLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Mechanism:
    """Merge public values until the blocks are safe, keeping as much information as possible.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps
        The bound on |log-lift| in nats, or a `Bound`.
    method
        "search" looks for the best partition of the whole alphabet; "exact" finds it and proves
        it, for up to about a hundred values; "ordered" finds the best one whose blocks are runs of
        rows, for an ordered attribute, and proves it; "greedy" is Algorithm 1 of the paper;
        "complete" releases all high-risk values as one (the original watchdog).
    absorb
        For "greedy" and "complete": when the high-risk values are unsafe even as one block, go on
        with low-risk ones, least omega first. Without it the result may be unsafe; `.safe` tells.
    over
        "all" may merge any values, and always ends safe (it implies `absorb`); "high-risk" leaves
        low-risk values alone, as the paper does, and may end unsafe. By default "all" for
        "search" and "exact", and what `absorb` says for the others. "ordered" takes "all" only.
    min_count
        The least mass of every block, on the scale of the joint (records, for counts).
    groups
        Values of different groups are never merged: a list with one group for each public value,
        in row order, or a mapping of the public values. Blocks are still bounded against the
        whole table's p(s).
    start
        For "search" and "exact": a partition to start from, as block numbers; the result is never
        worse.
    iterations, seed
        For "search" and "exact": how long to go on improving (more never gives less), and the seed.
    time_limit
        Seconds. "exact" stops then with the best partition known and the `.upper_bound` proven so
        far, by default after 60 (beyond 2000 values it begins no proof); "search" goes on improving
        until then, by default not at all.

    Raises
    ------
    UnsafeError
        When the whole table, or a group, has less mass than `min_count`, or when a group is
        unsafe even as one block.

    """
    given, bound = as_joint(joint), as_bound(eps)
    check_choice(method, get_args(Method), "method")
    check_over(method, over)
    if not isinstance(absorb, bool):
        raise MechanismError(f"absorb must be True or False, got {absorb!r}")
    _refuse_unused(method, absorb, over, start=start, iterations=iterations, time_limit=time_limit)
    least = checked_mass(given, min_count)
    among = _checked_groups(given, bound, groups, least, runs=method == "ordered")
    scope = merging_scope(
        method,
        high_risk_only=over == "high-risk",
        least=least > 0,
        grouped=len(among.names) > 1,
    )
    if method == "ordered":
        return _ordered(given, bound, least, among, scope)
    if method in SEARCHING:
        searcher = _searcher(given, bound, over, least, start, iterations, seed, time_limit)
        solve = searcher.prove if method == "exact" else searcher.search
        proof = solve(given.scaled, among)
        labels, most = proof.labels, proof.most
        unmet = least if over == "high-risk" else 0.0
    else:
        labels = _by_omega(given, bound, method, absorb=absorb or over == "all", among=among)
        unmet, most = least, math.inf
    if unmet > 0:
        labels = _filled_up(given, labels, unmet, among)
    made = partition_mechanism(given, labels, bound, method=method, upper_bound=most, scope=scope)
    if made.optimal:
        return made
    return replace(made, upper_bound=min(most, ceiling_in_groups(given.scaled, bound, among)))


def _refuse_unused(method: Method, absorb: bool, over: Over | None, **searching: object) -> None:
    """Raise if an option does not go with the method, or with another: none is dropped."""
    unused = [name for name, value in searching.items() if value is not None]
    if method not in SEARCHING and unused:
        raise MechanismError(f"{unused[0]} is for search and exact: leave it out with {method}")
    if absorb and method not in ("greedy", "complete"):
        raise MechanismError(f"absorb is for greedy and complete: leave it out with {method}")
    if over == "high-risk" and absorb:
        raise MechanismError("over='high-risk' and absorb contradict each other: give only one")


def _checked_groups(
    given: Joint, bound: Bound, groups: GroupsLike | None, least: float, *, runs: bool
) -> Groups:
    """Return the groups, one if none are given, after checking that each can be made safe."""
    if groups is None:
        return Groups.one(given.mass.shape[0])
    among = as_groups(groups, given.public)
    among = among.runs() if runs else among
    refuse_unsafe(given.scaled, bound, among)
    refuse_small(given.mass.sum(axis=1), among, least)
    return among


def _ordered(given: Joint, bound: Bound, least: float, among: Groups, scope: str) -> Mechanism:
    """The best partition into runs of rows; its utility is the most any of that kind has."""
    scaled_least = least * float(given.scaled.sum()) / given.total
    labels = in_groups(
        dense(given.scaled),
        among,
        lambda mass, rows, _: ordered(mass, bound, least=scaled_least, rows=rows),
    )
    most = entropy(block_sums(given.p_public, labels))
    return partition_mechanism(
        given, labels, bound, method="ordered", upper_bound=most, scope=scope
    )


def _by_omega(
    given: Joint, bound: Bound, method: Method, *, absorb: bool, among: Groups
) -> IntArray:
    """Complete merging or Algorithm 1, in every group."""

    def algorithm1(mass: FloatArray, rows: IntArray, _: IntArray) -> IntArray:
        return greedy(mass[rows], bound, absorb=absorb, prior=mass.sum(axis=0))

    whole = dense(given.scaled)
    if method == "greedy":
        return in_groups(whole, among, algorithm1)
    labels = in_groups(whole, among, lambda mass, rows, _: complete(mass, bound, rows=rows))
    if absorb and not safe_rows(block_sums(whole, labels), bound).all():
        # All high-risk values are one unsafe block: Algorithm 1 ends there too, and absorbs.
        return in_groups(whole, among, algorithm1)
    return labels


def _filled_up(given: Joint, labels: IntArray, least: float, among: Groups) -> IntArray:
    """Merge blocks too small for `least`, in every group."""
    weight = given.mass.sum(axis=1)
    return in_groups(
        given.scaled,
        among,
        lambda _mass, _rows, members: fill_up(weight[members], canonical(labels[members]), least),
    )


def _searcher(
    given: Joint,
    bound: Bound,
    over: Over | None,
    least: float,
    start: ArrayLike | None,
    iterations: int | None,
    seed: int,
    time_limit: float | None,
) -> Searcher:
    """Check the options of "search" and "exact" and put them together."""
    check_whole(iterations=iterations, seed=seed)
    size = given.mass.shape[0]
    return Searcher(
        bound=bound,
        # Low-risk values left alone can be too small, too: they are merged afterwards.
        least=0.0 if over == "high-risk" else least * float(given.scaled.sum()) / given.total,
        start=None if start is None else canonical(start, size=size),
        high_risk_only=over == "high-risk",
        iterations=int(default_iterations(given.mass.shape) if iterations is None else iterations),
        seed=int(seed),
        time_limit=_checked_seconds(time_limit),
    )


def _checked_seconds(time_limit: float | None) -> float | None:
    number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit >= 0):
        raise MechanismError(f"time_limit must be a number of seconds, got {time_limit!r}")
    return None if time_limit is None else float(time_limit)


def check_choice(value: object, choices: tuple[str, ...], name: str) -> None:
    """Refuse what is none of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise MechanismError(f"no {name} {value!r}: choose one of {', '.join(choices)}")


def check_over(method: str, over: str | None) -> None:
    """Raise if `over` does not exist, or if the method would ignore it."""
    if over is not None:
        check_choice(over, get_args(Over), "over")
    if method == "ordered" and over == "high-risk":
        raise MechanismError(
            "runs of an ordered column may have to hold low-risk values too: use over='all' "
            "(--over all) with 'ordered', or 'search' with over='high-risk'"
        )


def check_whole(**numbers: int | None) -> None:
    """Refuse options that are given and are no whole numbers."""
    for name, number in numbers.items():
        if number is not None and not (isinstance(number, Integral) and number >= 0):
            raise MechanismError(f"{name} must be a whole number, zero or more, got {number!r}")


def checked_mass(given: Joint, min_count: float | None) -> float:
    """Return the least mass of a block, zero when none is asked for."""
    if min_count is None:
        return 0
    number = isinstance(min_count, Real) and not isinstance(min_count, bool)
    if not number or not 0 < min_count < np.inf:
        raise MechanismError(f"min_count must be a positive number, got {min_count!r}")
    if given.total < min_count:
        raise UnsafeError(
            f"no release can have {min_count} records for every value: there are {given.total}"
        )
    return min_count


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
        return partition_mechanism(
            given, labels, bound, method=method, upper_bound=most, scope=ALL_MERGINGS
        )
    rules = _as_rules(releases, len(parts))
    refuse_dense(size, size)
    channel = np.eye(size)
    for subset, release in zip(parts, rules, strict=True):
        rows = as_rows(subset, size)
        channel[rows] = 0
        channel[np.ix_(rows, rows)] = _release_rule(release, rows.size)
    return channel_mechanism(
        given, channel, bound, method=method, upper_bound=most, scope=ALL_MERGINGS
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
