"""Choosing eps: the information kept against the bound, and the least bound that keeps enough.

A partition that is safe under a bound is safe under every looser one. So the sweep goes from the
tightest bound to the loosest and starts each search from the partition before: what "search" keeps
never falls as eps grows. The other methods are shown as they are, and Algorithm 1 may fall.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import BoundError, InputError, UnsafeError
from loglift.joint import Joint, as_joint
from loglift.measures.entropy import entropy
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.intact import GroupsLike
from loglift.merging.merge import Method, check_choice, merge
from loglift.merging.search import default_iterations

EPS = tuple(round(0.1 * step, 1) for step in range(1, 31))
EFFORT = 4  # one part in this many of the iterations of `merge`: warm starts make up for them
PRECISION = 0.005  # nats, to which the least eps is found
_GRID = 1000  # eps is told in thousandths, rounded up


@dataclass(frozen=True)
class FrontierPoint:
    """What one method keeps and gives away at one eps; nats, and shares of H(X).

    `at_most` is the most that is proven possible for the releases that `at_most_scope` names.
    """

    method: str
    eps: float
    kept: float
    at_most: float
    at_most_scope: str
    utility: float
    leakage: float
    values: int
    safe: bool


@dataclass(frozen=True)
class Frontier:
    """The points of a sweep, method by method with eps rising; `entropy` is H(X) in nats."""

    entropy: float
    public_values: int
    points: tuple[FrontierPoint, ...]

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
        return {"entropy": self.entropy, "public_values": self.public_values, "points": points}

    def to_csv(self) -> str:
        """Return the points as CSV, one line each, with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(field.name for field in fields(FrontierPoint))
        writer.writerows(asdict(point).values() for point in self.points)
        return text.getvalue()


@dataclass(frozen=True, eq=False)
class LeastEps:
    """The least eps found that keeps a share of the information, and the release for it."""

    asked: float
    eps: float
    kept: float
    mechanism: Mechanism


def frontier(
    joint: Joint | ArrayLike,
    eps: Iterable[float] = EPS,
    methods: Sequence[Method] = ("search",),
    *,
    min_count: int | None = None,
    groups: GroupsLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
    on_point: Callable[[int], None] = lambda _done: None,
) -> Frontier:
    """Sweep eps: what each method keeps and gives away.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps
        The bounds, in nats; 0.1 to 3 by default.
    methods
        Methods of `merge`. They may merge any values, so that every point is safe.
    min_count, groups, seed
        As in `merge`.
    iterations
        Of "search" at each eps; by default a quarter of those of `merge`.
    on_point
        Told of each point as it begins.

    Raises
    ------
    UnsafeError
        When there is no safe release at any eps. An eps that is too tight for a group has no
        point.

    """
    given, bounds = as_joint(joint), _checked_eps(eps)
    for method in methods:
        check_choice(method, get_args(Method), "method")
    points, refused = [], None
    for method in dict.fromkeys(methods):
        start = None
        for bound in bounds:
            on_point(1)
            try:
                found = _merged(given, bound, method, start, min_count, groups, iterations, seed)
            except UnsafeError as error:  # a group may need a looser bound than this one
                refused = error
                continue
            points.append(_point(given, bound, found))
            start = found.labels
    if not points and refused is not None:
        raise refused
    return Frontier(entropy(given.p_public), given.mass.shape[0], tuple(points))


def least_eps(
    joint: Joint | ArrayLike,
    keep: float,
    method: Method = "search",
    *,
    min_count: int | None = None,
    groups: GroupsLike | None = None,
    iterations: int | None = None,
    seed: int = 0,
) -> LeastEps:
    """Find the least eps at which a release keeps the share `keep` of the information.

    By bisection to 0.005 nats over searches that start from one another; eps is a whole number of
    thousandths. It is the least *found*: a better search might find a smaller one.

    Raises
    ------
    UnsafeError
        When no eps keeps that much, because public values rule sensitive ones out.

    """
    given, share = as_joint(joint), checked_share(keep)
    check_choice(method, get_args(Method), "method")

    def at(eps: float, start: Mechanism | None) -> Mechanism:
        labels = None if start is None else start.labels
        return _merged(given, eps, method, labels, min_count, groups, iterations, seed)

    low, high = 0.0, _rounded_up(_loosest(given))
    best, tight = at(high, None), None
    if not _keeps(best, share):
        raise UnsafeError(
            f"no eps keeps {share:.1%} of the information, at most {1 - best.nmil:.1%} was found: "
            "ask for less, or bound belief from rising only (--upper)"
        )
    high = _least_kept(best, high)
    while high - low > PRECISION:
        middle = round((low + high) / 2 * _GRID) / _GRID
        try:
            found = at(middle, tight)
        except UnsafeError:  # too tight for a group
            low = middle
            continue
        if _keeps(found, share):
            best, high = found, _least_kept(found, middle)
        else:
            tight, low = found, middle
    return LeastEps(share, high, 1 - best.nmil, best)


def eps_grid(text: str) -> tuple[float, ...]:
    """Return the bounds a text names: `0.1:3:0.1` (both ends count) or `0.5,1,2`."""
    try:
        if ":" not in text:
            return tuple(float(part) for part in text.split(","))
        first, last, step = (float(part) for part in text.split(":"))
        steps = math.floor((last - first) / step + 1e-9) if step > 0 else -1
    except (ValueError, OverflowError):
        steps = -1
    if not 0 <= steps <= 10_000:  # noqa: PLR2004, more is a slip of the pen
        raise BoundError(f"{text!r} is no list of eps: give FROM:TO:STEP as 0.1:3:0.1, or 0.5,1,2")
    return tuple(round(first + step * i, 10) for i in range(steps + 1))


def checked_share(keep: object) -> float:
    """Return a share of the information above 0, up to 1, or refuse it."""
    number = isinstance(keep, Real) and not isinstance(keep, bool)
    if not number or not 0 < keep <= 1:  # type: ignore[operator]  # a number, as just checked
        raise InputError(f"the share to keep must be above 0 and at most 1, got {keep!r}")
    return float(keep)  # type: ignore[arg-type]


def _merged(
    given: Joint,
    eps: float,
    method: Method,
    start: ArrayLike | None,
    min_count: int | None,
    groups: GroupsLike | None,
    iterations: int | None,
    seed: int,
) -> Mechanism:
    if method not in ("search", "exact"):
        over: Any = None if method == "ordered" else "all"
        return merge(given, eps, method, over=over, min_count=min_count, groups=groups)
    total = default_iterations(given.mass.shape) // EFFORT if iterations is None else iterations
    return merge(
        given,
        eps,
        method,
        start=start,
        min_count=min_count,
        groups=groups,
        iterations=total,
        seed=seed,
    )


def _point(given: Joint, eps: float, found: Mechanism) -> FrontierPoint:
    total = entropy(given.p_public)
    values = 0 if found.labels is None else int(found.labels.max()) + 1
    return FrontierPoint(
        method=found.method,
        eps=eps,
        kept=1 - found.nmil,
        at_most=found.upper_bound / total if total else 1.0,
        at_most_scope=found.upper_bound_scope,
        utility=found.utility,
        leakage=found.leakage,
        values=values,
        safe=found.safe,
    )


def _keeps(found: Mechanism, share: float) -> bool:
    return found.safe and 1 - found.nmil >= share


def _least_kept(found: Mechanism, eps: float) -> float:
    """Return the least eps at which the same method is known to keep as much.

    It is that of the leakage for methods that never keep less at a looser bound. Algorithm 1 and
    complete merging may; they are only known to at the eps they were run at.
    """
    if found.method in ("greedy", "complete"):
        return eps
    return min(eps, _rounded_up(found.leakage))


def _loosest(given: Joint) -> float:
    """Return an eps that excludes nothing but zeros: no positive log-lift of a block is beyond it.

    p(s,B) is at least the least positive cell c, so that lifts are between c and 1/c.
    """
    cells = given.probabilities
    return -math.log(float(cells[cells > 0].min())) + 1 / _GRID


def _rounded_up(eps: float) -> float:
    """Round up to a thousandth, with room for the tolerance of the exact check."""
    return math.ceil((eps + 1e-9) * _GRID) / _GRID


def _checked_eps(eps: Iterable[float]) -> list[float]:
    found = [float(value) for value in np.atleast_1d(np.asarray(list(eps), dtype=np.float64))]
    if not found or not all(math.isfinite(value) and value >= 0 for value in found):
        raise BoundError("give the eps to sweep as finite numbers of nats, zero or more")
    return sorted(set(found))


def _finite(number: float) -> float | str:
    return str(number) if math.isinf(number) else number
