"""Explain a release: which sensitive values bind, what each costs, and what would help."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import MechanismError
from loglift.explain.binding import Limit, limits_of
from loglift.explain.caps import Cap, caps_of
from loglift.explain.case import Case
from loglift.explain.suggest import steps_of
from loglift.joint import IntArray, Joint, as_joint
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.intact import Groups, GroupsLike, as_groups
from loglift.promise.bound import Bound
from loglift.sparse import holders
from loglift.values import encoded

Change: TypeAlias = Literal["search", "upper", "eps", "sensitive", "groups", "min_count"]

MOST_TRIED = 3  # sensitive values to solve again without
STEPS = 3  # of grouping sensitive values to try, up to the first that helps
WORTH = 0.005  # of H(X): a change that keeps less more than that is not worth telling
WIDER = 2  # times the bound there is


@dataclass(frozen=True)
class Remedy:
    """Something to ask for instead, and the share of H(X) that is then kept, at least.

    `change` is "search" (for longer, or over all values), "upper" (bound belief from rising only),
    "eps" (a wider bound), "sensitive" (group sensitive values), "groups" or "min_count" (ask for
    none). `bound` is the new bound, `sensitive` the groups of sensitive values, where they change.
    """

    change: Change
    kept: float
    bound: Bound | None = None
    sensitive: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a release keeps what it keeps. It names sensitive values: it is for the custodian.

    Attributes
    ----------
    kept
        The share of H(X) the release keeps.
    compared_with
        The share kept when the release is improved with the effort of the figures below, all
        limits in place: what these compare with. None when nothing was solved again.
    limits
        The sensitive values that bind in some released value, those with most records first.
    caps
        The tightest caps that rare sensitive values set on any safe merging.
    remedies
        What would help, most first.

    """

    kept: float
    compared_with: float | None
    limits: tuple[Limit, ...]
    caps: tuple[Cap, ...]
    remedies: tuple[Remedy, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of `why` in `loglift protect --json`."""
        document: dict[str, Any] = encoded(self)
        return document


def explain(
    joint: Joint | ArrayLike,
    mechanism: Mechanism,
    *,
    min_count: float | None = None,
    groups: GroupsLike | None = None,
) -> Explanation:
    """Explain why a merging of public values keeps no more information.

    A limit binds in a released value that would break it if one of its public values left. What
    could be kept without a sensitive value, or with another limit, is found by solving again from
    the partition there is, with a modest effort: at least that much can be had. This takes about
    as long as `merge`; on very large joints nothing is solved again.

    Parameters
    ----------
    joint, mechanism
        A joint, and what `merge` made of it.
    min_count, groups
        As they were given to `merge`.

    """
    given = as_joint(joint)
    mechanism.release(given)  # refuses a joint of other values
    if mechanism.labels is None:
        raise MechanismError("only mergings are explained, this mechanism is a randomized channel")
    case = Case.of_joint(
        given,
        mechanism.bound,
        least=min_count or 0,
        groups=None if groups is None else as_groups(groups, given.public),
        runs=mechanism.method == "ordered",
    )
    return explained(case, mechanism.labels)


def explained(case: Case, labels: IntArray) -> Explanation:
    """Explain a partition of the public values of a case."""
    utility = case.utility(labels)
    kept, limits = case.kept(utility), limits_of(case, labels)
    compared, remedies = None, []
    if case.small and kept < 1 and len(case.names) > 1:
        best = case.solved(case.problem(), labels)
        compared = case.kept(case.utility(best))
        limits = _without_each(case, best, limits)
        found = [Remedy("search", compared), *_remedies(case, best)]
        least = {"search": kept}
        remedies = [r for r in found if r.kept > least.get(r.change, compared) + WORTH]
    binding = [limit for limit in limits if limit.records]
    return Explanation(
        kept=kept,
        compared_with=compared,
        limits=tuple(sorted(binding, key=lambda limit: -limit.records)),
        caps=caps_of(case.mass, case.names, case.bound, case.entropy, records=case.records_with),
        remedies=tuple(sorted(remedies, key=lambda remedy: -remedy.kept)),
    )


def _without_each(case: Case, best: IntArray, limits: list[Limit]) -> list[Limit]:
    """Solve again without the sensitive values that bind most, and without the rarest."""
    order = sorted(range(len(limits)), key=lambda s: -limits[s].records)
    rarest = int(holders(case.mass).argmin())
    for s in {*order[:MOST_TRIED], rarest}:
        if limits[s].records:
            events = np.arange(len(limits))
            events[s] = -1
            labels = case.solved(case.problem(events=events), best)
            limits[s] = replace(limits[s], kept_without=case.kept(case.utility(labels)))
    return limits


def _remedies(case: Case, best: IntArray) -> list[Remedy]:
    """Solve again with each of the changes that apply to the case."""
    found = []
    for change, bound in _bounds(case.bound).items():
        labels = case.solved(case.problem(bound=bound), best)
        found.append(Remedy(change, case.kept(case.utility(labels)), bound))
    if len(case.groups.names) > 1:
        labels = case.solved(case.problem(), best, groups=Groups.one(best.size))
        found.append(Remedy("groups", case.kept(case.utility(labels))))
    if case.least > 0:
        labels = case.solved(case.problem(least=0), best)
        found.append(Remedy("min_count", case.kept(case.utility(labels))))
    enough = case.kept(case.utility(best)) + WORTH
    steps = (s for s in islice(steps_of(case, best, 1), STEPS) if s.kept > enough)
    found += [Remedy("sensitive", s.kept, sensitive=s.groups) for s in islice(steps, 1)]
    return found


def _bounds(bound: Bound) -> dict[Change, Bound]:
    """The bounds to try: from above only, and twice as wide."""
    found: dict[Change, Bound] = {}
    if math.isfinite(bound.lower) and math.isfinite(bound.upper):
        found["upper"] = Bound(math.inf, bound.upper)
    if min(bound.lower, bound.upper) > 0:
        found["eps"] = bound.times(WIDER)
    return found
