"""Pricing: the safe blocks worth more than the duals of their members.

Every block has a leader, its heaviest member, the first of them in a fixed order. The blocks of
each leader are walked by branch and bound (`_pricing_kernels`): most leaders end at once, and a
walk that takes too long still bounds what it has not seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING

import numpy as np

from loglift._compute.plain import SMALL, Allowance, plain
from loglift._compute.threads import cores, spread
from loglift.joint import FloatArray, IntArray
from loglift.merging.items import Items

if TYPE_CHECKING:
    from loglift.merging._bounding_kernels import Parts
    from loglift.merging._pricing_kernels import Found, Walk

# Parts of blocks to look at before a walk is left for later, fewer of many values; how that grows.
FEW, FEWEST, WEIGHTS, MORE = 500, 50, 300_000, 8
LEADER = 8  # parts of blocks that take as long as to begin with a leader
SPREAD = 100  # leaders that are worth several threads
SHARE = 0.5  # of the work that is allowed, for all leaders once
LONGEST = 20_000  # parts to look at between two looks at the clock
PLAIN = 1_500_000  # weights of few values to look at in a process before walks are compiled
PLAIN_PARTS = 200  # of blocks, meanwhile, between two looks at the clock
DEEPEST = 300  # members of a block on the way; larger ones are left to their bounds
ROOM = 50_000  # blocks listed at most
PATIENCE = 20_000_000  # parts of blocks to look at when all are listed
NOTHING = 1e-10  # nats: what is worth no more than this does not price out


class OutOfTime(Exception):  # noqa: N818, not an error: the search for blocks was cut short
    """The deadline has passed."""


class TooMany(Exception):  # noqa: N818, not an error: the caller branches instead
    """There are more blocks than there is room for."""


@dataclass(frozen=True, eq=False)
class Walked:
    """The best block of a leader above the threshold, and a bound on the worth of all of them.

    `done` tells whether the bound is the largest worth itself, or at most the threshold; `looked`
    how many parts of blocks were looked at.
    """

    block: IntArray | None
    most: float
    done: bool
    looked: int


_plainly = Allowance(PLAIN)


class Pricing:
    """Prices blocks of one set of items for any duals."""

    def __init__(self, items: Items, deadline: float = math.inf, work: float = math.inf) -> None:
        from loglift.merging import (  # noqa: PLC0415, numba loads when used
            _bounding_kernels as bounding,
            _pricing_kernels as kernels,
        )

        self.items = items
        self.deadline = deadline
        self._work = work  # weights that may still be looked at
        self.copies = items.copies
        self.order = np.argsort(-items.p, kind="stable")
        self._item = np.repeat(self.order, self.copies[self.order])  # of each position
        twin = np.append(False, self._item[1:] == self._item[:-1])
        apart = items.apart[np.ix_(self._item, self._item)].astype(np.int64)
        self._company = bounding.Company(
            np.ascontiguousarray(np.column_stack([items.gain, items.p])[self._item].T),
            items.need,
            twin.astype(np.int64),
            apart if apart.any() else np.empty((0, 0), dtype=np.int64),
        )
        self._done = kernels.DONE
        # Where each leader's bound was sharpest: at first a tangent at twice the leader's mass.
        self._multipliers = np.zeros((self._item.size, items.need.size + 1))
        self._multipliers[:, -1] = -1 - np.log(np.minimum(1, 2 * items.p[self._item]))
        size = self._item.size
        self.leaders: list[int] = np.flatnonzero(self._company.twin == 0).tolist()
        self._depths = min(size, DEEPEST)
        self._rooms: SimpleQueue[Parts] = SimpleQueue()  # one for each walk at a time
        for _ in range(cores() if self._wide else 1):
            self._rooms.put(bounding.parts_for(self._depths, items.need.size, size))

    @property
    def _wide(self) -> bool:
        """Whether there are so many leaders that several are walked at a time."""
        return len(self.leaders) >= SPREAD

    @property
    def spent(self) -> bool:
        """Whether all the work that was allowed is done."""
        return self._work <= 0

    @property
    def patience(self) -> int:
        """How many parts of blocks of each leader to look at to begin with.

        All leaders together take no more than a part of the work.
        """
        most = max(FEWEST, min(FEW, WEIGHTS // self._item.size))
        affordable = self._work * SHARE / (len(self.leaders) * self._company.column.size)
        return int(min(most, max(1, affordable - LEADER)))

    def item(self, leader: int) -> int:
        """The item at a position."""
        return int(self._item[leader])

    def best_of_each(self, duals: FloatArray, patience: int) -> list[Walked]:
        """Walk the blocks of all leaders, some at a time where they are many."""

        def walked(leader: int) -> Walked:
            return self.best(leader, duals, patience)

        found = spread(walked, self.leaders) if self._wide else [*map(walked, self.leaders)]
        looked = sum(walked.looked + LEADER for walked in found)
        self._work -= looked * self._company.column.size
        return found

    def best(self, leader: int, duals: FloatArray, patience: int) -> Walked:
        """Walk the blocks of a leader, looking at no more than some parts of blocks."""
        found = self._room(1)
        walk, looked = self._walk(leader, duals, NOTHING, patience, found, every=False)
        blocks = self._blocks(found, walk.blocks)
        return Walked(next(blocks, None), walk.bound, walk.state == self._done, looked)

    def every(self, duals: FloatArray, threshold: float) -> list[IntArray]:
        """All blocks worth more than the threshold."""
        listed: list[IntArray] = []
        found = self._room(ROOM)
        for leader in self.leaders:
            walk, _ = self._walk(leader, duals, threshold, PATIENCE, found, every=True)
            if walk.state != self._done or len(listed) + walk.blocks > ROOM:
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
        """Walk with a look at the clock now and then; also how many parts were looked at."""
        from loglift.merging import _pricing_kernels as kernels  # noqa: PLC0415, numba loads late

        walk = kernels.Walk(kernels.BEGIN, 0, 0, threshold, math.inf, 0)
        at, begun, looked = duals[self._item], self._multipliers[leader], 0
        parts = self._rooms.get()
        try:
            while looked < patience and walk.state in (kernels.BEGIN, kernels.TIRED):
                if time.monotonic() > self.deadline:
                    raise OutOfTime
                most, go_on = min(patience - looked, LONGEST), kernels.walk
                plainly = self._item.size <= SMALL and _plainly.covers(kernels.walk)
                if plainly:
                    most, go_on = min(most, PLAIN_PARTS), plain(kernels.walk)
                walk = go_on(leader, self._company, at, begun, every, most, walk, parts, found)
                looked += walk.looked
                if plainly:
                    _plainly.left -= (walk.looked + LEADER) * self._company.column.size
                if walk.depth + 1 >= self._depths:
                    break
        finally:
            self._rooms.put(parts)
        return walk, looked

    def _room(self, blocks: int) -> Found:
        from loglift.merging import _pricing_kernels as kernels  # noqa: PLC0415, numba loads late

        members = np.zeros(blocks * 8 + self._depths, dtype=np.int64)
        return kernels.Found(members, np.zeros(blocks, dtype=np.int64))

    def _blocks(self, found: Found, count: int) -> Iterator[IntArray]:
        """Blocks as numbers of copies (t,)."""
        start = 0
        for end in found.ends[:count].tolist():
            yield np.bincount(self._item[found.members[start:end]], minlength=self.copies.size)
            start = end
