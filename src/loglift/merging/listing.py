"""Listing: all safe blocks of few members.

At a tight bound a block needs several members, and what counts is how many blocks there are. Sets
of two, three or four values are few enough to look at all of them. The safe ones tell how to
partition (`packing`). As no other small block is safe, they also limit what can be kept
(`listed_bound`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from loglift._compute.kernels import kernels
from loglift.joint import FloatArray, IntArray
from loglift.merging.problem import Problem

MAX_COMPARISONS = 400_000_000  # of listing the blocks of one size: a second
MIN_COMPARISONS = 10_000_000  # the same for each of many groups of values
MAX_LISTED_MEMBERS = 4_000_000  # members of all blocks of one size
MAX_SIZE = 8  # members of a listed block
ENOUGH_BLOCKS = 100  # of a size for each value: then larger ones are not listed


@dataclass(frozen=True, eq=False)
class Listing:
    """All safe blocks of at most `len(blocks)` of the n values to partition.

    `blocks[s-1]` (b, s) are those of s members, as places among the values to partition. Blocks
    of several values that are all safe on their own are left out. `comparisons` is what it took to
    list the last ones, a measure of time.
    """

    n: int
    blocks: tuple[IntArray, ...]
    order: IntArray
    comparisons: int

    @property
    def depth(self) -> int:
        """The largest number of members for which all blocks are listed."""
        return len(self.blocks)

    @property
    def fewest(self) -> IntArray:
        """The least number of members of a block with each value, as far as it is known; (n,)."""
        fewest = np.full(self.n, self.depth + 1)
        for size in range(self.depth, 0, -1):
            fewest[self.blocks[size - 1]] = size
        return fewest

    @property
    def most_blocks(self) -> float:
        """No partition into safe blocks has more blocks than this.

        A block of b members gives each of them 1/b; 1/fewest is at least that.
        """
        return float((1 / self.fewest).sum())

    def with_at_most(self, blocks: int) -> Listing:
        """Return the listing of blocks of fewer members, of which there are at most this many."""
        kept = list(self.blocks)
        while sum(map(len, kept)) > blocks:
            kept.pop()
        return replace(self, blocks=tuple(kept))


def singles_of(problem: Problem) -> Listing:
    """Return the safe values. O(k n)."""
    gain, need = problem.scaled_inequalities(problem.chosen)
    safe = (gain >= need).all(axis=1)
    order = np.argsort(safe, kind="stable")  # unsafe values first: one of them leads a block
    return Listing(safe.size, (np.flatnonzero(safe)[:, np.newaxis],), order, 0)


def pairs_of(problem: Problem) -> Listing:
    """Return the safe blocks of one and two members, of one only if pairs are many. O(k n^2)."""
    listing = singles_of(problem)
    gain, need = problem.scaled_inequalities(problem.chosen)
    gain, n = gain[listing.order], listing.n
    pairs, count = [np.empty((0, 2), dtype=np.int64)], 0
    for x in range(n - listing.blocks[0].shape[0]):
        second = x + 1 + np.flatnonzero((gain[x + 1 :] >= need - gain[x]).all(axis=1))
        pairs.append(np.column_stack([np.full(second.size, x), second]))
        count += second.size
        if 2 * count > MAX_LISTED_MEMBERS:
            return listing
    blocks = (*listing.blocks, listing.order[np.concatenate(pairs)])
    return Listing(n, blocks, listing.order, n * n)


def longer(listing: Listing, gain: FloatArray, need: FloatArray, most: int) -> Listing:
    """Return a listing with larger blocks, from the gains (n, k) of all values.

    Blocks of one more member are listed until there are enough, or it would take more than `most`
    comparisons.
    """
    column = np.ascontiguousarray(gain[listing.order].T)
    safe = int(listing.blocks[0].shape[0])
    while listing.depth < min(MAX_SIZE, listing.n) and safe < listing.n:
        size = listing.depth + 1
        expected = listing.comparisons * listing.n / size
        few = listing.blocks[-1].shape[0] < ENOUGH_BLOCKS * listing.n / (size - 1)
        if size == 2 or not few or expected > most:  # noqa: PLR2004, pairs were too many
            break
        blocks, compared = _of_size(size, column, need, listing.n - safe, 2 * most)
        if blocks is None:
            break
        more = (*listing.blocks, listing.order[blocks])
        listing = Listing(listing.n, more, listing.order, compared)
    return listing


def listed(problem: Problem, most: int = MAX_COMPARISONS) -> Listing:
    """Return the safe blocks of few members of a problem."""
    return longer(pairs_of(problem), *problem.scaled_inequalities(problem.chosen), most)


def _of_size(
    size: int, column: FloatArray, need: FloatArray, leaders: int, most: int
) -> tuple[IntArray | None, int]:
    """Return all blocks of a size, None if they are too many, and the number of comparisons."""
    k, n = column.shape
    largest = np.full((k, n + 1), -math.inf)
    largest[:, :n] = np.maximum.accumulate(column[:, ::-1], axis=1)[:, ::-1]
    found = np.empty((MAX_LISTED_MEMBERS // size, size), dtype=np.int64)
    total, after = np.zeros((size, k)), np.zeros(size + n, dtype=np.int64)
    count, compared = kernels("merging._listing_kernels", plain=False).blocks_of_size(
        column, need, largest, leaders, total, after, found, most
    )
    complete = count <= found.shape[0] and compared <= most
    return (found[:count].copy() if complete else None), compared
