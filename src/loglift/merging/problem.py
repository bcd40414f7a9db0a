"""The problem of merging as arrays: linear inequalities that every block must meet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.promise.bound import TOLERANCE, Bound
from loglift.sparse import Mass, block_sums, column_of, take_rows


class Problem(NamedTuple):
    """What to partition: gains (n, k) and shares p(x) of the values; needs and scales (k,)."""

    gain: FloatArray
    p: FloatArray
    need: FloatArray
    scale: FloatArray

    def part(self, rows: Any) -> Problem:
        """The same problem for some of the values: their numbers, or a slice."""
        return self._replace(gain=self.gain[rows], p=self.p[rows])

    def only(self, rows: IntArray) -> Problem:
        """The same as `part`, as an alphabet has it."""
        return self.part(rows)

    def blocks(self, labels: IntArray) -> Problem:
        """The blocks of a partition in place of the values."""
        return self._replace(gain=block_sums(self.gain, labels), p=block_sums(self.p, labels))


@dataclass(frozen=True, eq=False)
class Alphabet:
    """A problem of many values: it writes out the gains of some of them at a time.

    `weight` (n,) and `columns` (m,) are n(x) and n(s); those of the whole table where the values
    are only some of it. `least` is the least mass of a block.
    """

    mass: Mass
    weight: FloatArray
    columns: FloatArray
    total: float
    bound: Bound
    least: float

    @classmethod
    def of(cls, mass: Mass, bound: Bound, least: float = 0.0) -> Alphabet:
        """Return the alphabet of a trusted mass (n, m)."""
        weight, columns = mass.sum(axis=1), mass.sum(axis=0)
        return cls(mass, weight, columns, float(mass.sum()), bound, least)

    @property
    def p(self) -> FloatArray:
        """p(x)."""
        shares: FloatArray = self.weight / self.total
        return shares

    @property
    def need(self) -> FloatArray:
        """The needs (k,): zero, and the least mass of a block last if there is one."""
        need = np.zeros(_sides(self.bound) * self.columns.size)
        return np.append(need, self.least) if self.least > 0 else need

    @property
    def scale(self) -> FloatArray:
        """The scales (k,) of the constraints: n(s) n, and the least mass."""
        scale = _scale(self.columns, self.total, self.bound)
        return np.append(scale, 1 / self.least) if self.least > 0 else scale

    def part(self, rows: Any, *, tolerant: bool = False) -> Problem:
        """The problem of some of the values, all written out; with the tolerance only if asked."""
        weight = self.weight[rows]
        gain = _gains(
            self.mass[rows], weight, self.columns, self.total, self.bound, tolerant=tolerant
        )
        if self.least > 0:
            more = 1 + TOLERANCE if tolerant else 1.0
            gain = np.hstack([gain, more * weight[:, np.newaxis]])
        return Problem(np.ascontiguousarray(gain), weight / self.total, self.need, self.scale)

    def only(self, rows: IntArray) -> Alphabet:
        """Some of the values, against the same table."""
        if rows.size == self.weight.size:
            return self
        return self._with(take_rows(self.mass, rows), self.weight[rows])

    def blocks(self, labels: IntArray) -> Alphabet:
        """The blocks of a partition in place of the values."""
        return self._with(block_sums(self.mass, labels), block_sums(self.weight, labels))

    def _with(self, mass: Mass, weight: FloatArray) -> Alphabet:
        return Alphabet(mass, weight, self.columns, self.total, self.bound, self.least)


# Either has p, need and scale, and makes problems of parts of it.
Whole: TypeAlias = Problem | Alphabet


def constraints(
    mass: FloatArray, bound: Bound, *, tolerant: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Write the bound as gains (n, k) that add up to at least zero in a safe block.

    One for each sensitive value and finite side: n(s,x) n - least n(s) n(x), and most n(s) n(x) -
    n(s,x) n, with the tolerance only if asked. Also returns their scales (k,): in units of n(s) n.
    """
    weight, columns, total = mass.sum(axis=1), mass.sum(axis=0), mass.sum()
    gain = _gains(mass, weight, columns, total, bound, tolerant=tolerant)
    return gain, _scale(columns, total, bound)


def constraint_columns(mass: Mass, bound: Bound) -> Iterator[FloatArray]:
    """Yield the columns of `constraints` one by one, without the tolerance."""
    weight, columns, total = mass.sum(axis=1), mass.sum(axis=0), mass.sum()
    for s in range(columns.size):
        column = column_of(mass, s)[:, np.newaxis]
        yield from _gains(column, weight, columns[s : s + 1], total, bound).T


def problem_of(mass: FloatArray, bound: Bound, least: float, *, tolerant: bool = False) -> Problem:
    """The constraints of the bound, and one for the least mass of a block."""
    return Alphabet.of(mass, bound, least).part(slice(None), tolerant=tolerant)


def _gains(
    mass: FloatArray,
    weight: FloatArray,
    columns: FloatArray,
    total: float,
    bound: Bound,
    *,
    tolerant: bool = False,
) -> FloatArray:
    expected = np.outer(weight, columns)
    less, more = (1.0, 1.0) if tolerant else (1 - TOLERANCE, 1 + TOLERANCE)
    gains = []
    if math.isfinite(bound.lower):
        gains.append(mass * total - bound.least / less * expected)
    if math.isfinite(bound.most):
        gains.append(bound.most / more * expected - mass * total)
    if not gains:  # an upper bound beyond what floats hold excludes nothing
        gains.append(np.zeros_like(mass))
    return np.hstack(gains)


def _sides(bound: Bound) -> int:
    """How many of the sides are constraints."""
    return max(1, math.isfinite(bound.lower) + math.isfinite(bound.most))


def _scale(columns: FloatArray, total: float, bound: Bound) -> FloatArray:
    return np.tile(1 / (columns * total), _sides(bound))
