"""Pricing: the safe blocks worth more than the duals of their members.

Every block has a leader, its heaviest member, the first of them in a fixed order. For
each leader the relaxed problem, in which company joins in fractions, is a concave maximisation
under linear constraints; a few linear programs at tangents of the utility give its multipliers,
and with them a bound on every block of that leader (`_pricing_kernels`). Most leaders end there.
The others are walked, and where a walk takes too long the block is extended by one value and the
relaxed problem solved again: branch and bound whose bounds are as sharp as they need to be.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.merging.items import Items

if TYPE_CHECKING:
    from highspy import Highs

TANGENTS = 8  # linear programs at a relaxed problem, at most
WALK = 20_000  # partial blocks to look at before solving the relaxed problem of each extension
ROOM, RELAXATIONS = 50_000, 20_000  # blocks listed, and relaxed problems for them, at most
NOTHING = 1e-10  # nats: what is worth no more than this does not price out


class OutOfTime(Exception):  # noqa: N818, not an error: the search for blocks was cut short
    """The deadline has passed."""


class TooMany(Exception):  # noqa: N818, not an error: the caller branches instead
    """There are more blocks than there is room for."""


@dataclass(frozen=True, eq=False)
class Relaxed:
    """Bounds on the blocks of a partial block: constants (j,) and weights (j, t), best first."""

    most: float
    constants: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class Partial:
    """A block to extend: copies of each item inside (t,), and copies that may still join (t,)."""

    inside: IntArray
    free: IntArray


class Pricing:
    """Prices blocks of one set of items for any duals; keeps its linear program warm."""

    def __init__(self, items: Items, deadline: float = math.inf) -> None:
        import highspy  # noqa: PLC0415, loads when used

        self.items = items
        self.deadline = deadline
        self.copies = items.copies
        self.order = np.argsort(-items.p, kind="stable")
        self._relaxations = 0
        self._mass = np.full(items.p.size, np.nan)  # of each leader's relaxed block, to begin at
        self._infeasible = highspy.HighsModelStatus.kInfeasible
        self._program = _program(items)

    def leaders(self) -> Iterator[tuple[int, Partial]]:
        """Each item with the company it may lead."""
        free = self.copies.copy()
        for leader in self.order:
            free[leader] -= 1
            inside = np.zeros_like(free)
            inside[leader] = 1
            yield int(leader), Partial(inside, self._allowed(inside, free))
            free[leader] = 0

    def best(
        self, partial: Partial, duals: FloatArray, *, patient: bool
    ) -> tuple[float, IntArray | None]:
        """A bound on the worth of the blocks of a partial block, and the best one found.

        Patient, the bound is the largest worth itself, unless it is at most `NOTHING`; else no more
        than `WALK` partial blocks are looked at.
        """
        relaxed = self.relax(partial, duals, NOTHING)
        if relaxed.most <= NOTHING:
            return relaxed.most, None
        threshold, block, done = NOTHING, None, True
        for blocks, complete in self._walks(
            partial, duals, relaxed, NOTHING, every=False, patient=patient
        ):
            done = done and complete
            for found in blocks:
                value = self.items.utility(found) - float(found @ duals)
                if value > threshold:
                    threshold, block = value, found
            if block is not None and patient:
                return relaxed.most, block  # any block that prices out will do
        return (threshold if done else relaxed.most), block

    def every(self, duals: FloatArray, threshold: float) -> list[IntArray]:
        """All blocks worth more than the threshold."""
        found: list[IntArray] = []
        begun = self._relaxations
        for _, partial in self.leaders():
            relaxed = self.relax(partial, duals, threshold)
            for blocks, _ in self._walks(
                partial, duals, relaxed, threshold, every=True, patient=True
            ):
                found.extend(blocks)
                if len(found) > ROOM or self._relaxations - begun > RELAXATIONS:
                    raise TooMany
        return found

    def relax(self, partial: Partial, duals: FloatArray, threshold: float) -> Relaxed:
        """Bound all blocks that extend a partial one; stops early once at most the threshold."""
        if time.monotonic() > self.deadline:
            raise OutOfTime
        self._relaxations += 1
        items, program = self.items, self._program
        size = items.p.size
        index = np.arange(size, dtype=np.int32)
        inside, free = partial.inside, partial.free
        program.changeColsBounds(size, index, inside.astype(float), (inside + free).astype(float))
        leader = int(self.order[(inside[self.order] > 0).argmax()])
        # The bound is convex in the slope of the tangent, and falls towards the mass reached.
        low, high = float(inside @ items.p), min(1.0, float((inside + free) @ items.p))
        q = float(self._mass[leader])
        q = min(max(2 * low if math.isnan(q) else q, low), high)
        bounds: list[tuple[float, float, FloatArray]] = []
        for _ in range(TANGENTS):
            slope = -math.log(q) - 1
            cost = slope * items.p - duals
            program.changeColsCost(size, index, cost)
            program.run()
            if program.getModelStatus() == self._infeasible:
                return Relaxed(-math.inf, np.empty(0), np.empty((0, size)))
            solution = program.getSolution()
            prices = np.maximum(-np.array(solution.row_dual), 0)
            weight = cost + items.gain @ prices
            constant = q - float(prices @ items.need)  # f(q) - f'(q) q = q
            most = constant + float(inside @ weight + free @ np.maximum(weight, 0))
            bounds.append((most, constant, weight))
            reached = float(np.array(solution.col_value) @ items.p)
            low, high = (max(low, q), high) if reached > q else (low, min(high, q))
            if min(found[0] for found in bounds) <= threshold or high - low < 1e-3 * q:
                break
            q = min(max(reached, low * 0.8 + high * 0.2), low * 0.2 + high * 0.8)
        self._mass[leader] = q
        bounds.sort(key=lambda bound: bound[0])
        constants = np.array([constant for _, constant, _ in bounds])
        return Relaxed(bounds[0][0], constants, np.array([weight for _, _, weight in bounds]))

    def _walks(
        self,
        partial: Partial,
        duals: FloatArray,
        relaxed: Relaxed,
        threshold: float,
        *,
        every: bool,
        patient: bool,
    ) -> Iterator[tuple[list[IntArray], bool]]:
        """Walk a partial block, or its extensions one by one where that takes too long.

        Yields blocks found above the threshold, and whether there are no others in that part.
        """
        if relaxed.most <= threshold:
            return
        blocks, complete = self._walk(partial, duals, relaxed, threshold, every=every)
        if complete or not patient:
            yield blocks, complete
            return
        alone = Partial(partial.inside, np.zeros_like(partial.free))
        yield self._walk(alone, duals, relaxed, threshold, every=every)
        for extended in self._extensions(partial, relaxed):
            bound = self.relax(extended, duals, threshold)
            yield from self._walks(extended, duals, bound, threshold, every=every, patient=True)

    def _walk(
        self,
        partial: Partial,
        duals: FloatArray,
        relaxed: Relaxed,
        threshold: float,
        *,
        every: bool,
    ) -> tuple[list[IntArray], bool]:
        from loglift.merging import _pricing_kernels as kernels  # noqa: PLC0415, numba loads late

        items, inside = self.items, partial.inside
        company = self._company(partial.free, relaxed)
        weight = relaxed.weights[:, company]
        suffix = np.zeros((weight.shape[0], company.size + 1))
        suffix[:, :-1] = np.maximum(weight, 0)[:, ::-1].cumsum(axis=1)[:, ::-1]
        twin = np.append(0, company[1:] == company[:-1])[: company.size].astype(np.int64)
        apart = items.apart[np.ix_(company, company)].astype(np.int64)
        room = ROOM if every else 1
        found = kernels.Found(
            np.empty(room * 8 + company.size, dtype=np.int64), np.zeros(room, dtype=np.int64)
        )
        ended, count, _ = kernels.walk(
            kernels.Start(
                relaxed.constants + relaxed.weights @ inside,
                inside @ items.gain,
                float(inside @ items.p),
                float(inside @ duals),
            ),
            kernels.Company(
                np.ascontiguousarray(weight),
                suffix,
                items.gain[company],
                items.p[company],
                duals[company],
                twin,
                apart if apart.any() else np.empty((0, 0), dtype=np.int64),
            ),
            items.need,
            threshold,
            every,
            WALK,
            found,
        )
        if ended == kernels.FULL:
            raise TooMany
        ends = found.ends[:count]
        parts = np.split(found.members[: ends[-1] if count else 0], ends[:-1])
        blocks = [
            inside + np.bincount(company[part], minlength=inside.size) for part in parts[:count]
        ]
        return blocks, ended == kernels.DONE

    def _company(self, free: IntArray, relaxed: Relaxed) -> IntArray:
        """Items that may join, once per copy, the first weights falling and copies together."""
        weight = relaxed.weights[0]
        order = np.lexsort((np.arange(weight.size), -weight))
        return np.repeat(order, free[order])

    def _extensions(self, partial: Partial, relaxed: Relaxed) -> Iterator[Partial]:
        """A partial block with one more value, each with the company after it."""
        free = partial.free.copy()
        for item in dict.fromkeys(self._company(partial.free, relaxed).tolist()):
            inside = partial.inside.copy()
            inside[item] += 1
            free[item] -= 1
            yield Partial(inside, self._allowed(inside, free))
            free[item] = 0

    def _allowed(self, inside: IntArray, free: IntArray) -> IntArray:
        """The free copies that may meet what is inside."""
        barred = self.items.apart[inside > 0].any(axis=0)
        return np.where(barred, 0, free)


def _program(items: Items) -> Highs:
    """The linear program over fractions of items in a block: safe, the rest is changed later."""
    import highspy  # noqa: PLC0415, loads when used

    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)
    program.setOptionValue("presolve", "off")  # warm starts are worth more
    program.changeObjectiveSense(highspy.ObjSense.kMaximize)
    size, k = items.gain.shape
    for need in items.need:
        program.addRow(float(need), highspy.kHighsInf, 0, [], [])
    index = np.arange(k, dtype=np.int32)
    for item in range(size):
        program.addCol(0.0, 0.0, 1.0, k, index, items.gain[item])
    return program
