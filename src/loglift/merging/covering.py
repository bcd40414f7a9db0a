"""Covering: the best partition that consists of given blocks.

Every block loses something against the duals, and a partition that beats the best one known loses
less than the gap in all. A depth-first search over leaders with that budget often finds the best;
where it does not, an integer program may.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from loglift._compute.highs import new_program
from loglift._compute.kernels import is_small, kernels
from loglift.joint import FloatArray, IntArray
from loglift.merging.items import Items

MAX_PLAIN_STEPS = 1000  # of a search in plain Python
MAX_STEPS, MAX_LAST_STEPS = 2_000_000, 50_000_000  # of a search before and after a program
MAX_SEARCHED_COPIES = 30  # with more, an integer program is faster than the search
MAX_PROGRAM_BLOCKS, MAX_PROGRAM_SECONDS = 10_000, 5.0  # of an integer program


def best_cover(
    items: Items,
    blocks: Sequence[IntArray],
    duals: FloatArray,
    gap: float,
    order: IntArray,
    deadline: float,
) -> tuple[list[IntArray], bool]:
    """Return the partition of the items into these blocks that loses least, if less than the gap.

    Returns its blocks (an empty list if there is no such partition) and whether that is proven.
    Without a deadline there is no integer program: its time depends on the machine.
    """
    few = items.copies.sum() <= MAX_SEARCHED_COPIES
    steps = MAX_LAST_STEPS if few else MAX_STEPS
    chosen, proven = _searched(items, blocks, duals, gap, order, steps)
    if not proven and len(blocks) <= MAX_PROGRAM_BLOCKS and math.isfinite(deadline):
        limit = min(deadline, time.monotonic() + MAX_PROGRAM_SECONDS)
        better, proven = _programmed(items, blocks, limit)
        lost = sum(float(b @ duals) - items.value(b) for b in better)
        if proven:
            return (better if lost < gap else []), True
    if not proven and not few and time.monotonic() < deadline:
        chosen, proven = _searched(items, blocks, duals, gap, order, MAX_LAST_STEPS)
    return chosen, proven


def _searched(
    items: Items,
    blocks: Sequence[IntArray],
    duals: FloatArray,
    gap: float,
    order: IntArray,
    steps: int,
) -> tuple[list[IntArray], bool]:
    """Return the same as `best_cover`, by a depth-first search of at most `steps` steps."""
    if not blocks:
        return [], True
    table = np.array(blocks)[:, order]
    loss = np.maximum(table @ duals[order] - [items.value(block) for block in blocks], 0)
    leader = (table > 0).argmax(axis=1)
    sorting = np.lexsort((loss, leader))
    first = np.searchsorted(leader[sorting], np.arange(order.size + 1))
    members = [np.repeat(np.arange(order.size), table[b]) for b in sorting]
    ends = np.cumsum([m.size for m in members])
    copies, proven = items.copies[order], False
    if is_small(int(copies.sum()), items.need.size):
        loops = kernels("merging._cover_kernels", plain=True)
        listed = loops.Blocks(np.concatenate(members), ends, first, loss[sorting])
        chosen, proven = loops.cover(listed, copies, gap, min(steps, MAX_PLAIN_STEPS))
    if not proven:
        loops = kernels("merging._cover_kernels", plain=False)
        listed = loops.Blocks(np.concatenate(members), ends, first, loss[sorting])
        chosen, proven = loops.cover(listed, copies, gap, steps)
    return [blocks[b] for b in sorting[chosen]], proven


def _programmed(
    items: Items, blocks: Sequence[IntArray], deadline: float
) -> tuple[list[IntArray], bool]:
    """Return the same as `best_cover`, by branch and cut, until the deadline."""
    import highspy  # noqa: PLC0415, loads when used

    left = max(0.0, deadline - time.monotonic())
    program = new_program(maximise=True, mip_rel_gap=1e-10, mip_abs_gap=1e-10, time_limit=left)
    for copies in items.copies.tolist():
        program.addRow(copies, copies, 0, [], [])
    for block in blocks:
        inside = np.flatnonzero(block).astype(np.int32)
        most = int((items.copies[inside] // block[inside]).min())
        program.addCol(
            items.value(block), 0, most, inside.size, inside, block[inside].astype(float)
        )
    index = np.arange(len(blocks), dtype=np.int32)
    program.changeColsIntegrality(
        index.size, index, np.full(index.size, highspy.HighsVarType.kInteger)
    )
    program.run()
    proven = program.getModelStatus() == highspy.HighsModelStatus.kOptimal
    infeasible = program.getModelStatus() == highspy.HighsModelStatus.kInfeasible
    values = np.array(program.getSolution().col_value)
    if infeasible or values.size == 0:
        return [], infeasible
    times = np.rint(values).astype(np.int64)
    chosen = [blocks[b] for b in np.repeat(index, times).tolist()]
    whole = bool((np.sum(chosen, axis=0) == items.copies).all())
    return (chosen if whole else []), proven and whole
