"""`randomize`: from a joint and a bound to the best randomized mechanism."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from loglift._compute.progress import OnProgress, silent
from loglift.errors import MechanismError, PartitionError
from loglift.joint import IntArray, Joint, as_joint
from loglift.measures.entropy import mutual_information
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism, channel_mechanism, refuse_dense
from loglift.mechanism.scope import ALL_RELEASES
from loglift.promise.bound import Bound, bound_from
from loglift.promise.min_count import checked_min_count
from loglift.randomizing.optimum import Optimum, Options, optimum
from loglift.randomizing.rational import RationalChannel, rational_channel
from loglift.sparse import dense
from loglift.utility.utility import Utility
from loglift.utility.worth import Worth
from loglift.values import checked_number

# Two bounds on the utility that differ by less, in nats, differ by rounding only.
_ROUNDING = 1e-12
# How far inside the bound to look when rounding to whole numbers leaves the bound, in nats.
_MARGINS = (1e-8, 1e-6)


def randomize(
    joint: Joint | ArrayLike,
    eps: float | None = None,
    *,
    bound: Bound | None = None,
    utility: Utility | None = None,
    min_count: float | None = None,
    start: ArrayLike | None = None,
    rounds: int | None = None,
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> Mechanism:
    """Release a random value y drawn from p(y|x), within the bound and with the largest utility.

    This keeps more than any merging, at the price of randomness: the same public value is released
    under different names. `.upper_bound` is proven for all channels, so `.optimal` tells whether no
    channel is better.

    The channel of a joint that was counted from a table is in whole numbers (`.exact_channel`) and
    safe in exact arithmetic, so that tables can be drawn from it.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps, bound
        The bound on |log-lift| in nats, or a `Bound`: give one of them.
    utility
        What is worth keeping; I(X;Y) by default, also for a joint of several columns.
    min_count
        The least expected mass of every released value, on the scale of the joint (records, for
        counts). `.upper_bound` does not take it into account.
    start
        A partition, as block numbers, or several: where they are safe, the result is never worse.
    rounds, seed
        How often to look for better posteriors, and the seed. More rounds never give less. By
        default there are rounds until no posterior is better; for thousands of values there are
        fewer.
    on_progress
        Called with a `Round` after every round.

    Raises
    ------
    UnsafeError
        When the whole table has less mass than `min_count`.

    """
    given, limit = as_joint(joint), bound_from(eps, bound)
    size = given.mass.shape[0]
    whole = partial(checked_number, least=0, whole=True, error=MechanismError)
    least = checked_min_count(given, min_count)
    refuse_dense(size, size)
    options = Options(
        least=least / given.total,
        rounds=None if rounds is None else int(whole(rounds, "rounds")),
        seed=int(whole(seed, "seed")),
    )
    goal = utility or Utility.joint()
    worth = None if goal.is_joint else goal.worth(given)
    best = optimum(
        dense(given.scaled),
        limit,
        options,
        worth=worth,
        partitions=_partitions(start, size),
        on_progress=on_progress,
    )
    kept = mutual_information(given.p_public, best.channel)
    if worth is not None:
        kept = worth.of_channel(best.channel)
    proven = best.upper_bound > kept + _ROUNDING
    channel, numerators = best.channel, None
    if given.columns and given.is_counts:
        found = _in_whole_numbers(given, limit, best, worth, min_count)
        channel, numerators = found.numerators / found.denominator, found.numerators
    return channel_mechanism(
        given,
        channel,
        limit,
        method="randomized",
        upper_bound=best.upper_bound if proven else kept,
        scope=ALL_RELEASES,
        goal=goal,
        min_count=min_count,
        numerators=numerators,
    )


def _in_whole_numbers(
    joint: Joint, bound: Bound, best: Optimum, worth: Worth | None, min_count: float | None
) -> RationalChannel:
    """Return a channel in whole numbers that is safe in exact arithmetic.

    The best channel is on the bound, and rounding may leave the bound. Pulling the channel back
    would mix every value with every other; the best channel just inside the bound is as sparse as
    the best one.
    """
    mass, copies = dense(joint.mass), len(joint.variables)
    scaled, total = mass.astype(np.float64), float(mass.sum())
    found = rational_channel(best.channel, mass, bound, worth)
    for margin in _MARGINS:
        if found.pull == 0 and _is_enough(found, joint, min_count):
            break
        inside = bound.inside(margin)
        more = 0.0 if min_count is None else min(min_count * copies + 1, total) / total
        again = optimum(scaled, inside, Options(least=more), worth=worth)
        found = rational_channel(again.channel, mass, bound, worth)
    if not _is_enough(found, joint, min_count):  # one value for all has all records
        found = rational_channel(np.ones((len(mass), 1)), mass, bound, worth)
    return found


def _is_enough(found: RationalChannel, joint: Joint, min_count: float | None) -> bool:
    """Return whether every released value has enough expected records, decided exactly."""
    if min_count is None:
        return True
    expected = found.numerators.T.astype(object) @ joint.weight.astype(object)
    return bool((expected >= min_count * found.denominator).all())


def _partitions(start: ArrayLike | None, size: int) -> list[IntArray]:
    """Return one partition, or several of the same values, as canonical block numbers."""
    if start is None:
        return []
    try:
        labels = np.atleast_2d(np.asarray(start))
    except ValueError:  # ragged nested lists
        raise PartitionError("start must be block numbers, or a list of them") from None
    return [canonical(partition, size=size) for partition in labels]
