"""`randomize`: from a joint and a bound to the best randomized mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from loglift._compute.progress import OnProgress, silent
from loglift.errors import JointError, MechanismError, PartitionError
from loglift.joint import IntArray, Joint, as_joint
from loglift.joint.stack import is_stack
from loglift.measures.partition import canonical
from loglift.mechanism.making import channel_mechanism
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.scope import release_scope
from loglift.merging.intact import Groups, GroupsLike, refuse_told
from loglift.merging.merge import Promised, checked_groups, checked_seconds, knowledge_of
from loglift.promise.bound import Bound, bound_from
from loglift.promise.knowledge import Knowledge
from loglift.promise.min_count import checked_min_count
from loglift.randomizing.optimum import Options
from loglift.randomizing.parts import Part, joined
from loglift.randomizing.polytope import flat_values
from loglift.randomizing.solving import over_denominator, solved_in_turn
from loglift.randomizing.task import Task
from loglift.utility.utility import Utility
from loglift.values import checked_number, plain

# Two bounds on the utility that differ by less, in nats, differ by rounding only.
_ROUNDING = 1e-12


def randomize(
    joint: Joint | ArrayLike,
    eps: float | None = None,
    *,
    bound: Bound | None = None,
    promises: Sequence[Promised] = (),
    utility: Utility | None = None,
    min_count: float | None = None,
    intact: GroupsLike | None = None,
    start: ArrayLike | None = None,
    rounds: int | None = None,
    time_limit: float | None = None,
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
        The bound on |log-lift| in nats, or a `Bound`: give one of them. It may require
        `TCloseness`, `OrderedTCloseness` or `L1Lift` of at most 10 sensitive values.
    promises
        Readers who know more than the release, to whom the bound is kept as well: `Known`, and one
        `Given` with all earlier releases.
    utility
        What is worth keeping; I(X;Y) by default, also for a joint of several columns.
    min_count
        The least expected mass of every released value, on the scale of the joint (records, for
        counts). `.upper_bound` does not take it into account.
    intact
        Groups of public values, as in `merge`: no released value stands for values of different
        groups. Lifts are still against p(s) of the whole table.
    start
        A partition, as block numbers, or several: where they are safe, the result is never worse.
        Blocks are cut at the groups.
    rounds, seed
        How often to look for better posteriors, and the seed. More rounds never give less. By
        default there are rounds until no posterior is better, or a proof takes too long.
    time_limit
        Seconds to look and to prove for; by default as long as it takes, about a minute for
        hundreds of values. The answer then depends on the speed of the machine. What is begun is
        ended: rounding to whole numbers, and a step of thousands of values.
    on_progress
        Called with a `Progress` as a stage begins, and after parts and intact groups; with a
        `Round` after every round.

    Returns
    -------
    Mechanism
        The channel, with what it keeps and gives away.

    Raises
    ------
    UnsafeError
        When the whole table, or an intact group, has less mass than `min_count`, when an intact
        group is unsafe even as one released value, or when earlier releases are outside the bound
        already.
    JointError
        When the mass is not a joint.
    BoundError
        When the bound is missing, given twice, or not a bound.
    PartitionError
        When `start` is not a partition, or a list of them.
    MechanismError
        When an option is not a number as it should be, or the public values are too many for what
        takes all of them at once.

    Examples
    --------
    >>> import loglift
    >>> joint = loglift.Joint([[30, 10], [10, 30], [20, 20]], public=["a", "b", "c"])
    >>> mechanism = loglift.randomize(joint, 0.5)
    >>> mechanism.channel.shape, round(mechanism.leakage, 3), round(1 - mechanism.nmil, 2)
    ((3, 3), 0.5, 0.79)
    """
    if is_stack(joint):
        raise JointError(
            "randomize takes one joint: stacks are for merge and the measures, so call randomize "
            "for each joint"
        )
    given, limit = as_joint(joint), bound_from(eps, bound)
    limit.check_values(given)
    size = given.mass.shape[0]
    whole = partial(checked_number, least=0, whole=True, error=MechanismError)
    least = checked_min_count(given, min_count)
    if least and given.survey is not None:
        raise MechanismError(
            "random draws of weighted records have no least number of records: leave min_count "
            "(--min-count) out, or merge (method='search')"
        )
    groups = checked_groups(given, limit, intact, least, runs=False)
    knowledge = _checked_knowledge(given, limit, promises, groups)
    options = Options(
        rounds=None if rounds is None else int(whole(rounds, "rounds")),
        seed=int(whole(seed, "seed")),
        time_limit=checked_seconds(time_limit),
    )
    goal = utility or Utility.joint()
    worth = None if goal.is_joint else goal.worth(given)
    task = Task(given, limit, worth, knowledge, min_count)
    members = [] if groups is None else groups.members()
    tasks = [task.only(rows) for rows in members] if len(members) > 1 else [task]
    found = solved_in_turn(tasks, options, _partitions(start, size), on_progress)
    channel = joined([Part(each.rows, each.channel) for each in found], size)
    kept, most = task.kept_by(channel), task.most(groups, [each.most for each in found])
    exact = [Part(each.rows, each.numerators) for each in found if each.numerators is not None]
    numerators = joined(exact, size) if exact else None
    return channel_mechanism(
        given,
        channel if numerators is None else over_denominator(numerators),
        limit,
        method="randomized",
        upper_bound=most if most > kept + _ROUNDING else kept,
        scope=release_scope(grouped=len(tasks) > 1, readers=bool(knowledge)),
        goal=goal,
        min_count=plain(min_count),
        groups=None if groups is None else groups.numbers,
        numerators=numerators,
        knowledge=knowledge,
    )


def _checked_knowledge(
    joint: Joint, bound: Bound, promises: Sequence[Promised], groups: Groups | None
) -> tuple[Knowledge, ...]:
    """Return what readers know, after checking that a channel can be safe for them."""
    knowledge = knowledge_of(joint, promises)
    refuse_told(joint, bound, knowledge, groups)
    if knowledge and flat_values(bound.on(joint), joint.mass.shape[1]).any():
        raise MechanismError(
            "a bound of zero is not supported for random draws and readers who know more: use a "
            "positive bound, or merge (method='search')"
        )
    return knowledge


def _partitions(start: ArrayLike | None, size: int) -> list[IntArray]:
    """Return one partition, or several of the same values, as canonical block numbers."""
    if start is None:
        return []
    try:
        labels = np.atleast_2d(np.asarray(start))
    except ValueError:  # ragged nested lists
        raise PartitionError("start must be block numbers, or a list of them") from None
    return [canonical(partition, size=size) for partition in labels]
