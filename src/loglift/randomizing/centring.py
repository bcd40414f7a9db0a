"""Prices in the middle: the master with stabilised prices, for thousands of posteriors.

The prices of a simplex solution jump from round to round as long as posteriors are few. Here an
interior point method stops short of the optimum, at prices in the middle of the best ones, and what
a public value may be over or under is paid for: (du Merle and others, stabilised column
generation) between center - WIDTH and center + WIDTH a price is free, beyond it every value may be
missed or exceeded by `MAX_MISSED` of its probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from loglift.joint import FloatArray
from loglift.randomizing.columns import Column
from loglift.randomizing.cost import Cost
from loglift.randomizing.master import Solution, added_columns, quiet_program

WIDTH = 0.3  # nats
MAX_MISSED = 0.3
TOLERANCE = 1e-3  # relative, of the interior point method


class Centred:
    """A master whose solutions are prices near a center; columns can be added."""

    def __init__(self, p: FloatArray, cost: Cost) -> None:
        self._p, self._cost = p, cost
        self._highs: Any = quiet_program(p.size)
        for option, value in (
            ("solver", "ipm"),
            ("run_crossover", "off"),
            ("ipm_optimality_tolerance", TOLERANCE),
        ):
            self._highs.setOptionValue(option, value)
        n, places = p.size, np.arange(p.size, dtype=np.int32)
        for sign in (1.0, -1.0):
            most = np.full(n, MAX_MISSED)
            self._highs.addCols(n, np.zeros(n), np.zeros(n), most, n, places, places, sign + 0 * p)

    def add(self, columns: Sequence[Column]) -> None:
        """Add columns."""
        added_columns(self._highs, columns, self._cost, self._p)

    def solve(self, center: FloatArray) -> Solution | None:
        """Return weights and prices near a center, None if the method fails."""
        n, p = self._p.size, self._p
        costs = np.concatenate([p * (center + WIDTH), -p * (center - WIDTH)])
        self._highs.changeColsCost(2 * n, np.arange(2 * n, dtype=np.int32), costs)
        self._highs.clearSolver()
        self._highs.run()
        solution = self._highs.getSolution()
        price = np.array(solution.row_dual) / p
        if not (solution.dual_valid and np.isfinite(price).all()):
            return None
        weights = np.array(solution.col_value)[2 * n :]
        return Solution(float(self._highs.getInfo().objective_function_value), weights, price)
