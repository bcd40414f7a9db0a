"""What is kept against the bound, from the tightest eps to the loosest.

A partition that is safe under a bound is safe under every looser one. So the sweep goes from the
tightest bound to the loosest and starts each search from the partition before: what "search" keeps
never falls as eps grows. The other methods are shown as they are, and Algorithm 1 may fall. Random
draws ("randomized") are solved anew at every bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import BoundError, MechanismError, UnsafeError
from loglift.joint import Joint
from loglift.measures.entropy import entropy
from loglift.mechanism.kept import goal_name, goal_words
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.intact import GroupsLike
from loglift.merging.merge import Method, check_choice
from loglift.promise.bound import Bound
from loglift.promise.catalogue import BY_KEY
from loglift.promise.divergence import AlphaLift
from loglift.promise.diversity import DistinctDiversity, EntropyDiversity
from loglift.randomizing.randomize import randomize
from loglift.release.least_eps import least_of
from loglift.release.options import ReleaseMethod
from loglift.release.swept import Sweep, sweep_of
from loglift.report.sweep import Frontier, FrontierPoint, LeastEps
from loglift.tables.columns import Names
from loglift.utility.utility import Utility

EPS = tuple(round(0.1 * step, 1) for step in range(1, 31))
_MAX_EPS_POINTS = 10_000  # of a sweep


def frontier(
    source: Joint | ArrayLike | Any,
    eps: Iterable[float] = EPS,
    methods: Sequence[ReleaseMethod] = ("search",),
    *,
    measure: str = "eps",
    sensitive: Names | None = None,
    public: Names | None = None,
    each: bool = False,
    bins: Mapping[str, Any] | None = None,
    missing: Mapping[str, Any] | None = None,
    weights: str | None = None,
    utility: Utility | Literal["joint", "columns"] | None = None,
    purposes: Names = (),
    importance: Mapping[str, float] | None = None,
    unordered: Names = (),
    taxonomies: Mapping[str, Any] | None = None,
    min_count: int | None = None,
    intact: Names | GroupsLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> Frontier:
    """Sweep eps: what each method keeps and gives away.

    Parameters
    ----------
    source
        A `Joint`, an array with one row per public value, or a table (a path or a dataframe) with
        its `sensitive` and `public` columns.
    eps
        The bounds, in nats; 0.1 to 3 by default.
    measure
        What is swept in place of eps: a requirement with one limit, such as "t", "l1_lift" or
        "entropy_l". The numbers of `eps` are its limits then, and log-lifts are not bounded.
    methods
        Methods of `merge`, and "randomized", which is `randomize`. They may merge any values, so
        that every point is safe.
    sensitive, public, each, bins, missing, weights, purposes, importance, unordered, taxonomies
        For a table, as in `protect`.
    utility
        What is worth keeping, as in `protect`; by default I(X;Y) for a joint.
    min_count, seed
        As in `merge`.
    intact
        As in `merge`; for a table as in `protect`.
    iterations
        Of "search" at each eps; by default a quarter of those of `merge`.
    on_progress
        Called with a `Progress` as each point begins.

    Returns
    -------
    Frontier
        One point for each method and eps.

    Raises
    ------
    BoundError
        When an eps, or another limit, cannot be used.
    UnsafeError
        When there is no safe release at any eps. An eps that is too tight for a group has no
        point.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> swept = loglift.frontier(joint, eps=[0.1, 0.5, 1])
    >>> [(point.limit, round(point.kept, 2), point.values) for point in swept.points]
    [(0.1, 0.58, 2), (0.5, 0.58, 2), (1.0, 1.0, 3)]
    """
    counted = sweep_of(
        source,
        sensitive,
        public,
        each=each,
        bins=bins,
        missing=missing,
        weights=weights,
        utility=utility,
        purposes=purposes,
        importance=importance,
        unordered=unordered,
        taxonomies=taxonomies,
        intact=intact,
        on_progress=on_progress,
    )
    limited = replace(counted, min_count=min_count, iterations=iterations, seed=seed)
    return _swept(limited, measure, eps, methods, on_progress)


def _swept(
    sweep: Sweep,
    measure: str,
    limits: Iterable[float],
    methods: Sequence[ReleaseMethod],
    on_progress: OnProgress,
) -> Frontier:
    bounds = _bounds_of(measure, limits, sweep.like)
    given, names = sweep.joint, list(dict.fromkeys(methods))
    for method in names:
        check_choice(method, (*get_args(Method), "randomized"), "method")
    sweep.check_methods(names)
    points, refused, total = [], None, len(bounds) * len(names)
    for method in names:
        start = None
        for number, (limit, bound) in enumerate(bounds.items()):
            done = names.index(method) * len(bounds) + number
            on_progress(Progress(f"sweeping {measure}", done, total))
            try:
                if method == "randomized":
                    found = randomize(
                        given,
                        bound=bound,
                        utility=sweep.goal,
                        min_count=sweep.min_count,
                        intact=sweep.intact,
                        seed=sweep.seed,
                    )
                else:
                    found = sweep.merged(bound, method, start)
            except UnsafeError as error:  # a group may need a looser bound than this one
                refused = error
                continue
            points.append(_point(sweep, limit, found))
            start = found
    if not points and refused is not None:
        raise refused
    return Frontier(
        entropy=entropy(given.p_public),
        most=sweep.most,
        public_values=given.mass.shape[0],
        points=tuple(points),
        goal=goal_name(sweep.goal),
        goal_words=goal_words(sweep.goal, given),
        measure=measure,
    )


def sweep(
    table: Any,
    eps: Sequence[float],
    methods: Sequence[ReleaseMethod],
    *,
    measure: str = "eps",
    min_information: float | None = None,
    min_count: int | None = None,
    on_progress: OnProgress = silent,
    **of_table: Any,
) -> tuple[Frontier | None, LeastEps | None]:
    """Count a table once, sweep eps over it, and find the least eps that keeps a share.

    Without eps there is no sweep. The other arguments are those of `frontier`.
    """
    counted = replace(sweep_of(table, on_progress=on_progress, **of_table), min_count=min_count)
    found = least = None
    if eps:
        found = _swept(counted, measure, eps, methods, on_progress)
    if min_information is not None:
        on_progress(Progress("looking for the least eps"))
        if methods[0] == "randomized":
            raise MechanismError(
                "the least eps that keeps a share is found for merging: name a method of merge"
            )
        least = least_of(counted, min_information, methods[0])
    return found, least


def limit_grid(text: str) -> tuple[float, ...]:
    """Return the bounds a text names: `0.1:3:0.1` (both ends count) or `0.5,1,2`."""
    try:
        if ":" not in text:
            return tuple(float(part) for part in text.split(","))
        first, last, step = (float(part) for part in text.split(":"))
        steps = math.floor((last - first) / step + 1e-9) if step > 0 else -1
    except (ValueError, OverflowError):
        first = last = steps = -1
    if not 0 <= steps <= _MAX_EPS_POINTS:
        wrong = "is empty, FROM is above TO" if first > last else "is not a list of limits"
        raise BoundError(f"{text!r} {wrong}: give FROM:TO:STEP as 0.1:3:0.1, or 0.5,1,2")
    return tuple(round(first + step * i, 10) for i in range(steps + 1))


def _bounds_of(measure: str, limits: Iterable[float], like: Bound) -> dict[float, Bound]:
    """Return the bound of each limit, from the tightest to the loosest."""
    if measure == "eps":
        return {eps: like.at(eps) for eps in _checked(limits)}
    choices = [key for key in BY_KEY if key != AlphaLift.key]
    check_choice(measure, ("eps", *choices), "measure")
    kind = BY_KEY[measure]
    whole = kind is DistinctDiversity
    found = [kind(int(limit) if whole else limit) for limit in _checked(limits)]
    found = found[::-1] if kind in (DistinctDiversity, EntropyDiversity) else found
    return {each.limit: Bound.requiring(each) for each in found}


def _point(sweep: Sweep, limit: float, found: Mechanism) -> FrontierPoint:
    return FrontierPoint(
        method=found.method,
        limit=limit,
        kept=sweep.share_kept(found),
        at_most=found.upper_bound / sweep.most if sweep.most else 1.0,
        at_most_scope=found.upper_bound_scope,
        utility=found.utility,
        information=found.information,
        leakage=found.leakage,
        values=found.size,
        safe=found.safe,
    )


def _checked(limits: Iterable[float]) -> list[float]:
    found = [float(value) for value in np.atleast_1d(np.asarray(list(limits), dtype=np.float64))]
    if not found or not all(math.isfinite(value) and value >= 0 for value in found):
        raise BoundError("give what to sweep as finite numbers, zero or more: eps in nats")
    return sorted(set(found))
