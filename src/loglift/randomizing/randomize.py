"""From a joint and a bound to the best randomized mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import PartitionError
from loglift.joint import IntArray, Joint, as_joint
from loglift.measures.partition import canonical
from loglift.mechanism.mechanism import Mechanism, channel_mechanism, refuse_dense
from loglift.mechanism.scope import ALL_RELEASES
from loglift.merging.merge import check_whole, checked_mass
from loglift.promise.bound import Bound, as_bound
from loglift.randomizing.optimum import Options, Progress, optimum
from loglift.sparse import dense

# Two bounds on the utility this close, in nats, differ by rounding only.
_ROUNDING = 1e-12


def randomize(
    joint: Joint | ArrayLike,
    eps: float | Bound,
    *,
    min_count: int | None = None,
    start: ArrayLike | None = None,
    rounds: int | None = None,
    seed: int = 0,
    on_progress: Callable[[Progress], None] | None = None,
) -> Mechanism:
    """Release a random value y drawn from p(y|x), within the bound and with the largest I(X;Y).

    Keeps more than any merging, at the price of randomness: the same public value is released
    under different names. `.upper_bound` is proven for all channels, so that `.optimal` says
    whether this is the best there is.

    Parameters
    ----------
    joint
        A `Joint`, or an array with one row per public value.
    eps
        The bound on |log-lift| in nats, or a `Bound`.
    min_count
        The least expected mass of every released value, on the scale of the joint (records, for
        counts). The bound proven does not know of it.
    start
        A partition, as block numbers, or several: where they are safe, the result is never worse.
    rounds, seed
        How often to look for better posteriors (more never gives less; by default until there
        are none, or for thousands of values until it takes too long), and the seed.
    on_progress
        Called with a `Progress` after every round.

    Raises
    ------
    UnsafeError
        When the whole table has less mass than `min_count`.

    """
    given, bound = as_joint(joint), as_bound(eps)
    size = given.mass.shape[0]
    check_whole(rounds=rounds, seed=seed)
    least = checked_mass(given, min_count) / given.total
    refuse_dense(size, size)
    found = optimum(
        dense(given.scaled),
        bound,
        Options(least, rounds, int(seed)),
        partitions=_partitions(start, size),
        on_progress=on_progress,
    )
    made = channel_mechanism(
        given,
        found.channel,
        bound,
        method="randomized",
        upper_bound=found.upper_bound,
        scope=ALL_RELEASES,
    )
    if made.upper_bound <= made.utility + _ROUNDING:
        return replace(made, upper_bound=made.utility)
    return made


def _partitions(start: ArrayLike | None, size: int) -> list[IntArray]:
    """Return one partition, or several of the same alphabet, as canonical block numbers."""
    if start is None:
        return []
    try:
        labels = np.atleast_2d(np.asarray(start))
    except ValueError:  # ragged nested lists
        raise PartitionError("start must be block numbers, or a list of them") from None
    return [canonical(partition, size=size) for partition in labels]
