"""Solving tasks, as a whole or in parts; in whole numbers where tables are drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loglift._compute.progress import OnProgress, Progress
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.search import Options as SearchOptions, search
from loglift.promise.integers import DENOMINATOR
from loglift.randomizing.effort import SharedSeconds
from loglift.randomizing.optimum import MAX_EASY_VALUES, Optimum, Options, optimum
from loglift.randomizing.parts import joined, most_of_all, solved_in_parts
from loglift.randomizing.rational import rational_channel
from loglift.randomizing.task import Task
from loglift.randomizing.whole_numbers import MARGINS, in_whole_numbers, is_enough
from loglift.sparse import Cells, Mass, dense, take_rows


@dataclass(frozen=True, eq=False)
class Solved:
    """p(y|x) of some public values, the same in whole numbers if tables are drawn from it.

    `most` is the most utility of any channel of these values.
    """

    rows: IntArray
    channel: Mass
    numerators: Mass | None
    most: float


def solved_in_turn(
    tasks: Sequence[Task],
    options: Options,
    partitions: Sequence[IntArray],
    on_progress: OnProgress,
) -> list[Solved]:
    """Solve one task, or those of intact groups one after the other.

    Each has its share of the effort, and of the seconds that are left. `partitions` of the whole
    joint are where to start from.
    """
    if len(tasks) == 1:
        return [_solved(tasks[0], options, partitions, on_progress)]
    total = sum(task.chosen.size for task in tasks)
    seconds, found = SharedSeconds(options.time_limit, total), []
    for number, task in enumerate(tasks):
        on_progress(Progress("randomizing intact groups", number, len(tasks)))
        size = task.chosen.size
        share = 1.0 if size <= MAX_EASY_VALUES else size / total
        own = replace(options, time_limit=seconds.share(size), share=share)
        group = f"intact group {number + 1:,} of {len(tasks):,}"
        found.append(_solved(task, own, partitions, _told_of(group, on_progress)))
    on_progress(Progress("randomizing intact groups", len(tasks), len(tasks)))
    return found


def _told_of(group: str, on_progress: OnProgress) -> OnProgress:
    """Return a callback that names the group in every stage."""
    return lambda told: on_progress(replace(told, stage=f"{group}: {told.stage}"))


def _solved(
    task: Task, options: Options, partitions: Sequence[IntArray], on_progress: OnProgress
) -> Solved:
    """Return the best channel that is found; a single value is released as it is."""
    inside = [canonical(labels[task.chosen]) for labels in partitions]
    if task.goes_in_parts:
        return _in_parts(task, options, inside, on_progress)
    task.refuse_dense()
    if task.rows is not None and task.rows.size == 1:
        best = Optimum(np.ones((1, 1)), 0.0)
    else:
        problem = task.problem(task.least)
        best = optimum(problem, options, partitions=inside, on_progress=on_progress)
    whole = in_whole_numbers(task, best).numerators if task.is_drawn else None
    return Solved(task.chosen, best.channel, whole, best.upper_bound)


def _in_parts(
    task: Task, options: Options, partitions: Sequence[IntArray], on_progress: OnProgress
) -> Solved:
    """Return the channel of many public values, part by part.

    For whole numbers it is as far inside the bound as rounding takes it.
    """
    seconds = SharedSeconds(options.time_limit, task.chosen.size)
    joint, limits = task.joint, task.bound.on(task.joint)
    counts, prior = take_rows(joint.mass, task.chosen), joint.mass.sum(axis=0)
    weight = joint.weight[task.chosen]
    if task.is_drawn:
        problem = task.problem(task.more_than_least, task.bound.inside(MARGINS[-1]))
    else:
        problem = task.problem(task.least)

    def finished(rows: IntArray, channel: FloatArray) -> FloatArray | IntArray:
        if not task.is_drawn:
            return channel
        part = dense(take_rows(counts, rows))
        for each in (channel, np.ones((rows.size, 1))):
            found = rational_channel(each, part, limits, prior=prior)
            if is_enough(found, weight[rows], task.min_count):
                break
        return found.numerators

    def worth(labels: IntArray) -> float:
        return float(problem.worth.blocks(labels).values().sum())

    start = max(partitions, key=worth, default=None)
    on_progress(Progress("merging"))
    labels = search(problem, SearchOptions(seed=options.seed), start=start)
    left = replace(options, time_limit=seconds.share(weight.size))
    found = joined(solved_in_parts(problem, labels, left, finished, on_progress), weight.size)
    on_progress(Progress("proving what can be kept at most"))
    most = most_of_all(task.problem(0.0))
    if task.is_drawn:
        return Solved(task.chosen, over_denominator(found), found, most)
    return Solved(task.chosen, found, None, most)


def over_denominator(numerators: Mass) -> Mass:
    """Return p(y|x) from 2^52 p(y|x)."""
    if isinstance(numerators, Cells):
        return numerators.mapped(lambda values: values / DENOMINATOR)
    return np.asarray(numerators / DENOMINATOR)
