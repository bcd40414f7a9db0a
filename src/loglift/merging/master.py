"""The master: the linear program over the blocks known so far.

Maximise the utility of fractions of blocks that together make up every item. Its duals are the
prices with the least sum that no known block exceeds. While few blocks are known the duals change
a lot, so they are kept within a box around prices that are known to be good (du Merle and others,
1999): an item may be left out for its lowest price, and taken too often for its highest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from loglift._compute.highs import new_program
from loglift.joint import FloatArray, IntArray
from loglift.merging.items import Items


@dataclass(frozen=True, eq=False)
class Optimum:
    """A solved master: value, duals (i,), fraction of each block, whether a price is at its box."""

    value: float
    duals: FloatArray
    fractions: FloatArray
    boxed: bool


class Master:
    """The linear program, kept warm as blocks are added."""

    def __init__(self, items: Items, blocks: Iterable[IntArray]) -> None:
        self.items = items
        self.blocks: list[IntArray] = []
        self._known: set[bytes] = set()
        self._program = new_program(maximise=True)
        for copies in items.copies.tolist():
            self._program.addRow(copies, copies, 0, [], [])
        for sign in (1.0, -1.0):
            for item in range(items.p.size):
                self._column(0.0, np.array([item]), np.array([sign]))
        for block in blocks:
            self.add(block)

    def add(self, block: IntArray) -> bool:
        """Add a block, as numbers of copies (i,); return whether it is new."""
        key = block.tobytes()
        if key in self._known:
            return False
        self._known.add(key)
        self.blocks.append(block)
        inside = np.flatnonzero(block)
        self._column(self.items.value(block), inside, block[inside].astype(float))
        return True

    def solve(self, center: FloatArray, width: float) -> Optimum:
        """Solve for the blocks known now; prices are at most `width` per mass from the center."""
        size, reach = self.items.p.size, width * self.items.p
        cost = np.concatenate([center - reach, -(center + reach)])
        self._program.changeColsCost(2 * size, np.arange(2 * size, dtype=np.int32), cost)
        self._program.run()
        solution = self._program.getSolution()
        amounts = np.array(solution.col_value)
        return Optimum(
            self._program.getInfo().objective_function_value,
            np.array(solution.row_dual),
            amounts[2 * size :],
            bool((amounts[: 2 * size] > 1e-9).any()),  # noqa: PLR2004, more than the rounding of the solver
        )

    def _column(self, value: float, rows: IntArray, entries: FloatArray) -> None:
        self._program.addCol(value, 0.0, math.inf, rows.size, rows.astype(np.int32), entries)
