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
from loglift.measures.entropy import drawn_information
from loglift.measures.partition import canonical
from loglift.mechanism.channel import MAX_CHANNEL_CELLS
from loglift.mechanism.making import channel_mechanism
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.scope import release_scope
from loglift.merging.intact import Groups, GroupsLike, refuse_told
from loglift.merging.merge import Promised, checked_groups, checked_seconds, knowledge_of
from loglift.merging.problem import Problem
from loglift.merging.search import Options as SearchOptions, search
from loglift.promise.bound import Bound, bound_from
from loglift.promise.in_context import ContextPromise
from loglift.promise.integers import DENOMINATOR
from loglift.promise.knowledge import Knowledge
from loglift.promise.limits import TOLERANCE
from loglift.promise.min_count import checked_min_count
from loglift.promise.together import Together, parted
from loglift.randomizing.optimum import MAX_EASY_VALUES, ZERO, Optimum, Options, optimum
from loglift.randomizing.parts import MAX_WHOLE_VALUES, Part, joined, most_of_all, solved_in_parts
from loglift.randomizing.polytope import flat_values
from loglift.randomizing.rational import RationalChannel, rational_channel
from loglift.randomizing.within_group import group_problem
from loglift.sparse import Cells, Mass, dense, take_rows
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
    found = [
        part.solved(each, min_count, partitions, on_progress)
        for part, each in zip(tasks, _in_turn(options, tasks), strict=True)
    ]
    channel = joined([Part(each.rows, each.channel) for each in found], size)
    kept, most = task.kept_by(channel), task.most(groups, [each.most for each in found])
    exact = [Part(each.rows, each.numerators) for each in found if each.numerators is not None]
    numerators = joined(exact, size) if exact else None
    return channel_mechanism(
        given,
        channel if numerators is None else _over(numerators, DENOMINATOR),
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
        min_count: float | None,
        partitions: Sequence[IntArray],
        on_progress: OnProgress,
    ) -> _Solved:
        """Return the best channel that is found; a single value is released as it is."""
        inside = [canonical(labels[self.chosen]) for labels in partitions]
        if self.goes_in_parts:
            return _in_parts(self, options, inside, min_count)
        self.refuse_dense()
        least = checked_min_count(self.joint, min_count) / self.joint.total
        if self.rows is not None and self.rows.size == 1:
            best = Optimum(np.ones((1, 1)), 0.0)
        else:
            best = optimum(self.problem(least), options, partitions=inside, on_progress=on_progress)
        whole = _in_whole_numbers(self, best, min_count).numerators if self.is_drawn else None
        return _Solved(self.chosen, best.channel, whole, best.upper_bound)

    @property
    def is_drawn(self) -> bool:
        """Whether tables are drawn from it: the channel is in whole numbers."""
        return bool(self.joint.columns) and self.joint.is_whole

    @property
    def is_hard(self) -> bool:
        """Whether it takes all values at once: for readers, requirements, a bound of zero."""
        flat = flat_values(self.bound.on(self.joint), self.joint.mass.shape[1]).any()
        return bool(self.knowledge or self.bound.requirements or flat)

    @property
    def goes_in_parts(self) -> bool:
        """Whether the public values are so many that parts of them are solved on their own."""
        return self.chosen.size > MAX_WHOLE_VALUES and not self.is_hard

    def refuse_dense(self) -> None:
        """Raise where a channel of all public values would not fit into memory."""
        size = self.chosen.size
        if size * size > MAX_CHANNEL_CELLS:
            raise MechanismError(
                f"{size:,} public values are too many for random draws with readers who know more, "
                "with requirements or with a bound of zero: merge (method='search')"
            )

    def more_than(self, min_count: float | None) -> float:
        """Return the share of the records that is just more than `min_count`, despite rounding."""
        if min_count is None:
            return 0.0
        copies, total = len(self.joint.variables), float(self.joint.mass.sum())
        most = float(copies * self.joint.weight[self.chosen].sum())
        return min(min_count * copies + 1, most) / total

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

    def kept_by(self, channel: Mass) -> float:
        """Return the utility of a channel p(y|x)."""
        if self.worth is None:
            return drawn_information(self.joint.p_public, channel)
        return self.worth.of_channel(channel)


@dataclass(frozen=True, eq=False)
class _Solved:
    """p(y|x) of some public values, the same in whole numbers if tables are drawn from it.

    `most` is the most utility of any channel of these values.
    """

    rows: IntArray
    channel: Mass
    numerators: Mass | None
    most: float


def _in_parts(
    task: _Task, options: Options, partitions: Sequence[IntArray], min_count: float | None
) -> _Solved:
    """Return the channel of many public values, part by part.

    For whole numbers it is as far inside the bound as rounding takes it.
    """
    joint, limits = task.joint, task.bound.on(task.joint)
    counts, prior = take_rows(joint.mass, task.chosen), joint.mass.sum(axis=0)
    weight = joint.weight[task.chosen]
    if task.is_drawn:
        problem = task.problem(task.more_than(min_count), task.bound.inside(_MARGINS[-1]))
    else:
        problem = task.problem(checked_min_count(joint, min_count) / joint.total)

    def finished(rows: IntArray, channel: FloatArray) -> FloatArray | IntArray:
        if not task.is_drawn:
            return channel
        part = dense(take_rows(counts, rows))
        for each in (channel, np.ones((rows.size, 1))):
            found = rational_channel(each, part, limits, prior=prior)
            if _is_enough(found, weight[rows], min_count):
                break
        return found.numerators

    def worth(labels: IntArray) -> float:
        return float(problem.worth.blocks(labels).values().sum())

    start = max(partitions, key=worth, default=None)
    labels = search(problem, SearchOptions(seed=options.seed), start=start)
    found = joined(solved_in_parts(problem, labels, options, finished), weight.size)
    most = most_of_all(task.problem(0.0))
    if task.is_drawn:
        return _Solved(task.chosen, _over(found, DENOMINATOR), found, most)
    return _Solved(task.chosen, found, None, most)


def _over(numerators: Mass, denominator: int) -> Mass:
    """Divide whole numbers."""
    if isinstance(numerators, Cells):
        return numerators.mapped(lambda values: values / denominator)
    return numerators / denominator


def _in_whole_numbers(task: _Task, best: Optimum, min_count: float | None) -> RationalChannel:
    """Return a channel in whole numbers that is safe in exact arithmetic.

    The best channel is on the bound, and rounding may leave the bound. Pulling the channel back
    would mix every value with every other; the best channel just inside the bound is as sparse as
    the best one.
    """
    weight, more = task.joint.weight[task.chosen], task.more_than(min_count)
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


def _partitions(start: ArrayLike | None, size: int) -> list[IntArray]:
    """Return one partition, or several of the same values, as canonical block numbers."""
    if start is None:
        return []
    try:
        labels = np.atleast_2d(np.asarray(start))
    except ValueError:  # ragged nested lists
        raise PartitionError("start must be block numbers, or a list of them") from None
    return [canonical(partition, size=size) for partition in labels]
