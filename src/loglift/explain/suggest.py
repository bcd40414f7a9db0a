"""Suggest which rare sensitive values to group, and what could then be kept.

A group of sensitive values is one event: p(s in g|y)/p(s in g) is bounded. Adding up the
inequalities of its members gives those of the group, so a partition that was safe stays safe and
every step keeps at least as much. What grouping gives up: the bound then holds for the group and
not for its members. A released value may tell them apart within the group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import MechanismError
from loglift.explain.case import Case
from loglift.joint import IntArray, Joint, as_joint
from loglift.merging.merge import merge
from loglift.promise.bound import Bound, as_bound

GAIN = 0.01  # of H(X): less is not worth a step
PARTNERS = 3  # how many of the next rarest values each step tries
PATIENCE = 5  # steps without a gain before giving up: several rare values may bind together


@dataclass(frozen=True)
class Step:
    """One more grouping of sensitive values, and what is kept with it and those before it.

    `merged` are the sensitive values of the group this step makes, `groups` all groups of more
    than one value there are after it; `kept` is the share of H(X).
    """

    merged: tuple[Any, ...]
    groups: tuple[tuple[Any, ...], ...]
    utility: float
    kept: float


@dataclass(frozen=True)
class Suggestion:
    """The share of H(X) that is kept as things are, and the steps that would keep more."""

    kept: float
    steps: tuple[Step, ...]


def suggest(
    joint: Joint | ArrayLike,
    eps: float | Bound,
    *,
    min_gain: float = GAIN,
    most_steps: int = 10,
) -> list[Step]:
    """Suggest which rare sensitive values to group, one step at a time.

    Each step groups the rarest sensitive value (or group) with one of the next rarest, the one
    that keeps most. The bound then holds for the group as a whole and no longer for its members:
    a released value may rule one of them out, or point at it, within the group.

    Parameters
    ----------
    joint, eps
        As in `merge`.
    min_gain
        The least share of H(X) a step has to add for the steps up to it to be suggested.
    most_steps
        How many steps to try at most.

    Returns
    -------
    list of Step
        Empty when no grouping keeps more. Two sensitive values are always left.

    """
    if not 0 <= min_gain <= 1 or not most_steps >= 0:
        raise MechanismError("min_gain must be a share between 0 and 1, most_steps not negative")
    given, bound = as_joint(joint), as_bound(eps)
    found = merge(given, bound)
    if found.labels is None:
        raise TypeError("merge returns partitions")
    case = Case.of_joint(given, bound)
    return suggested(case, found.labels, min_gain=min_gain, most_steps=most_steps)


def suggested(
    case: Case,
    labels: IntArray,
    *,
    min_gain: float = GAIN,
    most_steps: int = 10,
    partners: int = PARTNERS,
) -> list[Step]:
    """Group rare sensitive values of a case, each time of one variable, from a safe partition."""
    steps: list[Step] = []
    useful, reached = 0, case.utility(labels)
    for step in islice(steps_of(case, labels, partners), most_steps):
        steps.append(step)
        if step.utility - reached > max(min_gain * case.entropy, 1e-9):
            useful, reached = len(steps), step.utility
        if len(steps) == useful + PATIENCE:
            break
    return steps[:useful]


def steps_of(case: Case, labels: IntArray, partners: int) -> Iterator[Step]:
    """Go on grouping until two values of each variable are left, useful or not."""
    events = np.arange(len(case.names))
    while choices := _choices(case, events, partners):
        trials = [(case.solved(case.problem(events=trial), labels), trial) for trial in choices]
        labels, after = max(trials, key=lambda trial: case.utility(trial[0]))
        yield _step(case, events, after, labels)
        events = after


def _choices(case: Case, events: IntArray, partners: int) -> list[IntArray]:
    """Group the rarest event with each of the next rarest of its variable; two are always left."""
    mass = np.bincount(events, case.mass.sum(axis=0))
    variable = np.zeros_like(events)
    variable[events] = case.variables
    told = np.unique(events)
    crowded = [e for e in told if (variable[told] == variable[e]).sum() > 2]  # noqa: PLR2004, yes or no
    if not crowded:
        return []
    rarest = min(crowded, key=lambda event: mass[event])
    others = [e for e in crowded if variable[e] == variable[rarest] and e != rarest]
    others.sort(key=lambda event: mass[event])
    return [np.where(events == rarest, other, events) for other in others[:partners]]


def _step(case: Case, before: IntArray, after: IntArray, labels: IntArray) -> Step:
    changed = after[before != after][0]
    sizes = np.bincount(after)
    groups = [_members(case, after, event) for event in np.flatnonzero(sizes > 1)]
    utility = case.utility(labels)
    return Step(_members(case, after, changed), tuple(groups), utility, case.kept(utility))


def _members(case: Case, events: IntArray, event: np.integer[Any]) -> tuple[Any, ...]:
    return tuple(case.names[s] for s in np.flatnonzero(events == event))
