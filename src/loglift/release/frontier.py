"""Choosing eps: what is kept against the bound, and the least bound that keeps enough.

A partition that is safe under a bound is safe under every looser one. So the sweep goes from the
tightest bound to the loosest and starts each search from the partition before: what "search" keeps
never falls as eps grows. The other methods are shown as they are, and Algorithm 1 may fall.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift import tables
from loglift._compute.kernels import many_problems
from loglift._compute.progress import OnProgress, Progress, silent
from loglift.errors import BoundError, InputError, JointError, UnsafeError
from loglift.joint import Joint, as_joint
from loglift.measures.entropy import entropy
from loglift.mechanism.kept import WHOLE_ROWS, goal_name, goal_words
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.intact import GroupsLike
from loglift.merging.merge import SEARCHING, Method, Promised, check_choice, merge
from loglift.merging.search import default_iterations
from loglift.promise.bound import Bound
from loglift.release.goal import goal_of, with_taxonomies
from loglift.release.options import options_of, refuse_several
from loglift.release.sensitive import ignoring
from loglift.report.sentences.kept import asked_for
from loglift.tables.columns import Names
from loglift.utility.utility import Utility
from loglift.values import checked_number

EPS = tuple(round(0.1 * step, 1) for step in range(1, 31))
ITERATIONS_DIVISOR = 4  # a quarter of the iterations of `merge`: warm starts make up for them
EPS_PRECISION = 0.005  # nats, to which the least eps is found
_PLAIN = Bound.symmetric(0.0)  # no sensitive value has a bound of its own
_EPS_STEPS = 1000  # per nat: eps is told in thousandths, rounded up
_MAX_EPS_POINTS = 10_000  # of a sweep


@dataclass(frozen=True)
class FrontierPoint:
    """What one method keeps and gives away at one eps.

    `kept` is the share of the utility of the table as it is, and `at_most` the most of it that is
    proven possible for the releases that `at_most_scope` names. `information` is I(X;Y) in nats,
    `utility` that of the goal.
    """

    method: str
    eps: float
    kept: float
    at_most: float
    at_most_scope: str
    utility: float
    information: float
    leakage: float
    values: int
    safe: bool


@dataclass(frozen=True)
class Frontier:
    """The points of a sweep, method by method with eps rising.

    `entropy` is H(X) in nats, and `most` the utility of the table as it is. `goal` names what was
    to be kept ("joint", "columns" or "targets"), and `goal_words` says it in words.
    """

    entropy: float
    most: float
    public_values: int
    points: tuple[FrontierPoint, ...]
    goal: str = "joint"
    goal_words: str = WHOLE_ROWS

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order they were asked for."""
        return tuple(dict.fromkeys(point.method for point in self.points))

    def series(self, method: str) -> tuple[FrontierPoint, ...]:
        """Return the points of one method, eps rising."""
        return tuple(point for point in self.points if point.method == method)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form of frontier.json; an infinite leakage is the text "inf"."""
        points = [asdict(point) for point in self.points]
        for point in points:
            point["leakage"] = _finite(point["leakage"])
        return {
            "entropy": self.entropy,
            "most": self.most,
            "public_values": self.public_values,
            "goal": self.goal,
            "goal_words": self.goal_words,
            "points": points,
        }

    def to_csv(self) -> str:
        """Return the points as CSV, one line each, with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(field.name for field in fields(FrontierPoint))
        writer.writerows(asdict(point).values() for point in self.points)
        return text.getvalue()


@dataclass(frozen=True, eq=False)
class LeastEps:
    """The least eps found that keeps a share of the goal, and the release for it.

    `goal_words` says what the goal is.
    """

    asked: float
    eps: float
    kept: float
    mechanism: Mechanism
    goal_words: str = WHOLE_ROWS


def frontier(
    source: Joint | ArrayLike | Any,
    eps: Iterable[float] = EPS,
    methods: Sequence[Method] = ("search",),
    *,
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
    methods
        Methods of `merge`. They may merge any values, so that every point is safe.
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

    Raises
    ------
    UnsafeError
        When there is no safe release at any eps. An eps that is too tight for a group has no
        point.

    """
    counted = joint_of(
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
    return _swept(counted, eps, methods, min_count, iterations, seed, on_progress)


def _swept(
    counted: Counted,
    eps: Iterable[float],
    methods: Sequence[Method],
    min_count: int | None,
    iterations: int | None,
    seed: int,
    on_progress: OnProgress,
) -> Frontier:
    given, groups, goal = counted.joint, counted.groups, counted.goal
    bounds, names = _checked_eps(eps), list(dict.fromkeys(methods))
    for method in names:
        check_choice(method, get_args(Method), "method")
        if method == "ordered":
            refuse_several(given.column_names)
    points, refused, total = [], None, len(bounds) * len(names)
    for method in names:
        start = None
        for bound in bounds:
            done = names.index(method) * len(bounds) + bounds.index(bound)
            on_progress(Progress("sweeping eps", done, total))
            try:
                found = _merged(
                    given, goal, counted.like.at(bound), method, start, min_count, groups,
                    iterations, seed,
                )  # fmt: skip
            except UnsafeError as error:  # a group may need a looser bound than this one
                refused = error
                continue
            points.append(_point(goal.most(given), bound, found))
            start = found.labels
    if not points and refused is not None:
        raise refused
    whole = entropy(given.p_public)
    return Frontier(
        entropy=whole,
        most=goal.most(given),
        public_values=given.mass.shape[0],
        points=tuple(points),
        goal=goal_name(goal),
        goal_words=goal_words(goal, given),
    )


def sweep(
    table: Any,
    eps: Sequence[float],
    methods: Sequence[Method],
    *,
    min_information: float | None = None,
    min_count: int | None = None,
    on_progress: OnProgress = silent,
    **counted: Any,
) -> tuple[Frontier | None, LeastEps | None]:
    """Count a table once, sweep eps over it, and find the least eps that keeps a share.

    Without eps there is no sweep. The other arguments are those of `frontier`.
    """
    found_of = joint_of(table, on_progress=on_progress, **counted)
    joint = found_of.joint
    limits: dict[str, Any] = {
        "utility": found_of.goal,
        "min_count": min_count,
        "intact": found_of.groups,
    }
    found = least = None
    if eps:
        found = _swept(found_of, eps, methods, min_count, None, 0, on_progress)
    if min_information is not None:
        on_progress(Progress("looking for the least eps"))
        least = least_eps(joint, min_information, methods[0], like=found_of.like, **limits)
    return found, least


@dataclass(frozen=True, eq=False)
class Counted:
    """The joint to sweep, the groups that are not to be merged, and what is worth keeping.

    `like` has the sensitive values that are not bounded.
    """

    joint: Joint
    groups: GroupsLike | None
    goal: Utility
    like: Bound = _PLAIN


def joint_of(
    source: Joint | ArrayLike | Any,
    sensitive: Names | None = None,
    public: Names | None = None,
    *,
    each: bool = False,
    bins: Mapping[str, Any] | None = None,
    intact: Names | GroupsLike | None = None,
    utility: Utility | Literal["joint", "columns"] | None = None,
    on_progress: OnProgress = silent,
    **of_table: Any,
) -> Counted:
    """Count a table, or take the given joint; `of_table` are options that only a table has."""
    if sensitive is None and public is None:
        for name, value in {"bins": bins, **of_table}.items():
            if value:
                raise InputError(f"{name} are for tables, and this is a joint: leave them out")
        try:
            given = as_joint(source)
        except JointError as error:
            if isinstance(source, (list, tuple, np.ndarray)):
                raise
            raise JointError(
                f"{error}; for a table name its sensitive and public columns"
            ) from None
        if isinstance(utility, Utility):
            goal = utility
        else:
            goal = Utility.columns() if utility == "columns" else Utility.joint()
        return Counted(given.apart() if each else given, intact, goal)
    if sensitive is None or public is None:
        raise InputError("a table needs its sensitive and its public columns: name both")
    options = options_of(
        sensitive=sensitive,
        public=public,
        eps=0.0,  # not used: the sweep has its own
        bound=None,
        intact=cast("Names | None", intact),
        bins=bins,
        each=each,
        utility=utility,
        **of_table,
    )
    on_progress(Progress("counting"))
    opened = tables.open_table(source)
    joint = with_taxonomies(options.counted(opened), options)
    return Counted(
        options.shown(joint),
        options.groups(joint),
        goal_of(opened, joint, options),
        ignoring(_PLAIN, joint, options.ignored),
    )


def least_eps(
    joint: Joint | ArrayLike,
    min_information: float,
    method: Method = "search",
    *,
    utility: Utility | None = None,
    min_count: int | None = None,
    intact: GroupsLike | None = None,
    promises: Sequence[Promised] = (),
    iterations: int | None = None,
    seed: int = 0,
    like: Bound | None = None,
) -> LeastEps:
    """Find the least eps at which a release keeps a share of the utility, such as 0.9.

    The utility is I(X;Y) by default; the share is that of the table as it is.

    By bisection to 0.005 nats over searches that start from one another; eps is a whole number of
    thousandths. It is the least *found*: a better search might find a smaller one.

    Raises
    ------
    UnsafeError
        When no eps keeps that much, because public values rule sensitive ones out.

    """
    given = as_joint(joint)
    share = checked_number(min_information, "min_information", above=0, most=1)
    check_choice(method, get_args(Method), "method")
    if method == "ordered":
        refuse_several(given.column_names)

    goal = utility or Utility.joint()
    whole = goal.most(given)

    def at(eps: float, start: Mechanism | None) -> Mechanism:
        labels = None if start is None else start.labels
        return _merged(
            given, goal, (like or _PLAIN).at(eps), method, labels, min_count, intact, iterations,
            seed, promises,
        )  # fmt: skip

    low, high = 0.0, _rounded_up(_loosest(given))
    if promises:  # a context has fewer records than a public value, at the least one
        high = max(high, _rounded_up(2 * math.log(max(given.total, math.e))))
    best, tight = at(high, None), None
    if not _keeps(best, share, whole):
        raise UnsafeError(
            f"no eps keeps {share:.1%} of {asked_for(goal_words(goal, given))}, at most "
            f"{_share(best, whole):.1%} was found: ask for less, or bound belief from rising only "
            "(--upper)"
        )
    high = _least_kept(best, high)
    while high - low > EPS_PRECISION:
        middle = round((low + high) / 2 * _EPS_STEPS) / _EPS_STEPS
        try:
            found = at(middle, tight)
        except UnsafeError:  # too tight for a group
            low = middle
            continue
        if _keeps(found, share, whole):
            best, high = found, _least_kept(found, middle)
        else:
            tight, low = found, middle
    return LeastEps(share, high, _share(best, whole), best, goal_words(goal, given))


def eps_grid(text: str) -> tuple[float, ...]:
    """Return the bounds a text names: `0.1:3:0.1` (both ends count) or `0.5,1,2`."""
    try:
        if ":" not in text:
            return tuple(float(part) for part in text.split(","))
        first, last, step = (float(part) for part in text.split(":"))
        steps = math.floor((last - first) / step + 1e-9) if step > 0 else -1
    except (ValueError, OverflowError):
        steps = -1
    if not 0 <= steps <= _MAX_EPS_POINTS:
        raise BoundError(
            f"{text!r} is not a list of eps: give FROM:TO:STEP as 0.1:3:0.1, or 0.5,1,2"
        )
    return tuple(round(first + step * i, 10) for i in range(steps + 1))


def _merged(
    given: Joint,
    goal: Utility,
    bound: Bound,
    method: Method,
    start: ArrayLike | None,
    min_count: int | None,
    groups: GroupsLike | None,
    iterations: int | None,
    seed: int,
    promises: Sequence[Promised] = (),
) -> Mechanism:
    options: dict[str, Any] = {
        "utility": goal,
        "min_count": min_count,
        "intact": groups,
        "promises": promises,
    }
    if method in SEARCHING:
        usual = default_iterations(given.mass.shape) // ITERATIONS_DIVISOR
        effort = usual if iterations is None else iterations
        options |= {"start": start, "iterations": effort, "seed": seed}
    elif method != "ordered":
        options["over"] = "all"
    with many_problems():
        return merge(given, None, method, bound=bound, **options)


def _point(whole: float, eps: float, found: Mechanism) -> FrontierPoint:
    values = 0 if found.labels is None else int(found.labels.max()) + 1
    return FrontierPoint(
        method=found.method,
        eps=eps,
        kept=_share(found, whole),
        at_most=found.upper_bound / whole if whole else 1.0,
        at_most_scope=found.upper_bound_scope,
        utility=found.utility,
        information=found.information,
        leakage=found.leakage,
        values=values,
        safe=found.safe,
    )


def _share(found: Mechanism, whole: float) -> float:
    """Return what is kept as a share of the utility of the table as it is."""
    return found.utility / whole if whole else 1.0


def _keeps(found: Mechanism, share: float, whole: float) -> bool:
    return found.safe and _share(found, whole) >= share


def _least_kept(found: Mechanism, eps: float) -> float:
    """Return the least eps at which the same method is known to keep as much.

    It is that of the leakage for methods that never keep less at a looser bound. Algorithm 1 and
    complete merging may; they are only known to at the eps they were run at.
    """
    if found.method in ("greedy", "complete"):
        return eps
    leakage = max(found.leakage, *(reader.leakage for reader in found.readers), 0.0)
    return min(eps, _rounded_up(leakage))


def _loosest(given: Joint) -> float:
    """Return an eps that excludes nothing but zeros: no positive log-lift of a block is beyond it.

    p(s,B) is at least the least positive cell c, so that lifts are between c and 1/c.
    """
    cells = given.probabilities
    return -math.log(float(cells[cells > 0].min())) + 1 / _EPS_STEPS


def _rounded_up(eps: float) -> float:
    """Round up to a thousandth, with room for the tolerance of the exact check."""
    return math.ceil((eps + 1e-9) * _EPS_STEPS) / _EPS_STEPS


def _checked_eps(eps: Iterable[float]) -> list[float]:
    found = [float(value) for value in np.atleast_1d(np.asarray(list(eps), dtype=np.float64))]
    if not found or not all(math.isfinite(value) and value >= 0 for value in found):
        raise BoundError("give the eps to sweep as finite numbers of nats, zero or more")
    return sorted(set(found))


def _finite(number: float) -> float | str:
    return str(number) if math.isinf(number) else number
