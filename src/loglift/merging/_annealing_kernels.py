"""The compiled loop that rearranges a partition for its targets: moves and swaps between blocks.

A value moves to the block of a value that is near it in some order, or changes places with a member
of that block. A table has what each block holds of each target, so that a proposal costs the same
for blocks of any size. Masses of counts are whole numbers, so their sums have no rounding.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from loglift._compute._random_kernels import below, uniform
from loglift._compute.compiling import compiled, compiled_part
from loglift.joint import FloatArray, IntArray

NOBODY = -1  # in place of a value or a block
MOVE_PROBABILITY = 0.2  # of a move where a swap is possible too
SPLIT_PROBABILITY = 0.05  # of a value that leaves its block to stay alone
MAX_LOOKED_AT = 12  # members of a block among which a partner for a swap is drawn
MAX_NEW_BLOCKS = 1024  # more blocks than at the start, at most: each has a row in a table
RIVALS = 2  # values that lose less than the one that moves, of those drawn


class Values(NamedTuple):
    """The values to rearrange.

    `gain` (n, k) and `need` (k,) are those of `Arrays`, `mass` (n,) is n(x). Value x has the masses
    `cells[starts[x]:starts[x+1]]` of the target values `columns[...]`, in ascending order. `nats`
    (c,) is what a nat of each target value is worth, `block_nats` of all targets and X together.
    `known` has t log t of t = 0, 1, 2, ... where all masses are whole numbers, else it is empty.
    """

    gain: FloatArray
    need: FloatArray
    mass: FloatArray
    starts: IntArray
    columns: IntArray
    cells: FloatArray
    nats: FloatArray
    block_nats: float
    known: FloatArray


class Blocks(NamedTuple):
    """A partition as doubly linked lists, with the sums of every block.

    `held` is the mass of each target value in each block. `free` lists the numbers that no block
    has; `unused` (1,) says how many these are.
    """

    of: IntArray
    head: IntArray
    following: IntArray
    before: IntArray
    size: IntArray
    gain: FloatArray
    mass: FloatArray
    held: FloatArray
    free: IntArray
    unused: IntArray


def linked(labels: IntArray, values: Values) -> Blocks:
    """Return a partition, given as canonical block numbers."""
    n, used = labels.size, int(labels.max()) + 1
    most = min(n, used + min(n // 8 + 1, MAX_NEW_BLOCKS))
    gain, mass = np.zeros((most, values.need.size)), np.zeros(most)
    np.add.at(gain, labels, values.gain)
    np.add.at(mass, labels, values.mass)
    by_label = np.argsort(labels, kind="stable")
    same = labels[by_label[1:]] == labels[by_label[:-1]]
    following, before, head = np.full(n, NOBODY), np.full(n, NOBODY), np.full(most, NOBODY)
    following[by_label[1:][same]] = by_label[:-1][same]
    before[by_label[:-1][same]] = by_label[1:][same]
    head[labels[by_label]] = by_label  # the last of each block stays
    held = np.zeros((most, values.nats.size))
    np.add.at(held, (np.repeat(labels, np.diff(values.starts)), values.columns), values.cells)
    return Blocks(
        labels.copy(),
        head,
        following,
        before,
        np.bincount(labels, minlength=most),
        gain,
        mass,
        held,
        np.arange(used, used + most) % most,  # the first most - used are free
        np.array([most - used]),
    )


@compiled_part
def xlogx(t: float, known: FloatArray) -> float:
    """Return t log t, from a table of whole numbers if it has one.

    Zero at zero, and below: rounding makes sums of masses negative that are not whole numbers.
    """
    if t <= 0:
        return 0.0
    return float(known[int(t)]) if t < known.size else t * math.log(t)


@compiled_part
def change(here: float, there: float, moved: float, known: FloatArray) -> float:
    """Return how the sum of t log t changes when some mass moves from `here` to `there`."""
    left = xlogx(here - moved, known) - xlogx(here, known)
    return left + xlogx(there + moved, known) - xlogx(there, known)


@compiled_part
def gained(blocks: Blocks, x: int, y: int, a: int, b: int, values: Values) -> float:
    """Return what is gained when x moves from block a to b, and y, unless nobody, from b to a.

    In units of the mass times what nats are worth.
    """
    i, ends = values.starts[x], values.starts[x + 1]
    j, stops = 0, 0
    if y != NOBODY:
        j, stops = values.starts[y], values.starts[y + 1]
    total = 0.0
    while i < ends or j < stops:
        if j >= stops or (i < ends and values.columns[i] < values.columns[j]):
            u, moved = values.columns[i], values.cells[i]
            i += 1
        elif i >= ends or values.columns[j] < values.columns[i]:
            u, moved = values.columns[j], -values.cells[j]
            j += 1
        else:
            u, moved = values.columns[i], values.cells[i] - values.cells[j]
            i += 1
            j += 1
        if moved != 0:
            here, there = blocks.held[a, u], blocks.held[b, u]
            total += values.nats[u] * change(here, there, moved, values.known)
    moved = values.mass[x] - (values.mass[y] if y != NOBODY else 0.0)
    if moved != 0:
        here, there = blocks.mass[a], blocks.mass[b]
        total -= values.block_nats * change(here, there, moved, values.known)
    return total


@compiled_part
def stays_safe(blocks: Blocks, x: int, y: int, a: int, b: int, values: Values) -> bool:
    """Return whether both blocks are safe after the move; an empty block is."""
    emptied = y == NOBODY and blocks.size[a] == 1
    for c in range(values.need.size):
        moved = values.gain[x, c] - (values.gain[y, c] if y != NOBODY else 0.0)
        short = not emptied and blocks.gain[a, c] - moved < values.need[c]
        if short or blocks.gain[b, c] + moved < values.need[c]:
            return False
    return True


@compiled_part
def move(blocks: Blocks, x: int, a: int, b: int, values: Values) -> None:
    """Move value x from block a to block b."""
    for i in range(values.starts[x], values.starts[x + 1]):
        blocks.held[a, values.columns[i]] -= values.cells[i]
        blocks.held[b, values.columns[i]] += values.cells[i]
    left, right = blocks.before[x], blocks.following[x]
    if left != NOBODY:
        blocks.following[left] = right
    else:
        blocks.head[a] = right
    if right != NOBODY:
        blocks.before[right] = left
    blocks.before[x], blocks.following[x] = NOBODY, blocks.head[b]
    if blocks.head[b] != NOBODY:
        blocks.before[blocks.head[b]] = x
    blocks.head[b], blocks.of[x] = x, b
    blocks.size[a] -= 1
    blocks.size[b] += 1
    blocks.mass[a] -= values.mass[x]
    blocks.mass[b] += values.mass[x]
    for c in range(values.need.size):
        blocks.gain[a, c] -= values.gain[x, c]
        blocks.gain[b, c] += values.gain[x, c]


@compiled_part
def set_free(blocks: Blocks, b: int) -> None:
    """Let another block have the number of an empty one; its sums are zero, without rounding."""
    blocks.free[blocks.unused[0]] = b
    blocks.unused[0] += 1
    blocks.mass[b] = 0.0
    for c in range(blocks.gain.shape[1]):
        blocks.gain[b, c] = 0.0
    for u in range(blocks.held.shape[1]):
        blocks.held[b, u] = 0.0


@compiled_part
def partner(blocks: Blocks, b: int, near: int, state: IntArray) -> int:
    """Draw a member of block b other than `near`, among the first of its list."""
    y, steps = blocks.head[b], below(state, min(blocks.size[b] - 1, MAX_LOOKED_AT))
    if y == near:
        y = blocks.following[y]
    for _ in range(steps):
        y = blocks.following[y]
        if y == near:
            y = blocks.following[y]
    return int(y)


@compiled_part
def note_loss(blocks: Blocks, x: int, values: Values, lost: FloatArray) -> None:
    """Write what value x loses of its targets by the company that it has.

    Its block holds at least what x has, whatever the rounding of sums.
    """
    b, total = blocks.of[x], 0.0
    whole = math.log(max(blocks.mass[b], values.mass[x]))
    for i in range(values.starts[x], values.starts[x + 1]):
        u, cell = values.columns[i], values.cells[i]
        held = max(blocks.held[b, u], cell)
        total += values.nats[u] * cell * (whole - math.log(held))
    lost[x] = total


@compiled
def rearrange(
    blocks: Blocks,
    order: IntArray,
    values: Values,
    steps: int,
    hot: float,
    cold: float,
    distances: IntArray,
    state: IntArray,
) -> None:
    """Propose `steps` moves and swaps; take those that gain, and some that lose.

    `order` lists the values so that neighbours are alike. Of a few values drawn at random the one
    moves that loses most by its company. A loss is taken with probability
    e^(-loss/temperature); the temperature falls from `hot` to `cold`. Moves are
    proposed between values at one of the `distances` in the order.
    """
    n = order.size
    lost = np.zeros(n)
    for x in range(n):
        note_loss(blocks, x, values, lost)
    for step in range(steps):
        temperature = hot + (cold - hot) * step / steps
        position = below(state, n)
        for _ in range(RIVALS):
            rival = below(state, n)
            if lost[order[rival]] > lost[order[position]]:
                position = rival
        x = order[position]
        a, y = blocks.of[x], NOBODY
        if uniform(state) < SPLIT_PROBABILITY:
            if blocks.size[a] == 1 or blocks.unused[0] == 0:
                continue
            b = blocks.free[blocks.unused[0] - 1]
        else:
            other = position + distances[below(state, distances.size)]
            if other < 0 or other >= n:
                continue
            near = order[other]
            b = blocks.of[near]
            if a == b or (blocks.size[a] == 1 and blocks.size[b] == 1):
                continue
            if blocks.size[b] > 1 and uniform(state) >= MOVE_PROBABILITY:
                y = partner(blocks, b, near, state)
                rival = partner(blocks, b, near, state)
                if lost[rival] > lost[y]:
                    y = rival
        if not stays_safe(blocks, x, y, a, b, values):
            continue
        gain = gained(blocks, x, y, a, b, values)
        if gain <= 0 and (
            temperature <= 0 or gain <= temperature * math.log(uniform(state) + 1e-300)
        ):
            continue
        if blocks.size[b] == 0:
            blocks.unused[0] -= 1
        move(blocks, x, a, b, values)
        if y != NOBODY:
            move(blocks, y, b, a, values)
            note_loss(blocks, y, values, lost)
        if blocks.size[a] == 0:
            set_free(blocks, a)
        # What the other members lose changes too; it is worked out anew in the next round.
        note_loss(blocks, x, values, lost)
