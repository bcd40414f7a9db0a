"""`merge`: from a joint and a bound to a partition of the public values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import BoundError, JointError, MechanismError, UnsafeError, UtilityError
from loglift.joint import FloatArray, IntArray, Joint, as_joint
from loglift.joint.stack import JOINT_AXES, Stacked, axes_of, is_list_of_joints, is_stack
from loglift.measures.partition import canonical
from loglift.mechanism.given import Given
from loglift.mechanism.making import partition_mechanism
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.scope import merging_scope
from loglift.merging.ceiling import ceiling
from loglift.merging.exact import Proof
from loglift.merging.intact import (
    Groups,
    GroupsLike,
    as_groups,
    refuse_small,
    refuse_told,
    refuse_unsafe,
)
from loglift.merging.methods import Searching, by_omega, by_proof, by_runs, by_search
from loglift.merging.minimum import fill_up
from loglift.merging.problem import Problem
from loglift.merging.search import default_iterations
from loglift.merging.stack import (
    MergedStack,
    Published,
    fits_at_once,
    merge_at_once,
    merge_one_by_one,
)
from loglift.merging.subsets import MAX_VALUES
from loglift.promise.bound import Bound, bound_from
from loglift.promise.knowledge import Knowledge
from loglift.promise.known import Known
from loglift.promise.limits import TOLERANCE, Limits
from loglift.promise.min_count import checked_min_count
from loglift.promise.requirement import met
from loglift.sparse import any_row, dense
from loglift.utility.utility import Utility
from loglift.values import checked_number, plain

Method: TypeAlias = Literal["search", "exact", "ordered", "greedy", "complete"]
Over: TypeAlias = Literal["all", "high-risk"]
Promised: TypeAlias = Known | Given | Knowledge
SEARCHING = frozenset({"search", "exact"})  # methods that improve a partition step by step
PUBLISHED = frozenset(get_args(Published))


@overload
def merge(  # type: ignore[overload-overlap]  # no type tells an array of three axes from others
    joint: Joint | ArrayLike,
    eps: float | None = None,
    method: Method = "search",
    *,
    bound: Bound | None = None,
    promises: Sequence[Promised] = (),
    utility: Utility | None = None,
    over: Over | None = None,
    min_count: float | None = None,
    max_block: int | None = None,
    intact: GroupsLike | None = None,
    coarser_than: ArrayLike | None = None,
    start: ArrayLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Mechanism: ...
@overload
def merge(
    joint: Stacked | ArrayLike,
    eps: float | Sequence[float] | FloatArray | None = None,
    method: Method = "search",
    *,
    bound: Bound | Sequence[Bound] | None = None,
    promises: Sequence[Promised] = (),
    utility: Utility | None = None,
    over: Over | None = None,
    min_count: float | None = None,
    max_block: int | None = None,
    intact: GroupsLike | None = None,
    coarser_than: ArrayLike | None = None,
    start: ArrayLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> MergedStack: ...
def merge(
    joint: Joint | ArrayLike | Stacked,
    eps: float | Sequence[float] | FloatArray | None = None,
    method: Method = "search",
    *,
    bound: Bound | Sequence[Bound] | None = None,
    promises: Sequence[Promised] = (),
    utility: Utility | None = None,
    over: Over | None = None,
    min_count: float | None = None,
    max_block: int | None = None,
    intact: GroupsLike | None = None,
    coarser_than: ArrayLike | None = None,
    start: ArrayLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
) -> Mechanism | MergedStack:
    """Merge public values until the blocks are safe, and keep as much as possible.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value. A stack of k joints of one shape, an
        array (k, n, m) or a list of `Joint`s, is merged joint by joint and gives a `MergedStack`.
        "greedy" and "complete" without other options take about 10 microseconds for a joint of
        20 x 13 at one bound.
    eps, bound
        The bound on |log-lift| in nats, or a `Bound`, which may have requirements such as
        `TCloseness(0.2)`: give one of them. With a stack, a list is several bounds.
    promises
        Readers who know more than the release, to whom the bound is kept as well: `Known`, and one
        `Given` with all earlier releases. Readers who know K and read the earlier releases, too,
        are not among them; `protect` counts these as well.
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
        The least mass of every block, on the scale of the joint (records, for counts and for sums
        of survey weights).
    max_block
        For "search", "exact" and "ordered": the most public values of a block. There may be no safe
        partition then.
    intact
        Groups of public values; values of different groups are never merged. A list with the group
        of each public value, in row order, or a mapping of the public values. Blocks are still
        compared with p(s) of the whole table.
    coarser_than
        For "search" and "exact": a partition, as block numbers, whose blocks are merged whole. The
        release tells no more than that partition.
    start
        For "search" and "exact": a partition to start from, as block numbers; the result is never
        worse.
    iterations, seed
        For "search" and "exact": how many improvements to try (more never gives less, where the
        utility is I(X;Y)), and the seed.
    time_limit
        Seconds for "search" and "exact", which do the same with it: half of it goes to a proof, up
        to 2000 values; if that does not end, the search goes on until the time is over. By default
        "search" stops after its iterations, and "exact" after 60 seconds of proof.

    Returns
    -------
    Mechanism
        The partition, with what it keeps and gives away.

    Raises
    ------
    UnsafeError
        When the whole table, or an intact group, has less mass than `min_count`, when an intact
        group is unsafe even as one block, when earlier releases are outside the bound already, or
        when no safe partition into blocks of at most `max_block` values is found.
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> mechanism = loglift.merge(joint, 0.5)
    >>> mechanism.blocks
    (('a', 'b'), ('c',))
    >>> round(mechanism.leakage, 3), round(1 - mechanism.nmil, 2), mechanism.optimal
    (0.0, 0.58, True)
    """
    check_choice(method, get_args(Method), "method")
    if is_stack(joint):
        options: dict[str, Any] = {
            "promises": promises,
            "utility": utility,
            "over": over,
            "min_count": min_count,
            "max_block": max_block,
            "intact": intact,
            "coarser_than": coarser_than,
            "start": start,
            "iterations": iterations,
            "seed": seed,
            "time_limit": time_limit,
        }
        return _merge_stack(joint, eps, bound, method, options)
    # Not a stack, so one joint with one bound: anything else is refused.
    given, limit = as_joint(joint), _one_bound(eps, bound)  # type: ignore[arg-type]
    check_over(method, over)
    limit.check_values(given)
    knowledge = knowledge_of(given, promises)
    _refuse_unpublished(method, limit, knowledge)
    _refuse_unused(
        method,
        start=start,
        iterations=iterations,
        time_limit=time_limit,
        coarser_than=coarser_than,
    )
    least = checked_min_count(given, min_count)
    largest = _checked_max_block(max_block, method)
    worth = _checked_utility(utility).worth(given)
    groups = checked_groups(given, limit, intact, least, runs=method == "ordered")
    refuse_told(given, limit, knowledge, groups)
    refuse_unmet(given, limit)
    high_risk_only, size, most = over == "high-risk", len(given.public), math.inf
    problem = Problem.of(
        given.scaled if method in SEARCHING else dense(given.scaled),
        limit.on(given),
        worth=worth,
        knowledge=knowledge,
        # With over="high-risk" low-risk values can be too small as well: all are merged afterwards.
        least=0.0 if high_risk_only else least * _mass_per_record(given),
        groups=groups,
        largest=largest,
        records=None if given.survey is None else given.records.astype(np.float64),
    )
    if method in SEARCHING:
        usual = default_iterations(given.mass.shape)
        searching = Searching(
            start=None if start is None else canonical(start, size=size),
            high_risk_only=high_risk_only,
            iterations=usual if iterations is None else _checked_whole(iterations, "iterations"),
            seed=_checked_whole(seed, "seed"),
            time_limit=checked_seconds(time_limit),
        )
        whole = None if coarser_than is None else canonical(coarser_than, size=size)
        solve = by_proof if method == "exact" else by_search
        problem, proof = _searched(problem, solve, searching, whole, readers=bool(knowledge))
        labels, most = proof.labels, proof.most
    elif method == "ordered":
        labels = by_runs(problem)
    else:
        labels = by_omega(problem, whole=method == "complete", absorb=over == "all")
    if least > 0 and (high_risk_only or method in PUBLISHED):
        labels = fill_up(given.records, labels, least, groups)
    refuse_over(labels, largest, exactly=method == "ordered" or size <= MAX_VALUES)
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
            whole_blocks=coarser_than is not None,
            readers=bool(knowledge),
            capped=max_block is not None,
        ),
        goal=utility,
        min_count=plain(min_count),
        groups=None if groups is None else groups.numbers,
        knowledge=knowledge,
    )
    if method == "ordered":  # no partition into runs keeps more
        return made.with_upper_bound(made.utility)
    if made.optimal:
        return made
    return made.with_upper_bound(lambda: min(most, ceiling(problem)))


def _searched(
    problem: Problem,
    solve: Callable[[Problem, Searching], Proof],
    options: Searching,
    whole: IntArray | None,
    *,
    readers: bool,
) -> tuple[Problem, Proof]:
    """Search, or prove; return the problem that was solved, and the partition of all values.

    `whole` are blocks that are merged whole, by number. Where there are `readers` who know more,
    values that must be together are one value: fewer values to search, and a tighter proof.
    """
    if whole is not None:
        problem = problem.of_blocks(whole)
    if readers and not options.high_risk_only:
        forced = problem.forced()
        problem = problem.of_blocks(forced)
        whole = forced if whole is None else forced[whole]
    if whole is None:
        return problem, solve(problem, options)
    if options.start is not None:
        options = replace(options, start=canonical(options.start[any_row(whole)]))
    proof = solve(problem, options)
    return problem, replace(proof, labels=canonical(proof.labels[whole]))


def _mass_per_record(given: Joint) -> float:
    """Return what `min_count` is multiplied by, to be on the scale of the problem's sizes.

    With k sensitive variables every record is in the mass k times. Sizes of a weighted joint are
    its records.
    """
    if given.survey is not None:
        return 1.0
    return len(given.variables) * float(given.scaled.sum()) / float(given.mass.sum())


def _one_bound(eps: Any, bound: Any) -> Bound:
    """Return the bound of one joint; several bounds need a stack."""
    if axes_of(eps if bound is None else bound):
        raise BoundError(
            "several bounds need a stack: give an array of shape (k, n, m) or a list of joints, "
            "for one joint [joint]"
        )
    return bound_from(eps, bound)


def _merge_stack(
    joints: Stacked, eps: Any, bound: Any, method: Method, options: dict[str, Any]
) -> MergedStack:
    """Merge every joint of a stack at every bound, at once where that is possible."""
    if not is_list_of_joints(joints) and axes_of(joints) != JOINT_AXES + 1:
        raise JointError(
            f"a stack of joints to merge has three axes, got {axes_of(joints)}: reshape it "
            "to (joints, public values, sensitive values)"
        )
    several = eps if bound is None else bound
    if isinstance(several, (list, tuple, np.ndarray)) and np.ndim(several) == 1 and len(several):
        bounds = [
            bound_from(plain(each), None) if bound is None else bound_from(eps, each)
            for each in several
        ]
    else:
        bounds = [bound_from(eps, bound)]
    solve = partial(_merge_one, method=method, options=options)
    default = {"promises": (), "seed": options["seed"]}
    usual = all(value is default.get(name) for name, value in options.items())
    if (method == "greedy" or method == "complete") and usual and fits_at_once(joints):  # noqa: PLR1714, mypy
        for each in bounds:
            _refuse_unpublished(method, each, ())
        return merge_at_once(joints, bounds, method, solve)
    return merge_one_by_one(joints, bounds, method, solve)


def _merge_one(joint: Joint, bound: Bound, *, method: Method, options: dict[str, Any]) -> Mechanism:
    """Merge one joint of a stack at one bound."""
    return merge(joint, None, method, bound=bound, **options)


def _checked_utility(utility: Utility | None) -> Utility:
    """Return what is worth keeping; I(X;Y) without a utility."""
    if utility is not None and not isinstance(utility, Utility):
        raise UtilityError(
            f"utility must be a Utility, got {utility!r}: give Utility.columns(), Utility.joint() "
            "or Utility.of([...])"
        )
    return utility or Utility.joint()


def _checked_max_block(max_block: int | None, method: str) -> float:
    """Return the most values of a block; infinite without a limit."""
    if max_block is None:
        return math.inf
    if method in PUBLISHED:
        raise MechanismError(
            f"{method} has no limit on the values of a block: leave max_block (--max-block) out, "
            "or use search, exact or ordered"
        )
    name = "max_block (--max-block)"
    return checked_number(max_block, name, least=1, whole=True, error=MechanismError)


def refuse_over(labels: IntArray, largest: float, *, exactly: bool) -> None:
    """Raise `UnsafeError` if a block has more values than it may have.

    `exactly` tells whether all partitions were looked at.
    """
    if np.bincount(labels).max() > largest:
        found = "there is no" if exactly else "found no"
        raise UnsafeError(
            f"no release: {found} safe partition with at most {largest:g} public values in a "
            "block. What would help: a larger max_block (--max-block), or a looser bound"
        )


def refuse_unmet(joint: Joint, bound: Bound) -> None:
    """Raise `UnsafeError` if the whole table as one released value does not meet a requirement."""
    limits = bound.on(joint)
    for each in limits.placed if isinstance(limits, Limits) else ():
        if not met([each], joint.prior[np.newaxis].astype(np.float64), TOLERANCE).all():
            required = each.requirement
            raise UnsafeError(
                f"no safe release: all records as one released value do not meet {required.words} "
                f"of {required.limit:g}. What would help: a lower limit ({required.option})"
            )


def knowledge_of(joint: Joint, promises: Sequence[Promised]) -> tuple[Knowledge, ...]:
    """Return what each kind of reader knows, counted against a joint."""
    if not isinstance(promises, (list, tuple)) or not all(
        isinstance(each, (Known, Given, Knowledge)) for each in promises
    ):
        raise MechanismError(
            f"promises must be a list of Known(...) and Given(...), got {promises!r}: requirements "
            "belong to the bound, Bound.requiring(TCloseness(0.2), eps=1)"
        )
    if sum(isinstance(each, Given) for each in promises) > 1:
        raise MechanismError("name all earlier releases in one Given: Given(first, second)")
    return tuple(each if isinstance(each, Knowledge) else each.on(joint) for each in promises)


def check_choice(value: object, choices: tuple[str, ...], name: str) -> None:
    """Raise `MechanismError` if a value is not one of the choices."""
    if not isinstance(value, str) or value not in choices:
        raise MechanismError(f"no {name} {value!r}: choose one of {', '.join(choices)}")


def _refuse_unpublished(method: str, bound: Bound, knowledge: Sequence[Knowledge]) -> None:
    """Raise `MechanismError` if a method of the papers is to keep another promise than theirs."""
    if method in PUBLISHED and (knowledge or not bound.is_plain):
        raise MechanismError(
            f"{method} is published for one bound on all log-lifts and for readers of the release "
            "alone: use search, exact or ordered"
        )


def _refuse_unused(method: str, **given: object) -> None:
    """Raise `MechanismError` if an option is given that the method would ignore."""
    for name, value in given.items():
        if method not in SEARCHING and value is not None:
            raise MechanismError(f"{name} is for search and exact: leave it out with {method}")


def check_over(method: str, over: str | None) -> None:
    """Raise `MechanismError` if `over` does not exist, or if the method would ignore it."""
    if over is not None:
        check_choice(over, get_args(Over), "over")
    if method == "ordered" and over == "high-risk":
        raise MechanismError(
            "runs of an ordered column may have to hold low-risk values too: use over='all' "
            "(--over all) with 'ordered', or 'search' with over='high-risk'"
        )


def checked_groups(
    given: Joint, bound: Bound, intact: GroupsLike | None, least: float, *, runs: bool
) -> Groups | None:
    """Return the intact groups after checking that each can be made safe and is large enough."""
    if intact is None:
        return None
    groups = as_groups(intact, given.public)
    groups = groups.runs() if runs else groups
    refuse_unsafe(given.scaled, bound.on(given), groups)
    refuse_small(given.records, groups, least)
    return groups


def _checked_whole(value: int, name: str) -> int:
    return int(checked_number(value, name, least=0, whole=True, error=MechanismError))


def checked_seconds(time_limit: float | None) -> float | None:
    """Return a time limit, or raise `MechanismError` if it is not a number of seconds."""
    if time_limit is None:
        return None
    return checked_number(time_limit, "time_limit (seconds)", least=0, error=MechanismError)
