"""The compiled loop that rearranges a partition for its targets: moves and swaps between blocks.

A value moves to the block of a value that is near it in some order, or changes places with a member
of that block. A table has what each block holds of each target, so that a proposal costs the same
for blocks of any size. Masses of counts are whole numbers, so their sums have no rounding.

Most proposals are rejected, so the loop is built for cheap ones. Safety is tested before utility.
The value that is to move is taken out of its block once for several proposals, and a partner is
taken out before the value is put in its place: what they have in common needs no comparison.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift._compute._random_kernels import below, drawn
from loglift._compute.compiling import compiled_lean, compiled_lean_part
from loglift.joint import FloatArray, IntArray
from loglift.promise._condition_kernels import lacking
from loglift.promise.conditions import Conditions

NOBODY = -1  # in place of a value or a block
TRIES = 4  # proposals for a value that was drawn
RIVALS = 2  # values that lose less than the one that moves, of those drawn
MAX_LOOKED_AT = 12  # members of a block among which a partner for a swap is drawn
MAX_NEW_BLOCKS = 1024  # more blocks than at the start, at most: each has a row in a table
# A number that is drawn decides on three things: a distance by its lowest bits, how high a loss is
# taken by its highest bits, and by those between, in 256ths, whether the value leaves its block to
# stay alone, or else moves even where a swap is possible.
DISTANCE_BITS, KIND_BITS = 8, 8
SPLITS, MOVES = 13, 49
Masses: TypeAlias = NDArray[Any]  # whole numbers, or numbers with decimals


class Values(NamedTuple):
    """The values to rearrange, neighbours in some order.

    `gain` (n, k) and `need` (k,) are those of `Arrays`, `mass` (n,) is n(x). Value x
    has the masses `cells[starts[x]:starts[x+1]]` of the target values `columns[...]`. `nats` (c,)
    is what a nat of each target value is worth, `block_nats` of all targets and X together. `known`
    has t log t of t = 0, 1, 2, ...
    """

    gain: FloatArray
    need: FloatArray
    mass: Masses
    starts: IntArray
    columns: IntArray
    cells: Masses
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
    mass: Masses
    held: Masses
    free: IntArray
    unused: IntArray


class Workspace(NamedTuple):
    """Arrays that are overwritten: the loop allocates no memory.

    What each value loses by its company, the masses that a value and its partner were taken out of,
    and the state of the random numbers.
    """

    lost: FloatArray
    saved: Masses
    saved_partner: Masses
    state: IntArray


def workspace(values: Values, state: IntArray) -> Workspace:
    """Return the arrays that `rearrange` needs for some values."""
    most = int(np.diff(values.starts).max()) + 1  # the last one for the mass of the block
    saved, saved_partner = np.zeros((2, most), dtype=values.cells.dtype)
    return Workspace(np.zeros(values.mass.size), saved, saved_partner, state)


def gathered(whole: Values, rows: IntArray, gain: FloatArray) -> Values:
    """Return some of the values, with those target values that several of them have.

    A target value that one row has moves with it, and neither gains nor loses. `gain` is that of
    these rows. Target values are numbered anew.
    """
    place = np.zeros(whole.nats.size, np.int64)
    size = count_shared(whole, rows, place)
    starts, columns = np.zeros(rows.size + 1, np.int64), np.empty(size, np.int64)
    cells, nats = np.empty(size, whole.cells.dtype), np.empty(size // 2)
    width = gather(whole, rows, place, starts, columns, cells, nats)
    return Values(
        gain,
        whole.need,
        whole.mass[rows],
        starts,
        columns,
        cells,
        nats[:width],
        whole.block_nats,
        whole.known,
    )


@compiled_lean
def count_shared(whole: Values, rows: IntArray, place: IntArray) -> int:
    """Write minus the number of rows that have each target value; count cells of shared ones."""
    size = 0
    for x in rows:
        for i in range(whole.starts[x], whole.starts[x + 1]):
            u = whole.columns[i]
            place[u] -= 1
            size += 1 if place[u] < -1 else 0
            size += 1 if place[u] == -2 else 0
    return size


@compiled_lean
def gather(
    whole: Values,
    rows: IntArray,
    place: IntArray,
    starts: IntArray,
    columns: IntArray,
    cells: Masses,
    nats: FloatArray,
) -> int:
    """Write the cells of shared target values, numbered anew, and what these are worth.

    `place` is what `count_shared` wrote, and is overwritten. Returns how many of them there are.
    """
    width, filled = 0, 0
    for r in range(rows.size):
        x = rows[r]
        for i in range(whole.starts[x], whole.starts[x + 1]):
            u = whole.columns[i]
            if place[u] < -1:
                nats[width] = whole.nats[u]
                width += 1
                place[u] = width
            if place[u] > 0:
                columns[filled] = place[u] - 1
                cells[filled] = whole.cells[i]
                filled += 1
        starts[r + 1] = filled
    return width


def linked(labels: IntArray, values: Values) -> Blocks:
    """Return a partition, given as block numbers without gaps."""
    n, used = labels.size, int(labels.max()) + 1
    most, k = min(n, used + min(n // 8 + 1, MAX_NEW_BLOCKS)), values.need.size
    free = np.zeros(most, np.int64)
    free[: most - used] = np.arange(used, most)
    blocks = Blocks(
        labels.astype(np.int64),
        np.full(most, NOBODY),
        np.full(n, NOBODY),
        np.full(n, NOBODY),
        np.zeros(most, np.int64),
        np.zeros((most, k)),
        np.zeros(most, values.mass.dtype),
        np.zeros((most, values.nats.size), values.cells.dtype),
        free,
        np.full(1, most - used),
    )
    link(blocks, values)
    return blocks


@compiled_lean
def link(blocks: Blocks, values: Values) -> None:
    """Put every value into the list of its block, and add up what blocks hold."""
    for x in range(blocks.of.size):
        b = blocks.of[x]
        blocks.following[x] = blocks.head[b]
        if blocks.head[b] != NOBODY:
            blocks.before[blocks.head[b]] = x
        blocks.head[b] = x
        blocks.size[b] += 1
        blocks.mass[b] += values.mass[x]
        for c in range(values.need.size):
            blocks.gain[b, c] += values.gain[x, c]
        for i in range(values.starts[x], values.starts[x + 1]):
            blocks.held[b, values.columns[i]] += values.cells[i]


@compiled_lean_part
def xlogx(t: float, known: FloatArray) -> float:
    """Return t log t, of a small whole number from a table.

    Zero at zero, and below: rounding makes sums of masses negative that are not whole numbers.
    """
    if t < known.size:
        whole = int(t)
        if whole == t:
            return float(known[whole])
    return t * math.log(t) if t > 0 else 0.0


@compiled_lean_part
def take_out(blocks: Blocks, x: int, a: int, values: Values, saved: Masses) -> float:
    """Take value x out of the masses of its block a, which are saved; return what is gained.

    In units of the mass times what nats are worth.
    """
    first, total, known = values.starts[x], 0.0, values.known
    for i in range(first, values.starts[x + 1]):
        u = values.columns[i]
        here = blocks.held[a, u]
        rest = here - values.cells[i]
        total += values.nats[values.columns[i]] * (xlogx(rest, known) - xlogx(here, known))
        saved[i - first], blocks.held[a, u] = here, rest
    here = blocks.mass[a]
    rest = here - values.mass[x]
    saved[-1], blocks.mass[a] = here, rest
    return total - values.block_nats * (xlogx(rest, known) - xlogx(here, known))


@compiled_lean_part
def put_back(blocks: Blocks, x: int, a: int, values: Values, saved: Masses) -> None:
    """Undo `take_out`, without rounding."""
    first = values.starts[x]
    for i in range(first, values.starts[x + 1]):
        blocks.held[a, values.columns[i]] = saved[i - first]
    blocks.mass[a] = saved[-1]


@compiled_lean_part
def gained(blocks: Blocks, x: int, b: int, values: Values) -> float:
    """Return what is gained when value x, which was taken out, joins block b."""
    total, known = 0.0, values.known
    for i in range(values.starts[x], values.starts[x + 1]):
        here = blocks.held[b, values.columns[i]]
        total += values.nats[values.columns[i]] * (
            xlogx(here + values.cells[i], known) - xlogx(here, known)
        )
    here = blocks.mass[b]
    return total - values.block_nats * (xlogx(here + values.mass[x], known) - xlogx(here, known))


@compiled_lean_part
def stays_safe(
    blocks: Blocks,
    x: int,
    y: int,
    a: int,
    b: int,
    values: Values,
    conditions: Conditions | None,
) -> bool:
    """Return whether both blocks are safe after the move; an empty block is."""
    emptied = y == NOBODY and blocks.size[a] == 1
    for c in range(values.need.size):
        moved = values.gain[x, c] - (values.gain[y, c] if y != NOBODY else 0.0)
        short = not emptied and blocks.gain[a, c] - moved < values.need[c]
        if short or blocks.gain[b, c] + moved < values.need[c]:
            return False
    if conditions is None:
        return True
    joins, leaves = values.gain[x], values.gain[y] if y != NOBODY else conditions.nothing
    if not emptied and lacking(conditions, blocks.gain[a], leaves, joins) > 0:
        return False
    return lacking(conditions, blocks.gain[b], joins, leaves) <= 0


@compiled_lean_part
def join(blocks: Blocks, x: int, a: int, b: int, values: Values) -> None:
    """Move value x to block b; it was taken out of the masses of block a."""
    for i in range(values.starts[x], values.starts[x + 1]):
        blocks.held[b, values.columns[i]] += values.cells[i]
    blocks.mass[b] += values.mass[x]
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
    for c in range(values.need.size):
        blocks.gain[a, c] -= values.gain[x, c]
        blocks.gain[b, c] += values.gain[x, c]


@compiled_lean_part
def set_free(blocks: Blocks, b: int) -> None:
    """Let another block have the number of an empty one; its sums are zero, without rounding."""
    blocks.free[blocks.unused[0]] = b
    blocks.unused[0] += 1
    blocks.mass[b] = 0
    for c in range(blocks.gain.shape[1]):
        blocks.gain[b, c] = 0.0
    for u in range(blocks.held.shape[1]):
        blocks.held[b, u] = 0


@compiled_lean_part
def partner(
    blocks: Blocks,
    x: int,
    a: int,
    b: int,
    near: int,
    values: Values,
    conditions: Conditions | None,
    state: IntArray,
) -> int:
    """Draw a member of block b that can change places with x; NOBODY if no member can.

    One of the first in its list, other than `near`; where that is not safe, the next that is.
    """
    y, skipped = blocks.head[b], below(state, min(blocks.size[b] - 1, MAX_LOOKED_AT))
    looked = 0
    while y != NOBODY and looked < MAX_LOOKED_AT:
        if y != near:
            if looked >= skipped and stays_safe(blocks, x, y, a, b, values, conditions):
                return int(y)
            looked += 1
        y = blocks.following[y]
    return NOBODY


@compiled_lean_part
def proposed(
    blocks: Blocks,
    x: int,
    a: int,
    number: int,
    distances: IntArray,
    values: Values,
    conditions: Conditions | None,
    state: IntArray,
) -> tuple[int, int]:
    """Return a block to which x can move safely, and the member that moves to block a, or NOBODY.

    A number that was drawn decides. Returns no block where what it decides is not possible.
    """
    kind, swaps = number >> DISTANCE_BITS & (1 << KIND_BITS) - 1, False
    near = x + distances[number & (distances.size - 1)]
    if kind < SPLITS:
        if blocks.size[a] == 1 or blocks.unused[0] == 0:
            return NOBODY, NOBODY
        b = blocks.free[blocks.unused[0] - 1]
    else:
        if near < 0 or near >= blocks.of.size:
            return NOBODY, NOBODY
        b = blocks.of[near]
        if a == b or (blocks.size[a] == 1 and blocks.size[b] == 1):
            return NOBODY, NOBODY
        swaps = kind >= SPLITS + MOVES and blocks.size[b] > 1
    y = partner(blocks, x, a, b, near, values, conditions, state) if swaps else NOBODY
    if y == NOBODY and (swaps or not stays_safe(blocks, x, y, a, b, values, conditions)):
        return NOBODY, NOBODY
    return b, y


@compiled_lean_part
def note_loss(blocks: Blocks, x: int, values: Values, lost: FloatArray) -> None:
    """Write what value x loses of its targets by the company that it has.

    Its block holds at least what x has, whatever the rounding of sums.
    """
    b, total = blocks.of[x], 0.0
    mass = max(blocks.mass[b], values.mass[x])
    whole = xlogx(mass, values.known) / mass
    for i in range(values.starts[x], values.starts[x + 1]):
        cell = values.cells[i]
        held = max(blocks.held[b, values.columns[i]], cell)
        total += values.nats[values.columns[i]] * cell * (whole - xlogx(held, values.known) / held)
    lost[x] = total


@compiled_lean
def rearrange(
    blocks: Blocks,
    values: Values,
    conditions: Conditions | None,
    steps: int,
    hot: float,
    cold: float,
    distances: IntArray,
    logs: FloatArray,
    work: Workspace,
) -> None:
    """Propose `steps` moves and swaps; take those that gain, and some that lose.

    Blocks also meet the `conditions`, if there are any: without them no test of them is compiled.
    Of a few values drawn at random the one moves that loses most by its company. Moves are
    proposed to the block of a value at one of the `distances`. Those that gain are taken, and a
    loss is taken with probability e^(-loss/temperature), where the temperature falls from `hot` to
    `cold`: if it is less than -temperature times one of the `logs` of probabilities. The sizes of
    `distances` and `logs` are powers of two.
    """
    n, state, lost = blocks.of.size, work.state, work.lost
    for x in range(n):
        note_loss(blocks, x, values, lost)
    step = 0
    while step < steps:
        temperature = hot + (cold - hot) * step / steps
        x = below(state, n)
        for _ in range(RIVALS):
            rival = below(state, n)
            if lost[rival] > lost[x]:
                x = rival
        a, is_out, left = blocks.of[x], False, 0.0
        for _ in range(TRIES):
            step += 1
            number = drawn(state)
            b, y = proposed(blocks, x, a, number, distances, values, conditions, state)
            if b == NOBODY:
                continue
            if not is_out:
                left, is_out = take_out(blocks, x, a, values, work.saved), True
            gain = left
            if y != NOBODY:
                gain += take_out(blocks, y, b, values, work.saved_partner) + gained(
                    blocks, y, a, values
                )
            gain += gained(blocks, x, b, values)
            chance = number >> (DISTANCE_BITS + KIND_BITS) & (logs.size - 1)
            if gain <= temperature * logs[chance]:
                if y != NOBODY:
                    put_back(blocks, y, b, values, work.saved_partner)
                continue
            if blocks.size[b] == 0:
                blocks.unused[0] -= 1
            join(blocks, x, a, b, values)
            if y != NOBODY:
                join(blocks, y, b, a, values)
                note_loss(blocks, y, values, lost)
            if blocks.size[a] == 0:
                set_free(blocks, a)
            # What the other members lose changes too; it is worked out anew in the next round.
            note_loss(blocks, x, values, lost)
            is_out = False
            break
        if is_out:
            put_back(blocks, x, a, values, work.saved)
