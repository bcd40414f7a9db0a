"""The least bound that keeps enough, by bisection over searches that start from one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_args

from numpy.typing import ArrayLike

from loglift.errors import UnsafeError
from loglift.joint import Joint, as_joint
from loglift.mechanism.kept import goal_words
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.intact import GroupsLike
from loglift.merging.merge import Method, Promised, check_choice
from loglift.promise.bound import Bound
from loglift.release.swept import PLAIN, Sweep
from loglift.report.sentences.kept import asked_for
from loglift.report.sweep import LeastEps
from loglift.utility.utility import Utility
from loglift.values import checked_number

EPS_PRECISION = 0.005  # nats, to which the least eps is found
_EPS_STEPS = 1000  # per nat: eps is told in thousandths, rounded up


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

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    min_information
        The share of the utility to keep, from 0 to 1.
    method, utility, min_count, intact, promises, seed
        As in `merge`.
    iterations
        Of "search" at each eps; by default a quarter of those of `merge`.
    like
        A bound whose limits of single values, and whose requirements, every eps has, too.

    Returns
    -------
    LeastEps
        The eps, the share that it keeps, and its mechanism.

    Raises
    ------
    InputError
        When the share is not above 0 and at most 1.
    UnsafeError
        When no eps keeps that much, because public values rule sensitive ones out.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> found = loglift.least_eps(joint, 0.6)
    >>> found.eps, round(found.kept, 2)
    (0.694, 1.0)
    """
    return least_of(
        Sweep(
            as_joint(joint),
            utility or Utility.joint(),
            intact,
            like or PLAIN,
            promises,
            min_count,
            iterations,
            seed,
        ),
        min_information,
        method,
    )


def least_of(sweep: Sweep, min_information: float, method: Method) -> LeastEps:
    """Find the least eps of a sweep at which a release keeps a share of the utility."""
    share = checked_number(min_information, "min_information", above=0, most=1)
    check_choice(method, get_args(Method), "method")
    sweep.check_methods([method])
    given, words = sweep.joint, goal_words(sweep.goal, sweep.joint)

    def at(eps: float, start: Mechanism | None) -> Mechanism:
        return sweep.merged(sweep.like.at(eps), method, start)

    def keeps(found: Mechanism) -> bool:
        return found.safe and sweep.share_kept(found) >= share

    low, high = 0.0, _rounded_up(_loosest(given))
    if sweep.promises:  # a context has fewer records than a public value, at the least one
        high = max(high, _rounded_up(2 * math.log(max(given.total, math.e))))
    best, tight = at(high, None), None
    if not keeps(best):
        raise UnsafeError(
            f"no eps keeps {share:.1%} of {asked_for(words)}, at most "
            f"{sweep.share_kept(best):.1%} was found: ask for less, or bound belief from rising "
            "only (--upper)"
        )
    high = _least_kept(best, high)
    while high - low > EPS_PRECISION:
        middle = round((low + high) / 2 * _EPS_STEPS) / _EPS_STEPS
        try:
            found = at(middle, tight)
        except UnsafeError:  # too tight for a group
            low = middle
            continue
        if keeps(found):
            best, high = found, _least_kept(found, middle)
        else:
            tight, low = found, middle
    return LeastEps(share, high, sweep.share_kept(best), best, words)


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
