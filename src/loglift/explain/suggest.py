"""Suggest which rare sensitive values to group, and what could then be kept.

A group of sensitive values is one event: p(s in g|y)/p(s in g) is bounded. The inequalities of the
members add up to those of the group, so a partition that was safe stays safe and every step keeps
at least as much. The price: the bound then holds for the group and not for its members. A released
value may tell them apart within the group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import BoundError, MechanismError
from loglift.explain.again import (
    kept_by,
    problem_of,
    solve_again,
    with_events,
)
from loglift.explain.commands import Combined, combine_options
from loglift.joint import IntArray, Joint, as_joint
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import merge
from loglift.promise.bound import Bound, bound_from
from loglift.utility.utility import Utility
from loglift.values import checked_number

MIN_STEP_GAIN = 0.01  # of the goal
MAX_STEPS = 10  # of grouping, tried by default
MAX_PARTNERS = 3  # of the next rarest values that each step tries
MAX_USELESS_STEPS = 5  # without a gain, in a row: several rare values may bind together
MIN_EVENTS = 2  # of each sensitive variable that are left


@dataclass(frozen=True)
class Step:
    """One more grouping of sensitive values, and what is kept with it and those before it.

    Attributes
    ----------
    merged
        The sensitive values of the group that this step makes.
    groups
        All groups of more than one value after it.
    utility, kept
        What is kept of the goal, and its share.
    option
        What asks `protect` for all these groups, quoted for a shell; None where no option can.

    Examples
    --------
    >>> import loglift
    >>> table = [[30, 9, 1], [10, 30, 0], [20, 20, 0]]
    >>> joint = loglift.Joint(table, sensitive=["flu", "cold", "gout"])
    >>> loglift.suggest(joint, 0.5)[0].groups
    (('cold', 'gout'),)
    """

    merged: tuple[Any, ...]
    groups: tuple[tuple[Any, ...], ...]
    utility: float
    kept: float
    option: str | None = None


@dataclass(frozen=True)
class Suggestion:
    """The share of the goal that is kept without grouping, and the steps that would keep more."""

    kept: float
    steps: tuple[Step, ...]


def suggest(
    joint: Joint | ArrayLike,
    eps: float | None = None,
    *,
    bound: Bound | None = None,
    utility: Utility | None = None,
    min_gain: float = MIN_STEP_GAIN,
    most_steps: int = MAX_STEPS,
) -> list[Step]:
    """Suggest which rare sensitive values to group, one step at a time.

    Each step groups the rarest sensitive value (or group) with one of the next rarest of the same
    variable, the one that keeps most. The bound then holds for the group as a whole and not for its
    members: a released value may rule one of them out, or point at it, within the group.

    Parameters
    ----------
    joint, eps, bound, utility
        As in `merge`: the utility is the goal, I(X;Y) by default.
    min_gain
        The least share of the goal that a step must add for the steps up to it to be suggested.
    most_steps
        How many steps to try at most.

    Returns
    -------
    list of Step
        Empty when no grouping keeps more. Two sensitive values are always left.

    Raises
    ------
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.

    Examples
    --------
    >>> import loglift
    >>> table = [[30, 9, 1], [10, 30, 0], [20, 20, 0]]
    >>> joint = loglift.Joint(table, sensitive=["flu", "cold", "gout"])
    >>> [(step.merged, round(step.kept, 2)) for step in loglift.suggest(joint, 0.5)]
    [(('cold', 'gout'), 0.58)]
    """
    checked_number(min_gain, "min_gain", least=0, most=1, error=MechanismError)
    checked_number(most_steps, "most_steps", least=0, whole=True, error=MechanismError)
    given, limit = as_joint(joint), bound_from(eps, bound)
    _refuse_values(limit)
    found = merge(given, bound=limit, utility=utility)
    return _useful_steps(given, found, min_gain=min_gain, most_steps=most_steps)


def suggestion_of(joint: Joint, bound: Bound, combined: Combined | None = None) -> Suggestion:
    """Merge the public values of a joint, and suggest sensitive values to group.

    `combined` are the groups that sensitive values of the joint stand for already, by column.
    """
    _refuse_values(bound)
    found = merge(joint, bound=bound)
    if combined:
        found = replace(
            found,
            sensitive=tuple(
                replace(c, combined=tuple(map(tuple, combined.get(c.name, ()))))
                for c in found.sensitive
            ),
        )
    steps = _useful_steps(joint, found, min_gain=MIN_STEP_GAIN, most_steps=MAX_STEPS)
    return Suggestion(kept_by(joint, found, found.partition), tuple(steps))


def _refuse_values(bound: Bound) -> None:
    if not bound.is_plain:
        raise BoundError(
            "what to group is suggested for one bound on all sensitive values: leave the bounds of "
            "single ones (--bound, --beta) out, or the suggestion (--suggest)"
        )


def _useful_steps(
    joint: Joint, mechanism: Mechanism, *, min_gain: float, most_steps: int
) -> list[Step]:
    """Group rare sensitive values step by step; return the steps up to the last that helps."""
    steps: list[Step] = []
    useful, reached = 0, kept_by(joint, mechanism, mechanism.partition)
    enough = max(min_gain, 1e-9)
    for step in islice(steps_of(joint, mechanism, mechanism.partition), most_steps):
        steps.append(step)
        if step.kept - reached > enough:
            useful, reached = len(steps), step.kept
        if len(steps) == useful + MAX_USELESS_STEPS:
            break
    return steps[:useful]


def steps_of(
    joint: Joint, mechanism: Mechanism, labels: IntArray, partners: int = MAX_PARTNERS
) -> Iterator[Step]:
    """Yield steps from a safe partition until two values of each variable are left.

    Steps are yielded whether they help or not. Each tries the `partners` next rarest values.
    """
    problem, events = problem_of(joint, mechanism), np.arange(len(joint.sensitive))
    while choices := _choices(joint, events, partners):
        trials = [
            (solve_again(with_events(problem, trial), labels, mechanism), trial)
            for trial in choices
        ]
        labels, after = max(trials, key=lambda trial: kept_by(joint, mechanism, trial[0]))
        yield _step(joint, mechanism, events, after, labels)
        events = after


def _choices(joint: Joint, events: IntArray, partners: int) -> list[IntArray]:
    """Group the rarest event with each of the next rarest of its variable; two are always left."""
    mass = np.bincount(events, joint.scaled.sum(axis=0))
    variable = np.zeros_like(events)
    for number, each in enumerate(joint.variables):
        variable[events[each.place]] = number
    told = np.unique(events)
    crowded = [e for e in told if (variable[told] == variable[e]).sum() > MIN_EVENTS]
    if not crowded:
        return []
    rarest = min(crowded, key=lambda event: mass[event])
    others = [e for e in crowded if variable[e] == variable[rarest] and e != rarest]
    others.sort(key=lambda event: mass[event])
    return [np.where(events == rarest, other, events) for other in others[:partners]]


def _step(
    joint: Joint, mechanism: Mechanism, before: IntArray, after: IntArray, labels: IntArray
) -> Step:
    def members(event: Any) -> tuple[Any, ...]:
        return tuple(joint.event(int(s)) for s in np.flatnonzero(after == event))

    changed = after[before != after][0]
    groups = [members(event) for event in np.flatnonzero(np.bincount(after) > 1)]
    return Step(
        members(changed),
        tuple(groups),
        mechanism.goal.kept(joint, labels),
        kept_by(joint, mechanism, labels),
        combine_options(joint, groups, mechanism.combined),
    )
