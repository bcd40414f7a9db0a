"""Partitions of the public values, as block numbers in row order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from loglift.errors import PartitionError
from loglift.joint import IntArray

_MAX_NUMBERS_PER_ROW = 8  # block numbers beyond that are sorted: a table of them would be too long


def canonical(labels: ArrayLike, size: int | None = None) -> IntArray:
    """Number the blocks 0, 1, 2, ... in the order of their first rows.

    O(n) where no number is above a few times n, else O(n log n).

    Two label arrays describe the same partition iff their canonical forms are equal.
    """
    array = _integers(labels, "block numbers")
    if size is not None and array.size != size:
        raise PartitionError(f"{array.size} block numbers for {size} public values: give one each")
    n = array.size
    if n and array.min() >= 0 and array.max() < _MAX_NUMBERS_PER_ROW * n:
        first_row = np.empty(int(array.max()) + 1, dtype=np.int64)
        first_row[array[::-1]] = np.arange(n)[::-1]  # of several rows the last one written stays
        of_block = first_row[array]
        is_first = of_block == np.arange(n)
        numbers: IntArray = (np.cumsum(is_first) - 1)[of_block]
        return numbers
    _, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[inverse]


def labels_of(subsets: Iterable[ArrayLike], size: int) -> IntArray:
    """Return canonical labels: each subset is a block, and so is every row that is in none.

    Raises `PartitionError` when subsets are empty, overlap, or name rows that do not exist.
    """
    labels = np.arange(size, dtype=np.int64)
    taken = np.zeros(size, dtype=bool)
    for subset in as_subsets(subsets):
        rows = as_rows(subset, size)
        if taken[rows].any():
            raise PartitionError(f"row {rows[taken[rows]][0]} is in two subsets: leave it in one")
        taken[rows] = True
        labels[rows] = rows[0]
    return canonical(labels)


def as_subsets(subsets: Iterable[ArrayLike] | None) -> list[ArrayLike]:
    """Return an iterable of subsets as a list."""
    if isinstance(subsets, (str, bytes)) or not isinstance(subsets, Iterable):
        raise PartitionError(f"subsets must be a list of lists of row numbers, got {subsets!r}")
    return list(subsets)


def as_rows(subset: ArrayLike, size: int) -> IntArray:
    """Return a subset as row numbers; raise unless they are distinct and in 0..size-1."""
    rows = _integers(subset, "row numbers")
    if rows.min() < 0 or rows.max() >= size:
        raise PartitionError(
            f"a subset names row {rows.min() if rows.min() < 0 else rows.max()}, but the rows are "
            f"0 to {size - 1}"
        )
    if np.unique(rows).size != rows.size:
        raise PartitionError("a subset names a row twice: name each once")
    return rows


def refines(fine: ArrayLike, coarse: ArrayLike) -> bool:
    """Whether every block of `coarse` is a union of blocks of `fine` (Definition 1).

    A refinement never has larger NMIL (equation 9). Every partition refines itself. Partitions are
    the block numbers of the same public values. O(n log n).
    """
    fine_labels = canonical(fine)
    coarse_labels = canonical(coarse, size=fine_labels.size)
    pairs = np.unique(np.stack([fine_labels, coarse_labels]), axis=1).shape[1]
    return bool(pairs == fine_labels.max() + 1)


def _integers(values: ArrayLike, what: str) -> IntArray:
    try:
        array = np.asarray(values)
    except ValueError:
        raise PartitionError(f"{what} must be a flat list of integers") from None
    if array.ndim != 1 or array.size == 0:
        raise PartitionError(f"{what} must be a flat list of integers, not empty")
    if array.dtype.kind not in "iu":
        raise PartitionError(f"{what} must be integers, got {array.dtype}")
    return array.astype(np.int64)
