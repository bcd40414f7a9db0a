"""Many posteriors for many values, before the exact master: column generation in the middle.

Each round solves the master with centred prices, and looks for a vertex near every public value
and from every posterior in use. A center that proves more, as far as these vertices tell, replaces
the last one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.randomizing.centring import Centred
from loglift.randomizing.columns import Column
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import MIN_COLUMN_GAIN, safe_columns

SHARES = (0.6, 0.9)  # of the largest entry: where to look for vertices near a value
MAX_ROUNDS = 25
MIN_GAIN = 0.005  # as a share of c(p): rounds end when no posterior helps more
MAX_SURPLUS = 0.03  # as a share of c(p): posteriors that cost more than their price are left out
_MAX_SUPPORT = 64  # of a posterior to go on from
_FIRST_PRICE = 0.9  # of the loss of the start: the mean of the first prices


class Seeker:
    """Finds posteriors for one Q, where c(q) = H(q)."""

    def __init__(self, posteriors: Posteriors, cost: Cost, largest: FloatArray, seed: int) -> None:
        self._posteriors, self._cost, self._largest = posteriors, cost, largest
        self._space = posteriors.inner(seed)
        self._most = cost.most(posteriors.p)

    def sought(self, start: Sequence[Column], loss: float, effort: Effort) -> list[Column]:
        """Return columns for a master with the columns `start`, which loses no more than `loss`."""
        p = self._posteriors.p
        price = -np.log(self._largest)
        price = price + _FIRST_PRICE * loss - price @ p
        center, best = price, -np.inf
        master, columns, keys = Centred(p, self._cost), list(start), {c.key for c in start}
        master.add(columns)
        used: list[Column] = []
        for _ in range(MAX_ROUNDS):
            found = self._near(price) + self._from(used, price)
            gains = self._gains(found, price)
            bound = float(price @ p) - max(0.0, gains.max(initial=0.0))
            if bound > best:
                center, best = price, bound
            new = {c.key: c for c, gain in zip(found, gains, strict=True) if gain > MIN_COLUMN_GAIN}
            fresh = [column for key, column in new.items() if key not in keys]
            master.add(fresh)
            columns += fresh
            keys |= new.keys()
            solution = master.solve(center)
            if solution is None or effort.over or gains.max(initial=0.0) < MIN_GAIN * self._most:
                break
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
        from loglift.randomizing._finding_kernels import vertices_near  # noqa: PLC0415, numba

        found, values = [], np.arange(price.size)
        for share in SHARES:
            bases, at_hi = self._bases(values.size)
            points = vertices_near(self._space, self._largest, price, values, share, bases, at_hi)
            found += safe_columns(self._posteriors, points, bases, at_hi)
        return found

    def _from(self, used: Sequence[Column], price: FloatArray) -> list[Column]:
        from loglift.randomizing._finding_kernels import vertices_from  # noqa: PLC0415, numba

        bases, at_hi = self._bases(len(used))
        points = np.zeros((len(used), price.size))
        for row, column in zip(points, used, strict=True):
            row[column.support] = column.values
        ends = vertices_from(self._space, price, points, bases, at_hi)
        return safe_columns(self._posteriors, ends, bases, at_hi)

    def _bases(self, size: int) -> tuple[IntArray, IntArray]:
        shape = (size, len(self._space.rows))
        return np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
