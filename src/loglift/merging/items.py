"""What exact merging partitions: public values, identical ones counted, with linear constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.merging.problem import constraints
from loglift.promise.bound import TOLERANCE, Bound
from loglift.sparse import block_sums


@dataclass(frozen=True, eq=False)
class Items:
    """Things to partition, each there in a number of identical copies.

    A block is safe iff its members' `gain` (t, k) add up to at least `need` (k,), and no two of
    them are marked in `apart` (t, t). `rows` lists for each item the rows of the joint that its
    copies stand for: one list of rows per copy.
    """

    gain: FloatArray
    p: FloatArray
    need: FloatArray
    apart: NDArray[np.bool_]
    rows: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def copies(self) -> IntArray:
        """How often each item is there (t,)."""
        return np.array([len(copies) for copies in self.rows], dtype=np.int64)

    def utility(self, block: IntArray) -> float:
        """-p(B) log p(B) of a block given as numbers of copies (t,)."""
        return float(-plogp(np.array([block @ self.p]))[0])

    def allow(self, block: IntArray) -> bool:
        """Whether a block respects the pairs that stay apart."""
        inside = np.flatnonzero(block)
        return not self.apart[np.ix_(inside, inside)].any()

    def singles(self) -> Items:
        """The same with every copy an item of its own."""
        of = np.repeat(np.arange(self.p.size), self.copies)
        rows = tuple((copy,) for copies in self.rows for copy in copies)
        return replace(
            self, gain=self.gain[of], p=self.p[of], apart=self.apart[np.ix_(of, of)], rows=rows
        )

    def together(self, a: int, b: int) -> Items:
        """The same with two single items as one."""
        into = np.arange(self.p.size)
        into[[a, b]] = min(a, b)
        labels = np.unique(into, return_inverse=True)[1]
        rows = [() for _ in range(self.p.size - 1)]
        for item, copies in zip(labels, self.rows, strict=True):
            rows[item] = (sum((*rows[item], *copies), ()),)
        apart = block_sums(block_sums(self.apart.astype(np.int64), labels).T, labels) > 0
        return Items(
            block_sums(self.gain, labels), block_sums(self.p, labels), self.need, apart, tuple(rows)
        )

    def kept_apart(self, a: int, b: int) -> Items:
        """The same with two single items that may not meet."""
        apart = self.apart.copy()
        apart[a, b] = apart[b, a] = True
        return replace(self, apart=apart)


def inequalities(mass: FloatArray, bound: Bound, least: float) -> tuple[FloatArray, FloatArray]:
    """Gains (n, k) that add up to at least the needs (k,) in a safe block, tolerance included.

    `least` is the least mass of a block.
    """
    gain, scale = constraints(mass, bound, tolerant=True)
    gain, need = gain * scale, np.zeros(scale.size)
    if least > 0:
        shares = mass.sum(axis=1, keepdims=True) / mass.sum()
        gain = np.hstack([gain, shares])
        need = np.append(need, least / mass.sum() * (1 - TOLERANCE))
    return gain, need


def items_of(mass: FloatArray, bound: Bound, least: float, rows_: IntArray) -> Items:
    """Collapse the given rows of a trusted mass (n, m) that are identical; write out the bound.

    Rows that are only proportional stay apart: they can belong to different blocks of a best
    partition, and are not interchangeable there. `least` is the least mass of a block.
    """
    distinct, of = np.unique(mass[rows_], axis=0, return_inverse=True)
    rows: list[list[tuple[int, ...]]] = [[] for _ in distinct]
    for row, item in zip(rows_.tolist(), of.ravel().tolist(), strict=True):
        rows[item].append((row,))
    first = [copies[0][0] for copies in rows]
    p = mass.sum(axis=1) / mass.sum()
    gain, need = inequalities(mass, bound, least)
    apart = np.zeros((len(rows), len(rows)), dtype=np.bool_)
    return Items(gain[first], p[first], need, apart, tuple(tuple(copies) for copies in rows))
