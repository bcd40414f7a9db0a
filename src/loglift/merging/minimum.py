"""Blocks of at least k records: k-anonymity over the released values."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import UnsafeError
from loglift.joint import IntArray
from loglift.measures.partition import canonical
from loglift.sparse import block_sums


def fill_up(weight: NDArray[Any], labels: IntArray, least: float) -> IntArray:
    """Merge the smallest blocks until each has at least the mass `least`; canonical labels.

    Merging two blocks of masses a and b costs (a+b) log(a+b) - a log a - b log b nats, which grows
    with both: the two smallest blocks are the cheapest pair, and one of them has to go. Merging
    safe blocks keeps them safe. O(blocks log blocks).
    """
    if weight.sum() < least:
        raise UnsafeError(f"no release can have {least} records for every value: too few in all")
    sizes = block_sums(weight, labels)
    heap = [(size, block) for block, size in enumerate(sizes.tolist())]
    heapq.heapify(heap)
    into = np.arange(sizes.size)
    while len(heap) > 1 and heap[0][0] < least:  # the last one has it all, rounding apart
        (small, block), (other, partner) = heapq.heappop(heap), heapq.heappop(heap)
        into[block] = partner
        heapq.heappush(heap, (small + other, partner))
    return canonical(_roots(into)[labels])


def _roots(into: IntArray) -> IntArray:
    """Follow each block to the one it ended in; chains halve at every step."""
    while (into[into] != into).any():
        into = into[into]
    return into
