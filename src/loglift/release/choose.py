"""Choosing the mechanism of a release: a partition, a certified partition, or a channel.

Three functions of one signature, from counts and options to a mechanism that is safe on these
counts in exact arithmetic. `choose` picks the one that the options ask for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from loglift._compute.kernels import many_problems
from loglift.certify.certificate import hash_counts
from loglift.confidence.partition import Uncertified, certified_partition
from loglift.confidence.population import Population
from loglift.errors import UnsafeError
from loglift.joint import IntArray, Joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism, partition_mechanism
from loglift.mechanism.scope import ALL_MERGINGS
from loglift.merging.intact import as_groups
from loglift.merging.merge import merge
from loglift.promise.bound import TOLERANCE, Bound
from loglift.promise.integers import exactly_safe
from loglift.randomizing.randomize import randomize
from loglift.release.options import CHOOSE_SHARE, Options
from loglift.report.population import uncertified
from loglift.sparse import block_sums
from loglift.utility.utility import Utility


@dataclass(frozen=True, eq=False)
class Choice:
    """A mechanism for a table, and what is certified for its population where that was asked."""

    mechanism: Mechanism
    population: Population | None = None


def choose(
    joint: Joint, options: Options, bound: Bound, goal: Utility, start: IntArray | None = None
) -> Choice:
    """Choose the mechanism that the options ask for; `start` is a partition to start from."""
    if options.method == "randomized":
        return choose_channel(joint, options, bound, goal, start)
    if options.confidence is not None:
        return choose_certified(joint, options, bound, goal, start)
    return choose_partition(joint, options, bound, goal, start)


def choose_partition(
    joint: Joint, options: Options, bound: Bound, goal: Utility, start: IntArray | None = None
) -> Choice:
    """Choose a partition by merging.

    A table that is safe as it is stays as it is. Where the partition that `merge` finds passes with
    the solvers' tolerance only, it is looked for just inside the bound.
    """
    shown, least, intact = options.shown(joint), options.min_count or 0, options.groups(joint)
    made: dict[str, Any] = {"method": options.method, "min_count": options.min_count}
    aimed = {**made, "goal": goal}
    alone = np.arange(len(shown.public))
    if shown.weight.min() >= least and _holds(alone, shown, bound):
        mechanism = partition_mechanism(
            shown,
            alone,
            bound,
            upper_bound=goal.most(shown),
            scope=ALL_MERGINGS,
            groups=None if intact is None else as_groups(intact, shown.public).numbers,
            **aimed,
        )
        return Choice(replace(mechanism, intact=options.intact_columns))
    solve = partial(
        merge,
        shown,
        utility=goal,
        over=options.over,
        intact=intact,
        time_limit=options.time_limit,
        start=start,
        **made,
    )
    first = found = solve(bound=bound)
    if found.safe and not _holds(found.partition, shown, bound):
        margin = 10 * TOLERANCE
        sides = (max(0.0, side - margin) for side in (bound.lower, bound.upper))
        found = solve(bound=Bound(*sides))
    if not found.safe:
        raise UnsafeError(
            "merging high-risk values among themselves leaves a leakage of "
            f"{found.leakage:.4g} nats: use over='all' (--over all), which may merge low-risk "
            "values too"
        )
    mechanism = partition_mechanism(
        shown,
        _exactly_inside(found, shown, bound),
        bound,
        upper_bound=first.upper_bound,  # proven for the bound itself, not for the one just inside
        scope=first.upper_bound_scope,
        groups=found.groups,
        **aimed,
    )
    return Choice(replace(mechanism, intact=options.intact_columns))


def choose_certified(
    joint: Joint, options: Options, bound: Bound, goal: Utility, start: IntArray | None = None
) -> Choice:
    """Choose a partition that is certified for the population, by records that had no say in it.

    The split of the records is drawn from the hash of their counts: running it again gives the same
    answer, so that nobody draws again until it passes.
    """
    if options.confidence is None:
        raise TypeError("a certified partition needs a confidence")
    share = CHOOSE_SHARE if options.choose_share is None else options.choose_share
    with many_problems():
        plain = choose_partition(joint, options, bound, goal, start).mechanism
        found = certified_partition(
            joint,
            plain,
            confidence=options.confidence,
            choose_share=share,
            seed=int(hash_counts(options.shown(joint))[:12], 16),
        )
    if isinstance(found, Uncertified):
        raise UnsafeError(uncertified(found))
    mechanism = partition_mechanism(
        options.shown(joint),
        found.labels,
        bound,
        method=options.method,
        goal=goal,
        min_count=options.min_count,
        upper_bound=plain.upper_bound,  # what holds without the confidence holds with it
        scope=plain.upper_bound_scope,
    )
    return Choice(replace(mechanism, unseen=found.unseen), found.population)


def choose_channel(
    joint: Joint, options: Options, bound: Bound, goal: Utility, start: IntArray | None = None
) -> Choice:
    """Choose a channel p(y|x) in whole numbers, of the largest utility that is found."""
    shown, least = options.shown(joint), options.min_count
    return Choice(randomize(shown, bound=bound, utility=goal, min_count=least, start=start))


def _holds(labels: IntArray, joint: Joint, bound: Bound) -> bool:
    """Whether every block is safe for every sensitive variable, exactly."""
    return bool(exactly_safe(block_sums(joint.mass, labels), bound).all())


def _exactly_inside(found: Mechanism, joint: Joint, bound: Bound) -> IntArray:
    """Merge blocks that fail the exact check into the largest of their group, until none fails.

    Only eps = 0 on very large counts comes here, where safe and unsafe differ by less than a
    float can tell. The whole alphabet has lifts of exactly one, so this ends; a group that fails
    as a whole is refused.
    """
    labels = found.partition
    groups = np.zeros_like(labels) if found.groups is None else found.groups
    while not _holds(labels, joint, bound):
        unsafe = ~exactly_safe(block_sums(joint.mass, labels), bound)
        weight = block_sums(joint.weight, labels)
        group_of = np.zeros(unsafe.size, dtype=np.int64)
        group_of[labels] = groups
        for group in np.unique(group_of[unsafe]):
            inside = np.flatnonzero(group_of == group)
            if inside.size == 1:
                value = joint.public[int(np.flatnonzero(groups == group)[0])]
                raise UnsafeError(
                    f"the intact group of {value!r} is not safe even as one released value, "
                    "by a rounding error: use a larger eps, or leave intact (--intact) out"
                )
            unsafe[inside[weight[inside].argmax()]] = True
            if unsafe[inside].sum() == 1:
                unsafe[inside] = True
        labels = canonical(np.where(unsafe[labels], -1 - groups, labels))
    return labels
