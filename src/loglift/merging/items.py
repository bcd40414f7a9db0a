"""What exact merging partitions: public values, equal ones counted, with linear inequalities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.merging.problem import Problem
from loglift.promise.conditions import Conditions
from loglift.sparse import block_sums


@dataclass(frozen=True, eq=False)
class Items:
    """Things to partition, each of them in a number of equal copies.

    A block is safe iff the `gain` (i, k) of its members add up to at least `need` (k,) and meet the
    `conditions`, and no two of them are marked in `apart` (i, i). Its utility is that of the `sums`
    (i, t) of its members with the `coefficients` (t,); `joint_weight` is what one nat of I(X;Y) is
    worth in it. `rows` lists for each item the rows of the problem that its copies stand for: one
    list of rows per copy.
    """

    gain: FloatArray
    sums: FloatArray
    need: FloatArray
    conditions: Conditions
    apart: NDArray[np.bool_]
    rows: tuple[tuple[tuple[int, ...], ...], ...]
    coefficients: FloatArray
    joint_weight: float

    @property
    def p(self) -> FloatArray:
        """The share p(x) of a copy of each item (i,)."""
        return self.sums[:, 0]

    @property
    def targets_alone(self) -> FloatArray:
        """What a copy of each item is worth on its own, without I(X;Y); (i,)."""
        values: FloatArray = plogp(self.sums) @ self.coefficients
        return values + self.joint_weight * plogp(self.p)

    @property
    def copies(self) -> IntArray:
        """How many copies of each item there are (i,)."""
        return np.array([len(copies) for copies in self.rows], dtype=np.int64)

    def value(self, block: IntArray) -> float:
        """Return the utility of a block given as numbers of copies (i,)."""
        sums = np.array([block @ column for column in self.sums.T])
        return float(plogp(sums) @ self.coefficients)

    def allow(self, block: IntArray) -> bool:
        """Return whether a block contains no pair that must stay apart."""
        inside = np.flatnonzero(block)
        return not self.apart[np.ix_(inside, inside)].any()

    def singles(self) -> Items:
        """Return the same with every copy as an item of its own."""
        of = np.repeat(np.arange(self.p.size), self.copies)
        rows = tuple((copy,) for copies in self.rows for copy in copies)
        return replace(
            self,
            gain=self.gain[of],
            sums=self.sums[of],
            apart=self.apart[np.ix_(of, of)],
            rows=rows,
        )

    def together(self, a: int, b: int) -> Items:
        """Return the same with two single items as one."""
        into = np.arange(self.p.size)
        into[[a, b]] = min(a, b)
        labels = np.unique(into, return_inverse=True)[1]
        rows = [() for _ in range(self.p.size - 1)]
        for item, copies in zip(labels, self.rows, strict=True):
            rows[item] = (sum((*rows[item], *copies), ()),)
        apart = block_sums(block_sums(self.apart.astype(np.int64), labels).T, labels) > 0
        return replace(
            self,
            gain=block_sums(self.gain, labels),
            sums=block_sums(self.sums, labels),
            apart=apart,
            rows=tuple(rows),
        )

    def kept_apart(self, a: int, b: int) -> Items:
        """Return the same with two single items that must stay apart."""
        apart = self.apart.copy()
        apart[a, b] = apart[b, a] = True
        return replace(self, apart=apart)


def items_of(problem: Problem) -> Items:
    """Return the values to partition as items; values that are interchangeable are copies."""
    chosen = problem.chosen
    sums, coefficients = problem.worth.sums(chosen)
    told = np.hstack([problem.promise.fingerprint(chosen), sums[:, 1:]])
    distinct, first, of = np.unique(told, axis=0, return_index=True, return_inverse=True)
    rows: list[list[tuple[int, ...]]] = [[] for _ in distinct]
    for row, item in zip(chosen.tolist(), of.ravel().tolist(), strict=True):
        rows[item].append((row,))
    gain, need = problem.scaled_inequalities(chosen[first])
    apart = np.zeros((len(rows), len(rows)), dtype=np.bool_)
    copies = tuple(tuple(copies) for copies in rows)
    return Items(
        gain,
        sums[first],
        need,
        problem.promise.conditions(tolerant=True),
        apart,
        copies,
        coefficients,
        problem.worth.joint_weight,
    )
