"""Many posteriors for many values, before the exact master: column generation in the middle.

Each round solves the master with centred prices, and looks for posteriors from those in use. At
first it looks for a vertex near every public value and near pairs that almost balance each other,
which is fast and misses some; then by branch and bound, which misses none and proves a bound. A
center that proves more, as far as the posteriors that were found tell, replaces the last one: its
prices prove much more than those of the exact master, which are at a corner.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from loglift._compute.threads import spread
from loglift.joint import FloatArray, IntArray
from loglift.randomizing.centring import Centred
from loglift.randomizing.columns import Column
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import MIN_COLUMN_GAIN, safe_columns
from loglift.randomizing.proving import Prover

SHARES = (0.6, 0.9)  # of the largest entry: where to look for vertices near a value
MAX_NEAR_ROUNDS, MAX_ROUNDS = 25, 80
MAX_BRIEF_ROUNDS, MIN_BRIEF_GAIN = 4, 0.02  # of a look without branch and bound
MIN_NEAR_GAIN = 0.04  # as a share of c(p): branch and bound follows when no vertex helps more
MIN_GAIN = 0.005  # as a share of c(p): rounds end when no posterior helps more
MAX_SURPLUS = 0.03  # as a share of c(p): posteriors that cost more than their price are left out
_TOLERANCE = 0.7  # of branch and bound, as a share of the gain of the last round
_RESERVE = 0.08  # of the time, for the exact master
_FIRST_PRICE = 0.9  # of the loss of the start: the mean of the first prices


class Seeker:
    """Finds posteriors for one Q, where c(q) = H(q)."""

    def __init__(self, posteriors: Posteriors, cost: Cost, prover: Prover, seed: int) -> None:
        self._posteriors, self._cost, self._prover = posteriors, cost, prover
        self._largest = prover.largest
        self._space = posteriors.inner(seed)
        self._most = cost.most(posteriors.p)

    def sought(
        self, start: Sequence[Column], loss: float, effort: Effort, *, brief: bool = False
    ) -> list[Column]:
        """Return columns for a master with the columns `start`, which loses no more than `loss`.

        A `brief` look is without branch and bound.
        """
        p, begun = self._posteriors.p, time.monotonic()
        price = -np.log(self._largest)
        price = price + _FIRST_PRICE * loss - price @ p
        center, best, near, tolerance = price, -np.inf, True, 0.0
        master, columns, keys = Centred(p, self._cost), list(start), {c.key for c in start}
        master.add(columns)
        used: list[Column] = []
        for number in range(MAX_BRIEF_ROUNDS if brief else MAX_ROUNDS):
            found = self._near(price) if near else self._branched(price, tolerance)
            found += [*self._paired(price), *self._from(used, price)]
            gains = self._gains(found, price)
            gain = max(0.0, gains.max(initial=0.0)) / self._most
            if price @ p - gain * self._most > best:
                center, best = price, float(price @ p) - gain * self._most
            new = {c.key: c for c, gain in zip(found, gains, strict=True) if gain > MIN_COLUMN_GAIN}
            fresh = [column for key, column in new.items() if key not in keys]
            master.add(fresh)
            columns += fresh
            keys |= new.keys()
            solution = master.solve(center)
            spent = effort.left < _RESERVE * (time.monotonic() - begun)
            proven = not near and max(gain, tolerance) < MIN_GAIN
            proven = proven or (brief and gain < MIN_BRIEF_GAIN)
            if solution is None or effort.over or spent or proven:
                break
            if not brief and near and (gain < MIN_NEAR_GAIN or number + 1 == MAX_NEAR_ROUNDS):
                near, best = False, -np.inf  # vertices near values do not tell what is proven
            tolerance = _TOLERANCE * max(gain, MIN_NEAR_GAIN if near else tolerance / 2)
            price = solution.price
            order = np.argsort(-solution.weights, kind="stable")[: p.size]
            used = [columns[i] for i in order.tolist() if columns[i].basis is not None]
        gains = self._gains(columns, center)
        return [c for c, g in zip(columns, gains, strict=True) if g > -MAX_SURPLUS * self._most]

    def _gains(self, columns: Sequence[Column], price: FloatArray) -> FloatArray:
        """Return price.q - c(q) of columns."""
        worth = np.array([price[column.support] @ column.values for column in columns])
        return worth - self._cost.of_columns(columns)

    def _near(self, price: FloatArray) -> list[Column]:
        """Return vertices near every public value."""
        from loglift.randomizing._finding_kernels import vertices_near  # noqa: PLC0415, numba

        values = np.arange(price.size)

        def near(share: float) -> list[Column]:
            bases, at_hi = self._bases(values.size)
            points = vertices_near(self._space, self._largest, price, values, share, bases, at_hi)
            return safe_columns(self._posteriors, points, bases, at_hi)

        return [column for found in spread(near, SHARES) for column in found]

    def _paired(self, price: FloatArray) -> list[Column]:
        """Return vertices near pairs of values that almost balance each other."""
        from loglift.randomizing._finding_kernels import best_pairs  # noqa: PLC0415, numba

        return self._ends(best_pairs(self._space, price), price)

    def _branched(self, price: FloatArray, tolerance: float) -> list[Column]:
        """Return vertices near the points that branch and bound finds, and prove a bound."""
        points = self._prover.points(price, tolerance, sooner=True)
        return self._ends(points / points.sum(axis=1, keepdims=True), price)

    def _from(self, used: Sequence[Column], price: FloatArray) -> list[Column]:
        """Return vertices no worse than the columns in use."""
        points = np.zeros((len(used), price.size))
        for row, column in zip(points, used, strict=True):
            row[column.support] = column.values
        return self._ends(points, price)

    def _ends(self, points: FloatArray, price: FloatArray) -> list[Column]:
        """Return a vertex no worse than each point of Q (r, n)."""
        from loglift.randomizing._finding_kernels import vertices_from  # noqa: PLC0415, numba

        bases, at_hi = self._bases(len(points))
        ends = vertices_from(self._space, price, points, bases, at_hi)
        return safe_columns(self._posteriors, ends, bases, at_hi)

    def _bases(self, size: int) -> tuple[IntArray, IntArray]:
        shape = (size, len(self._space.rows))
        return np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
