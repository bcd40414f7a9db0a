"""What a released value loses: the cost c(q) of its posterior q = p(x|y), in nats.

    c(q) = j H(q) + sum over targets U of a(U) [H(U|q) - sum over x of q(x) H(U|x)],

where p(u|q) = sum over x of q(x) p(u|x). Where posteriors with the weights w(y) average to p(x),

    utility = unit (c(p) - sum over y of w(y) c(q_y)).

The weights j and a(U) are those of the utility, divided by the unit that makes c(p) = H(X): so all
costs are on the scale of nats whatever the utility. c is concave, since H is concave and p(u|q) is
linear in q, and zero for a single value; unit c(p) is what the table as it is keeps. For I(X;Y),
c(q) = H(q).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import entropy, plogp
from loglift.randomizing.columns import Column
from loglift.sparse import Cells
from loglift.utility.weighted import WeightedTargets
from loglift.utility.worth import Worth


class Terms(NamedTuple):
    """The cost written out for the kernels.

    j; then a(u) of each value u of a target, the targets side by side (t,); p(u|x) by its non-zero
    cells, value by value: those of x are starts[x] to starts[x + 1] - 1; and `alone` (n,), the sum
    over targets of a(U) H(U|x).
    """

    joint_weight: float
    weights: FloatArray
    starts: IntArray
    columns: IntArray
    shares: FloatArray
    alone: FloatArray


@dataclass(frozen=True, eq=False)
class Cost:
    """c(q) over n public values; the sum of j and all a(U); what a nat of c is worth."""

    terms: Terms
    block_weight: float = 1.0
    unit: float = 1.0

    @classmethod
    def joint(cls, n: int) -> Cost:
        """Return H(q), the cost where I(X;Y) is kept."""
        nothing, no_cells = np.zeros(0), np.zeros(0, dtype=np.int64)
        starts = np.zeros(n + 1, dtype=np.int64)
        return cls(Terms(1.0, nothing, starts, no_cells, nothing, np.zeros(n)))

    @classmethod
    def of(cls, worth: Worth) -> Cost:
        """Return the cost that belongs to what a release is worth."""
        n = worth.weight.size
        if not isinstance(worth, WeightedTargets):
            return cls.joint(n)
        cells, unit = worth.cells, worth.values().sum() / entropy(worth.weight)
        weights = worth.cell_weights / unit
        shares = cells.values / worth.weight[cells.rows]
        alone = np.zeros(n)
        np.add.at(alone, cells.rows, -plogp(shares) * weights[cells.columns])
        starts, columns = np.array(cells.starts), np.array(cells.columns)  # not read-only: numba
        terms = Terms(worth.joint_weight / unit, weights, starts, columns, shares, alone)
        return cls(terms, worth.block_weight / unit, float(unit))

    @property
    def has_targets(self) -> bool:
        """Whether it is more than H(q)."""
        return self.terms.weights.size > 0

    @property
    def weights(self) -> FloatArray:
        """The weights: j for each public value, then a(u) of each value of a target; (n + t,)."""
        n = self.terms.alone.size
        return np.append(np.full(n, self.terms.joint_weight), self.terms.weights)

    @cached_property
    def image(self) -> FloatArray:
        """p(u|x), dense, shape (t, n)."""
        terms = self.terms
        cells = Cells(terms.starts, terms.columns, terms.shares, terms.weights.size)
        return np.ascontiguousarray(cells[:].T)

    def of_columns(self, columns: Sequence[Column]) -> FloatArray:
        """Return c(q) of each column, nats."""
        found = self.terms.joint_weight * np.array([column.entropy for column in columns])
        if not self.has_targets or not columns:
            return found
        starts = np.cumsum([0, *(column.support.size for column in columns)])
        support = np.concatenate([column.support for column in columns])
        return found + self._of_targets(
            starts, support, np.concatenate([column.values for column in columns])
        )

    def of_vertices(self, supports: IntArray, values: FloatArray) -> FloatArray:
        """Return c(q) of posteriors with supports (r, size) and values (r, size) there, nats."""
        found: FloatArray = self.terms.joint_weight * -plogp(values).sum(axis=1)
        if not self.has_targets:
            return found
        rows, size = supports.shape
        return found + self._of_targets(
            size * np.arange(rows + 1), supports.ravel(), values.ravel()
        )

    def most(self, p: FloatArray) -> float:
        """c(p): what is kept where every public value is released as it is, nats."""
        found = self.terms.joint_weight * entropy(p)
        if self.has_targets:
            found += float(self._of_targets(np.array([0, p.size]), np.arange(p.size), p)[0])
        return found

    def images(self, shares: FloatArray) -> FloatArray:
        """Return p(x,y), one row per released value, and beside it p(u,y) of the targets."""
        return np.hstack([shares, shares @ self.image.T]) if self.has_targets else shares

    def kept(self, shares: FloatArray) -> float:
        """Return j I(X;Y) + sum of a(U) I(U;Y) of p(x,y), one row per released value; nats."""
        images, weights = self.images(shares), self.weights
        of_y = self.block_weight * plogp(shares.sum(axis=1)).sum()
        sides = (plogp(images.sum(axis=0)) * weights).sum() + of_y
        return float((plogp(images) * weights).sum() - sides)

    def _of_targets(self, starts: IntArray, support: IntArray, values: FloatArray) -> FloatArray:
        from loglift.randomizing._cost_kernels import target_costs  # noqa: PLC0415, numba

        return target_costs(self.terms, starts, support, values)
