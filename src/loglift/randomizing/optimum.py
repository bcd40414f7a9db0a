"""The best channel p(y|x) within a bound, by column generation.

The master chooses among the known posteriors, and pricing finds better ones for its prices, until
no posterior is better. c(q) is the cost of a posterior, H(q) for I(X;Y). For any prices the loss is
at least price.p + min over Q of (c(q) - price.q), which bounds what is lost by stopping early.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loglift._compute.progress import OnProgress, Progress, silent
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Problem
from loglift.merging.search import Options as SearchOptions, search
from loglift.promise.bound import Bound
from loglift.promise.lift import LiftPromise
from loglift.promise.limits import TOLERANCE
from loglift.promise.together import parted
from loglift.randomizing.climbing import Climbing
from loglift.randomizing.columns import Column, column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.master import Master, Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import Listed, Pricer
from loglift.randomizing.pulling import pulled_inside
from loglift.randomizing.seeking import Seeker
from loglift.randomizing.tidying import channel_of, completed, masses, put_together
from loglift.randomizing.vertices import all_vertices
from loglift.sparse import block_sums

ZERO = Bound.symmetric(0.0)
MAX_CLOSED_GAP = 1e-9  # a share of the utility: a smaller gap is rounding
MAX_EASY_VALUES = 64  # public values for which a partition is not needed as a start
_MIN_ROUNDS, _MAX_ROUNDS, _MAX_ROUND_ENTRIES = 20, 1000, 400_000_000
_MAX_PROGRAM_VALUES = 240_000_000  # public values of all linear programs of proofs: a minute
_MAX_LONG_VALUES = 500  # public values for which rounds go on until no posterior helps
_MAX_EASY_PROGRAMS = 1_000_000  # of proofs of few values


@dataclass(frozen=True)
class Options:
    """The most rounds of pricing, the seed, the seconds that it may take (None for no limit).

    `margin` is how far inside the promises of readers to look, and `share` the share of the default
    effort that proofs may take: less than one for one of several groups of values. A `brief` look
    takes the given partitions and posteriors near single values; nothing is proven.
    """

    rounds: int | None = None
    seed: int = 0
    margin: float = 0.0
    time_limit: float | None = None
    share: float = 1.0
    brief: bool = False


@dataclass(frozen=True)
class Round(Progress):
    """A round that is done: its number, the utility so far, and the known posteriors."""

    utility: float = 0.0
    posteriors: int = 0


@dataclass(frozen=True, eq=False)
class Optimum:
    """p(y|x), one row per public value, and the most utility of any channel within the bound.

    `columns` are the posteriors that the best solution uses.
    """

    channel: FloatArray
    upper_bound: float
    columns: tuple[Column, ...] = ()


def optimum(
    problem: Problem,
    options: Options = Options(),  # noqa: B008, frozen
    *,
    partitions: Sequence[IntArray] = (),
    near: Sequence[Column] = (),
    on_progress: OnProgress = silent,
) -> Optimum:
    """Return the best channel found for a problem, and an upper bound on all channels.

    `near` are posteriors for almost the same bound. Many values are then not looked for anew, and
    nothing is proven.

    The promise is one for a whole table, which begins with the bound on log-lift; `least` is the
    least mass of a released value. The channel is never worse than the given partitions, where
    they are safe, nor than `search`.
    """
    work = _Generation(problem, options, on_progress)
    known, near = list(partitions), () if work.easy else near
    searched = problem.least > 0 or not (work.easy or near)
    if searched and not options.brief:
        known.append(search(problem, SearchOptions(seed=options.seed)))
    work.begin(known, near)
    work.run()
    if not (searched or near or work.closed or options.brief):
        known.append(search(problem, SearchOptions(seed=options.seed)))
        work.include(known[-1:])
    shares = [work.found(), *work.safe_partitions(known)]
    channels = [channel_of(each) for each in shares]
    lift, others = parted(problem.promise)
    if work.flat and lift.bound != ZERO and not others:
        # Safe under every bound, while a bound as small as rounding pulls other channels apart.
        zero = replace(problem, promise=LiftPromise.of(lift.mass, ZERO))
        channels.append(optimum(zero, options, partitions=partitions).channel)
    channels = [pulled_inside(channel, problem.promise) for channel in channels]
    best = max(channels, key=problem.worth.of_channel)
    return Optimum(best, work.upper_bound, work.used)


class _Generation:
    """Column generation on one problem, and the best p(x,y) it found."""

    def __init__(self, problem: Problem, options: Options, on_progress: OnProgress) -> None:
        self._problem, self._options, self._on_progress = problem, options, on_progress
        self._cost = cost = Cost.of(problem.worth)
        self._least = problem.least / problem.total  # the least probability of a released value
        self._posteriors = Posteriors.of(problem.promise, options.margin)
        self._p = self._posteriors.p
        self.flat = self._posteriors.flat
        vertices = all_vertices(self._posteriors)
        self.easy = vertices is not None or self._p.size <= MAX_EASY_VALUES
        limit = math.inf if options.time_limit is None else options.time_limit
        programs = _MAX_EASY_PROGRAMS if self.easy else _MAX_PROGRAM_VALUES // self._p.size
        self._effort = Effort(int(options.share * programs), time.monotonic() + limit)
        self._seeks = not (self.easy or cost.has_targets)
        self._pricer: Pricer = (
            Climbing(self._posteriors, cost, options.seed, self._effort)
            if vertices is None
            else Listed(self._posteriors, cost, vertices, options.seed)
        )
        self._master = Master(self._p, cost)
        self._best: FloatArray | None = None
        self._most = cost.most(self._p)
        self.upper_bound = cost.unit * self._most

    def begin(self, partitions: Sequence[IntArray], near: Sequence[Column] = ()) -> None:
        """Start from the safe blocks of partitions, or from p(x) itself, and vertices `near`.

        The first vertices must make all of p(x); otherwise p(x) itself stays the only solution.
        """
        points = self._blocks(partitions)
        if not self.safe_partitions(partitions):
            points.append(self._p)
        start = [column_of(self._p), *map(column_of, points)]
        self._master.add(start[:1])
        if near and isinstance(self._pricer, Climbing):
            self._effort.programs = 0
            self._master.add([*start, *self._pricer.again(near)])
        elif isinstance(self._pricer, Climbing) and self._seeks:
            self._master.add(start)
            loss = self._master.solve().loss
            prover = self._pricer.prover
            seeker = Seeker(self._posteriors, self._cost, prover, self._options.seed)
            brief = self._options.brief
            self._master.add(seeker.sought(start, loss, self._effort, brief=brief))
        else:
            self._master.add(self._pricer.first(points))
        self._solve()

    def include(self, partitions: Sequence[IntArray]) -> None:
        """Add the safe blocks of partitions."""
        self._master.add(self._pricer.first(self._blocks(partitions)))
        self._solve()

    def run(self) -> None:
        """Price and solve until no posterior helps, or the effort is over; then prove a bound."""
        for number in range(self._rounds):
            better = self._pricer.better(self._master.columns, self._solution)
            if self._effort.left <= 0 or not any(self._master.add(columns) for columns in better):
                break
            self._solve()
            known = len(self._master.columns)
            self._on_progress(
                Round("improving the channel", number + 1, None, self._utility, known)
            )
        if self._options.brief:
            return
        floor = self._pricer.floor(self._solution.price)
        proven = self._cost.unit * (self._most - floor)
        self.upper_bound = max(0.0, min(self.upper_bound, proven))

    @property
    def used(self) -> tuple[Column, ...]:
        """The posteriors that the last solution uses."""
        places = np.flatnonzero(self._solution.weights > 0).tolist()
        return tuple(self._master.columns[i] for i in places)

    @property
    def closed(self) -> bool:
        """Whether no channel is better, rounding apart."""
        return self._utility >= self.upper_bound * (1 - MAX_CLOSED_GAP)

    def found(self) -> FloatArray:
        """Return p(x,y), one row per released value, of the last solution or of the best one.

        Solutions improve from round to round; after merging for `least` they may not.
        """
        return self._tidied() if self._best is None else self._best

    def safe_partitions(self, partitions: Sequence[IntArray]) -> list[FloatArray]:
        """Return p(x,y) of the partitions that are safe, and have no block below `least`."""
        return [
            np.where(labels == np.arange(labels.max() + 1)[:, np.newaxis], self._p, 0.0)
            for labels in partitions
            if self._problem.promise.blocks(labels).safe().all()
            and block_sums(self._p, labels).min() >= self._least * (1 - MAX_CLOSED_GAP)
        ]

    @property
    def _rounds(self) -> int:
        if self._options.rounds is not None:
            return self._options.rounds
        if self._options.brief and self._seeks:
            return 0
        if self.easy or (self._seeks and self._p.size <= _MAX_LONG_VALUES):
            return _MAX_ROUNDS
        entries = self._posteriors.lifts.size + self._posteriors.rows.exact.size
        return max(_MIN_ROUNDS, min(_MAX_ROUNDS, _MAX_ROUND_ENTRIES // entries**2))

    @property
    def _utility(self) -> float:
        return self._cost.unit * (self._most - self._solution.loss)

    def _solve(self) -> None:
        self._solution: Solution = self._master.solve()
        if self._least > 0:
            tidied = self._tidied()
            kept = self._cost.kept
            if self._best is None or kept(tidied) > kept(self._best):
                self._best = tidied

    def _tidied(self) -> FloatArray:
        weights = self._master.polished(self._solution)
        shares = masses(self._master.columns, weights, self._p.size)
        shares = completed(shares, self._p, self._posteriors.width)
        least = self._least * (1 + TOLERANCE)  # despite rounding
        return put_together(shares, self._cost, least)

    def _blocks(self, partitions: Sequence[IntArray]) -> list[FloatArray]:
        """Return p(x|B) of every safe block of the partitions."""
        found = []
        for labels in partitions:
            safe = self._problem.promise.blocks(labels).safe()
            for block in np.flatnonzero(safe):
                inside = np.where(labels == block, self._p, 0.0)
                found.append(inside / inside.sum())
        return found
