"""Pricing: posteriors that would improve the master, and proofs that there are none.

Where all vertices of Q are known, they are simply compared; `climbing` is the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from loglift.joint import FloatArray
from loglift.randomizing.columns import Column, column_of
from loglift.randomizing.master import Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.vertices import Vertices

WORTH = 1e-10  # nats: columns that gain less than this are no help


class Pricer(Protocol):
    """What column generation asks of pricing."""

    def first(self, points: Sequence[FloatArray]) -> list[Column]:
        """Columns to begin with, some of which make the given points of Q."""

    def better(self, columns: Sequence[Column], solution: Solution) -> list[Column]:
        """Columns that improve a solution; none when none is found."""

    def floor(self, price: FloatArray) -> float:
        """Return a proven lower bound on H(X|Y)."""


class Listed:
    """Pricing where all vertices are known. O(vertices) a round."""

    def __init__(self, posteriors: Posteriors, vertices: Sequence[Vertices]) -> None:
        self._p = posteriors.p
        self._vertices = [group for group in vertices if len(group.values)]

    def first(self, points: Sequence[FloatArray]) -> list[Column]:
        """Return the best columns when all values have the same price; points make themselves."""
        n = self._p.size
        return [*map(column_of, points), *self._best(np.full(n, np.log(n) + 1))]

    def better(self, columns: Sequence[Column], solution: Solution) -> list[Column]:  # noqa: ARG002
        """Return the best column for each place and public value there."""
        return self._best(solution.price)

    def floor(self, price: FloatArray) -> float:
        """price.p + min over Q of H(q) - price.q, which is concave: at a vertex it is least."""
        least = min(0.0, *(float(-group.worth(price).max()) for group in self._vertices))
        return float(price @ self._p) + least

    def _best(self, price: FloatArray) -> list[Column]:
        found = []
        for group in self._vertices:
            worth = group.worth(price)
            good = np.flatnonzero(worth > WORTH)
            good = good[np.argsort(-worth[good], kind="stable")]
            for place in group.supports[good].T:
                _, first = np.unique(place, return_index=True)
                found += [group.column(i) for i in good[first]]
        return found
