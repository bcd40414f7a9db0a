"""Shuffling rows: an order that cannot be reconstructed.

Where rows carry more than their released values (passthrough columns, draws by a key), their order
in the input may reveal S: tables are often sorted by it. So every row gets a random key of its own
from the operating system's cryptographic generator, and rows are sorted by it. A seed of 64 bits,
or a hash of the row number that is not cryptographic, would make a shuffle that can be undone.

Every engine shuffles last: a join may bring rows into the order of its keys.

Very many rows are not sorted: they are dealt onto random piles, and each pile, which fits into a
processor's cache, is shuffled.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift._compute.threads import cores, spread
from loglift.joint import IntArray
from loglift.sparse import stable_order

MIN_PILED_ROWS = 2**22  # fewer are sorted, in a tenth of a second, without a compiled loop
_ROWS_PER_CHUNK = 2**16  # a chunk of keys fits into a processor's cache
_PILES = 2**8  # of rows in random order: a random byte for each row
_MIN_PART_ROWS = 4  # of a part that a core deals, for each pile: it counts every pile
_WORD_BYTES = 4  # of the random numbers that shuffle a pile

Numbers: TypeAlias = NDArray[np.integer[Any]]  # of rows, blocks or piles
Words: TypeAlias = Callable[[int], NDArray[np.uint32]]


def exchanging_order(own: Numbers, shown: Numbers, blocks: int) -> Numbers:
    """Return the record that each row gets: one of the block that it shows, in secret.

    `own` has the block of each record, and `shown` the block that each row of the result shows: as
    many rows as records for each of `blocks`. Any assignment is as likely as any other.
    """
    if own.size < MIN_PILED_ROWS:
        order = random_order(own.size)
        found = np.empty_like(order)
        found[stable_order(shown, blocks)] = order[stable_order(own[order], blocks)]
        return found
    return _Piles.of(shown, blocks).collected(_Piles.of(own, blocks).shuffled())


def taken(array: NDArray[Any], rows: Numbers) -> NDArray[Any]:
    """Return array[rows], on all cores."""
    found = np.empty(rows.size, dtype=array.dtype)

    def fill(start: int) -> None:
        part = rows[start : start + _ROWS_PER_CHUNK]
        found[start : start + part.size] = array.take(part)

    spread(fill, range(0, rows.size, _ROWS_PER_CHUNK))
    return found


def random_order(size: int) -> Numbers:
    """Return a uniformly random order of so many rows, from the operating system's entropy.

    Where rows choose their piles at random, all orders are as likely: for given sizes of the piles,
    each arises in one way.
    """
    if size < MIN_PILED_ROWS:
        return sorted_order(size)
    return _Piles.of(_random_piles(size), _PILES).shuffled()


def sorted_order(size: int) -> IntArray:
    """Return a random order of rows sorted by random keys, in O(n log n).

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


@dataclass(frozen=True, eq=False)
class _Piles:
    """The pile of each row. Each core deals a part of the rows, which begins where others end.

    `begins` has a row for each part, with the place in each pile where it begins, when all piles
    are put end to end.
    """

    of_rows: Numbers
    begins: IntArray

    @classmethod
    def of(cls, of_rows: Numbers, count: int) -> _Piles:
        """Count the rows of each of so many piles."""
        from loglift.tables import _pile_kernels  # noqa: PLC0415, numba

        few: Numbers = of_rows.astype(np.uint16 if count <= 2**16 else np.uint32, copy=False)
        parts = max(1, min(cores(), few.size // (_MIN_PART_ROWS * count)))
        sizes = np.zeros((parts, count), dtype=np.int64)
        counted = zip(np.array_split(few, parts), sizes, strict=True)
        spread(lambda part: _pile_kernels.count(*part), counted)
        starts = np.cumsum(sizes.sum(axis=0)) - sizes.sum(axis=0)
        return cls(few, starts + np.cumsum(sizes, axis=0) - sizes)

    def shuffled(self) -> Numbers:
        """Return the rows by piles, each pile in a secret order. O(rows + piles)."""
        from loglift.tables import _pile_kernels  # noqa: PLC0415, numba

        size = self.of_rows.size
        rows = np.arange(size, dtype=np.min_scalar_type(size))
        found = np.empty_like(rows)
        spread(lambda part: _pile_kernels.deal(*part, dealt=found), self._parts(rows))
        starts = np.append(self.begins[0], found.size)
        # Each core shuffles piles of about as many rows in all.
        ends = np.searchsorted(starts, np.linspace(0, found.size, 1 + cores())[1:-1]).tolist()
        piles = pairwise([0, *ends, starts.size - 1])
        spread(lambda some: shuffle(found, starts, some, _secret_words), piles)
        return found

    def collected(self, dealt: Numbers) -> Numbers:
        """Return for each row the next one of its pile in `dealt`, which is by piles."""
        from loglift.tables import _pile_kernels  # noqa: PLC0415, numba

        found = np.empty_like(dealt)
        spread(lambda part: _pile_kernels.collect(*part, dealt=dealt), self._parts(found))
        return found

    def _parts(self, rows: Numbers) -> Iterator[tuple[Numbers, Numbers, IntArray]]:
        """Yield each core's part of the rows, of their piles, and of where they begin."""
        count = len(self.begins)
        parts = np.array_split(rows, count), np.array_split(self.of_rows, count)
        return zip(*parts, self.begins.copy(), strict=True)


def shuffle(items: NDArray[Any], starts: IntArray, piles: tuple[int, int], words: Words) -> None:
    """Shuffle each of the piles first, ..., end - 1 of items by a compiled loop.

    Pile k is items[starts[k]:starts[k + 1]], less than 2^31 of them. `words` draws so many random
    numbers of 32 bits: where they are uniform and independent, so are the orders, exactly.
    """
    from loglift.tables import _pile_kernels  # noqa: PLC0415, numba

    first, end = piles
    size = starts[first + 1] - starts[first] if first < end else 0
    state = np.array([first, size, end])
    while state[0] < end:
        _pile_kernels.shuffle(items, starts, state, words(_ROWS_PER_CHUNK))


def _random_piles(size: int) -> NDArray[np.uint16]:
    """Draw the pile of each row, from the operating system's entropy."""
    found = np.empty(size, dtype=np.uint16)

    def draw(start: int) -> None:
        part = found[start : start + _ROWS_PER_CHUNK]
        part[:] = np.frombuffer(secrets.token_bytes(part.size), dtype=np.uint8)

    spread(draw, range(0, size, _ROWS_PER_CHUNK))
    return found


def _secret_words(size: int) -> NDArray[np.uint32]:
    return np.frombuffer(secrets.token_bytes(_WORD_BYTES * size), dtype=np.uint32)
