"""Choosing the mechanism of a release: a partition, a channel, or one that is certified.

From counts and options to a mechanism that is safe on these counts in exact arithmetic. `choose`
picks what the options ask for; channels and certified mechanisms have files of their own.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift._compute.progress import OnProgress, silent
from loglift.confidence.population import Population
from loglift.errors import PartitionError, UnsafeError
from loglift.joint import IntArray, Joint
from loglift.measures.partition import canonical
from loglift.mechanism.making import partition_mechanism
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.scope import ALL_MERGINGS, WHOLE_BLOCKS
from loglift.merging.intact import as_groups
from loglift.merging.merge import SEARCHING, merge, refuse_over
from loglift.promise.bound import Bound
from loglift.promise.integers import exactly_safe
from loglift.promise.knowledge import Knowledge, Released
from loglift.promise.limits import TOLERANCE
from loglift.release.earlier import atoms_of
from loglift.release.options import Options
from loglift.sparse import block_sums
from loglift.utility.utility import Utility


@dataclass(frozen=True, eq=False)
class Task:
    """What to choose a mechanism for.

    Attributes
    ----------
    joint
        The counts, as the table was counted.
    options
        What was asked for.
    bound
        The bound, with the sensitive values of the table.
    goal
        What is worth keeping.
    knowledge
        What readers know to whom the bound is kept as well.
    start
        A partition to start from.

    """

    joint: Joint
    options: Options
    bound: Bound
    goal: Utility
    knowledge: tuple[Knowledge, ...] = ()
    start: IntArray | None = None

    @cached_property
    def shown(self) -> Joint:
        """The counts with the sensitive variables that are bounded."""
        return self.options.shown(self.joint)

    @cached_property
    def atoms(self) -> IntArray | None:
        """The partition whose blocks are merged whole: that of an earlier release."""
        options = self.options
        if options.update is not None:
            return atoms_of(self.joint, options.update, new_values=True)
        if options.coarser_than is not None:
            return atoms_of(self.joint, options.coarser_than, new_values=False)
        return None


@dataclass(frozen=True, eq=False)
class Choice:
    """A mechanism for a table, and what is certified for its population where that was asked.

    `kept_without` is the share of the goal that a release keeps without the readers who know more;
    it is None without such readers.
    """

    mechanism: Mechanism
    population: Population | None = None
    kept_without: float | None = None


def choose(task: Task, on_progress: OnProgress = silent) -> Choice:
    """Choose the mechanism that the options ask for; randomizing tells how far it is."""
    if task.options.confidence is not None:
        from loglift.release.choose_certified import choose_certified  # noqa: PLC0415, when asked for

        return choose_certified(task, on_progress)
    if task.options.method == "randomized":
        from loglift.release.choose_channel import choose_channel  # noqa: PLC0415, when asked for

        return choose_channel(task, on_progress)
    return choose_partition(task)


def choose_partition(task: Task) -> Choice:
    """Choose a partition by merging.

    A table that is safe as it is stays as it is. Where the partition that `merge` finds passes with
    the solvers' tolerance only, it is looked for just inside the bound. With readers who know more,
    the partition for readers who do not is chosen first: it tells what they cost, and it is a good
    start.
    """
    if not task.knowledge:
        return _choose_partition(task)
    plain = _choose_partition(replace(task, knowledge=())).mechanism
    start = plain.partition if task.start is None else task.start
    found = _choose_partition(replace(task, start=start))
    apart = _with_known_apart(task)
    if apart is not None and apart.utility > found.mechanism.utility:
        found = _choose_partition(replace(task, start=apart.partition))
    most = task.goal.most(task.shown)
    return replace(found, kept_without=plain.utility / most if most else 1.0)


def _with_known_apart(task: Task) -> Mechanism | None:
    """Choose a partition that merges no two values of public columns that readers know.

    None where that is not possible. It is a good start: what a known value tells is free.
    """
    options = task.options
    known = tuple(name for name in options.known if name in options.public)
    if not known or options.intact is not None or options.method not in SEARCHING:
        return None
    with suppress(UnsafeError, PartitionError):
        return _choose_partition(replace(task, options=replace(options, intact=known))).mechanism
    return None


def _choose_partition(task: Task) -> Choice:
    shown, options, bound, goal = task.shown, task.options, task.bound, task.goal
    least, intact, atoms = options.min_count or 0, options.groups(task.joint), task.atoms
    made: dict[str, Any] = {"method": options.method, "min_count": options.min_count}
    aimed = {**made, "goal": goal, "knowledge": task.knowledge}
    alone = np.arange(len(shown.public)) if atoms is None else atoms
    if block_sums(shown.records, alone).min() >= least and _safe(alone, task).all():
        mechanism = partition_mechanism(
            shown,
            alone,
            bound,
            upper_bound=goal.most(shown) if atoms is None else goal.kept(shown, alone),
            scope=ALL_MERGINGS if atoms is None else WHOLE_BLOCKS,
            groups=None if intact is None else as_groups(intact, shown.public).numbers,
            **aimed,
        )
        return Choice(replace(mechanism, intact=options.intact_columns))
    searching = options.method in SEARCHING
    solve = partial(
        merge,
        shown,
        utility=goal,
        over=options.over,
        intact=intact,
        time_limit=options.time_limit,
        start=task.start if searching else None,
        coarser_than=atoms,
        promises=task.knowledge,
        max_block=options.max_block,
        **made,
    )
    first = found = solve(bound=bound)
    if found.safe and not _safe(found.partition, task).all():
        found = solve(bound=bound.inside(10 * TOLERANCE))
    if not found.safe:
        raise UnsafeError(
            "merging high-risk values among themselves leaves a leakage of "
            f"{found.leakage:.4g} nats: use over='all' (--over all), which may merge low-risk "
            "values too"
        )
    labels = _exactly_inside(found, task)
    refuse_over(labels, options.max_block or math.inf, exactly=False)
    mechanism = partition_mechanism(
        shown,
        labels,
        bound,
        upper_bound=first.upper_bound,  # proven for the bound itself, not for the one just inside
        scope=first.upper_bound_scope,
        groups=found.groups,
        **aimed,
    )
    return Choice(replace(mechanism, intact=options.intact_columns))


def _safe(labels: IntArray, task: Task) -> NDArray[np.bool_]:
    """Return which blocks are safe, for every sensitive variable and every reader, exactly."""
    shown = task.shown
    limits = task.bound.on(shown)
    safe = exactly_safe(block_sums(shown.mass, labels), limits)
    for each in task.knowledge:
        safe = safe & each.safe(Released(labels), limits)
    return safe


def _exactly_inside(found: Mechanism, task: Task) -> IntArray:
    """Merge blocks that fail the exact check into the largest of their group, until none fails.

    Only eps = 0 on very large counts comes here, where safe and unsafe differ by less than a
    float can tell. The whole alphabet has lifts of exactly one, so this ends; a group that fails
    as a whole is refused.
    """
    joint, labels = task.shown, found.partition
    groups = np.zeros_like(labels) if found.groups is None else found.groups
    while not (safe := _safe(labels, task)).all():
        unsafe = ~safe
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
