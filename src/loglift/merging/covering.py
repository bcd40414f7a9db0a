"""Covering: the best partition that a given list of blocks allows.

Every block loses something against the duals, and a partition that beats the best one known loses
less than the gap in all: a depth-first search over leaders with that budget is often all it takes.
Where it is not, an integer program may be.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import numpy as np

from loglift._compute.plain import Allowance, plain
from loglift.joint import FloatArray, IntArray
from loglift.merging.items import Items

FIRST_STEPS = 1000  # of the search in plain Python, where it is not compiled yet
STEPS, MORE_STEPS = 2_000_000, 50_000_000  # of the search, before and after an integer program
FEW = 30  # items up to which the search is the better one of the two
PROGRAM, SECONDS = 10_000, 5.0  # blocks an integer program is worth trying with, and its time

_plainly = Allowance(50 * FIRST_STEPS)


def best_cover(
    items: Items,
    blocks: Sequence[IntArray],
    duals: FloatArray,
    gap: float,
    order: IntArray,
    deadline: float,
) -> tuple[list[IntArray], bool]:
    """The partition of the items into these blocks that loses least, if less than the gap.

    Returns its blocks, none if there is no such partition, and whether that is proven. Without a
    deadline there is no integer program, whose time nobody knows.
    """
    few = items.copies.sum() <= FEW
    chosen, proven = _searched(items, blocks, duals, gap, order, MORE_STEPS if few else STEPS)
    if not proven and len(blocks) <= PROGRAM and math.isfinite(deadline):
        better, proven = _programmed(items, blocks, min(deadline, time.monotonic() + SECONDS))
        lost = sum(float(b @ duals) - items.utility(b) for b in better)
        if proven:
            return (better if lost < gap else []), True
    if not proven and not few and time.monotonic() < deadline:
        chosen, proven = _searched(items, blocks, duals, gap, order, MORE_STEPS)
    return chosen, proven


def _searched(
    items: Items,
    blocks: Sequence[IntArray],
    duals: FloatArray,
    gap: float,
    order: IntArray,
    steps: int,
) -> tuple[list[IntArray], bool]:
    from loglift.merging import _cover_kernels as kernels  # noqa: PLC0415, numba loads when used

    if not blocks:
        return [], True
    table = np.array(blocks)[:, order]
    loss = np.maximum(table @ duals[order] - [items.utility(block) for block in blocks], 0)
    leader = (table > 0).argmax(axis=1)
    sorting = np.lexsort((loss, leader))
    first = np.searchsorted(leader[sorting], np.arange(order.size + 1))
    members = [np.repeat(np.arange(order.size), table[b]) for b in sorting]
    listed = kernels.Blocks(
        np.concatenate(members), np.cumsum([m.size for m in members]), first, loss[sorting]
    )
    copies = items.copies[order]
    if _plainly.covers(kernels.cover, FIRST_STEPS):
        _plainly.left -= FIRST_STEPS
        chosen, proven = plain(kernels.cover)(listed, copies, gap, FIRST_STEPS)
        if proven:
            return [blocks[b] for b in sorting[chosen]], True
    chosen, proven = kernels.cover(listed, copies, gap, steps)
    return [blocks[b] for b in sorting[chosen]], proven


def _programmed(
    items: Items, blocks: Sequence[IntArray], deadline: float
) -> tuple[list[IntArray], bool]:
    """The same by branch and cut; the time it may take ends at the deadline."""
    import highspy  # noqa: PLC0415, loads when used

    program = highspy.Highs()  # type: ignore[no-untyped-call]
    program.setOptionValue("output_flag", False)
    program.setOptionValue("mip_rel_gap", 1e-10)
    program.setOptionValue("mip_abs_gap", 1e-10)
    program.setOptionValue("time_limit", max(0.0, deadline - time.monotonic()))
    program.changeObjectiveSense(highspy.ObjSense.kMaximize)
    for copies in items.copies.tolist():
        program.addRow(copies, copies, 0, [], [])
    for block in blocks:
        inside = np.flatnonzero(block).astype(np.int32)
        most = int((items.copies[inside] // block[inside]).min())
        program.addCol(
            items.utility(block), 0, most, inside.size, inside, block[inside].astype(float)
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
