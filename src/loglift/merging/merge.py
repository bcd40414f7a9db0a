"""`merge`: from a joint and a bound to a partition of the public values."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

from numpy.typing import ArrayLike

from loglift.errors import MechanismError, UtilityError
from loglift.joint import Joint, as_joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism, partition_mechanism
from loglift.mechanism.scope import merging_scope
from loglift.merging.ceiling import ceiling
from loglift.merging.intact import (
    Groups,
    GroupsLike,
    as_groups,
    refuse_small,
    refuse_unsafe,
)
from loglift.merging.methods import Searching, by_omega, by_proof, by_runs, by_search
from loglift.merging.minimum import fill_up
from loglift.merging.problem import Problem
from loglift.merging.search import default_iterations
from loglift.promise.bound import Bound, bound_from
from loglift.promise.min_count import checked_min_count
from loglift.sparse import dense
from loglift.utility.utility import Utility
from loglift.values import checked_number

Method: TypeAlias = Literal["search", "exact", "ordered", "greedy", "complete"]
Over: TypeAlias = Literal["all", "high-risk"]
SEARCHING = frozenset({"search", "exact"})  # methods that improve a partition step by step


def merge(
    joint: Joint | ArrayLike,
    eps: float | None = None,
    method: Method = "search",
    *,
    bound: Bound | None = None,
    utility: Utility | None = None,
    over: Over | None = None,
    min_count: float | None = None,
    intact: GroupsLike | None = None,
    start: ArrayLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Mechanism:
    """Merge public values until the blocks are safe, and keep as much as possible.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps, bound
        The bound on |log-lift| in nats, or a `Bound`: give one of them.
    utility
        What is worth keeping; the paper's I(X;Y) by default, also for a joint of several columns.
        "greedy" and "complete" merge as published, whatever it is; it is what they report.
    method
        "search" looks for the best partition of the whole alphabet. "exact" finds it and proves
        it, for up to about a hundred values. "ordered" finds the best partition into runs of rows,
        for an ordered attribute, and proves it. "greedy" is Algorithm 1 of the paper. "complete"
        releases all high-risk values as one (the original watchdog).
    over
        "all" may merge any values and always ends safe. "high-risk" leaves low-risk values alone,
        as the paper does, and may end unsafe; `.safe` tells. The default is "all" for "search",
        "exact" and "ordered" ("ordered" takes nothing else), and "high-risk" for "greedy" and
        "complete". With "all", "greedy" and "complete" absorb low-risk values, least omega first,
        when the high-risk values are unsafe even as one block.
    min_count
        The least mass of every block, on the scale of the joint (records, for counts).
    intact
        Groups of public values; values of different groups are never merged. A list with the group
        of each public value, in row order, or a mapping of the public values. Blocks are still
        compared with p(s) of the whole table.
    start
        For "search" and "exact": a partition to start from, as block numbers; the result is never
        worse.
    iterations, seed
        For "search" and "exact": how many improvements to try (more never gives less, where the
        utility is I(X;Y)), and the seed.
    time_limit
        Seconds. "exact" stops then with the best partition known and the `.upper_bound` proven so
        far; the default is 60, and beyond 2000 values it begins no proof. "search" goes on
        improving until then; by default it stops after its iterations.

    Raises
    ------
    UnsafeError
        When the whole table, or an intact group, has less mass than `min_count`, or when an intact
        group is unsafe even as one block.

    """
    given, limit = as_joint(joint), bound_from(eps, bound)
    check_choice(method, get_args(Method), "method")
    check_over(method, over)
    if method not in SEARCHING:
        unused = {"start": start, "iterations": iterations, "time_limit": time_limit}
        for name, value in unused.items():
            if value is not None:
                raise MechanismError(f"{name} is for search and exact: leave it out with {method}")
    least = checked_min_count(given, min_count)
    if utility is not None and not isinstance(utility, Utility):
        raise UtilityError(
            f"utility must be a Utility, got {utility!r}: give Utility.columns(), Utility.joint() "
            "or Utility.of([...])"
        )
    worth = (utility or Utility.joint()).worth(given)
    groups = _checked_groups(given, limit, intact, least, runs=method == "ordered")
    high_risk_only = over == "high-risk"
    # With k sensitive variables every record is in the mass k times.
    copies, total = len(given.variables), float(given.mass.sum())
    problem = Problem.of(
        given.scaled if method in SEARCHING else dense(given.scaled),
        limit,
        worth=worth,
        # With over="high-risk" low-risk values can be too small as well: all are merged afterwards.
        least=0.0 if high_risk_only else least * copies * float(given.scaled.sum()) / total,
        groups=groups,
    )
    most = math.inf
    if method in SEARCHING:
        options = Searching(
            start=None if start is None else canonical(start, size=problem.size),
            high_risk_only=high_risk_only,
            iterations=_iterations(given, iterations),
            seed=_checked_whole(seed, "seed"),
            time_limit=_checked_seconds(time_limit),
        )
        proof = (by_proof if method == "exact" else by_search)(problem, options)
        labels, most = proof.labels, proof.most
    elif method == "ordered":
        labels = by_runs(problem)
    else:
        labels = by_omega(problem, whole=method == "complete", absorb=over == "all")
    if least > 0 and (high_risk_only or method in ("greedy", "complete")):
        labels = fill_up(given.weight, labels, least, groups)
    made = partition_mechanism(
        given,
        labels,
        limit,
        method=method,
        upper_bound=most,
        scope=merging_scope(
            method,
            high_risk_only=high_risk_only,
            least=least > 0,
            grouped=groups is not None and len(groups.names) > 1,
        ),
        goal=utility,
        min_count=min_count,
        groups=None if groups is None else groups.numbers,
    )
    if method == "ordered":  # no partition into runs keeps more
        return made.with_upper_bound(made.utility)
    if made.optimal:
        return made
    return made.with_upper_bound(min(most, ceiling(problem)))


def check_choice(value: object, choices: tuple[str, ...], name: str) -> None:
    """Raise `MechanismError` if a value is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise MechanismError(f"no {name} {value!r}: choose one of {', '.join(choices)}")


def check_over(method: str, over: str | None) -> None:
    """Raise `MechanismError` if `over` does not exist, or if the method would ignore it."""
    if over is not None:
        check_choice(over, get_args(Over), "over")
    if method == "ordered" and over == "high-risk":
        raise MechanismError(
            "runs of an ordered column may have to hold low-risk values too: use over='all' "
            "(--over all) with 'ordered', or 'search' with over='high-risk'"
        )


def _checked_groups(
    given: Joint, bound: Bound, intact: GroupsLike | None, least: float, *, runs: bool
) -> Groups | None:
    """Return the intact groups after checking that each can be made safe and is large enough."""
    if intact is None:
        return None
    groups = as_groups(intact, given.public)
    groups = groups.runs() if runs else groups
    refuse_unsafe(given.scaled, bound, groups)
    refuse_small(given.weight, groups, least)
    return groups


def _iterations(given: Joint, iterations: int | None) -> int:
    if iterations is None:
        return default_iterations(given.mass.shape)
    return _checked_whole(iterations, "iterations")


def _checked_whole(value: int, name: str) -> int:
    return int(checked_number(value, name, least=0, whole=True, error=MechanismError))


def _checked_seconds(time_limit: float | None) -> float | None:
    if time_limit is None:
        return None
    return checked_number(time_limit, "time_limit (seconds)", least=0, error=MechanismError)
