"""Explain a release: which sensitive values bind, what each costs, and what would help."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import MechanismError
from loglift.explain.again import (
    is_solvable,
    kept_by,
    problem_of,
    solve_again,
    with_events,
)
from loglift.explain.binding import Limit, limits_of
from loglift.explain.caps import Cap, caps_of
from loglift.explain.commands import bound_options, unbounded_option
from loglift.explain.hints import Hint, hints_of
from loglift.explain.suggest import steps_of
from loglift.joint import IntArray, Joint, as_joint
from loglift.measures.entropy import entropy
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.problem import Problem
from loglift.promise.bound import Bound
from loglift.sparse import holders
from loglift.values import encoded

Change: TypeAlias = Literal[
    "search", "upper", "eps", "intact", "min_count", "sensitive", "unbounded"
]

MAX_TRIED_VALUES = 3  # sensitive values to solve again without
MAX_TRIED_STEPS = 3  # of grouping sensitive values, up to the first that helps
MIN_GAIN = 0.005  # of the goal: a change that gains less is not reported
WIDER_FACTOR = 2  # of the wider bound to try
MAX_RARE_SHARE = 0.05  # of the records: only a value that is as rare may go without a bound


@dataclass(frozen=True)
class Remedy:
    """A change to ask for, and the share of the goal that is then kept, at least.

    `change` is "search" (for longer, or over all values), "upper" (bound only the rise of a
    belief), "eps" (a wider bound), "unbounded" (no bound for a sensitive value), "sensitive" (one
    sensitive value for several), "intact" or "min_count" (leave the limit out). `bound` is the new
    bound, `sensitive` are the sensitive values, group by group, where they change. `option` asks
    for it on the command line, quoted for a shell, in place of options of the same name (--bound
    is added); None where an option is to be left out, or where none can say it.
    """

    change: Change
    kept: float
    bound: Bound | None = None
    sensitive: tuple[tuple[Any, ...], ...] = ()
    option: str | None = None


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a release keeps what it keeps. It names sensitive values: it is for the custodian.

    Shares are of the goal of the release, of what the table as it is keeps of it: of H(X) where the
    goal is I(X;Y).

    Attributes
    ----------
    kept
        The share of the goal that the release keeps.
    compared_with
        The share kept when the release is improved under the same limits, with the effort of the
        figures below: compare them with this. None when nothing was solved again.
    limits
        The sensitive values that bind in some released value, those with most records first.
    caps
        The tightest caps that rare sensitive values set on I(X;Y) of any safe merging, whatever
        the goal is.
    remedies
        What would help, the most helpful first.
    hints
        The changes to single public columns that would help most, the most helpful first; empty
        unless the goal is to keep each of several columns.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> found = loglift.explain(joint, loglift.merge(joint, 0.3))
    >>> round(found.kept, 2), [limit.records_with for limit in found.limits]
    (0.58, [60, 60])
    """

    kept: float
    compared_with: float | None
    limits: tuple[Limit, ...]
    caps: tuple[Cap, ...]
    remedies: tuple[Remedy, ...]
    hints: tuple[Hint, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Explanation({self.kept:.4g} of the goal kept; limits that bind: {len(self.limits)}, "
            f"caps: {len(self.caps)}, remedies: {len(self.remedies)}, hints: {len(self.hints)})"
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form: `explanation` in `loglift protect --json`."""
        document: dict[str, Any] = encoded(self)
        return document


def explain(joint: Joint | ArrayLike, mechanism: Mechanism) -> Explanation:
    """Explain why a merging of public values keeps no more of its goal.

    A limit binds in a released value that would break it if one of its public values left. What
    could be kept without a sensitive value, or with another limit, is found by solving again from
    the partition there is, with a modest effort: at least that much can be had. This takes about
    as long as `merge`; on very large joints nothing is solved again.

    Parameters
    ----------
    joint, mechanism
        A joint, and what `merge` made of it.

    Returns
    -------
    Explanation
        The limits that bind, and what would help.

    Raises
    ------
    JointError
        When the mass is not a joint.
    MechanismError
        When the mechanism is not a merging of this joint.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 9, 1], [10, 30, 0], [20, 20, 0]])
    >>> found = loglift.explain(joint, loglift.merge(joint, 0.5))
    >>> [(remedy.change, round(remedy.kept, 2)) for remedy in found.remedies]
    [('upper', 0.58), ('sensitive', 0.58), ('unbounded', 0.58)]
    """
    return explanation_of(as_joint(joint), mechanism)


def explanation_of(
    given: Joint,
    mechanism: Mechanism,
    improved: IntArray | None = None,
    kept_if_wider: Callable[[], float | None] = lambda: None,
) -> Explanation:
    """Explain a merging, with what was solved again already.

    `improved` is its partition solved again under its own bound; `kept_if_wider` returns the share
    of the goal that is kept at `WIDER_FACTOR` times the bound, or None where that is not known.
    """
    mechanism.release(given)  # raises for a joint of other values
    if mechanism.labels is None:
        raise MechanismError("only mergings are explained, this mechanism is a randomized channel")
    problem = problem_of(given, mechanism)
    if mechanism.intact == () and mechanism.groups is None:
        raise MechanismError(
            "the file of this mechanism does not say which values were kept apart, because they "
            "were given value by value: explain the mechanism that merge or protect returned"
        )
    labels = mechanism.partition
    kept, limits = kept_by(given, mechanism, labels), limits_of(given, mechanism)
    compared, remedies = None, []
    hints: tuple[Hint, ...] = ()
    if is_solvable(given, mechanism) and kept < 1 and len(given.sensitive) > 1:
        best = solve_again(problem, labels, mechanism) if improved is None else improved
        compared = kept_by(given, mechanism, best)
        limits = _without_each(given, mechanism, problem, best, limits)
        found = [
            Remedy("search", compared, option="--method search --over all"),
            *_remedies(given, mechanism, problem, best),
            *_unbounded(given, limits),
        ]
        hints = hints_of(given, mechanism, best)
        found += _wider(given, mechanism, best, kept_if_wider())
        least = {"search": kept}
        remedies = [r for r in found if r.kept > least.get(r.change, compared) + MIN_GAIN]
    binding = [limit for limit in limits if limit.records]
    events = [given.event(s) for s in range(len(given.sensitive))]
    whole = entropy(given.weight)
    return Explanation(
        kept=kept,
        compared_with=compared,
        limits=tuple(sorted(binding, key=lambda limit: -limit.records)),
        caps=caps_of(given.counts, events, mechanism.bound, whole),
        remedies=tuple(sorted(remedies, key=_rank)),
        hints=hints,
    )


def _rank(remedy: Remedy) -> tuple[float, int]:
    """Return the sort key: the most helpful first, of equal ones in the order of `Change`."""
    return -remedy.kept, get_args(Change).index(remedy.change)


def _without_each(
    joint: Joint, mechanism: Mechanism, problem: Problem, best: IntArray, limits: list[Limit]
) -> list[Limit]:
    """Solve again without the sensitive values that bind most, and without the rarest."""
    order = sorted(range(len(limits)), key=lambda s: -limits[s].records)
    rarest = int(holders(joint.mass).argmin())
    for s in {*order[:MAX_TRIED_VALUES], rarest}:
        if limits[s].records:
            events = np.arange(len(limits))
            events[s] = -1
            labels = solve_again(with_events(problem, events), best, mechanism)
            limits[s] = replace(limits[s], kept_without=kept_by(joint, mechanism, labels))
    return limits


def _unbounded(joint: Joint, limits: list[Limit]) -> list[Remedy]:
    """Return the remedy to take the bound off the rare sensitive value that costs most.

    A common value is what the bound is for, and of two values the one tells the other.
    """
    several = {
        s
        for variable in joint.variables
        if variable.stop - variable.start > 2  # noqa: PLR2004, two values
        for s in range(variable.start, variable.stop)
    }
    tried = [
        (limit.kept_without, limit)
        for s, limit in enumerate(limits)
        if limit.kept_without is not None
        and s in several
        and limit.records_with <= MAX_RARE_SHARE * joint.records.sum()
    ]
    if not tried:
        return []
    kept, limit = max(tried, key=lambda pair: pair[0])
    option = unbounded_option(joint, limit.sensitive)
    return [Remedy("unbounded", kept, sensitive=((limit.sensitive,),), option=option)]


def _wider(
    joint: Joint, mechanism: Mechanism, best: IntArray, kept: float | None
) -> Iterator[Remedy]:
    """Yield the remedy of a wider bound, if it can be one; `kept` is its share, if it is known."""
    if min(mechanism.bound.lower, mechanism.bound.upper) > 0:
        bound = mechanism.bound.times(WIDER_FACTOR)
        if kept is None:
            problem = problem_of(joint, mechanism, bound=bound)
            kept = kept_by(joint, mechanism, solve_again(problem, best, mechanism))
        yield Remedy("eps", kept, bound, option=bound_options(bound))


def _remedies(joint: Joint, mechanism: Mechanism, problem: Problem, best: IntArray) -> list[Remedy]:
    """Solve again with each of the changes that apply."""

    def kept(changed: Problem) -> float:
        return kept_by(joint, mechanism, solve_again(changed, best, mechanism))

    found, bound = [], mechanism.bound
    if math.isfinite(bound.lower) and math.isfinite(bound.upper):
        above = Bound(math.inf, bound.upper)
        share = kept(problem_of(joint, mechanism, bound=above))
        found.append(Remedy("upper", share, above, option=bound_options(above)))
    if problem.groups is not None and len(problem.groups.names) > 1:
        found.append(Remedy("intact", kept(replace(problem, groups=None))))
    if problem.least > 0:
        found.append(Remedy("min_count", kept(replace(problem, least=0.0))))
    enough = kept_by(joint, mechanism, best) + MIN_GAIN
    steps = islice(steps_of(joint, mechanism, best, partners=1), MAX_TRIED_STEPS)
    helpful = (step for step in steps if step.kept > enough)
    found += [
        Remedy("sensitive", step.kept, sensitive=step.groups, option=step.option)
        for step in islice(helpful, 1)
    ]
    return found
