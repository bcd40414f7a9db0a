"""Drawing released values at random: where the randomness comes from, and how it decides.

Every record gets a number u, uniform on 0, 1, ..., 2^52 - 1. It is a keyed cryptographic function
of the record's place (or of its value in a key column). The secret has 256 bits, comes from the
operating system, is made for one release and is never written. For each public value x, a released
value y owns 2^52 p(y|x) of these numbers, which is a whole number: draws are exact.

u is a function, not a stream of draws: a lazy table may be computed twice, and a second answer for
the same record would reveal more than the bound allows.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from loglift.errors import InputError
from loglift.joint import IntArray
from loglift.mechanism.channel import BITS, Entries
from loglift.values import plain

HEX_DIGITS = BITS // 4  # of a SHA-256, where an engine computes u itself
_RECORDS_PER_CHUNK = 2**20  # that are drawn at a time


class Noise:
    """A secret key, and the numbers computed from it; its repr does not show the key.

    `seeded` tells whether a seed repeats it.
    """

    def __init__(self, secret: bytes, *, seeded: bool = False) -> None:
        self._secret = secret
        self.seeded = seeded

    @classmethod
    def of(cls, seed: int | None) -> Noise:
        """Return noise from the operating system's entropy; a seed repeats it, for tests only."""
        if seed is None:
            return cls(secrets.token_bytes(32))
        seed = plain(seed)
        if type(seed) is not int:
            raise InputError(f"draw_seed (--draw-seed) must be a whole number, got {seed!r}")
        return cls(hashlib.sha256(f"loglift seed {seed}".encode()).digest(), seeded=True)

    def __repr__(self) -> str:
        return "Noise(...)"

    def text(self) -> str:
        """Return the secret for an engine that computes SHA-256 itself; never show it."""
        return self._secret.hex()

    def numbers(self, size: int, part: int = 0) -> IntArray:
        """Return a number for each of the records of a part, by SHAKE-256 in counter mode."""
        found = np.empty(size, dtype=np.int64)
        for chunk, start in enumerate(range(0, size, _RECORDS_PER_CHUNK)):
            place = found[start : start + _RECORDS_PER_CHUNK]
            seed = self._secret + b"place" + part.to_bytes(8) + chunk.to_bytes(8)
            place[:] = _numbers_in(hashlib.shake_256(seed).digest(8 * len(place)))
        return found

    def keyed(self, values: Iterable[Any]) -> IntArray:
        """Return a number for each value of a key column, by keyed BLAKE2b."""
        texts = (f"{type(value).__name__} {value}".encode() for value in values)
        keyed = (hashlib.blake2b(t, digest_size=8, key=self._secret).digest() for t in texts)
        return _numbers_in(b"".join(keyed))


def _numbers_in(random: bytes) -> IntArray:
    """Return one number below 2^52 for every eight random bytes."""
    return (np.frombuffer(random, dtype="<u8") >> np.uint64(64 - BITS)).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Lots:
    """For each row of a channel, the intervals of u that belong to each released value.

    Row r has the intervals first[r] to first[r+1] - 1; interval k begins at low[k], ends before
    high[k], and stands for the released value value[k].
    """

    first: IntArray
    low: IntArray
    high: IntArray
    value: IntArray

    @classmethod
    def of(cls, rows: Sequence[Entries]) -> Lots:
        """Lay the numerators of each row end to end."""
        high = [end for row in rows for end in accumulate(numerator for _, numerator in row)]
        sizes = np.array([numerator for row in rows for _, numerator in row], dtype=np.int64)
        values = np.array([y for row in rows for y, _ in row], dtype=np.int64)
        first = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        ends = np.array(high, dtype=np.int64)
        return cls(first, ends - sizes, ends, values)

    @property
    def row(self) -> IntArray:
        """The row of each interval."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))

    def drawn(self, rows: IntArray, numbers: IntArray) -> IntArray:
        """Return the released value of each record, by bisection; O(n log k), vectorized."""
        left, right = self.first[rows], self.first[rows + 1]
        for _ in range(int(np.diff(self.first).max()).bit_length()):
            middle = (left + right) // 2
            above = self.low[middle] <= numbers
            left, right = np.where(above, middle, left), np.where(above, right, middle)
        return self.value[left]


@dataclass(frozen=True, eq=False)
class Drawing:
    """What records show, drawn at random: the lots, the noise that draws, the key column, if any.

    `row_of` is the row of the lots that each distinct public value of the table draws from.
    """

    lots: Lots
    row_of: IntArray
    noise: Noise
    key: str | None = None

    def drawn(self, places: IntArray, numbers: IntArray) -> IntArray:
        """Return what each record shows; `places` are the numbers of their public values."""
        return self.lots.drawn(self.row_of[places], numbers)

    def totals(self, records: IntArray, size: int) -> IntArray:
        """Return how many records show each of `size` things; records[i] have public value i."""
        found, ends = np.zeros(size, dtype=np.int64), np.cumsum(records)
        for part, start in enumerate(range(0, int(ends[-1]), _RECORDS_PER_CHUNK)):
            these = np.arange(start, min(start + _RECORDS_PER_CHUNK, int(ends[-1])))
            places = np.searchsorted(ends, these, side="right")
            drawn = self.drawn(places, self.noise.numbers(len(places), part))
            found += np.bincount(drawn, minlength=size)
        return found


@dataclass(frozen=True, eq=False)
class Exchange(Drawing):
    """Records of a block exchange their public values: a random permutation within each block.

    A row of the lots is a block, and its numerators are counts: the records of each of its public
    values. The records of a block get the ranks of their random numbers, and rank r shows the value
    whose interval holds r. So each value is shown as often as the table has it, and any assignment
    is as likely as any other.
    """

    @classmethod
    def of(cls, blocks: IntArray, records: IntArray, noise: Noise) -> Exchange:
        """Exchange public values with these blocks and records."""
        order = np.argsort(blocks, kind="stable")
        first = np.searchsorted(blocks[order], np.arange(int(blocks.max()) + 2))
        ends = np.cumsum(records[order])
        before = np.append(0, ends)[first[:-1]]  # records of the blocks before each
        high = ends - np.repeat(before, np.diff(first))
        return cls(Lots(first, high - records[order], high, order), blocks, noise)

    def drawn(self, places: IntArray, numbers: IntArray) -> IntArray:
        """Return the public value that each record shows; the records must be the counted ones."""
        blocks = self.row_of[places]
        order = np.lexsort([numbers, blocks])
        starts = np.searchsorted(blocks[order], np.arange(len(self.lots.first) - 1))
        ranks = np.empty(blocks.size, dtype=np.int64)
        ranks[order] = np.arange(blocks.size) - starts[blocks[order]]
        return self.lots.drawn(blocks, ranks)
