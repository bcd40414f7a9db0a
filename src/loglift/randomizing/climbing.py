"""Pricing where the vertices of Q are too many to list.

Climbs to vertices start from the vertices in use and from random ones. At the end branch and bound
finds a posterior that helps, or proves how little any posterior helps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.randomizing.columns import Column, column_of
from loglift.randomizing.master import Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import MIN_WORTH, making, safe_columns

if TYPE_CHECKING:
    from loglift.randomizing._bound_kernels import Proof

MAX_PROOF_GAP = 1e-10  # of the proof of the least loss, as a share of H(X)

_MAX_ROUND_ENTRIES = 16_000_000  # of the tableaux to climb with in a round: a few seconds
_MAX_FULL_CLIMB_VALUES, _MAX_SHORT_CLIMB_VALUES = 64, 500  # public values
_FULL_CLIMB_MOVES, _SHORT_CLIMB_MOVES = 1000, 3
_MAX_BOXES, _MAX_BOX_OPERATIONS, _MAX_BOX_CELLS = 200_000, 1_200_000_000, 5_000_000
_MAX_EARLY_BOXES = 1000  # while prices are not final
_SINGLE_PRICE = 5.0  # nats: the price of a single value, to find a vertex near it
_PRICE_NOISE = 1.0  # nats: standard deviation of the prices of random starts


class Climbing:
    """Pricing by climbing and by branch and bound."""

    def __init__(self, posteriors: Posteriors, seed: int) -> None:
        self._posteriors = posteriors
        self._space = posteriors.inner(seed)
        self._random = np.random.default_rng(seed)
        k, n = self._space.rows.shape
        self._starts = max(16, _MAX_ROUND_ENTRIES // (k * n))
        # With many values and prices that are far from final, full climbs all end at one vertex.
        self._moves = 1
        if n <= _MAX_SHORT_CLIMB_VALUES:
            full = n <= _MAX_FULL_CLIMB_VALUES
            self._moves = _FULL_CLIMB_MOVES if full else _SHORT_CLIMB_MOVES
        self._boxes = max(
            1, min(_MAX_BOXES, _MAX_BOX_OPERATIONS // (k * k * n), _MAX_BOX_CELLS // n)
        )
        self._last: tuple[FloatArray, Proof] | None = None

    def first(self, points: Sequence[FloatArray]) -> list[Column]:
        """Return the points of Q, vertices that make them, and vertices near single values."""
        made = [
            column
            for point in points
            for column in making(self._posteriors, self._space, point, self._random)
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
        yield self._climbed(self._scattered(price), price)
        yield self._branched(price)

    def floor(self, price: FloatArray, *, done: bool) -> float:
        """Return the larger of two proven lower bounds on H(X|Y).

        price.p + min over Q of H(q) - price.q, by branch and bound; and, since q(x) is at most
        u(x) = max over Q of it, -sum of p(x) log u(x).
        """
        p = self._posteriors.p
        boxes = self._boxes if done else min(self._boxes, _MAX_EARLY_BOXES)
        by_prices = float(price @ p) + self._proven(price, boxes).least
        return max(by_prices, float(-(p * np.log(self._largest_entries)).sum()))

    def _branched(self, price: FloatArray) -> list[Column]:
        """Return a vertex near the point that branch and bound found, if that helps."""
        point = self._proven(price, self._boxes).point
        return self._helpful(self._from(point, price[np.newaxis]), price) if point.any() else []

    def _proven(self, price: FloatArray, boxes: int) -> Proof:
        from loglift.randomizing._bound_kernels import bound_below  # noqa: PLC0415, numba

        if self._last is None or self._last[0] is not price:
            space, basis = self._posteriors.exact, self._some_basis
            slack = MAX_PROOF_GAP * float(-plogp(self._posteriors.p).sum())
            largest = self._largest_entries
            proof = bound_below(space, basis, largest, price, slack, boxes)
            self._last = price, proof
        return self._last[1]

    @cached_property
    def _largest_entries(self) -> FloatArray:
        """An upper bound u(x) on q(x) over Q; by linear programs up to 500 public values."""
        from loglift.randomizing._bound_kernels import largest_entries  # noqa: PLC0415, numba

        largest = self._posteriors.largest
        if largest.size <= _MAX_SHORT_CLIMB_VALUES:
            by_programs = largest_entries(self._posteriors.exact, self._some_basis)
            largest = np.minimum(largest, by_programs)
        return np.maximum(largest, self._posteriors.p)

    @cached_property
    def _some_basis(self) -> IntArray:
        """The rows: the dual simplex method can start from any basis."""
        k, n = self._space.rows.shape
        return np.arange(n, n + k)

    def _climbed(self, starts: Sequence[Column], price: FloatArray) -> list[Column]:
        """Climb from vertices; return the ends that help."""
        from loglift.randomizing._pricing_kernels import climb_from_bases  # noqa: PLC0415, numba

        if not starts:
            return []
        bases = np.array([column.basis for column in starts])
        at_hi = np.array([column.at_hi for column in starts])
        points = climb_from_bases(self._space, bases, at_hi, price, self._moves)
        return self._helpful(safe_columns(self._posteriors, points, bases, at_hi), price)

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
        bases = np.empty((len(prices), len(self._some_basis)), dtype=np.int64)
        at_hi = np.empty_like(bases)
        points = climb_from_point(self._space, point, prices, orders, bases, at_hi)
        return safe_columns(self._posteriors, points, bases, at_hi)

    def _helpful(self, columns: list[Column], price: FloatArray) -> list[Column]:
        return [column for column in columns if column.worth(price) > MIN_WORTH]
