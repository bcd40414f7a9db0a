"""The channel of a table in whole numbers: as good as the best one, despite rounding.

The best channel is on the bound, and rounding may leave the bound. Pulling it back would mix every
value with every other; the best channel just inside the bound is as sparse as the best one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray
from loglift.merging.search import search
from loglift.promise.integers import DENOMINATOR
from loglift.promise.limits import TOLERANCE
from loglift.randomizing.optimum import ZERO, Optimum, Options, optimum
from loglift.randomizing.rational import RationalChannel, rational_channel
from loglift.randomizing.task import Task
from loglift.sparse import dense

MARGINS = (1e-8, 1e-6)  # how far inside the bound to look, in nats
_MAX_ROUNDING_LOSS = 1e-4  # the share of the utility that whole numbers may cost


def in_whole_numbers(task: Task, best: Optimum) -> RationalChannel:
    """Return a channel in whole numbers, near the best one, that is safe in exact arithmetic."""
    weight, least = task.joint.weight[task.chosen], task.more_than_least
    found = _rounded(task, best.channel)
    for margin in MARGINS:
        if weight.size == 1 or (found.pull == 0 and is_enough(found, weight, task.min_count)):
            break
        inside = task.problem(least, task.bound.inside(margin))
        again = optimum(inside, Options(margin=margin), near=best.columns)
        found = _rounded(task, again.channel)
    harder = task.knowledge or not task.bound.is_plain
    if harder and _kept(task, found) < (1 - _MAX_ROUNDING_LOSS) * task.kept_by(best.channel):
        others = [_rounded(task, channel) for channel in _without_rounding(task, least)]
        enough = [each for each in (found, *others) if is_enough(each, weight, task.min_count)]
        found = max(enough, key=lambda each: _kept(task, each), default=found)
    if not is_enough(found, weight, task.min_count):  # one value for all has all records
        found = _rounded(task, np.ones((weight.size, 1)))
    return found


def is_enough(found: RationalChannel, weight: NDArray[Any], min_count: float | None) -> bool:
    """Return whether every released value has enough expected records, decided exactly."""
    if min_count is None:
        return True
    expected = found.numerators.T.astype(object) @ weight.astype(object)
    return bool((expected >= min_count * DENOMINATOR).all())


def _rounded(task: Task, channel: FloatArray) -> RationalChannel:
    """Round a channel so that it is safe in exact arithmetic."""
    counts, limits = dense(task.joint.mass), task.bound.on(task.joint)
    prior = None
    if task.rows is not None:
        counts, prior = counts[task.rows], task.joint.mass.sum(axis=0)
    return rational_channel(channel, counts, limits, task.worth, task.knowledge, prior)


def _kept(task: Task, found: RationalChannel) -> float:
    """Return the utility of a channel in whole numbers."""
    return task.kept_by(found.numerators / DENOMINATOR)


def _without_rounding(task: Task, least: float) -> list[FloatArray]:
    """Return channels for bounds that rounding would break: a merging, and one that hides all of S.

    A single value may have a bound of zero, or an earlier release be just inside the bound.
    """
    labels = search(task.problem(least, task.bound.inside(10 * TOLERANCE)))
    found: list[FloatArray] = [np.eye(int(labels.max()) + 1)[labels]]
    if not task.knowledge:
        found.append(optimum(task.problem(least, ZERO)).channel)
    return found
