"""The channel of a randomized release, as its file holds it: whole numbers, and what they imply.

p(y|x) = numerator / 2^52 with rows that add up exactly, so that a uniform number below 2^52 draws
from it without rounding, and counts can be checked against it in integers. p(x|y) is what a reader
infers about x; analysts estimate with it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from loglift.errors import MechanismError
from loglift.joint import FloatArray, IntArray
from loglift.promise.integers import BITS as BITS, DENOMINATOR  # noqa: PLC0414, for tables
from loglift.sparse import Cells, Mass, as_cells

Entries: TypeAlias = tuple[tuple[int, int], ...]
Shares: TypeAlias = tuple[tuple[int, float], ...]

MAX_CHANNEL_CELLS = 2**27  # of a dense channel: 1 GiB
_SUM_TOLERANCE = 1e-9  # of shares that add up to one


@dataclass(frozen=True, eq=False, repr=False)
class Channel:
    """p(y|x) and p(x|y), without their zeros.

    Attributes
    ----------
    rows
        For each public value x, the released values y it may become, each with 2^52 p(y|x).
    posteriors
        For each released value y, the public values x it may stand for, each with p(x|y).

    """

    rows: tuple[Entries, ...]
    posteriors: tuple[Shares, ...]

    @classmethod
    def of(cls, numerators: Mass, weight: IntArray) -> Channel:
        """Take a channel in whole numbers, shape (x, y), and the number of records of each x."""
        cells = as_cells(numerators)
        joint: list[list[tuple[int, int]]] = [[] for _ in range(cells.width)]
        entries = list(zip(cells.columns.tolist(), cells.values.tolist(), strict=True))
        for x, (y, n) in zip(cells.rows.tolist(), entries, strict=True):
            joint[y].append((x, n))
        starts = cells.starts.tolist()
        rows = tuple(tuple(entries[i:j]) for i, j in pairwise(starts))
        totals = [sum(n * int(weight[x]) for x, n in column) for column in joint]
        posteriors = tuple(
            tuple((x, n * int(weight[x]) / total) for x, n in column)
            for column, total in zip(joint, totals, strict=True)
        )
        return cls(rows, posteriors)

    @staticmethod
    def rounded(channel: FloatArray) -> IntArray:
        """Round p(y|x) to 2^52 p(y|x); the largest entry of a row makes up for the others."""
        rows = channel / channel.sum(axis=1, keepdims=True)
        whole: IntArray = np.rint(np.ldexp(rows, BITS)).astype(np.int64)
        whole[np.arange(len(whole)), whole.argmax(axis=1)] += DENOMINATOR - whole.sum(axis=1)
        return whole

    def with_one_more(self, released: int) -> Channel:
        """Return the channel with one more public value, always released as the same value.

        That is one of the released values, or the number after the last for a new one.
        """
        row, new = ((released, DENOMINATOR),), ((),) if released == self.size else ()
        return Channel((*self.rows, row), (*self.posteriors, *new))

    def __repr__(self) -> str:
        return f"Channel({len(self.rows)} public values, {self.size} released values)"

    @property
    def size(self) -> int:
        """The number of released values."""
        return len(self.posteriors)

    def probabilities(self) -> FloatArray:
        """Return p(y|x), one row per public value."""
        return np.asarray(self.numerators() / DENOMINATOR)

    def numerators(self) -> IntArray:
        """Return 2^52 p(y|x), one row per public value."""
        refuse_dense(len(self.rows), self.size)
        return self.cells()[:]

    def cells(self) -> Cells:
        """Return 2^52 p(y|x) by its non-zero cells."""
        return _cells(self.rows, np.int64, self.size)

    def posterior(self) -> FloatArray:
        """Return p(x|y), one row per released value."""
        refuse_dense(len(self.rows), self.size)
        return self.posterior_cells()[:]

    def posterior_cells(self) -> Cells:
        """Return p(x|y), one row per released value, by its non-zero cells."""
        return _cells(self.posteriors, np.float64, len(self.rows))

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "denominator": DENOMINATOR,
            "p(y|x)": [[list(entry) for entry in row] for row in self.rows],
            "p(x|y)": [[list(share) for share in shares] for shares in self.posteriors],
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Channel:
        """Read the JSON form back; raise `MechanismError` if it is not a channel."""
        if document["denominator"] != DENOMINATOR:
            raise MechanismError(f"its denominator is not {DENOMINATOR}")
        rows = _pairs(document["p(y|x)"], int, len(document["p(x|y)"]))
        posteriors = _pairs(document["p(x|y)"], float, len(rows))
        if any(sum(n for _, n in row) != DENOMINATOR for row in rows):
            raise MechanismError("its probabilities do not add up to one")
        if any(abs(math.fsum(p for _, p in shares) - 1) > _SUM_TOLERANCE for shares in posteriors):
            raise MechanismError("its shares do not add up to one")
        if _support(rows) != {(x, y) for y, x in _support(posteriors)}:
            raise MechanismError("its probabilities and shares do not fit together")
        return cls(rows, posteriors)


def refuse_dense(rows: int, columns: int) -> None:
    """Raise `MechanismError` when a channel would not fit into memory."""
    if rows * columns > MAX_CHANNEL_CELLS:
        raise MechanismError(
            f"p(y|x) would have {rows:,} x {columns:,} entries, too many to hold: use labels or "
            "blocks of a partition, and probabilities or exact_channel of random draws"
        )


def shares_of(weight: IntArray, labels: IntArray) -> IntArray:
    """Return 2^52 p(x)/p(B) of each value x in its block B, in whole numbers that add up to 2^52.

    Rounded down; the first value of a block that has the most records gets what is left.
    """
    totals = np.zeros(int(labels.max()) + 1, dtype=object)
    np.add.at(totals, labels, weight.astype(object))
    found = np.array(
        [int(w) * DENOMINATOR // total for w, total in zip(weight, totals[labels], strict=True)],
        dtype=np.int64,
    )
    left = np.full(totals.size, DENOMINATOR)
    np.subtract.at(left, labels, found)
    order = np.lexsort([np.arange(weight.size), -weight])
    heaviest = order[np.unique(labels[order], return_index=True)[1]]
    found[heaviest] += left
    return found


def _cells(lists: Sequence[Sequence[tuple[int, Any]]], dtype: Any, width: int) -> Cells:
    """Return rows of pairs of a column and a value; columns rise in every row."""
    starts = np.cumsum([0, *map(len, lists)])
    columns = np.fromiter((c for pairs in lists for c, _ in pairs), np.int64, int(starts[-1]))
    values = np.fromiter((v for pairs in lists for _, v in pairs), dtype, int(starts[-1]))
    return Cells(starts, columns, values, width)


def _pairs(lists: Any, kind: type[float], size: int) -> tuple[Any, ...]:
    """Read lists of [number, positive amount], the numbers rising and below the size."""
    found = []
    for pairs in lists:
        numbers = [number for number, _ in pairs]
        whole = all(type(number) is int and 0 <= number < size for number in numbers)
        if not whole or numbers != sorted(set(numbers)):
            raise MechanismError("its channel names values that do not exist, or out of order")
        if not all(type(amount) is kind and 0 < amount < math.inf for _, amount in pairs):
            raise MechanismError("its channel has amounts that are not positive numbers")
        found.append(tuple((number, amount) for number, amount in pairs))
    return tuple(found)


def _support(lists: Sequence[Sequence[tuple[int, Any]]]) -> set[tuple[int, int]]:
    return {(i, j) for i, pairs in enumerate(lists) for j, _ in pairs}
