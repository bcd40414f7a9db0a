"""The best channel p(y|x) within a bound, by column generation.

The master chooses among known posteriors; pricing finds better ones for its prices; until there
are none. What is lost at most by stopping is proven: H(X|Y) >= price.p + min over Q of
(H(q) - price.q) for any prices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import entropy, mutual_information, plogp
from loglift.merging.search import Options as SearchOptions, search
from loglift.promise.bound import TOLERANCE, Bound, safe_rows
from loglift.randomizing.climbing import Climbing
from loglift.randomizing.columns import column_of
from loglift.randomizing.master import Master, Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import Listed, Pricer
from loglift.randomizing.pulling import pulled_inside
from loglift.randomizing.tidying import channel_of, completed, masses, put_together
from loglift.randomizing.vertices import all_vertices
from loglift.sparse import block_sums

ZERO = Bound.symmetric(0.0)
CLOSED = 1e-9  # a share of the utility: the least gap that is worth any further effort
SMALL = 64  # public values up to which a partition is no better start than none
_ROUNDS, _ROUND_WORK = 1000, 400_000_000  # the most rounds, and of how many entries


@dataclass(frozen=True)
class Options:
    """The least probability of a released value, the most rounds of pricing, and the seed."""

    least: float = 0.0
    rounds: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Progress:
    """After a round: its number, the utility so far in nats, and the posteriors known."""

    round: int
    utility: float
    posteriors: int


@dataclass(frozen=True, eq=False)
class Optimum:
    """p(y|x), one row per public value, and the most I(X;Y) of any channel within the bound."""

    channel: FloatArray
    upper_bound: float


def optimum(
    mass: FloatArray,
    bound: Bound,
    options: Options = Options(),  # noqa: B008, frozen
    *,
    partitions: Sequence[IntArray] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> Optimum:
    """Return the best channel found for a trusted mass (n, m), and what is proven about the best.

    Never worse than the given partitions, where they are safe, nor than `search`.
    """
    work = _Generation(mass, bound, options, on_progress)
    known = list(partitions)
    searched = options.least > 0 or not work.easy
    if searched:
        known.append(_searched(mass, bound, options))
    work.begin(known)
    work.run()
    if not searched and not work.closed:
        known.append(_searched(mass, bound, options))
        work.include(known[-1:])
    shares = [work.found(), *work.safe_partitions(known)]
    channels = [channel_of(each) for each in shares]
    if work.flat and bound != ZERO:
        # Safe under every bound, and not pulled to pieces by roundings as large as this one.
        channels.append(optimum(mass, ZERO, options, partitions=partitions).channel)
    channels = [pulled_inside(channel, mass, bound) for channel in channels]
    best = max(channels, key=lambda channel: mutual_information(mass.sum(axis=1), channel))
    return Optimum(best, work.upper_bound)


class _Generation:
    """Column generation on one mass, and the best p(x,y) it came to."""

    def __init__(
        self,
        mass: FloatArray,
        bound: Bound,
        options: Options,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._mass, self._options, self._on_progress = mass, options, on_progress
        self._bound = bound
        self._posteriors = Posteriors.of(mass, bound)
        self._p = self._posteriors.p
        self.flat = self._posteriors.flat
        vertices = all_vertices(self._posteriors)
        self.easy = vertices is not None or self._p.size <= SMALL
        self._pricer: Pricer = (
            Climbing(self._posteriors, options.seed)
            if vertices is None
            else Listed(self._posteriors, vertices, options.seed)
        )
        self._master = Master(self._p)
        self._best: FloatArray | None = None
        self.upper_bound = entropy(self._p)

    def begin(self, partitions: Sequence[IntArray]) -> None:
        """Start from the safe blocks of partitions, or from p(x) itself.

        Vertices to begin with have to make all of p(x), lest p(x) itself stays the only solution.
        """
        points = self._blocks(partitions)
        if not self.safe_partitions(partitions):
            points.append(self._p)
        self._master.add([column_of(self._p), *self._pricer.first(points)])
        self._solve()

    def include(self, partitions: Sequence[IntArray]) -> None:
        """Add the safe blocks of partitions."""
        self._master.add(self._pricer.first(self._blocks(partitions)))
        self._solve()

    def run(self) -> None:
        """Price and solve until nothing helps, or the rounds are over; then prove."""
        done = False
        for number in range(self._rounds):
            better = self._pricer.better(self._master.columns, self._solution)
            done = not any(self._master.add(columns) for columns in better)
            if done:
                break
            self._solve()
            if self._on_progress is not None:
                known = len(self._master.columns)
                self._on_progress(Progress(number + 1, self._utility, known))
        floor = self._pricer.floor(self._solution.price, done=done)
        self.upper_bound = max(0.0, min(self.upper_bound, entropy(self._p) - floor))

    @property
    def closed(self) -> bool:
        """Whether nothing better can be found, but for rounding."""
        return self._utility >= self.upper_bound * (1 - CLOSED)

    def found(self) -> FloatArray:
        """Return p(x,y), one row per released value, of the last solution or of the best one.

        Solutions improve from round to round; what is left of them with `least` may not.
        """
        return self._tidied() if self._best is None else self._best

    def safe_partitions(self, partitions: Sequence[IntArray]) -> list[FloatArray]:
        """Return p(x,y) of the partitions that are safe, and have no block below `least`."""
        return [
            np.where(labels == np.arange(labels.max() + 1)[:, np.newaxis], self._p, 0.0)
            for labels in partitions
            if safe_rows(block_sums(self._mass, labels), self._bound).all()
            and block_sums(self._p, labels).min() >= self._options.least * (1 - CLOSED)
        ]

    @property
    def _rounds(self) -> int:
        if self._options.rounds is not None:
            return self._options.rounds
        return _ROUNDS if self.easy else max(20, min(_ROUNDS, _ROUND_WORK // self._mass.size**2))

    @property
    def _utility(self) -> float:
        return entropy(self._p) - self._solution.loss

    def _solve(self) -> None:
        self._solution: Solution = self._master.solve()
        if self._options.least > 0:
            tidied = self._tidied()
            if self._best is None or information(tidied) > information(self._best):
                self._best = tidied

    def _tidied(self) -> FloatArray:
        weights = self._master.polished(self._solution)
        shares = masses(self._master.columns, weights, self._p.size)
        shares = completed(shares, self._p, self._posteriors.width)
        return put_together(shares, self._options.least * (1 + TOLERANCE))  # rounding apart

    def _blocks(self, partitions: Sequence[IntArray]) -> list[FloatArray]:
        """Return p(x|B) of every safe block of the partitions."""
        found = []
        for labels in partitions:
            safe = safe_rows(block_sums(self._mass, labels), self._bound)
            for block in np.flatnonzero(safe):
                inside = np.where(labels == block, self._p, 0.0)
                found.append(inside / inside.sum())
        return found


def information(shares: FloatArray) -> float:
    """I(X;Y) of p(x,y), nats."""
    sides = plogp(shares.sum(axis=0)).sum() + plogp(shares.sum(axis=1)).sum()
    return float(plogp(shares).sum() - sides)


def _searched(mass: FloatArray, bound: Bound, options: Options) -> IntArray:
    least = options.least * float(mass.sum())
    return search(mass, bound, SearchOptions(least, seed=options.seed))
