"""Which limits bind: those that a released value would break if one of its public values left.

Binding limits keep a merged value from being smaller. The definition needs no tolerance: with
counts, hardly any log-lift is exactly at its limit, but the next smaller block is outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.explain.again import problem_of
from loglift.joint import IntArray, Joint
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.problem import Problem
from loglift.sparse import CELLS_PER_PART, block_sums


@dataclass(frozen=True)
class Limit:
    """A sensitive value, where it binds, and what could be kept without bounding it.

    `lower_blocks` released values, with `lower_records` records, would break its lower limit if
    one of their public values left; likewise `upper`. `kept_without` is a share of the goal to
    compare with `Explanation.compared_with`; None when it was not tried.
    """

    sensitive: Any
    records_with: int | float
    lower_blocks: int
    lower_records: int | float
    upper_blocks: int
    upper_records: int | float
    kept_without: float | None = None

    @property
    def records(self) -> int | float:
        """The records of the released values in which it binds, on the side with more records."""
        return max(self.lower_records, self.upper_records)


def limits_of(joint: Joint, mechanism: Mechanism) -> list[Limit]:
    """Return where each sensitive value binds in a merging, in column order. O(cells)."""
    labels, bound = mechanism.partition, mechanism.bound
    m, weight = len(joint.sensitive), block_sums(joint.records, labels)
    blocks, records = np.zeros((2, m), dtype=np.int64), np.zeros((2, m), dtype=weight.dtype)
    sides = np.flatnonzero([math.isfinite(bound.lower), math.isfinite(bound.most)])
    for numbers, binds in _binding(problem_of(joint, mechanism).of_rows, labels):
        for i, side in enumerate(sides):
            there = binds[:, i * m : (i + 1) * m]
            blocks[side] += there.sum(axis=0)
            records[side] += weight[numbers] @ there
    return [
        Limit(
            joint.event(s),
            joint.records_with[s].item(),
            int(blocks[0, s]),
            records[0, s].item(),
            int(blocks[1, s]),
            records[1, s].item(),
        )
        for s in range(m)
    ]


def _binding(whole: Problem, labels: IntArray) -> Iterator[tuple[IntArray, NDArray[np.bool_]]]:
    """Yield the numbers of some blocks at a time, and which inequalities bind in each of them."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    totals = whole.blocks(labels)
    ends, step, first = np.cumsum(sizes), max(1, CELLS_PER_PART // whole.inequalities), 0
    while first < sizes.size:
        begin = int(ends[first] - sizes[first])
        last = max(first + 1, int(np.searchsorted(ends, begin + step, side="right")))
        numbers, end = np.arange(first, last), int(ends[last - 1])
        spare = totals.arrays(numbers).gain - whole.need
        binds = np.zeros(spare.shape, dtype=bool)
        for start in range(begin, end, step):
            rows = order[start : min(start + step, end)]
            of = labels[rows] - first
            np.logical_or.at(binds, of, whole.arrays(rows).gain > spare[of])
        yield numbers, binds & (sizes[numbers] > 1)[:, np.newaxis]
        first = last
