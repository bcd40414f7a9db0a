"""Pricing: posteriors that would improve the master, and proofs that no posterior would.

Here all vertices of Q are known and are compared. `climbing` is for Q with too many vertices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.promise.limits import TOLERANCE
from loglift.randomizing.columns import MIN_ENTRY, Column, column_of
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.vertices import Vertices

if TYPE_CHECKING:
    from loglift.randomizing._simplex_kernels import Space

MIN_COLUMN_GAIN = 1e-10  # nats: columns that gain less do not help


class Pricer(Protocol):
    """What column generation asks of pricing."""

    def first(self, points: Sequence[FloatArray]) -> list[Column]:
        """Return columns to begin with; mixtures of them make the given points of Q."""

    def better(self, columns: Sequence[Column], solution: Solution) -> Iterator[list[Column]]:
        """Yield columns that improve a solution, one way of finding them after the other."""

    def floor(self, price: FloatArray) -> float:
        """Return a proven lower bound on the loss."""


def safe_columns(
    posteriors: Posteriors, points: FloatArray, bases: IntArray, at_hi: IntArray
) -> list[Column]:
    """Return the vertices (r, n) that are in Q as columns, with their bases (r, k).

    A basis that is almost singular can give a point outside Q.
    """
    clean = np.where(points > MIN_ENTRY, points, 0.0)
    sums = clean.sum(axis=1, keepdims=True)
    near = np.abs(sums[:, 0] - 1) < TOLERANCE * 100
    inside = near & posteriors.contains(clean / np.where(sums > 0, sums, 1))
    return [column_of(clean[i], bases[i], at_hi[i]) for i in np.flatnonzero(inside)]


def making(
    posteriors: Posteriors,
    cost: Cost,
    space: Space,
    point: FloatArray,
    random: np.random.Generator,
) -> list[Column]:
    """Return vertices whose mixture is a given point of Q."""
    from loglift.randomizing._pricing_kernels import decompose  # noqa: PLC0415, numba

    most = int(np.count_nonzero(point)) + len(space.rows)
    order, price = random.permutation(point.size), np.zeros(point.size)
    return safe_columns(posteriors, *decompose(space, cost.terms, point, price, order, most))


class Listed:
    """Pricing where all vertices are known. O(vertices) a round."""

    def __init__(
        self, posteriors: Posteriors, cost: Cost, vertices: Sequence[Vertices], seed: int
    ) -> None:
        self._posteriors, self._cost = posteriors, cost
        self._space = posteriors.inner(seed)
        self._random = np.random.default_rng(seed)
        self._vertices = [group for group in vertices if len(group.values)]
        self._costs = [cost.of_vertices(group.supports, group.values) for group in self._vertices]

    def first(self, points: Sequence[FloatArray]) -> list[Column]:
        """Return the points of Q, and vertices that make them."""
        made = [
            column
            for point in points
            for column in making(self._posteriors, self._cost, self._space, point, self._random)
        ]
        return [*map(column_of, points), *made]

    def better(
        self,
        columns: Sequence[Column],  # noqa: ARG002, all vertices are known
        solution: Solution,
    ) -> Iterator[list[Column]]:
        """Return the best column for each place and public value there."""
        yield self._best(solution.price)

    def floor(self, price: FloatArray) -> float:
        """price.p + min over Q of c(q) - price.q, which is concave: at a vertex it is least."""
        least = -max(float(gains.max()) for gains in self._gains(price))
        return float(price @ self._posteriors.p) + min(0.0, least)

    def _best(self, price: FloatArray) -> list[Column]:
        found = []
        for group, gains in zip(self._vertices, self._gains(price), strict=True):
            good = np.flatnonzero(gains > MIN_COLUMN_GAIN)
            good = good[np.argsort(-gains[good], kind="stable")]
            for place in group.supports[good].T:
                _, first = np.unique(place, return_index=True)
                found += [group.column(i) for i in good[first]]
        return found

    def _gains(self, price: FloatArray) -> Iterator[FloatArray]:
        """Yield price.q - c(q) of the vertices of each group."""
        for group, costs in zip(self._vertices, self._costs, strict=True):
            yield (price[group.supports] * group.values).sum(axis=1) - costs
