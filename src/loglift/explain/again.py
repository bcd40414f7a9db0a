"""Solving a release again with something changed: another bound, other limits, other events.

A problem is solved again from the partition of the release and from one built anew, with a tenth of
the iterations of `search` at most: a dozen of these take about as long as the release. The result
can be had; more iterations may find more. This module decides how much effort that may take.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift.joint import IntArray, Joint
from loglift.measures.entropy import entropy
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism
from loglift.merging import subsets
from loglift.merging.intact import Groups
from loglift.merging.ordered import ordered
from loglift.merging.problem import Problem
from loglift.merging.search import best_partition, default_iterations, sensitive_values
from loglift.promise.bound import Bound
from loglift.promise.lift import LiftPromise
from loglift.sparse import block_sums, dense

MAX_GAINS = 1_000_000  # of a problem that is solved again
MAX_RUN_VALUES = 2000  # of an ordered column: solving again is quadratic
ITERATIONS_DIVISOR = 10  # a tenth of the iterations of `search`
MAX_ITERATIONS = 2000


def is_solvable(joint: Joint, mechanism: Mechanism) -> bool:
    """Return whether a release is small enough to be solved again."""
    n, m = joint.mass.shape
    return 2 * n * m <= MAX_GAINS and not (is_ordered(mechanism) and n > MAX_RUN_VALUES)


def is_ordered(mechanism: Mechanism) -> bool:
    """Return whether the blocks of a release are runs of rows."""
    return mechanism.method == "ordered"


def problem_of(joint: Joint, mechanism: Mechanism, *, bound: Bound | None = None) -> Problem:
    """Return the problem that a release solves, or the same with another bound."""
    promise = LiftPromise.of(joint.scaled, bound or mechanism.bound)
    scale = promise.total / joint.total
    return Problem(
        promise,
        promise.weight[:, np.newaxis],
        promise.total,
        least=(mechanism.min_count or 0) * scale,
        groups=None if mechanism.groups is None else Groups.of(mechanism.groups),
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


def solve_again(problem: Problem, start: IntArray, *, runs: bool) -> IntArray:
    """Solve a problem from a partition that is safe in it; the result is never worse than that.

    With `runs` the blocks are runs of rows.
    """
    total = default_iterations((problem.size, sensitive_values(problem)))

    def solve(part: Problem, members: IntArray) -> IntArray:
        if runs:
            return ordered(part)
        if members.size <= subsets.MAX_VALUES:
            return subsets.best_of_all(part)
        share = -(-total * members.size // (ITERATIONS_DIVISOR * start.size))
        return best_partition(
            part.only(part.chosen),
            [canonical(start[members])],
            builds=1,
            iterations=min(MAX_ITERATIONS, share),
        )

    return problem.in_groups(solve)


def utility_of(joint: Joint, labels: IntArray) -> float:
    """Return H(Y) of a partition, nats."""
    return entropy(block_sums(joint.weight, labels))


def share_of(joint: Joint, utility: float) -> float:
    """Return a utility as a share of H(X); 1 when there is nothing to keep."""
    whole = entropy(joint.weight)
    return utility / whole if whole else 1.0
