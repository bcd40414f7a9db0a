"""Pricing where the vertices of Q are too many to list.

Climbs to vertices start from the vertices in use and from random ones. At the end branch and bound
finds posteriors that help, or proves how little any posterior helps. It begins with a tolerance,
which a proof of many values meets much sooner, and goes on to a full proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from loglift._compute.threads import spread
from loglift.joint import FloatArray
from loglift.measures.entropy import plogp
from loglift.randomizing.columns import Column, column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.master import Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import MIN_COLUMN_GAIN, making, safe_columns
from loglift.randomizing.proving import Prover

_MAX_ROUND_ENTRIES = 16_000_000  # of the tableaux to climb with in a round: a few seconds
_MAX_FULL_CLIMB_VALUES, _MAX_SHORT_CLIMB_VALUES = 64, 500  # public values
_FULL_CLIMB_MOVES, _SHORT_CLIMB_MOVES = 1000, 3
_PARTS = 16  # of the starts of a round
_MAX_POINTS = 24  # of branch and bound to climb from
_SINGLE_PRICE = 5.0  # nats: the price of a single value, to find a vertex near it
_PRICE_NOISE = 1.0  # nats: standard deviation of the prices of random starts


class Climbing:
    """Pricing by climbing and by branch and bound."""

    def __init__(self, posteriors: Posteriors, cost: Cost, seed: int, effort: Effort) -> None:
        self._posteriors, self._cost = posteriors, cost
        self.prover = Prover(posteriors, cost, effort)
        self._space = posteriors.inner(seed)
        self._random = np.random.default_rng(seed)
        k, n = self._space.rows.shape
        self._starts = max(16, _MAX_ROUND_ENTRIES // (k * (n + cost.terms.shares.size)))
        # With many values and prices that are far from final, full climbs all end at one vertex.
        self._moves = 1
        if n <= _MAX_SHORT_CLIMB_VALUES:
            full = n <= _MAX_FULL_CLIMB_VALUES
            self._moves = _FULL_CLIMB_MOVES if full else _SHORT_CLIMB_MOVES

    def first(self, points: Sequence[FloatArray]) -> list[Column]:
        """Return the points of Q, vertices that make them, and vertices near single values."""
        made = [
            column
            for point in points
            for column in making(self._posteriors, self._cost, self._space, point, self._random)
        ]
        n = self._posteriors.p.size
        values = self._random.permutation(n)[: self._starts]
        prices = np.zeros((values.size, n))
        prices[np.arange(values.size), values] = _SINGLE_PRICE
        return [*map(column_of, points), *made, *self._from(self._posteriors.p, prices)]

    def better(self, columns: Sequence[Column], solution: Solution) -> Iterator[list[Column]]:
        """Yield vertices climbed to from those in use, from random ones, by branch and bound."""
        used = [columns[i] for i in np.flatnonzero(solution.weights > 0).tolist()]
        starts = [column for column in used if column.basis is not None]
        if len(starts) > self._starts:
            chosen = self._random.choice(len(starts), self._starts, replace=False)
            starts = [starts[i] for i in chosen]
        price = solution.price
        yield self._climbed(starts, price)
        if price.size <= _MAX_SHORT_CLIMB_VALUES:
            yield self._climbed(self._scattered(price), price)
        yield self._branched(price, sooner=True)
        if not self.prover.is_proven(price):
            yield self._branched(price, sooner=False)

    def floor(self, price: FloatArray) -> float:
        """Return the largest lower bound on the loss that is proven, with these prices too."""
        if not self.prover.is_proven(price):
            self.prover.points(price)
        return self.prover.floor

    def _branched(self, price: FloatArray, *, sooner: bool) -> list[Column]:
        """Return vertices near the best points that branch and bound found, if they help."""
        points = self.prover.points(price, sooner=sooner)
        points = points / points.sum(axis=1, keepdims=True)
        gains = points @ price + plogp(points).sum(axis=1)
        best = points[np.argsort(-gains, kind="stable")[:_MAX_POINTS]]
        columns = [column for point in best for column in self._from(point, price[np.newaxis])]
        return self._helpful(columns, price)

    def again(self, columns: Sequence[Column]) -> list[Column]:
        """Return the vertices with the same bases as those of a Q with almost the same limits."""
        vertices = [column for column in columns if column.basis is not None]
        return self._moved(vertices, np.zeros(self._posteriors.p.size), 0)

    def _climbed(self, starts: Sequence[Column], price: FloatArray) -> list[Column]:
        """Climb from vertices; return the ends that help."""
        return self._helpful(self._moved(starts, price, self._moves), price)

    def _moved(self, starts: Sequence[Column], price: FloatArray, moves: int) -> list[Column]:
        """Move each vertex to its best neighbour `moves` times; none: only solve its basis."""
        from loglift.randomizing._pricing_kernels import climb_from_bases  # noqa: PLC0415, numba

        if not starts:
            return []
        bases = np.array([column.basis for column in starts])
        at_hi = np.array([column.at_hi for column in starts])
        space, terms = self._space, self._cost.terms
        points = _in_parts(
            lambda some: climb_from_bases(space, terms, bases[some], at_hi[some], price, moves),
            len(starts),
        )
        return safe_columns(self._posteriors, points, bases, at_hi)

    def _scattered(self, price: FloatArray) -> list[Column]:
        """Return vertices that are good for randomly changed prices."""
        size = (min(2 * price.size, self._starts), price.size)
        return self._from(
            self._posteriors.p, price + self._random.normal(scale=_PRICE_NOISE, size=size)
        )

    def _from(self, point: FloatArray, prices: FloatArray) -> list[Column]:
        """Go from a point of Q to a vertex and climb, once for each row of prices (r, n)."""
        from loglift.randomizing._pricing_kernels import climb_from_point  # noqa: PLC0415, numba

        orders = self._random.permuted(np.tile(np.arange(point.size), (len(prices), 1)), axis=1)
        bases = np.empty((len(prices), len(self._space.rows)), dtype=np.int64)
        at_hi = np.empty_like(bases)
        space, terms = self._space, self._cost.terms
        points = _in_parts(
            lambda some: climb_from_point(
                space, terms, point, prices[some], orders[some], bases[some], at_hi[some]
            ),
            len(prices),
        )
        return safe_columns(self._posteriors, points, bases, at_hi)

    def _helpful(self, columns: list[Column], price: FloatArray) -> list[Column]:
        gains = [price[column.support] @ column.values for column in columns]
        helps = np.array(gains) - self._cost.of_columns(columns) > MIN_COLUMN_GAIN
        return [columns[i] for i in np.flatnonzero(helps)]


def _in_parts(climbed: Callable[[slice], FloatArray], starts: int) -> FloatArray:
    """Return the points of all starts, which cores climb from in parts."""
    step = max(1, -(-starts // _PARTS))
    parts = [slice(start, start + step) for start in range(0, starts, step)]
    return np.concatenate(spread(climbed, parts))
