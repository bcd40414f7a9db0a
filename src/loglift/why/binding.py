"""Which limits bind: those a released value would break if one of its public values left it.

This is what keeps a merged value from being smaller. It needs no tolerance: with counts, hardly
any log-lift is exactly at its limit, but the next smaller block is outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray
from loglift.measures.partition import block_sums
from loglift.why.case import Case


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
    m = len(case.names)
    binds = np.zeros((2, int(labels.max()) + 1, m), dtype=bool)
    problem = case.problem()
    left = block_sums(problem.gain, labels)[labels] - problem.gain
    broken = (left < problem.need) & (np.bincount(labels)[labels] > 1)[:, np.newaxis]
    some = block_sums(broken.astype(np.int64), labels) > 0
    sides = [math.isfinite(case.bound.lower), math.isfinite(case.bound.most)]
    for i, side in enumerate(np.flatnonzero(sides)):
        binds[side] = some[:, i * m : (i + 1) * m]
    blocks, records = binds.sum(axis=1), _records(binds, block_sums(case.weight, labels))
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


def _records(binds: NDArray[np.bool_], weight: NDArray[Any]) -> NDArray[Any]:
    records: NDArray[Any] = (binds * weight[:, np.newaxis]).sum(axis=1)
    return records
