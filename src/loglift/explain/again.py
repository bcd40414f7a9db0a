"""Solving a release again with something changed: another bound, other limits, other events.

A problem is solved again from the partition of the release and from one built anew, with a tenth of
the iterations of `search` at most: a dozen of these take about as long as the release. The result
can be had; more iterations may find more. This module decides how much effort that may take.

What is kept is measured as the release was to keep it, by the goal of its mechanism: I(X;Y), or the
weighted mean of I(U;Y)/I(U;X) over targets. Shares are of what the table as it is keeps of it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift._compute.kernels import many_problems
from loglift._compute.threads import stop_if_unwanted
from loglift.errors import MechanismError
from loglift.joint import IntArray, Joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.scope import is_of_whole_blocks
from loglift.merging import subsets
from loglift.merging.annealing import annealed
from loglift.merging.intact import Groups
from loglift.merging.ordered import ordered
from loglift.merging.problem import Problem
from loglift.merging.search import (
    STEPS_PER_ITERATION,
    best_partition,
    default_iterations,
    sensitive_values,
)
from loglift.promise.bound import Bound
from loglift.promise.lift import LiftPromise
from loglift.sparse import dense
from loglift.utility.weighted import WeightedTargets

MAX_GAINS = 1_000_000  # of a problem that is solved again
MAX_RUN_VALUES = 2000  # of an ordered column: solving again is quadratic
ITERATIONS_DIVISOR = 10  # a tenth of the iterations of `search`
MAX_ITERATIONS = 2000
MAX_STEPS = 400_000  # of annealing for targets: a fraction of a second
# Sums of targets that are written out: to regroup a problem for its goal, and to make it safe.
MAX_REGROUPED_SUMS, MAX_SUMS = 2**18, 2**23
MAX_REGROUPING = 60_000  # iterations times sums of a block: a quarter of a second
MIN_KEPT = 0.5  # of the goal, by a start that is not built anew
SEED = 0  # of annealing
MAX_PLAIN_STEPS = 75_000  # of short loops: a dozen of them take a quarter of a second


def is_solvable(joint: Joint, mechanism: Mechanism) -> bool:
    """Return whether a release is small enough to be solved again."""
    n, m = joint.mass.shape
    return 2 * n * m <= MAX_GAINS and not (is_in_runs(mechanism) and n > MAX_RUN_VALUES)


def is_in_runs(mechanism: Mechanism) -> bool:
    """Return whether the blocks of a release are runs of rows."""
    return mechanism.method == "ordered"


def why_not_solved(mechanism: Mechanism) -> str | None:
    """Return why a release is not solved again, in words that complete "because"; None if it is.

    A problem here is one bound for all sensitive values, kept to readers of the release alone, over
    all mergings of public values: solved again, any other release would be another one.
    """
    figures, names = mechanism.figures, ", ".join(mechanism.known_names)
    scope = "" if figures is None else figures.most.scope
    reasons = {
        "its values are drawn at random": mechanism.labels is None,
        f"the bound is also kept to readers who know {names}": names,
        "the bound is also kept together with earlier releases": mechanism.given,
        "the bound is also kept to readers who count every record the same": mechanism.both,
        "the bound is also kept to readers who know more": figures is not None and figures.readers,
        "only whole blocks of an earlier release are merged": is_of_whole_blocks(scope),
        "other measures than log-lift are limited": mechanism.bound.requirements,
        "single sensitive values have bounds of their own": not mechanism.bound.is_plain,
    }
    return next((reason for reason, holds in reasons.items() if holds), None)


def problem_of(joint: Joint, mechanism: Mechanism, *, bound: Bound | None = None) -> Problem:
    """Return the problem that a release solves, or the same with another bound."""
    reason = why_not_solved(mechanism)
    if reason is not None:
        raise MechanismError(f"this release is not explained, because {reason}")
    promise = LiftPromise.of(joint.scaled, bound or mechanism.bound)
    weighted = joint.survey is not None
    scale = 1.0 if weighted else promise.total / joint.total
    return Problem(
        promise,
        mechanism.goal.worth(joint),
        least=(mechanism.min_count or 0) * scale,
        groups=None if mechanism.groups is None else Groups.of(mechanism.groups),
        records=joint.records.astype(np.float64) if weighted else None,
    )


def with_events(problem: Problem, events: IntArray) -> Problem:
    """Return a problem that bounds other events than single sensitive values.

    `events` numbers the event of each sensitive value. Values with the same number are one event;
    values with -1 are not bounded at all.
    """
    promise = problem.promise
    if not isinstance(promise, LiftPromise):
        raise TypeError("only the bound on log-lift has events")
    mass = dense(promise.mass)
    told = np.unique(events[events >= 0])
    mass = np.stack([mass[:, events == event].sum(axis=1) for event in told], axis=1)
    return replace(problem, promise=replace(promise, mass=mass, prior=mass.sum(axis=0)))


def solve_again(
    problem: Problem, start: IntArray, mechanism: Mechanism, *, most_steps: int = MAX_STEPS
) -> IntArray:
    """Solve a problem from a partition; if that is safe in it, the result is never worse.

    The blocks are runs of rows if those of the mechanism are. `most_steps` limits the annealing for
    targets, of all groups together.
    """
    stop_if_unwanted()
    total = default_iterations((problem.size, sensitive_values(problem)))

    def solve(part: Problem, members: IntArray) -> IntArray:
        if is_in_runs(mechanism):
            return ordered(part)
        if members.size <= subsets.MAX_VALUES:
            return subsets.best_of_all(part)
        share = -(-total * members.size // (ITERATIONS_DIVISOR * start.size))
        whole, begin = part.only(part.chosen), canonical(start[members])
        iterations = min(MAX_ITERATIONS, share)
        if not isinstance(whole.worth, WeightedTargets):
            return best_partition(whole, [begin], builds=1, iterations=iterations)
        steps = min(most_steps * members.size // start.size, STEPS_PER_ITERATION * share)
        with many_problems(plain_steps=MAX_PLAIN_STEPS):
            is_large = start.size * whole.worth.prior.size > MAX_REGROUPED_SUMS
            begin = _regrouped(whole, whole.worth.prior.size, begin, iterations, is_large=is_large)
            # Without heat, because the start is good already.
            return annealed(whole, begin, steps, SEED, heat=0.0)

    return problem.in_groups(solve)


def _regrouped(
    whole: Problem, targets: int, start: IntArray, iterations: int, *, is_large: bool
) -> IntArray:
    """Make a partition safe where that loses least of a goal with so many target values, and more.

    A small problem is regrouped for the goal. A large one, or a group of it, is regrouped for
    I(X;Y), which loses most of the targets: only if the start has less than `MIN_KEPT` of the goal
    left.
    """
    sums = whole.size * targets
    if not is_large:
        affordable = min(iterations, MAX_REGROUPING // max(1, targets))
        return best_partition(whole, [start], builds=1, iterations=affordable)
    rows = whole.of_rows
    repaired = best_partition(whole if sums <= MAX_SUMS else rows, [start], builds=0, iterations=0)
    nothing = whole.utility_of(np.zeros_like(start))
    everything = float(whole.worth.values().sum())
    if whole.utility_of(repaired) >= nothing + MIN_KEPT * (everything - nothing):
        return repaired
    found = best_partition(rows, [start], builds=1, iterations=iterations)
    return max([repaired, found], key=whole.utility_of)


def kept_by(joint: Joint, mechanism: Mechanism, labels: IntArray) -> float:
    """Return the share of a mechanism's goal that a partition keeps; 1 if there is nothing to keep.

    The whole is what the table as it is keeps of the goal: H(X) if the goal is I(X;Y).
    """
    whole = mechanism.goal.most(joint)
    return mechanism.goal.kept(joint, labels) / whole if whole else 1.0
