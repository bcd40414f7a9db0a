"""The methods of `merge`: each solves a problem group by group.

"search" and "exact" return a partition with an upper bound, the others a partition only.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from loglift.joint import IntArray
from loglift.measures.partition import canonical
from loglift.merging import subsets
from loglift.merging.ceiling import with_targets
from loglift.merging.complete import complete
from loglift.merging.exact import MAX_FEW_VALUES, Proof, exact, is_easy, relaxed
from loglift.merging.greedy import greedy
from loglift.merging.ordered import ordered
from loglift.merging.problem import Problem
from loglift.merging.search import (
    EASY_ITERATIONS,
    FEW_VALUES_ITERATIONS,
    Options,
    go_on,
    search,
    sensitive_values,
)
from loglift.merging.wide import is_wide
from loglift.promise.together import Together
from loglift.sparse import MAX_DENSE_CELLS

# Takes a problem whose values may all be merged, a partition of them, and their share of all
# values; returns a better partition with a proof.
Finish: TypeAlias = Callable[[Problem, IntArray, float], Proof]

PROOF_SECONDS = 60.0  # for a proof, when no time limit is given
MAX_PRICED_INEQUALITIES = 40  # with readers who know more; beyond, a search is not finished exactly
FINISHING_WEIGHTS = 5e8  # that pricing looks at after a search of a few values: 1 to 2 seconds
MAX_PROVEN_VALUES = 2000  # beyond, no proof is begun: it needs memory for every pair of values


@dataclass(frozen=True, eq=False)
class Searching:
    """The options of "search" and "exact".

    Groups share iterations and time in proportion to their values. `start` is a partition of all
    values, or None.
    """

    start: IntArray | None
    high_risk_only: bool
    iterations: int
    seed: int
    time_limit: float | None


def by_search(problem: Problem, options: Searching) -> Proof:
    """Return a good partition, and an upper bound that is found quickly."""

    def finish(part: Problem, labels: IntArray, share: float) -> Proof:
        if options.iterations * share < FEW_VALUES_ITERATIONS:
            return _unproven(part, labels)
        knowing = isinstance(part.promise, Together)
        many = knowing and part.inequalities > MAX_PRICED_INEQUALITIES
        if part.chosen.size <= MAX_FEW_VALUES and not many:  # gains the last percent
            return exact(part, labels, nodes=1, node_work=FINISHING_WEIGHTS)
        most = with_targets(part, relaxed(part.of_rows, labels))
        return replace(_unproven(part, labels), most=most)

    briefly = options.time_limit is None and options.iterations >= FEW_VALUES_ITERATIONS
    return _each_group(problem, options, finish, briefly=briefly)


def by_proof(problem: Problem, options: Searching) -> Proof:
    """Return a best partition, and the least upper bound that is proven in time."""
    seconds = PROOF_SECONDS if options.time_limit is None else options.time_limit

    def finish(part: Problem, labels: IntArray, share: float) -> Proof:
        return exact(part, labels, time_limit=seconds * share)

    return _each_group(problem, options, finish, briefly=False)


def by_runs(problem: Problem) -> IntArray:
    """Return the best partition into runs of rows."""
    return problem.in_groups(lambda part, _members: ordered(part))


def by_omega(problem: Problem, *, whole: bool, absorb: bool) -> IntArray:
    """Return the partition of complete merging (`whole`) or Algorithm 1; it may be unsafe.

    With `absorb`, low-risk values are added to a block that stays unsafe.
    """
    if whole:
        labels = problem.in_groups(lambda part, _members: complete(part))
        if not absorb or problem.promise.blocks(labels).safe().all():
            return labels
        # All high-risk values are one unsafe block. Algorithm 1 ends there too, and absorbs.
    return problem.in_groups(lambda part, _members: greedy(part, absorb=absorb))


def _each_group(problem: Problem, options: Searching, finish: Finish, *, briefly: bool) -> Proof:
    """Search the values of each group that may be merged, then finish the partition found.

    With `briefly`, an easy group is searched with few iterations first, and the result is taken if
    the proof ends. A time limit takes the place of `finish`: see `_in_time`.
    """
    # The utility of each value alone, until less is proven.
    most = problem.worth.values()

    def solve(part: Problem, members: IntArray) -> IntArray:
        chosen = part.chosen
        labels = np.arange(chosen.size) + chosen.size
        places = np.arange(chosen.size)
        if options.high_risk_only:
            places = np.flatnonzero(~part.promise.safe()[chosen])
            part = replace(part, rows=chosen[places])
        if not places.size:
            return canonical(labels)
        share = places.size / problem.size

        def solved(iterations: int) -> Proof:
            begin = None
            if options.start is not None:
                begin = canonical(options.start[members[places]])
            how, begun = Options(iterations, options.seed), time.monotonic()
            found = search(part, how, start=begin)
            if not part.is_safe(found):
                return _unproven(part, found)
            if options.time_limit:
                return _in_time(part, found, how, begun, options.time_limit * share)
            return finish(part, found, share) if _provable(part) else _unproven(part, found)

        proof = _of_a_few(part)
        if proof is None and briefly and is_easy(places.size, sensitive_values(part)):
            proof = solved(EASY_ITERATIONS)
            proof = proof if proof.is_closed else None
        if proof is None:
            proof = solved(math.ceil(options.iterations * share))
        most[members[places]] = proof.most / places.size
        labels[places] = proof.labels
        return canonical(labels)

    labels = problem.in_groups(solve)
    return Proof(labels, problem.utility_of(labels), float(most.sum()))


def _in_time(part: Problem, labels: IntArray, how: Options, begun: float, seconds: float) -> Proof:
    """Improve a safe partition for as many seconds since it was begun: "search" and "exact" alike.

    Half of the time that is left goes to a proof, which may find a better partition, too. If the
    proof does not end, the search goes on.
    """
    proof, left = _unproven(part, labels), begun + seconds - time.monotonic()
    if _provable(part):
        proof = exact(part, labels, time_limit=max(0.0, left / 2))
    if proof.is_closed:
        return proof
    found = go_on(part, proof.labels, how, begun + seconds)
    return replace(proof, labels=found, utility=part.utility_of(found))


def _of_a_few(part: Problem) -> Proof | None:
    """Return the best of all partitions where the values are few enough to look at all."""
    if part.chosen.size > subsets.MAX_VALUES or not _provable(part):
        return None
    labels = subsets.best_of_all(part)
    proof = _unproven(part, labels)
    return replace(proof, most=proof.utility) if part.is_safe(labels) else proof


def _provable(part: Problem) -> bool:
    """Return whether a proof is begun: it needs memory for pairs of values and for all gains."""
    cells = part.size * part.promise.inequalities
    fits = cells <= 2 * MAX_DENSE_CELLS and not is_wide(part)
    return fits and part.chosen.size <= MAX_PROVEN_VALUES


def _unproven(part: Problem, labels: IntArray) -> Proof:
    """Return a partition with the utility of all values apart as its upper bound."""
    apart = part.worth.values()[part.chosen]
    return Proof(labels, part.utility_of(labels), float(apart.sum()))
