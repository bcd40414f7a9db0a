"""Blocks of at least k records: k-anonymity over the released values."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray
from loglift.measures.partition import canonical
from loglift.merging.intact import Groups
from loglift.sparse import block_sums


def fill_up(
    weight: NDArray[Any], labels: IntArray, least: float, groups: Groups | None = None
) -> IntArray:
    """Merge the smallest blocks of each group until all have the mass `least`; canonical labels.

    Merging two blocks of masses a and b costs (a+b) log(a+b) - a log a - b log b of I(X;Y), which
    grows with both. So the two smallest blocks are the cheapest pair, and one of them must be
    merged. Targets are not looked at. Every group has the mass `least` (`refuse_small`). Unions of
    safe blocks are safe. O(blocks log blocks).
    """
    sizes = block_sums(weight, labels)
    group_of = np.zeros(sizes.size, dtype=np.int64)
    if groups is not None:
        group_of[labels] = groups.numbers
    order = np.argsort(group_of, kind="stable")
    starts = np.searchsorted(group_of[order], np.arange(1, int(group_of.max()) + 1))
    into = np.arange(sizes.size)
    for blocks in np.split(order, starts):
        heap = list(zip(sizes[blocks].tolist(), blocks.tolist(), strict=True))
        heapq.heapify(heap)
        while len(heap) > 1 and heap[0][0] < least:  # a single block has all the mass
            (small, block), (other, partner) = heapq.heappop(heap), heapq.heappop(heap)
            into[block] = partner
            heapq.heappush(heap, (small + other, partner))
    while (into[into] != into).any():
        into = into[into]
    return canonical(into[labels])
