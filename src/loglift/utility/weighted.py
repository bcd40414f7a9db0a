"""Targets as what solvers maximise: a weighted sum of I(U;Y), with X itself among the U.

For a target U, I(U;Y) = H(Y) - H(Y|U) = sum over blocks of sum over u of p(u) f(p(B|u)) - f(p(B)),
with f(t) = t log t. So the utility adds up over blocks, and the value of a block is

    v(B) = sum over u of a(u) p(u) f(p(B|u))  -  A f(p(B)),

where a(u) is the weight of a nat of the target that u belongs to, and A the sum of these weights
and of the weight of I(X;Y). What v(B) has of each target is at least zero, and so is what it has of
I(X;Y).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import drawn_information, mutual_information, plogp
from loglift.sparse import Cells, Mass, block_sums, take_columns, with_rest


@dataclass(frozen=True, eq=False)
class WeightedTargets:
    """A weighted sum of I(U;Y) over targets, and of I(X;Y).

    Attributes
    ----------
    weight, total
        The masses n(x) of the values, and n of the whole table.
    cells
        n(u,x), the targets side by side, with one row per value.
    prior
        n(u) of the whole table; zero for a u that no record has.
    target
        The number of the target that each u belongs to.
    nat_weights
        What one nat of each target is worth.
    joint_weight
        What one nat of I(X;Y) is worth.

    """

    weight: FloatArray
    total: float
    cells: Cells
    prior: FloatArray
    target: IntArray
    nat_weights: FloatArray
    joint_weight: float

    @property
    def cell_weights(self) -> FloatArray:
        """a(u): what one nat of the target of each u is worth."""
        return self.nat_weights[self.target]

    @property
    def block_weight(self) -> float:
        """A: the weights of all targets and of I(X;Y) together."""
        return float(self.nat_weights.sum()) + self.joint_weight

    def sums(self, rows: Any = slice(None)) -> tuple[FloatArray, FloatArray]:
        """Return p(x) and p(x|u) of some values, and their coefficients."""
        taken = self.cells.take(rows)
        used, columns = np.unique(taken.columns, return_inverse=True)
        sums = np.zeros((taken.shape[0], 1 + used.size))
        sums[:, 0] = self.weight[rows] / self.total
        sums[taken.rows, 1 + columns] = taken.values / self.prior[used][columns]
        shares = self.prior[used] / self.total
        return sums, np.append(-self.block_weight, self.cell_weights[used] * shares)

    def values(self) -> FloatArray:
        """Return what each value is worth as a block of its own. O(cells)."""
        found: FloatArray = -self.block_weight * plogp(self.weight / self.total)
        np.add.at(found, self.cells.rows, self._parts())
        return found

    def apart(self) -> FloatArray:
        """Return the targets' share of `values`, without I(X;Y): it only falls when merging."""
        found: FloatArray = -float(self.nat_weights.sum()) * plogp(self.weight / self.total)
        np.add.at(found, self.cells.rows, self._parts())
        return found

    def of_targets(self) -> FloatArray:
        """Return I(U;Y) of each target where each value is a block of its own, nats."""
        lost = -plogp(self.weight / self.total).sum()
        per_nat = self._parts() / self.cell_weights[self.cells.columns]
        kept = np.bincount(
            self.target[self.cells.columns], per_nat, minlength=self.nat_weights.size
        )
        return np.asarray(kept + lost)

    def of_channel(self, channel: Mass) -> float:
        """Return what a channel p(y|x) is worth: I(U;Y) = H(Y) - H(Y|U) of targets, and I(X;Y)."""
        if isinstance(channel, Cells):
            return self._of_sparse(channel)
        released = np.zeros((self.prior.size, channel.shape[1]))  # p(y|u)
        of = self.target[self.cells.columns]
        for number in range(self.nat_weights.size):  # one at a time: memory for one channel
            here = np.flatnonzero(of == number)
            told = channel[self.cells.rows[here]] * self.cells.values[here, np.newaxis]
            released += block_sums(told, self.cells.columns[here], self.prior.size)
        released /= np.where(self.prior > 0, self.prior, 1.0)[:, np.newaxis]  # n(u) may be zero
        of_block = plogp(self.weight @ channel / self.total).sum()
        inside = plogp(released).sum(axis=1) * (self.prior / self.total)
        targets = float(self.cell_weights @ inside - self.nat_weights.sum() * of_block)
        return targets + self.joint_weight * mutual_information(self.weight, channel)

    def _of_sparse(self, channel: Cells) -> float:
        """Return what a sparse channel is worth; memory for one target at a time."""
        of, inside = self.target[self.cells.columns], np.zeros(self.prior.size)
        for number in range(self.nat_weights.size):
            here = np.flatnonzero(of == number)
            told, u = channel.take(self.cells.rows[here]), self.cells.columns[here]
            shares = told.values * (self.cells.values[here] / self.prior[u])[told.rows]
            released = Cells.of(u[told.rows], told.columns, shares, (inside.size, channel.width))
            inside += np.bincount(released.rows, plogp(released.values), inside.size)
        weight = self.weight[channel.rows] * channel.values / self.total
        of_y: FloatArray = np.bincount(channel.columns, weight, channel.width).astype(np.float64)
        of_block = plogp(of_y).sum()
        targets = self.cell_weights @ (inside * self.prior) / self.total
        targets -= self.nat_weights.sum() * of_block
        return float(targets) + self.joint_weight * drawn_information(self.weight, channel)

    def most(self, information: float) -> float:
        """Return what a release with this I(X;Y) is worth at most.

        I(U;Y) is no larger than I(X;Y), nor than with every value as a block of its own.
        """
        targets = np.minimum(self.of_targets(), information)
        return float(self.nat_weights @ targets) + self.joint_weight * information

    def only(self, rows: IntArray) -> WeightedTargets:
        """Return the same for some of the values."""
        return replace(self, weight=self.weight[rows], cells=self.cells.take(rows))

    def alone(self, rows: IntArray) -> WeightedTargets:
        """Return the same for a table that has these values only; a nat is worth the same.

        A u that no record of it has is left out.
        """
        weight, cells = self.weight[rows], self.cells.take(rows)
        prior = cells.sum(axis=0)
        used = np.flatnonzero(prior)
        return replace(
            self,
            weight=weight,
            total=float(weight.sum()),
            cells=take_columns(cells, used),
            prior=prior[used],
            target=self.target[used],
        )

    def blocks(self, labels: IntArray) -> WeightedTargets:
        """Return the same for the blocks of a partition. O(cells log cells)."""
        return replace(
            self, weight=block_sums(self.weight, labels), cells=block_sums(self.cells, labels)
        )

    def with_rest(self, rows: IntArray) -> WeightedTargets:
        """Return the same for some of the values and, last, all others as one value."""
        weight = self.weight[rows]
        left = max(self.weight.sum() - weight.sum(), 0.0)
        return replace(self, weight=np.append(weight, left), cells=with_rest(self.cells, rows))

    def _parts(self) -> FloatArray:
        """Return a(u) p(u) f(p(x|u)) of each cell."""
        prior = self.prior[self.cells.columns]
        weights = self.cell_weights[self.cells.columns]
        parts: FloatArray = weights * (prior / self.total) * plogp(self.cells.values / prior)
        return parts
