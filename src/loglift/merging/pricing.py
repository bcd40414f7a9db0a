"""Pricing: the safe blocks that are worth more than the duals of their members.

Every block has a leader, its heaviest member, the first of them in a fixed order. The blocks of
each leader are walked by branch and bound (`_pricing_kernels`). Most walks end at once, and a walk
that takes too long still bounds what it has not seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from loglift._compute.kernels import is_small, kernels
from loglift._compute.threads import cores, spread
from loglift.joint import FloatArray, IntArray
from loglift.merging._walk import BEGIN, DONE, TIRED, Company, Found, Parts, Walk, parts_for
from loglift.merging.items import Items

# A walk looks at some parts of blocks, then it is left for later, and the limit grows by a factor.
MAX_FIRST_PARTS, MIN_FIRST_PARTS, MAX_FIRST_WEIGHTS = 500, 50, 300_000
PARTS_FACTOR = 8
PARTS_PER_LEADER = 8  # parts of blocks that take as long as the start of a walk
MIN_THREADED_LEADERS = 100  # leaders that are worth several threads
MAX_ROUND_SHARE = 0.5  # of the work that is allowed, for one walk of every leader
MAX_PARTS_PER_CALL = 20_000  # parts of blocks between two looks at the clock
MAX_PLAIN_PARTS_PER_CALL = 200  # the same in plain Python
MAX_PLAIN_WEIGHTS = 1_500_000  # of walks of a small problem in plain Python: a second
MAX_DEPTH = 300  # members of a block that a walk builds; larger blocks are only bounded
MAX_LISTED_BLOCKS = 50_000
MAX_LISTING_PARTS = 20_000_000  # parts of blocks to look at when all blocks are listed
MIN_WORTH = 1e-10  # above its price: a block that is worth less does not help


class OutOfTime(Exception):  # noqa: N818, not an error: the search for blocks was cut short
    """The deadline passed."""


class TooMany(Exception):  # noqa: N818, not an error: the caller branches instead
    """There are more blocks than are listed."""


@dataclass(frozen=True, eq=False)
class Walked:
    """The best block of a leader above the threshold, and a bound on the worth of all its blocks.

    `done` tells whether the bound is the largest worth itself, or at most the threshold. `looked`
    is the number of parts of blocks that the walk looked at.
    """

    block: IntArray | None
    most: float
    done: bool
    looked: int


class Pricing:
    """Finds blocks of one set of items for any duals.

    Walks of a small problem begin in plain Python; after `MAX_PLAIN_WEIGHTS` weights they go on
    compiled.
    """

    def __init__(self, items: Items, deadline: float = math.inf, work: float = math.inf) -> None:
        self.items = items
        self.deadline = deadline
        self._work = work  # weights that may still be looked at
        self.copies = items.copies
        small = is_small(int(self.copies.sum()), items.need.size)
        self._plain_work = MAX_PLAIN_WEIGHTS if small else 0
        self.order = np.argsort(-items.p, kind="stable")
        self._item = np.repeat(self.order, self.copies[self.order])  # of each position
        twin = np.append(False, self._item[1:] == self._item[:-1])
        apart = items.apart[np.ix_(self._item, self._item)].astype(np.int64)
        self._company = Company(
            np.ascontiguousarray(np.column_stack([items.gain, items.sums])[self._item].T),
            items.need,
            twin.astype(np.int64),
            apart if apart.any() else np.empty((0, 0), dtype=np.int64),
            items.coefficients,
            items.joint_weight,
            items.targets_alone[self._item],
        )
        # Where each leader's bound was sharpest: at first a tangent at twice the leader's mass.
        self._multipliers = np.zeros((self._item.size, items.need.size + 1))
        self._multipliers[:, -1] = items.joint_weight * (
            -1 - np.log(np.minimum(1, 2 * items.p[self._item]))
        )
        size = self._item.size
        self.leaders: list[int] = np.flatnonzero(self._company.twin == 0).tolist()
        self._depths = min(size, MAX_DEPTH)
        self._parts: SimpleQueue[Parts] = SimpleQueue()  # one for each walk at a time
        for _ in range(cores() if self._wide else 1):
            self._parts.put(parts_for(self._depths, items.need.size, items.coefficients.size, size))

    @property
    def _wide(self) -> bool:
        """Whether several leaders are walked at the same time."""
        return len(self.leaders) >= MIN_THREADED_LEADERS

    @property
    def spent(self) -> bool:
        """Whether all the work that is allowed is done."""
        return self._work <= 0

    @property
    def patience(self) -> int:
        """How many parts of blocks the first walk of each leader looks at.

        All leaders together take no more than a share of the work that is left.
        """
        most = max(MIN_FIRST_PARTS, min(MAX_FIRST_PARTS, MAX_FIRST_WEIGHTS // self._item.size))
        affordable = self._work * MAX_ROUND_SHARE / (len(self.leaders) * self._company.column.size)
        return int(min(most, max(1, affordable - PARTS_PER_LEADER)))

    def item(self, leader: int) -> int:
        """The item at a position."""
        return int(self._item[leader])

    def best_of_each(self, duals: FloatArray, patience: int) -> list[Walked]:
        """Walk the blocks of all leaders; of many leaders several at the same time."""

        def walked(leader: int) -> Walked:
            return self.best(leader, duals, patience)

        found = spread(walked, self.leaders) if self._wide else [*map(walked, self.leaders)]
        looked = sum(walked.looked + PARTS_PER_LEADER for walked in found)
        self._work -= looked * self._company.column.size
        return found

    def best(self, leader: int, duals: FloatArray, patience: int) -> Walked:
        """Walk the blocks of a leader; look at no more than `patience` parts of blocks."""
        found = self._space_for(1)
        walk, looked = self._walk(leader, duals, MIN_WORTH, patience, found, every=False)
        blocks = self._blocks(found, walk.blocks)
        return Walked(next(blocks, None), walk.bound, walk.state == DONE, looked)

    def every(self, duals: FloatArray, threshold: float) -> list[IntArray]:
        """Return all blocks worth more than the threshold.

        Raises `TooMany` if they are too many, or if finding them takes more work than is allowed.
        """
        listed: list[IntArray] = []
        found, width = self._space_for(MAX_LISTED_BLOCKS), self._company.column.size
        for leader in self.leaders:
            patience = max(0, int(min(MAX_LISTING_PARTS, self._work / width)))
            walk, looked = self._walk(leader, duals, threshold, patience, found, every=True)
            self._work -= (looked + PARTS_PER_LEADER) * width
            if walk.state != DONE or len(listed) + walk.blocks > MAX_LISTED_BLOCKS:
                raise TooMany
            listed += self._blocks(found, walk.blocks)
        return listed

    def _walk(
        self,
        leader: int,
        duals: FloatArray,
        threshold: float,
        patience: int,
        found: Found,
        *,
        every: bool,
    ) -> tuple[Walk, int]:
        """Walk, and look at the clock now and then; also return how many parts were looked at."""
        walk, conditions = Walk(BEGIN, 0, 0, threshold, math.inf, 0), self.items.conditions.if_any
        at, begun, looked = duals[self._item], self._multipliers[leader], 0
        parts = self._parts.get()
        try:
            while looked < patience and walk.state in (BEGIN, TIRED):
                if time.monotonic() > self.deadline:
                    raise OutOfTime
                plain = self._plain_work > 0
                longest = MAX_PLAIN_PARTS_PER_CALL if plain else MAX_PARTS_PER_CALL
                most = min(patience - looked, longest)
                go_on = kernels("merging._pricing_kernels", plain=plain).walk
                arrays = self._company, conditions, at, begun
                walk = go_on(leader, *arrays, every, most, walk, parts, found)
                looked += walk.looked
                if plain:
                    parts_done = walk.looked + PARTS_PER_LEADER
                    self._plain_work -= parts_done * self._company.column.size
                if walk.depth + 1 >= self._depths:
                    break
        finally:
            self._parts.put(parts)
        return walk, looked

    def _space_for(self, blocks: int) -> Found:
        members = np.zeros(blocks * 8 + self._depths, dtype=np.int64)
        return Found(members, np.zeros(blocks, dtype=np.int64))

    def _blocks(self, found: Found, count: int) -> Iterator[IntArray]:
        """Yield blocks as numbers of copies (i,)."""
        start = 0
        for end in found.ends[:count].tolist():
            yield np.bincount(self._item[found.members[start:end]], minlength=self.copies.size)
            start = end
