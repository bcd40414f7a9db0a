"""Exact: a best partition of the alphabet, with proof, by branch and price.

The best partition is a set-partitioning problem over safe blocks worth -p(B) log p(B). Its linear
relaxation is solved by column generation (`master`, `pricing`): an upper bound, usually within a
few percent. A block that loses more against the duals than the gap between that bound and the best
partition known is in no better partition; the others are few, are listed, and the best partition
they allow is found (`covering`). Where they are too many, a pair of values that the relaxation
holds together in part is put together in one branch and kept apart in another (Ryan and Foster).

The best partition known is that of `search` to begin with. Stopped at a time limit, what is proven
so far counts: the best partition known, and the largest bound of what is left.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from loglift.joint import FloatArray, IntArray
from loglift.measures.entropy import plogp
from loglift.measures.partition import canonical
from loglift.merging.ceiling import ceiling, prices
from loglift.merging.covering import best_cover
from loglift.merging.items import Items, items_of
from loglift.merging.master import Master, Optimum
from loglift.merging.pricing import MORE, NOTHING, OutOfTime, Pricing, TooMany
from loglift.promise.bound import Bound
from loglift.sparse import block_sums

SAME = 1e-10  # relative: utilities closer than this are the same
WIDTH, WIDER, NARROWER = 0.3, 2.0, 0.5  # of the box of prices, nats per mass; how it changes
WHOLE = 1e-6  # a fraction this close to a whole number is one
MOST_ROUNDS, WORK = 14, 1.8e9  # of pricing for a bound alone, and weights to look at for it
ENOUGH = 0.01  # of the bound: what is so close to it needs no closer one


@dataclass(frozen=True, eq=False)
class Proof:
    """A safe partition as block numbers, its utility, and the most any partition can have."""

    labels: IntArray
    utility: float
    most: float

    @property
    def is_closed(self) -> bool:
        """Whether nothing better is left but for a rounding."""
        return self.most <= self.utility * (1 + 10 * SAME) + NOTHING


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The linear relaxation: prices that no block exceeds, and their sum over all items.

    `optimum` is the master's where it was solved to the end.
    """

    most: float
    prices: FloatArray
    optimum: Optimum | None


@dataclass(frozen=True, eq=False)
class Priced:
    """Prices raised beyond all blocks, whether any block was new, and whether none was missed."""

    raised: FloatArray
    found: bool
    done: bool


@dataclass(frozen=True, order=True)
class Node:
    """A part of all partitions, those of its items; the largest bound comes first."""

    order: tuple[float, int]
    items: Items = field(compare=False)

    @property
    def most(self) -> float:
        """No partition of the items has more utility than this."""
        return -self.order[0]


def exact(
    mass: FloatArray,
    bound: Bound,
    start: IntArray,
    *,
    least: float = 0.0,
    rows: IntArray | None = None,
    time_limit: float = math.inf,
    nodes: float = math.inf,
) -> Proof:
    """Return a best partition of a trusted mass (n, m), or of some rows; `start` is a safe one.

    Utilities are sums of -p(B) log p(B) over the blocks of those rows. `least` is the least mass
    of a block. With at most some `nodes` and no time limit the result does not depend on clocks.
    """
    tree, items = _problem(mass, bound, start, least, rows, time.monotonic() + time_limit)
    proof = tree.solve(items, nodes)
    return Proof(canonical(proof.labels[proof.labels >= 0]), proof.utility, proof.most)


def relaxed(
    mass: FloatArray,
    bound: Bound,
    start: IntArray,
    *,
    least: float = 0.0,
    rows: IntArray | None = None,
) -> float:
    """Return a bound on the utility of the partitions that `exact` chooses from.

    By some rounds of pricing, as many as a given amount of work allows; none where it is the number
    of blocks that limits all rows, which prices know nothing of. It does not depend on clocks.
    """
    tree, items = _problem(mass, bound, start, least, rows, math.inf)
    known = ceiling(mass, bound)
    if rows is not None and rows.size == mass.shape[0] and known < float(tree.prices.sum()):
        return max(known, tree.utility)
    return tree.bounded(items, MOST_ROUNDS, WORK)


def _problem(
    mass: FloatArray,
    bound: Bound,
    start: IntArray,
    least: float,
    rows: IntArray | None,
    deadline: float,
) -> tuple[BranchAndPrice, Items]:
    chosen = np.arange(mass.shape[0]) if rows is None else rows
    labels = np.full(mass.shape[0], -1)
    labels[chosen] = start
    tree = BranchAndPrice(mass.sum(axis=1) / mass.sum(), prices(mass, bound), labels, deadline)
    return tree, items_of(mass, bound, least, chosen)


class BranchAndPrice:
    """The best partition known, the blocks known (as sets of rows), and the time that is left."""

    def __init__(self, p: FloatArray, known: FloatArray, start: IntArray, deadline: float) -> None:
        self.p = p
        self.prices = known
        self.labels = start
        self.utility = self._utility(start)
        self.deadline = deadline
        blocks = range(int(start.max()) + 1)
        self.known = {frozenset(np.flatnonzero(start == b).tolist()) for b in blocks}

    def _utility(self, labels: IntArray) -> float:
        inside = labels >= 0
        return float(-plogp(block_sums(self.p[inside], labels[inside])).sum())

    def solve(self, items: Items, most_nodes: float) -> Proof:
        """Work through the nodes until nothing better is left, or the time or their number is."""
        nodes, number, solved = [Node((-math.inf, 0), items)], count(1), 0
        while nodes and self._promises(nodes[0].most) and solved < most_nodes:
            if time.monotonic() > self.deadline:
                break
            solved += 1
            node = heapq.heappop(nodes)
            most, parts = self._solve_node(node.items)
            for part in parts:
                heapq.heappush(nodes, Node((-min(most, node.most), next(number)), part))
        return Proof(self.labels, self.utility, self._most(nodes))

    def bounded(self, items: Items, rounds: int, work: float) -> float:
        """A bound on the partitions of these items, by some rounds of pricing and some work."""
        master = Master(items, self._compatible(items))
        pricing = Pricing(items, self.deadline, work)
        relaxation = self._relax(master, pricing, rounds, enough=ENOUGH)
        return max(self.utility, relaxation.most)

    def _most(self, nodes: list[Node]) -> float:
        return max([self.utility, *(node.most for node in nodes[:1])])

    def _promises(self, most: float) -> bool:
        """Whether a bound leaves room for something better than the best known."""
        return most > self.utility * (1 + SAME) + NOTHING

    def _solve_node(self, items: Items) -> tuple[float, list[Items]]:
        """A bound on the partitions of these items, and parts to look at for anything better."""
        pricing = Pricing(items, self.deadline)
        master = Master(items, self._compatible(items))
        relaxation = self._relax(master, pricing)
        self._remember(items, master.blocks)
        if not self._promises(relaxation.most):
            return relaxation.most, []
        if relaxation.optimum is None:  # the time is over
            return relaxation.most, [items]
        gap = relaxation.most - self.utility
        try:
            blocks = pricing.every(relaxation.prices, -gap)
        except OutOfTime:
            return relaxation.most, [items]
        except TooMany:
            return relaxation.most, self._branches(items, master, relaxation.optimum)
        cover, proven = best_cover(
            items, blocks, relaxation.prices, gap, pricing.order, self.deadline
        )
        self._improve(items, cover)
        parts = [] if proven else self._branches(items, master, relaxation.optimum)
        return relaxation.most, parts

    def _relax(
        self, master: Master, pricing: Pricing, rounds: float = math.inf, enough: float = 0.0
    ) -> Relaxation:
        """Generate blocks until none is missed, or nothing better can be there, or time is over.

        Or until the bound is no more than a share `enough` above the best partition known.

        Prices that blocks exceed are raised where those blocks have their leaders: they are a proof
        too, and the center of the box from then on if they are the best so far.
        """
        best, width, patience = self._prices_of(master.items), WIDTH, pricing.patience
        most = float(best @ pricing.copies)
        while self._promises(most * (1 - enough)) and rounds > 0 and not pricing.spent:
            rounds -= 1
            optimum = master.solve(best, width)
            try:
                priced = price(master, pricing, optimum, patience)
            except OutOfTime:
                return Relaxation(most, best, None)
            total = float(priced.raised @ pricing.copies)
            better = total < most
            most, best = (total, priced.raised) if better else (most, best)
            if not priced.found and not priced.done:
                patience *= MORE
            elif not priced.found and not (better and optimum.boxed):
                return Relaxation(most, best, optimum)
            else:
                width *= WIDER if better else NARROWER
        return Relaxation(most, best, None)

    def _prices_of(self, items: Items) -> FloatArray:
        """Prices of the items that no safe block exceeds."""
        return np.array([self.prices[list(copies[0])].sum() for copies in items.rows])

    def _branches(self, items: Items, master: Master, optimum: Optimum) -> list[Items]:
        """Part the partitions of the items in two: a pair of items together, or apart.

        The pair is one that the relaxation holds together by about a half; where there is none,
        the relaxation is a partition itself. Identical copies become items of their own first.
        """
        if items.copies.max() > 1:
            return [items.singles()]
        table = np.array(master.blocks)
        pairs = (table * optimum.fractions[:, np.newaxis]).T @ table
        open_ = np.triu(np.abs(pairs - np.rint(pairs)) > WHOLE, k=1)
        if not open_.any():
            chosen = np.flatnonzero(optimum.fractions > 1 - WHOLE)
            self._improve(items, [master.blocks[b] for b in chosen])
            return []
        a, b = np.unravel_index(np.where(open_, np.abs(pairs - 0.5), np.inf).argmin(), pairs.shape)
        return [items.together(int(a), int(b)), items.kept_apart(int(a), int(b))]

    def _compatible(self, items: Items) -> list[IntArray]:
        """The known blocks that these items can make."""
        place = {row: item for item, copies in enumerate(items.rows) for c in copies for row in c}
        sizes = np.array([len(copies[0]) for copies in items.rows])
        blocks = []
        for rows in self.known:
            counts = np.bincount([place[row] for row in rows], minlength=sizes.size)
            block = counts // sizes
            if (block * sizes == counts).all() and items.allow(block):
                blocks.append(block)
        return blocks

    def _remember(self, items: Items, blocks: Iterable[IntArray]) -> None:
        for block in blocks:
            chosen = [copies[:n] for copies, n in zip(items.rows, block, strict=True)]
            self.known.add(frozenset(row for copies in chosen for c in copies for row in c))

    def _improve(self, items: Items, cover: list[IntArray]) -> None:
        """Take a partition of the items as the best known, if it is."""
        labels, used = np.full(self.p.size, -1), np.zeros(items.p.size, dtype=np.int64)
        for number, block in enumerate(cover):
            for item in np.flatnonzero(block):
                for copy in items.rows[item][used[item] : used[item] + block[item]]:
                    labels[list(copy)] = number
            used += block
        if cover and self._utility(labels) > self.utility:
            self.labels, self.utility = labels, self._utility(labels)


def price(master: Master, pricing: Pricing, optimum: Optimum, patience: int) -> Priced:
    """Add the blocks of each leader that are worth most beyond their prices."""
    raised, found, done = optimum.duals.copy(), False, True
    walks = pricing.best_of_each(optimum.duals, patience)
    for leader, walked in zip(pricing.leaders, walks, strict=True):
        if walked.block is not None:
            found = master.add(walked.block) or found
        done = done and walked.done
        raised[pricing.item(leader)] += max(walked.most, 0.0)
    return Priced(raised, found, done)
