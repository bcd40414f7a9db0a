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
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Solution
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import MIN_COLUMN_GAIN, making, safe_columns

if TYPE_CHECKING:
    from loglift.randomizing._bound_kernels import Proof
    from loglift.randomizing._simplex_kernels import Space

MAX_PROOF_GAP = 1e-10  # of the proof of the least loss, as a share of c(p) = H(X)

_MAX_ROUND_ENTRIES = 16_000_000  # of the tableaux to climb with in a round: a few seconds
_MAX_FULL_CLIMB_VALUES, _MAX_SHORT_CLIMB_VALUES = 64, 500  # public values
_FULL_CLIMB_MOVES, _SHORT_CLIMB_MOVES = 1000, 3
_MAX_BOXES, _MAX_BOX_OPERATIONS, _MAX_BOX_CELLS = 200_000, 1_200_000_000, 5_000_000
_MAX_EARLY_BOXES = 1000  # while prices are not final
_MAX_IMAGE_CELLS = 2_000_000  # of the tableaux of branch and bound with targets
_SINGLE_PRICE = 5.0  # nats: the price of a single value, to find a vertex near it
_TIGHT_PRICE = 100.0  # nats: the price of slack where a release has none
_PRICE_NOISE = 1.0  # nats: standard deviation of the prices of random starts


class Climbing:
    """Pricing by climbing and by branch and bound."""

    def __init__(self, posteriors: Posteriors, cost: Cost, seed: int) -> None:
        self._posteriors, self._cost = posteriors, cost
        self._space = posteriors.inner(seed)
        self._random = np.random.default_rng(seed)
        k, n = self._space.rows.shape
        self._starts = max(16, _MAX_ROUND_ENTRIES // (k * (n + cost.terms.shares.size)))
        # With many values and prices that are far from final, full climbs all end at one vertex.
        self._moves = 1
        if n <= _MAX_SHORT_CLIMB_VALUES:
            full = n <= _MAX_FULL_CLIMB_VALUES
            self._moves = _FULL_CLIMB_MOVES if full else _SHORT_CLIMB_MOVES
        self._last: tuple[FloatArray, Proof] | None = None

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
        yield self._climbed(self._scattered(price), price)
        yield self._branched(price)

    def floor(self, price: FloatArray, *, done: bool) -> float:
        """Return the larger of two proven lower bounds on the loss.

        price.p + min over Q of c(q) - price.q, by branch and bound; and, since q(x) is at most
        u(x) = max over Q of it, -j sum of p(x) log u(x).
        """
        p = self._posteriors.p
        boxes = self._boxes if done else min(self._boxes, _MAX_EARLY_BOXES)
        least = self._proven(price, boxes).least
        by_prices = float((price - self._of_slack) @ p) + least
        return max(by_prices, self._by_largest)

    def _branched(self, price: FloatArray) -> list[Column]:
        """Return a vertex near the point that branch and bound found, if that helps."""
        point = self._proven(price, self._boxes).point
        return self._helpful(self._from(point, price[np.newaxis]), price) if point.any() else []

    def _proven(self, price: FloatArray, boxes: int) -> Proof:
        from loglift.randomizing._bound_kernels import bound_below  # noqa: PLC0415, numba

        if self._last is None or self._last[0] is not price:
            space, slack = self._first_box, MAX_PROOF_GAP * self._cost.most(self._posteriors.p)
            weights = self._cost.weights[: price.size + len(self._images)]
            own = self._cost.terms.alone if len(self._images) else 0.0
            prices = price - self._of_slack + own
            proof = bound_below(space, rows_of(space), weights, prices, slack, boxes)
            self._last = price, proof
        return self._last[1]

    @cached_property
    def _of_slack(self) -> FloatArray:
        """What the slack of a posterior costs where p(x) has next to none; shape (n,).

        Any prices prove a bound. These keep branch and bound to posteriors that a release can
        have, and cost the bound no more than the slack of p(x).
        """
        rows = self._posteriors.rows.exact[self._posteriors.tight]
        cost: FloatArray = _TIGHT_PRICE * rows.sum(axis=0)
        return cost

    @cached_property
    def _largest_entries(self) -> FloatArray:
        """An upper bound u(x) on q(x) over Q; by linear programs up to 500 public values."""
        from loglift.randomizing._bound_kernels import largest_entries  # noqa: PLC0415, numba

        largest = self._posteriors.largest
        if largest.size <= _MAX_SHORT_CLIMB_VALUES:
            space = self._posteriors.exact
            largest = np.minimum(largest, largest_entries(space, rows_of(space)))
        return np.maximum(largest, self._posteriors.p)

    @cached_property
    def _images(self) -> FloatArray:
        """The rows p(u|x) of the targets; none where branch and bound with them takes too long.

        The bound without them is true as well: H(U|q) is at least sum of q(x) H(U|x).
        """
        (k, n), t = self._space.rows.shape, self._cost.terms.weights.size
        return self._cost.image if (k + t) * n <= _MAX_IMAGE_CELLS else np.zeros((0, n))

    @cached_property
    def _image_limits(self) -> FloatArray:
        """Bounds below and above on p(u|q) over Q, shape (2, images)."""
        from loglift.randomizing._bound_kernels import extents  # noqa: PLC0415, numba

        images = self._images
        least, most = images.min(axis=1), images.max(axis=1)
        if max(images.shape) <= _MAX_SHORT_CLIMB_VALUES:
            space = self._posteriors.exact
            below, above = extents(space, rows_of(space), images)
            least, most = np.maximum(least, below), np.minimum(most, above)
        of_p = images @ self._posteriors.p
        return np.array([np.minimum(least, of_p), np.maximum(most, of_p)])

    @cached_property
    def _first_box(self) -> Space:
        """Q with the images as its first rows, and with limits of all entries and images."""
        from loglift.randomizing._simplex_kernels import Space  # noqa: PLC0415, numba

        space, (least, most) = self._posteriors.exact, self._image_limits
        n = space.rows.shape[1]
        return Space(
            np.vstack([self._images, space.rows]),
            np.concatenate([space.lo[:n], least, space.lo[n:]]),
            np.concatenate([self._largest_entries, most, space.hi[n:]]),
        )

    @property
    def _boxes(self) -> int:
        """How many boxes branch and bound may take."""
        k, n = self._first_box.rows.shape
        cells = _MAX_BOX_CELLS // (n + len(self._images))
        return int(max(1, min(_MAX_BOXES, _MAX_BOX_OPERATIONS // (k * k * n), cells)))

    @cached_property
    def _by_largest(self) -> float:
        """A lower bound on the loss, from bounds on single entries and images.

        -q(x) log q(x) is at least -q(x) log u(x), with u(x) = max of q(x) over Q, and so for images
        p(u|q); each of these is also at least sum of -q(x) p(u|x) log p(u|x).
        """
        p, images, terms = self._posteriors.p, self._images, self._cost.terms
        found = terms.joint_weight * float(-(p * np.log(self._largest_entries)).sum())
        if len(images):
            more = plogp(images) @ p - (images @ p) * np.log(self._image_limits[1])
            found += float(terms.weights @ np.maximum(more, 0))
        return found

    def _climbed(self, starts: Sequence[Column], price: FloatArray) -> list[Column]:
        """Climb from vertices; return the ends that help."""
        from loglift.randomizing._pricing_kernels import climb_from_bases  # noqa: PLC0415, numba

        if not starts:
            return []
        bases = np.array([column.basis for column in starts])
        at_hi = np.array([column.at_hi for column in starts])
        terms = self._cost.terms
        points = climb_from_bases(self._space, terms, bases, at_hi, price, self._moves)
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
        bases = np.empty((len(prices), len(self._space.rows)), dtype=np.int64)
        at_hi = np.empty_like(bases)
        terms = self._cost.terms
        points = climb_from_point(self._space, terms, point, prices, orders, bases, at_hi)
        return safe_columns(self._posteriors, points, bases, at_hi)

    def _helpful(self, columns: list[Column], price: FloatArray) -> list[Column]:
        gains = [price[column.support] @ column.values for column in columns]
        helps = np.array(gains) - self._cost.of_columns(columns) > MIN_COLUMN_GAIN
        return [columns[i] for i in np.flatnonzero(helps)]


def rows_of(space: Space) -> IntArray:
    """Return the rows as a basis: the dual simplex method can start from any."""
    k, n = space.rows.shape
    return np.arange(n, n + k)
