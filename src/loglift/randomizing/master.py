"""The master: which of the known posteriors to release, and how often, as a linear program.

    minimise   sum over y of w(y) c(q_y)                       = the loss, H(X|Y) for I(X;Y)
    such that  sum over y of w(y) q_y(x)/p(x) = 1 for all x,   w >= 0.

A basic solution releases at most |X| values. The dual values divided by p(x) are the prices of the
public values: a posterior that is not known yet helps iff price.q > c(q).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loglift.joint import FloatArray
from loglift.randomizing.columns import Column
from loglift.randomizing.cost import Cost

# The tightest that HiGHS accepts first; looser ones where posteriors are almost equal.
_TOLERANCES = (1e-10, 1e-9, 1e-7)
_MAX_REFINEMENTS = 3


@dataclass(frozen=True, eq=False)
class Solution:
    """The loss in nats, the weight of every column, and the price of every public value."""

    loss: float
    weights: FloatArray
    price: FloatArray


def quiet_program(rows: int) -> Any:
    """Return a linear program with equations sum = 1, and no columns yet."""
    import highspy  # noqa: PLC0415, loads only when used

    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("presolve", "off"), ("threads", 1)):
        highs.setOptionValue(option, value)
    one, start = np.ones(rows), np.zeros(rows, np.int32)
    highs.addRows(rows, one, one, 0, start, start[:0], one[:0])
    return highs


def added_columns(highs: Any, columns: Sequence[Column], cost: Cost, p: FloatArray) -> None:
    """Add posteriors to a program: q(x)/p(x) in the row of x, and the cost c(q)."""
    if not columns:
        return
    sizes = np.array([column.support.size for column in columns])
    support = np.concatenate([column.support for column in columns])
    highs.addCols(
        len(columns),
        cost.of_columns(columns),
        np.zeros(len(columns)),
        np.full(len(columns), np.inf),
        support.size,
        np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32),
        support.astype(np.int32),
        np.concatenate([column.values for column in columns]) / p[support],
    )


class Master:
    """The linear program, to which columns are added; each solve starts from the last basis."""

    def __init__(self, p: FloatArray, cost: Cost) -> None:
        self.p, self._cost = p, cost
        self.columns: list[Column] = []
        self._last: Solution | None = None
        self._seen: set[bytes] = set()
        self._highs: Any = quiet_program(p.size)

    def add(self, columns: Iterable[Column]) -> int:
        """Add the columns that are new; return how many."""
        new = []
        for column in columns:
            key = column.key
            if key not in self._seen:
                self._seen.add(key)
                new.append(column)
        added_columns(self._highs, new, self._cost, self.p)
        self.columns += new
        return len(new)

    def solve(self) -> Solution:
        """Solve; the first column must be p(x) itself, which is always a solution.

        Where HiGHS finds no solution, the last one stays. For any weights the release is made safe,
        and for any prices the bound is true.
        """
        if self._run():
            solution = self._highs.getSolution()
            self._last = Solution(
                loss=float(self._highs.getInfo().objective_function_value),
                weights=np.array(solution.col_value),
                price=np.array(solution.row_dual) / self.p,
            )
        elif self._last is None:
            weights = np.eye(1, len(self.columns))[0]
            loss = float(self._cost.of_columns(self.columns[:1])[0])
            self._last = Solution(loss, weights, np.zeros(self.p.size))
        else:
            new = len(self.columns) - self._last.weights.size
            self._last = replace(self._last, weights=np.pad(self._last.weights, (0, new)))
        return self._last

    def _run(self) -> bool:
        """Solve with the tightest tolerance that works, from the last basis or from none."""
        for tolerance in _TOLERANCES:
            self._highs.setOptionValue("primal_feasibility_tolerance", tolerance)
            self._highs.setOptionValue("dual_feasibility_tolerance", tolerance)
            for _ in range(2):
                self._highs.run()
                if self._optimal:
                    return True
                self._highs.clearSolver()  # the last basis may be hard to go on from
        return False

    @property
    def _optimal(self) -> bool:
        return bool(self._highs.getModelStatus().name == "kOptimal")

    def polished(self, solution: Solution) -> FloatArray:
        """Return the weights of the last solution with the rounding of their sums corrected.

        Iterative refinement with the basis, as long as it helps.
        """
        best, error = solution.weights, self._errors(solution.weights)
        if not self._optimal:  # an earlier solution, whose basis is gone
            return best
        basic = np.array(self._highs.getBasicVariables()[1])
        for _ in range(_MAX_REFINEMENTS):
            step = np.array(self._highs.getBasisSolve(error)[1])
            weights = best.copy()
            weights[basic[basic >= 0]] += step[basic >= 0]
            weights = np.maximum(weights, 0)
            new = self._errors(weights)
            if np.abs(new).max() >= np.abs(error).max():
                break
            best, error = weights, new
        return best

    def _errors(self, weights: FloatArray) -> FloatArray:
        """Return by how much the sum of w(y) q_y(x)/p(x) falls short of one."""
        errors = np.ones(self.p.size)
        for i in np.flatnonzero(weights).tolist():
            column = self.columns[i]
            errors[column.support] -= weights[i] * column.values / self.p[column.support]
        return errors
