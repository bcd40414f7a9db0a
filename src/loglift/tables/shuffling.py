"""Shuffling rows: an order that cannot be reconstructed.

Where rows carry more than their released values (passthrough columns, draws by a key), their order
in the input may reveal S: tables are often sorted by it. So every row gets a random key of its own
from the operating system's cryptographic generator, and rows are sorted by it. A seed of 64 bits,
or a hash of the row number that is not cryptographic, would make a shuffle that can be undone.

Every engine shuffles last: a join may bring rows into the order of its keys.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from loglift._compute.threads import cores, spread
from loglift.joint import IntArray

_ROWS_PER_CHUNK = 2**16  # a chunk of keys fits into a processor's cache


def random_order(size: int) -> IntArray:
    """Return a uniformly random permutation of 0, ..., size - 1, in O(n log n).

    The upper 40 bits of a row's key are random, the lower ones are its number, which may take some
    of the upper ones, too: sorted keys hold the order. Rows whose random bits are equal, which are
    few, are shuffled among themselves: so every order is as likely, exactly.
    """
    width = np.uint64(max(size - 1, 0).bit_length())
    number = (np.uint64(1) << width) - np.uint64(1)
    keys = np.empty(size, dtype=np.uint64)

    def sort(part: range) -> None:
        for start in part:
            chunk = keys[start : min(start + _ROWS_PER_CHUNK, part.stop)]
            drawn = secrets.token_bytes(5 * chunk.size)  # most of the time goes into these
            chunk[:] = np.frombuffer(drawn, dtype=np.uint32, count=chunk.size)
            chunk <<= np.uint64(8)
            chunk |= np.frombuffer(drawn, dtype=np.uint8, offset=4 * chunk.size)
            chunk <<= np.uint64(24)
            chunk &= ~number
            chunk |= np.arange(start, start + chunk.size, dtype=np.uint64)
        keys[part.start : part.stop].sort()

    ends = np.linspace(0, size, 1 + min(cores(), 1 + size // _ROWS_PER_CHUNK)).astype(int).tolist()
    spread(sort, [range(start, stop, _ROWS_PER_CHUNK) for start, stop in pairwise(ends)])
    keys.sort(kind="stable")  # merges the sorted parts, in O(n) for each doubling of them
    for start, stop in _runs(keys, number):
        mixed = keys[start:stop].tolist()
        secrets.SystemRandom().shuffle(mixed)
        keys[start:stop] = mixed
    keys &= number
    return keys.view(np.int64)


def _runs(keys: NDArray[np.uint64], number: np.uint64) -> Iterator[tuple[int, int]]:
    """Yield where runs of keys begin and end that differ in their lower bits only."""
    same = [
        start + np.flatnonzero((keys[start + 1 : stop + 1] ^ keys[start:stop]) <= number)
        for start in range(0, keys.size - 1, _ROWS_PER_CHUNK)
        for stop in [min(start + _ROWS_PER_CHUNK, keys.size - 1)]
    ]
    found = np.concatenate([np.arange(0), *same])
    begins = np.flatnonzero(np.diff(found, prepend=-2) > 1)
    for first, after in pairwise([*begins.tolist(), found.size]):
        yield int(found[first]), int(found[after - 1]) + 2
