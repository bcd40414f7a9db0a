"""Thousands of public values: the best channel within each part of them.

The blocks of a safe partition are put together to parts of some hundred public values. A union of
safe blocks is safe, and released values that are drawn for one part only are safe where they are
within what the rest of the table leaves to it. So every part is a problem of its own, which is
solved on its own, and memory grows with the entries that are not zero. What is lost against a
channel of all values is little: a posterior has few values, and a part has many to choose from.
See `within_group`: a part is solved as an intact group is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loglift._compute.progress import OnProgress, Progress, silent
from loglift._compute.threads import cores, spread
from loglift.joint import FloatArray, IntArray
from loglift.measures.partition import canonical
from loglift.merging.problem import Problem
from loglift.promise.together import parted
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort, SharedSeconds
from loglift.randomizing.optimum import Options, optimum
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.proving import Prover
from loglift.randomizing.within_group import group_problem
from loglift.sparse import Cells, Mass, as_cells, is_large, take_rows

MAX_WHOLE_VALUES = 2000  # public values that are solved as a whole
PART_VALUES = 200  # of a part, if blocks are not larger
MAX_PART_VALUES = 800  # a larger block is released as one value


@dataclass(frozen=True, eq=False)
class Part:
    """Some public values, given by their rows, and p(y|x) of released values of their own.

    It is in whole numbers, 2^52 p(y|x), where tables are drawn from it.
    """

    rows: IntArray
    channel: Mass


def parts_of(labels: IntArray) -> list[IntArray]:
    """Put blocks together, in the order of their numbers, to parts of `PART_VALUES` or more.

    Returns the rows of each part. A block that is larger than `MAX_PART_VALUES` is a part of its
    own. O(n log n).
    """
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    found, begun = [], 0
    for block, end in enumerate(ends.tolist()):
        start = int(ends[block - 1]) if block else 0
        if end - start > MAX_PART_VALUES and start > begun:
            found.append(order[begun:start])
            begun = start
        if end - begun >= PART_VALUES:
            found.append(order[begun:end])
            begun = end
    rest = order[begun:]
    if rest.size and found and found[-1].size + rest.size <= MAX_PART_VALUES:
        found[-1] = np.concatenate([found[-1], rest])
    elif rest.size:
        found.append(rest)
    return found


def solved_in_parts(
    problem: Problem,
    labels: IntArray,
    options: Options,
    finished: Callable[[IntArray, FloatArray], Mass],
    on_progress: OnProgress = silent,
) -> list[Part]:
    """Return the best channel of each part of a problem, whose promise is a bound on log-lift.

    `labels` is a safe partition, than which the result is no worse. `finished` makes of the rows
    and the channel of a part what is kept of it. The parts are spread over all cores; those that
    have not begun when time is over keep their blocks.
    """
    lift, _ = parted(problem.promise)
    parts, seconds = parts_of(labels), SharedSeconds(options.time_limit, labels.size, cores())

    def solve(rows: IntArray) -> Part:
        limit, blocks = seconds.share(rows.size), canonical(labels[rows])
        if rows.size > MAX_PART_VALUES or rows.size == 1 or limit == 0:
            return Part(rows, finished(rows, np.eye(int(blocks.max()) + 1)[blocks]))
        worth = problem.worth.alone(rows)
        part = group_problem(lift.mass[:], rows, lift.bound, worth=worth, least=problem.least)
        brief = Options(options.rounds, options.seed, time_limit=limit, brief=True)
        found = optimum(part, brief, partitions=[blocks])
        return Part(rows, finished(rows, found.channel))

    def tell(done: int) -> None:
        on_progress(Progress("improving parts of the channel", done, len(parts)))

    tell(0)
    return spread(solve, parts, tell)


def joined(parts: Sequence[Part], size: int) -> Mass:
    """Return the channel of all parts, each with released values of its own.

    It is sparse where a part is, or where the whole is large.
    """
    if len(parts) == 1:
        return take_rows(parts[0].channel, np.argsort(parts[0].rows))
    channels = [as_cells(part.channel) for part in parts]
    before = np.cumsum([0, *(cells.width for cells in channels)])
    found = Cells.of(
        np.concatenate([p.rows[c.rows] for p, c in zip(parts, channels, strict=True)]),
        np.concatenate([c.columns + k for c, k in zip(channels, before[:-1], strict=True)]),
        np.concatenate([cells.values for cells in channels]),
        (size, before[-1]),
    )
    sparse = is_large(*found.shape) or any(isinstance(part.channel, Cells) for part in parts)
    return found if sparse else found[:]


def most_of_all(problem: Problem) -> float:
    """Return the most utility of any channel of all public values, from their largest entries."""
    cost = Cost.of(problem.worth)
    posteriors = Posteriors.of(problem.promise)
    floor = Prover(posteriors, cost, Effort(0)).floor
    return max(0.0, cost.unit * (cost.most(posteriors.p) - max(0.0, floor)))
