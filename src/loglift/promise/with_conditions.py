"""The bound on log-lift together with requirements, as a promise.

Solvers get the gains of the bound, then some tangents of the conditions, which are inequalities
that follow from them, then the masses p(s,x) themselves, on which kernels test the conditions
(`loglift.promise.conditions`). The masses are always at least zero, so they ask for nothing.
Proofs relax the conditions to their tangents, and so stay valid; blocks are safe only if they meet
the conditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import BoundError
from loglift.joint import FloatArray, IntArray
from loglift.promise.conditions import (
    DISTINCT,
    RANKED,
    SPREAD,
    Conditions,
    conditions_of,
    excess,
    facets,
    tangent,
)
from loglift.promise.lift import LiftPromise, present
from loglift.promise.limits import TOLERANCE, Limits
from loglift.promise.promise import OnlyInequalities
from loglift.promise.requirement import Placed, met
from loglift.sparse import Mass, block_sums, by_rows, column_of, dense, in_parts, take_columns

MAX_TANGENTS = 16  # of each condition
MAX_WRITTEN_VALUES = 10  # sensitive values of a condition that is written out: 1022 lines
MAX_POINTS = 400  # unsafe values at which tangents are tried
# Of p(B): what the rounding of sums may violate. A tie, such as a distance of exactly t, counts as
# met; the certificate decides it in exact arithmetic.
_TIE = 1e-13


@dataclass(frozen=True, eq=False)
class WithConditions:
    """The bound on log-lift, and conditions on the masses of the sensitive variables.

    `tangents` (c, m) are the coefficients of inequalities that follow from the conditions:
    sum over s of t(s) p(s,B) <= 0.
    """

    lift: LiftPromise
    placed: tuple[Placed, ...]
    tangents: FloatArray

    @classmethod
    def of(cls, mass: Mass, limits: Limits) -> WithConditions:
        """Return the promise for a trusted mass (n, m) of a whole table."""
        return cls.beside(LiftPromise.of(mass, replace(limits, placed=())), limits.placed)

    @classmethod
    def beside(cls, lift: LiftPromise, placed: tuple[Placed, ...]) -> WithConditions:
        """Return the promise of requirements beside a bound on log-lift."""
        tangents = [chosen_tangents(each, lift.mass) for each in placed]
        return cls(lift, placed, np.vstack(tangents))

    @property
    def inequalities(self) -> int:
        """The inequalities of the bound, the tangents, and one for each mass."""
        return self.lift.inequalities + sum(self.tangents.shape)

    @property
    def need(self) -> FloatArray:
        """What the gains of a block must add up to; masses are far above theirs, -1."""
        met_at_zero = np.zeros(self.lift.inequalities + len(self.tangents))
        return np.concatenate([met_at_zero, np.full(self.lift.prior.size, -1.0)])

    @property
    def scale(self) -> FloatArray:
        """That of the bound; tangents and masses are on the scale of p(x)."""
        return np.concatenate([self.lift.scale, np.ones(sum(self.tangents.shape))])

    def conditions(self, *, tolerant: bool = False) -> Conditions:
        """Return the conditions on the masses among the gains."""
        first = self.lift.inequalities + len(self.tangents)
        return conditions_of(
            [each.condition for each in self.placed],
            [first + each.columns for each in self.placed],
            self.inequalities,
            TOLERANCE if tolerant else _TIE,
        )

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains of some values; see `Promise`. O(rows (m + tangents))."""
        masses = np.asarray(self.lift.mass[rows], dtype=np.float64) / self.lift.total
        slack = TOLERANCE if tolerant else _TIE
        weights = masses.sum(axis=1, keepdims=True)
        cuts = slack * weights - masses @ self.tangents.T
        return np.hstack([self.lift.gains(rows, tolerant=tolerant), cuts, masses])

    def columns(self, *, tolerant: bool = False) -> Iterator[FloatArray]:
        """Yield the gains of all values, one inequality at a time."""
        yield from self.lift.columns(tolerant=tolerant)
        slack = TOLERANCE if tolerant else _TIE
        cuts = by_rows(lambda rows: rows @ self.tangents.T, self.lift.mass)
        for cut in cuts.T:
            yield (slack * self.lift.weight - cut) / self.lift.total
        for s in range(self.lift.prior.size):
            yield column_of(self.lift.mass, s) / self.lift.total

    def written_out(self) -> Facets:
        """Return the conditions as inequalities, for solvers that take nothing else.

        Raises `BoundError` for a condition that is not finitely many inequalities, for one on too
        many sensitive values, and for a limit of zero, which leaves no space for random draws.
        """
        lines = []
        for requirement, columns, condition in self.placed:
            named = f"{requirement.words} ({requirement.option})"
            if condition.kind not in (SPREAD, RANKED):
                raise BoundError(
                    f"random draws cannot keep {named}, which is no set of linear inequalities: "
                    "merge (method='search'), or require t-closeness or l1-lift"
                )
            if columns.size > MAX_WRITTEN_VALUES:
                raise BoundError(
                    f"random draws can keep {named} of at most {MAX_WRITTEN_VALUES} sensitive "
                    f"values, and there are {columns.size}: merge (method='search'), or combine "
                    "sensitive values (--combine)"
                )
            if condition.level == 0:
                raise BoundError(f"{named} of zero is eps 0 for random draws: give eps=0 (--eps 0)")
            found = np.zeros((len(facets(condition)), self.lift.prior.size))
            found[:, columns] = facets(condition)
            lines.append(found)
        return Facets(np.asarray(self.lift.mass[:]), self.lift.total, np.vstack(lines))

    def safe(self) -> NDArray[np.bool_]:
        """Return which values are safe on their own. O(n m)."""
        found = by_rows(lambda rows: met(self.placed, rows, TOLERANCE), self.lift.mass)
        return np.asarray(found & self.lift.safe())

    def safe_drawn(self, channel: FloatArray) -> NDArray[np.bool_]:
        """Return which values of a channel are safe; see `Promise`."""
        drawn = channel.T @ (dense(self.lift.mass) / self.lift.total)
        return met(self.placed, drawn, TOLERANCE) & self.lift.safe_drawn(channel)

    def shortfalls(self) -> FloatArray:
        """Return what each value lacks on its own; see `Promise`. O(n m)."""
        found = []
        for _, rows in in_parts(self.lift.mass):
            short = np.zeros(len(rows))
            for each in self.placed:
                part = rows[:, each.columns] / self.lift.total
                over = excess(each.condition, part)
                short += np.where(over > _TIE * part.sum(axis=1), over, 0.0)
            found.append(short)
        return np.concatenate(found) + self.lift.shortfalls()

    def most_blocks(self, groups: IntArray | None = None) -> FloatArray:
        """Return an upper bound on the number of safe blocks in each group.

        Blocks that hold l different sensitive values each need l values that have one, and a value
        in a group counts once for every sensitive value that it has.
        """
        most = self.lift.most_blocks(groups)
        of = np.zeros(self.lift.weight.size, dtype=np.int64) if groups is None else groups
        for each in self.placed:
            if each.condition.kind == DISTINCT:
                has = block_sums(present(take_columns(self.lift.mass, each.columns)), of)
                pairs = np.asarray(has.sum(axis=1), dtype=np.float64)
                most = np.minimum(most, np.maximum(1, pairs // each.condition.level))
        return most

    def together(self) -> IntArray:
        """Return values that the bound keeps in one block; see `Promise`."""
        return self.lift.together()

    def fingerprint(self, rows: IntArray) -> FloatArray:
        """Return n(s,x) of some values: rows that are equal are interchangeable."""
        return self.lift.fingerprint(rows)

    def only(self, rows: IntArray) -> WithConditions:
        """Return the promise for some of the values, against the same table."""
        return replace(self, lift=self.lift.only(rows))

    def blocks(self, labels: IntArray) -> WithConditions:
        """Return the promise for the blocks of a partition in place of the values."""
        return replace(self, lift=self.lift.blocks(labels))

    def with_rest(self, rows: IntArray) -> WithConditions:
        """Return the promise for some of the values and, last, all others as one value."""
        return replace(self, lift=self.lift.with_rest(rows))


@dataclass(frozen=True, eq=False)
class Facets(OnlyInequalities):
    """Inequalities on masses n(s,x) of shape (n, m): sum over s of line(s) p(s,B) <= 0."""

    mass: FloatArray
    total: float
    lines: FloatArray

    @property
    def inequalities(self) -> int:
        """The number of lines."""
        return len(self.lines)

    def gains(self, rows: Any, *, tolerant: bool = False) -> FloatArray:
        """Return the gains of some values; see `Promise`. O(rows m lines)."""
        masses = self.mass[rows] / self.total
        slack = TOLERANCE * masses.sum(axis=1, keepdims=True) if tolerant else 0.0
        return np.asarray(slack - masses @ self.lines.T)


def chosen_tangents(each: Placed, mass: Mass) -> FloatArray:
    """Return tangents (c, m) of a condition at unsafe values, such that they tell most of them.

    A tangent at a value that violates the condition is violated by it just as much. One after the
    other, the tangent is taken that adds most to the share of each value's excess that some tangent
    tells, weighted by mass. O(points^2 tangents).
    """
    width, of = mass.shape[1], each.columns
    part = take_columns(mass, of)
    over = by_rows(lambda rows: excess(each.condition, rows), part)
    heaviest = np.argsort(-over, kind="stable")[:MAX_POINTS]
    points = heaviest[over[heaviest] > 0]
    rows = np.asarray(part[points], dtype=np.float64)
    found = [tangent(each.condition, row) for row in rows]
    lines = np.array([line for line in found if line is not None])
    if not lines.size:
        return np.zeros((0, width))
    told = np.clip(rows @ lines.T / over[points][:, np.newaxis], 0, 1) * over[points][:, np.newaxis]
    chosen: list[int] = []
    known = np.zeros(points.size)
    while len(chosen) < min(MAX_TANGENTS, len(lines)):
        added = np.maximum(told - known[:, np.newaxis], 0).sum(axis=0)
        best = int(added.argmax())
        if added[best] <= TOLERANCE * known.sum():
            break
        chosen.append(best)
        known = np.maximum(known, told[:, best])
    wide = np.zeros((len(chosen), width))
    wide[:, of] = lines[chosen]
    return wide
