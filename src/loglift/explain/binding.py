"""Which limits bind: those a released value would break if one of its public values left it.

This is what keeps a merged value from being smaller. It needs no tolerance: with counts, hardly
any log-lift is exactly at its limit, but the next smaller block is outside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.explain.case import Case
from loglift.joint import IntArray
from loglift.merging.problem import Alphabet
from loglift.sparse import AT_ONCE, block_sums


@dataclass(frozen=True)
class Limit:
    """A sensitive value, where it binds, and what could be kept without bounding it.

    `lower_blocks` released values, with `lower_records` records, would break its lower limit if
    one of their public values left; likewise `upper`. `kept_without` is a share of H(X), to be
    compared with `Explanation.compared_with`; None when it was not tried.
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
        """The records of the released values in which it binds most, of the two sides."""
        return max(self.lower_records, self.upper_records)


def limits_of(case: Case, labels: IntArray) -> list[Limit]:
    """Return where each sensitive value binds, in column order. O(cells)."""
    m, weight = len(case.names), block_sums(case.weight, labels)
    blocks, records = np.zeros((2, m), dtype=np.int64), np.zeros((2, m), dtype=weight.dtype)
    sides = np.flatnonzero([math.isfinite(case.bound.lower), math.isfinite(case.bound.most)])
    for numbers, binds in _binding(case.alphabet(), labels):
        for i, side in enumerate(sides):
            there = binds[:, i * m : (i + 1) * m]
            blocks[side] += there.sum(axis=0)
            records[side] += weight[numbers] @ there
    return [
        Limit(
            case.names[s],
            case.records_with[s].item(),
            int(blocks[0, s]),
            records[0, s].item(),
            int(blocks[1, s]),
            records[1, s].item(),
        )
        for s in range(m)
    ]


def _binding(whole: Alphabet, labels: IntArray) -> Iterator[tuple[IntArray, NDArray[np.bool_]]]:
    """Yield some blocks at a time, and which constraints one of their values holds up alone."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    totals = whole.blocks(labels)
    ends, step, first = np.cumsum(sizes), max(1, AT_ONCE // whole.need.size), 0
    while first < sizes.size:
        begin = int(ends[first] - sizes[first])
        last = max(first + 1, int(np.searchsorted(ends, begin + step, side="right")))
        numbers, end = np.arange(first, last), int(ends[last - 1])
        spare = totals.part(numbers).gain - whole.need
        binds = np.zeros(spare.shape, dtype=bool)
        for start in range(begin, end, step):
            rows = order[start : min(start + step, end)]
            of = labels[rows] - first
            np.logical_or.at(binds, of, whole.part(rows).gain > spare[of])
        yield numbers, binds & (sizes[numbers] > 1)[:, np.newaxis]
        first = last
