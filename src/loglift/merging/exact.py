"""Exact: a best partition with proof, by branch and price.

The best partition is a set-partitioning problem over safe blocks and their utilities. Its linear
relaxation is solved by column generation (`master`, `pricing`): an upper bound, usually within a
few percent. A block that loses more against the duals than the gap between that bound and the best
partition known is in no better partition. The other blocks are usually few; they are listed, and
the best partition that consists of them is found (`covering`). Where they are too many, there are
two branches: a pair of values that the relaxation puts together in part is together in one, and
apart in the other (Ryan and Foster).

The best partition known at the start is that of `search`. At a time limit the result is the best
partition known and the largest bound of the open branches, or the bound by small blocks
(`listed_bound`) if that is less.
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
from loglift.measures.partition import canonical
from loglift.merging.ceiling import ceiling, prices
from loglift.merging.covering import best_cover
from loglift.merging.items import Items, items_of
from loglift.merging.listed_bound import listed_bound
from loglift.merging.listing import MAX_COMPARISONS, longer, pairs_of
from loglift.merging.master import Master, Optimum
from loglift.merging.pricing import MIN_WORTH, PARTS_FACTOR, OutOfTime, Pricing, TooMany
from loglift.merging.problem import Problem

SAME_UTILITY = 1e-10  # relative: utilities that differ by less are equal
BOX_WIDTH, BOX_GROWTH, BOX_SHRINKING = 0.3, 2.0, 0.5  # of the prices: utility per mass; factors
# A search of few values is followed by `exact`, which ends with a proof for few sensitive values.
MAX_FEW_VALUES, MAX_EASY_SENSITIVE = 24, 5
MAX_UNLISTED_VALUES = 24  # values for which pricing alone is fast
MAX_FRACTION_ERROR = 1e-6  # a fraction this close to a whole number is one
MAX_BOUND_ROUNDS, MAX_BOUND_WEIGHTS = 14, 1.8e9  # of pricing for `relaxed`, a bound alone
MAX_BOUND_GAP = 0.01  # relative: a bound this close to the best partition is not sharpened
MAX_LISTED_GAP = 0.004  # relative: with a bound by small blocks this close, nothing is priced


@dataclass(frozen=True, eq=False)
class Proof:
    """A safe partition as block numbers, its utility, and the most any partition can have."""

    labels: IntArray
    utility: float
    most: float

    @property
    def is_closed(self) -> bool:
        """Whether no partition is better, rounding apart."""
        return self.most <= self.utility * (1 + 10 * SAME_UTILITY) + MIN_WORTH


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The linear relaxation: prices that no block exceeds, and their sum over all items.

    `optimum` is that of the master, if it was solved to the end.
    """

    most: float
    prices: FloatArray
    optimum: Optimum | None


@dataclass(frozen=True, eq=False)
class Priced:
    """Prices raised beyond all blocks, whether any block was new, and whether all were seen."""

    raised: FloatArray
    found: bool
    done: bool


@dataclass(frozen=True, order=True)
class Node:
    """A branch: all partitions of its items. The branch with the largest bound comes first."""

    order: tuple[float, int]
    items: Items = field(compare=False)

    @property
    def most(self) -> float:
        """No partition of the items has more utility than this."""
        return -self.order[0]


def exact(
    problem: Problem,
    start: IntArray,
    *,
    time_limit: float = math.inf,
    nodes: float = math.inf,
    node_work: float = math.inf,
) -> Proof:
    """Return a best partition of the values to partition; `start` is a safe partition of them.

    With a limit on the `nodes`, and on the work of pricing in each, in place of a time limit the
    result does not depend on clocks.
    """
    tree = BranchAndPrice(problem, start, time.monotonic() + time_limit, node_work)
    proof = tree.solve(items_of(problem), nodes)
    return Proof(canonical(proof.labels[proof.labels >= 0]), proof.utility, proof.most)


def is_easy(n: int, m: int) -> bool:
    """Return whether `exact` is expected to end with a proof for n public, m sensitive values."""
    return n <= MAX_FEW_VALUES and m <= MAX_EASY_SENSITIVE


def relaxed(problem: Problem, start: IntArray) -> float:
    """Return an upper bound on the utility of the partitions that `exact` chooses from.

    By small blocks, and by as many rounds of pricing as a fixed amount of work allows, independent
    of clocks. Where the number of blocks limits the utility more than the prices do, there are no
    rounds: prices do not know of it.
    """
    tree = BranchAndPrice(problem, start, math.inf)
    listed, known = max(tree.listed(), tree.utility), ceiling(problem)
    if problem.chosen.size == problem.size and known < float(tree.prices.sum()):
        return min(listed, max(known, tree.utility))
    if listed * (1 - MAX_LISTED_GAP) <= tree.utility:
        return listed
    return min(listed, tree.bounded(items_of(problem), MAX_BOUND_ROUNDS, MAX_BOUND_WEIGHTS))


class BranchAndPrice:
    """The best partition known, the blocks known as sets of rows, and the limits of the work."""

    def __init__(
        self, problem: Problem, start: IntArray, deadline: float, node_work: float = math.inf
    ) -> None:
        self.problem = problem
        self.prices = prices(problem)
        self.labels = np.full(problem.size, -1)
        self.labels[problem.chosen] = start
        self.utility = problem.utility_of(start)
        self.deadline, self.node_work = deadline, node_work
        blocks = range(int(start.max()) + 1)
        self.known = {frozenset(np.flatnonzero(self.labels == b).tolist()) for b in blocks}

    def solve(self, items: Items, most_nodes: float) -> Proof:
        """Work through the nodes until no better partition is left, or a limit is reached."""
        nodes, number, solved = [Node((-math.inf, 0), items)], count(1), 0
        at_first = self.listed()
        while nodes and self._may_improve(min(nodes[0].most, at_first)) and solved < most_nodes:
            if time.monotonic() > self.deadline:
                break
            solved += 1
            node = heapq.heappop(nodes)
            most, parts = self._solve_node(node.items)
            for part in parts:
                heapq.heappush(nodes, Node((-min(most, node.most), next(number)), part))
        most = max([self.utility, *(min(node.most, at_first) for node in nodes[:1])])
        return Proof(self.labels, self.utility, most)

    def listed(self) -> float:
        """Return a bound on the partitions of the problem by its small blocks.

        Blocks of more than two members are listed only if pairs do not tell enough.
        """
        chosen = self.problem.chosen
        if chosen.size <= MAX_UNLISTED_VALUES:
            return math.inf
        listing = pairs_of(self.problem)
        most = listed_bound(self.problem, listing)
        if self._may_improve(most * (1 - MAX_BOUND_GAP)):
            gains = self.problem.scaled_inequalities(chosen)
            most = min(most, listed_bound(self.problem, longer(listing, *gains, MAX_COMPARISONS)))
        return most

    def bounded(self, items: Items, rounds: int, work: float) -> float:
        """Return a bound on the partitions of these items by limited rounds of pricing."""
        master = Master(items, self._compatible(items))
        pricing = Pricing(items, self.deadline, work)
        relaxation = self._relax(master, pricing, rounds, enough=MAX_BOUND_GAP)
        return max(self.utility, relaxation.most)

    def _may_improve(self, most: float) -> bool:
        """Whether a partition with this bound on its utility may beat the best known."""
        return most > self.utility * (1 + SAME_UTILITY) + MIN_WORTH

    def _solve_node(self, items: Items) -> tuple[float, list[Items]]:
        """Return a bound on the partitions of these items, and branches with better ones."""
        pricing = Pricing(items, self.deadline, self.node_work)
        master = Master(items, self._compatible(items))
        relaxation = self._relax(master, pricing)
        self._remember(items, master.blocks)
        if not self._may_improve(relaxation.most):
            return relaxation.most, []
        if relaxation.optimum is None:  # the time or the work is over
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
        """Generate blocks until none is missing, no better partition is left, or time is over.

        Also stops when the bound is at most a share `enough` above the best partition known.

        Prices that blocks exceed are raised at the leaders of those blocks: the raised prices are
        a proof, and the center of the box from then on if their sum is the least so far.
        """
        best, width, patience = self._prices_of(master.items), BOX_WIDTH, pricing.patience
        most = float(best @ pricing.copies)
        while self._may_improve(most * (1 - enough)) and rounds > 0 and not pricing.spent:
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
                patience *= PARTS_FACTOR
            elif not priced.found and not (better and optimum.boxed):
                return Relaxation(most, best, optimum)
            else:
                width *= BOX_GROWTH if better else BOX_SHRINKING
        return Relaxation(most, best, None)

    def _prices_of(self, items: Items) -> FloatArray:
        """Return prices of the items that no safe block exceeds."""
        return np.array([self.prices[list(copies[0])].sum() for copies in items.rows])

    def _branches(self, items: Items, master: Master, optimum: Optimum) -> list[Items]:
        """Split the partitions of the items in two: a pair of items together, or apart.

        The pair is one that the relaxation puts together by about a half. Without such a pair the
        relaxation is a partition itself. Copies become items of their own first.
        """
        if items.copies.max() > 1:
            return [items.singles()]
        table = np.array(master.blocks)
        pairs = (table * optimum.fractions[:, np.newaxis]).T @ table
        mixed = np.triu(np.abs(pairs - np.rint(pairs)) > MAX_FRACTION_ERROR, k=1)
        if not mixed.any():
            chosen = np.flatnonzero(optimum.fractions > 1 - MAX_FRACTION_ERROR)
            self._improve(items, [master.blocks[b] for b in chosen])
            return []
        a, b = np.unravel_index(np.where(mixed, np.abs(pairs - 0.5), np.inf).argmin(), pairs.shape)
        return [items.together(int(a), int(b)), items.kept_apart(int(a), int(b))]

    def _compatible(self, items: Items) -> list[IntArray]:
        """Return the known blocks that consist of these items."""
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
        """Keep a partition of the items if it is better than the best known."""
        labels = np.full(self.problem.size, -1)
        used = np.zeros(items.p.size, dtype=np.int64)
        for number, block in enumerate(cover):
            for item in np.flatnonzero(block):
                for copy in items.rows[item][used[item] : used[item] + block[item]]:
                    labels[list(copy)] = number
            used += block
        if cover:
            utility = self.problem.utility_of(labels[labels >= 0])
            if utility > self.utility:
                self.labels, self.utility = labels, utility


def price(master: Master, pricing: Pricing, optimum: Optimum, patience: int) -> Priced:
    """Add the block of each leader that is worth most beyond its prices."""
    raised, found, done = optimum.duals.copy(), False, True
    walks = pricing.best_of_each(optimum.duals, patience)
    for leader, walked in zip(pricing.leaders, walks, strict=True):
        if walked.block is not None:
            found = master.add(walked.block) or found
        done = done and walked.done
        raised[pricing.item(leader)] += max(walked.most, 0.0)
    return Priced(raised, found, done)
