"""`randomize`: from a joint and a bound to the best randomized mechanism."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift._compute.progress import OnProgress, silent
from loglift.errors import JointError, MechanismError, PartitionError
from loglift.joint import FloatArray, IntArray, Joint, as_joint
from loglift.joint.stack import is_stack
from loglift.measures.entropy import mutual_information
from loglift.measures.partition import canonical
from loglift.mechanism.making import channel_mechanism
from loglift.mechanism.mechanism import Mechanism, refuse_dense
from loglift.mechanism.scope import release_scope
from loglift.merging.intact import Groups, GroupsLike, refuse_told
from loglift.merging.merge import Promised, checked_groups, checked_seconds, knowledge_of
from loglift.merging.problem import Problem
from loglift.merging.search import search
from loglift.promise.bound import Bound, bound_from
from loglift.promise.in_context import ContextPromise
from loglift.promise.knowledge import Knowledge
from loglift.promise.limits import TOLERANCE
from loglift.promise.min_count import checked_min_count
from loglift.promise.together import Together, parted
from loglift.randomizing.optimum import MAX_EASY_VALUES, ZERO, Optimum, Options, optimum
from loglift.randomizing.polytope import flat_values
from loglift.randomizing.rational import RationalChannel, rational_channel
from loglift.randomizing.within_group import group_problem
from loglift.sparse import dense
from loglift.utility.utility import Utility
from loglift.utility.worth import Worth
from loglift.values import checked_number, plain

# Two bounds on the utility that differ by less, in nats, differ by rounding only.
_ROUNDING = 1e-12
# How far inside the bound to look when rounding to whole numbers leaves the bound, in nats.
_MARGINS = (1e-8, 1e-6)
_MAX_ROUNDING_LOSS = 1e-4  # the share of the utility that whole numbers may cost


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
        Called with a `Round` after every round.

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
    refuse_dense(size, size)
    groups = checked_groups(given, limit, intact, least, runs=False)
    knowledge = _checked_knowledge(given, limit, promises, groups)
    options = Options(
        rounds=None if rounds is None else int(whole(rounds, "rounds")),
        seed=int(whole(seed, "seed")),
        time_limit=checked_seconds(time_limit),
    )
    goal = utility or Utility.joint()
    task = _Task(given, limit, None if goal.is_joint else goal.worth(given), knowledge)
    members = [] if groups is None else groups.members()
    tasks = [task.only(rows) for rows in members] if len(members) > 1 else [task]
    partitions = _partitions(start, size)
    best = [
        part.solved(each, least / given.total, partitions, on_progress)
        for part, each in zip(tasks, _in_turn(options, tasks), strict=True)
    ]
    channel, numerators = _side_by_side(tasks, [each.channel for each in best]), None
    kept, most = task.kept_by(channel), task.most(groups, [each.upper_bound for each in best])
    proven = most > kept + _ROUNDING
    if given.columns and given.is_whole:
        found = [_in_whole_numbers(*each, min_count) for each in zip(tasks, best, strict=True)]
        numerators = _side_by_side(tasks, [each.numerators for each in found])
        channel = numerators / found[0].denominator
    return channel_mechanism(
        given,
        channel,
        limit,
        method="randomized",
        upper_bound=most if proven else kept,
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


@dataclass(frozen=True, eq=False)
class _Task:
    """A joint, its bound, what is worth keeping (None for I(X;Y)), and what readers know.

    `rows` are the public values to release, those of an intact group, and None for all of them.
    What is worth keeping, and what readers know, are then about these.
    """

    joint: Joint
    bound: Bound
    worth: Worth | None
    knowledge: tuple[Knowledge, ...]
    rows: IntArray | None = None

    def only(self, rows: IntArray) -> _Task:
        """Return the task of an intact group."""
        worth = self.worth or Utility.joint().worth(self.joint)
        known = tuple(each.only(rows) for each in self.knowledge)
        return replace(self, worth=worth.alone(rows), knowledge=known, rows=rows)

    @property
    def chosen(self) -> IntArray:
        """The public values to release."""
        return np.arange(len(self.joint.public)) if self.rows is None else self.rows

    @cached_property
    def readers(self) -> tuple[ContextPromise, ...]:
        """The promises to readers who know more."""
        limits = self.bound.on(self.joint)
        return tuple(each.promise(self.chosen.size, limits) for each in self.knowledge)

    def solved(
        self,
        options: Options,
        least: float,
        partitions: Sequence[IntArray],
        on_progress: OnProgress,
    ) -> Optimum:
        """Return the best channel that is found; a single value is released as it is."""
        if self.rows is not None and self.rows.size == 1:
            return Optimum(np.ones((1, 1)), 0.0)
        inside = [canonical(labels[self.chosen]) for labels in partitions]
        return optimum(self.problem(least), options, partitions=inside, on_progress=on_progress)

    def problem(self, least: float, bound: Bound | None = None) -> Problem:
        """Return the problem for the solvers; every released value has the probability `least`.

        `bound` may be another bound on log-lift; readers who know more are promised the same. An
        earlier release can be at the bound already.
        """
        mass, limits = dense(self.joint.scaled), (bound or self.bound).on(self.joint)
        if self.rows is not None:
            return group_problem(
                mass,
                self.rows,
                limits,
                worth=self.worth,
                readers=self.readers,
                least=least * float(mass.sum()),
            )
        problem = Problem.of(mass, limits, worth=self.worth, least=least * float(mass.sum()))
        if not self.readers:
            return problem
        plain, _ = parted(problem.promise)
        return replace(problem, promise=Together(plain, self.readers))

    def in_whole_numbers(self, channel: FloatArray) -> RationalChannel:
        """Round a channel so that it is safe in exact arithmetic."""
        counts, limits = dense(self.joint.mass), self.bound.on(self.joint)
        prior = None
        if self.rows is not None:
            counts, prior = counts[self.rows], self.joint.mass.sum(axis=0)
        return rational_channel(channel, counts, limits, self.worth, self.knowledge, prior)

    def kept(self, found: RationalChannel) -> float:
        """Return the utility of a channel in whole numbers."""
        return self.kept_by(found.numerators / found.denominator)

    def most(self, groups: Groups | None, proven: Sequence[float]) -> float:
        """Return the most utility of any channel, from that in each group, which is proven."""
        if groups is None:
            return proven[0]
        worth = self.worth or Utility.joint().worth(self.joint)
        apart = worth.blocks(groups.numbers)
        return float(apart.values().sum() + apart.weight @ np.array(proven) / apart.total)

    def kept_by(self, channel: FloatArray) -> float:
        """Return the utility of a channel p(y|x)."""
        if self.worth is None:
            return mutual_information(self.joint.p_public, channel)
        return self.worth.of_channel(channel)


def _in_whole_numbers(task: _Task, best: Optimum, min_count: float | None) -> RationalChannel:
    """Return a channel in whole numbers that is safe in exact arithmetic.

    The best channel is on the bound, and rounding may leave the bound. Pulling the channel back
    would mix every value with every other; the best channel just inside the bound is as sparse as
    the best one.
    """
    weight, copies = task.joint.weight[task.chosen], len(task.joint.variables)
    most, total = float(copies * weight.sum()), float(task.joint.mass.sum())
    more = 0.0 if min_count is None else min(min_count * copies + 1, most) / total
    found = task.in_whole_numbers(best.channel)
    for margin in _MARGINS:
        if weight.size == 1 or (found.pull == 0 and _is_enough(found, weight, min_count)):
            break
        inside = task.problem(more, task.bound.inside(margin))
        again = optimum(inside, Options(margin=margin), near=best.columns)
        found = task.in_whole_numbers(again.channel)
    harder = task.knowledge or not task.bound.is_plain
    if harder and task.kept(found) < (1 - _MAX_ROUNDING_LOSS) * task.kept_by(best.channel):
        others = map(task.in_whole_numbers, _without_rounding(task, more))
        enough = [each for each in (found, *others) if _is_enough(each, weight, min_count)]
        found = max(enough, key=task.kept, default=found)
    if not _is_enough(found, weight, min_count):  # one value for all has all records
        found = task.in_whole_numbers(np.ones((weight.size, 1)))
    return found


def _without_rounding(task: _Task, least: float) -> list[FloatArray]:
    """Return channels for bounds that rounding would break: a merging, and one that hides all of S.

    A single value may have a bound of zero, or an earlier release be just inside the bound.
    """
    labels = search(task.problem(least, task.bound.inside(10 * TOLERANCE)))
    found: list[FloatArray] = [np.eye(int(labels.max()) + 1)[labels]]
    if not task.knowledge:
        found.append(optimum(task.problem(least, ZERO)).channel)
    return found


def _is_enough(found: RationalChannel, weight: NDArray[Any], min_count: float | None) -> bool:
    """Return whether every released value has enough expected records, decided exactly."""
    if min_count is None:
        return True
    expected = found.numerators.T.astype(object) @ weight.astype(object)
    return bool((expected >= min_count * found.denominator).all())


def _in_turn(options: Options, tasks: Sequence[_Task]) -> Iterator[Options]:
    """Yield the options of each task: its share of the effort, and of the seconds that are left."""
    sizes = [task.chosen.size for task in tasks]
    begun, limit = time.monotonic(), options.time_limit
    for i, size in enumerate(sizes):
        seconds = None
        if limit is not None:
            left = max(0.0, limit - (time.monotonic() - begun))
            seconds = left * size / sum(sizes[i:])
        share = 1.0 if size <= MAX_EASY_VALUES else size / sum(sizes)
        yield replace(options, time_limit=seconds, share=share)


def _side_by_side(tasks: Sequence[_Task], channels: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Put the channels of groups together; every released value is of one group."""
    if len(channels) == 1:
        return channels[0]
    size = sum(task.chosen.size for task in tasks)
    found = np.zeros((size, sum(each.shape[1] for each in channels)), dtype=channels[0].dtype)
    used = 0
    for task, channel in zip(tasks, channels, strict=True):
        found[task.chosen, used : used + channel.shape[1]] = channel
        used += channel.shape[1]
    return found


def _partitions(start: ArrayLike | None, size: int) -> list[IntArray]:
    """Return one partition, or several of the same values, as canonical block numbers."""
    if start is None:
        return []
    try:
        labels = np.atleast_2d(np.asarray(start))
    except ValueError:  # ragged nested lists
        raise PartitionError("start must be block numbers, or a list of them") from None
    return [canonical(partition, size=size) for partition in labels]
