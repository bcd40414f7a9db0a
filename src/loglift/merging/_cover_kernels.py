"""The compiled loop that finds a best partition among the blocks of a list."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray


class Blocks(NamedTuple):
    """Blocks sorted by leader, then by loss.

    Block b has the members `members[ends[b-1]:ends[b]]`, once per copy; those led by item x are
    `first[x]` to `first[x+1]`. Items are numbered in leading order.
    """

    members: IntArray
    ends: IntArray
    first: IntArray
    loss: FloatArray


@compiled_part
def take(blocks: Blocks, b: int, left: IntArray, sign: int) -> bool:
    """Take the members of a block out of what is left (sign -1), or put them back (1).

    Returns whether all members were there.
    """
    fits = True
    for i in range(blocks.ends[b - 1] if b > 0 else 0, blocks.ends[b]):
        left[blocks.members[i]] += sign
        fits = fits and left[blocks.members[i]] >= 0
    return fits


@compiled
def cover(blocks: Blocks, copies: IntArray, budget: float, most: int) -> tuple[IntArray, bool]:
    """Choose blocks that make up all copies and lose least, less than the budget.

    The first item that is left must lead a block, so only its blocks are tried. Returns the numbers
    of the blocks (empty if there is no such choice), and whether all choices were tried within
    `most` steps.
    """
    left = copies.copy()
    size = copies.sum()
    tried, lost = np.full(size + 1, -1), np.zeros(size + 1)
    leader = np.zeros(size + 1, dtype=np.int64)
    best, depth, steps = np.empty(0, dtype=np.int64), 0, 0
    tried[0] = blocks.first[0]
    while depth >= 0:
        b = tried[depth]
        if b >= blocks.first[leader[depth] + 1] or lost[depth] + blocks.loss[b] >= budget:
            depth -= 1  # losses rise: no later block helps
            if depth >= 0:
                take(blocks, tried[depth], left, 1)
                tried[depth] += 1
            continue
        steps += 1
        if steps > most:
            return best, False
        if not take(blocks, b, left, -1):
            take(blocks, b, left, 1)
            tried[depth] += 1
            continue
        item = leader[depth]
        while item < copies.size and left[item] == 0:
            item += 1
        if item == copies.size:
            budget = lost[depth] + blocks.loss[b]
            best = tried[: depth + 1].copy()
            take(blocks, b, left, 1)
            tried[depth] += 1
            continue
        # Copies of the same leader take their blocks in order, so no choice is tried twice.
        again = item == leader[depth]
        lost[depth + 1], leader[depth + 1] = lost[depth] + blocks.loss[b], item
        depth += 1
        tried[depth] = b if again else blocks.first[item]
    return best, True
