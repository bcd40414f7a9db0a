"""Partitions of the public values, as block numbers in row order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import PartitionError
from loglift.joint import IntArray
from loglift.sparse import Cells, Mass

AnyIntArray: TypeAlias = NDArray[np.signedinteger[Any]]
_NARROW = 2**31
_SPARSE = 8  # times more possible keys than rows: sorting the rows is faster than a table of keys


def canonical(labels: ArrayLike, size: int | None = None) -> IntArray:
    """Number the blocks 0, 1, 2, ... in the order in which rows first meet them.

    Two label arrays describe the same partition iff their canonical forms are equal.
    """
    array = _integers(labels, "block numbers")
    if size is not None and array.size != size:
        raise PartitionError(f"{array.size} block numbers for {size} public values: give one each")
    _, first, inverse = np.unique(array, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return rank[inverse]


@overload
def block_sums(mass: NDArray[Any], labels: IntArray) -> NDArray[Any]: ...
@overload
def block_sums(mass: Cells, labels: IntArray) -> Cells: ...
@overload
def block_sums(mass: Mass, labels: IntArray) -> Mass: ...
def block_sums(mass: Mass, labels: IntArray) -> Mass:
    """Add up the rows of each block: p(s,B) from p(s,x). Shape (blocks, ...). O(cells).

    Integer counts stay integers. `labels` are canonical.
    """
    if isinstance(mass, Cells):
        return mass.grouped(labels, int(labels.max()) + 1)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(int(labels.max()) + 1))
    sums: NDArray[Any] = np.add.reduceat(mass[order], starts, axis=0)
    return sums


def any_row(labels: IntArray) -> IntArray:
    """Return the number of some row of each block; shape (blocks,)."""
    rows = np.empty(int(labels.max()) + 1, dtype=np.int64)
    rows[labels] = np.arange(labels.size)
    return rows


def refinement(labelings: Sequence[AnyIntArray]) -> IntArray:
    """Number the combinations of several labellings of the same rows: their common refinement.

    Labels are numbers from 0 on; so are the result's, without gaps, in lexicographic order. O(n)
    for each labelling while there are few combinations, O(n log n) beyond.
    """
    return _without_gaps(*_keys(labelings))


def tallied(labelings: Sequence[AnyIntArray]) -> tuple[IntArray, IntArray]:
    """Some row of each combination of several labellings of the same rows, and how many have it.

    In the order of `refinement`, whose labels are not needed for it.
    """
    keys, size = _keys(labelings)
    if size > _SPARSE * keys.size:
        keys = _without_gaps(keys, size)
        size = int(keys.max()) + 1
    counts, rows = np.bincount(keys, minlength=size), np.empty(size, dtype=np.int64)
    rows[keys] = np.arange(keys.size)
    occurs = np.flatnonzero(counts)
    return rows[occurs], counts[occurs]


def _keys(labelings: Sequence[AnyIntArray]) -> tuple[IntArray, int]:
    """One number for the labels of each row, in lexicographic order, and how many there may be.

    Half the width while numbers fit: half the memory to go through, which is what this waits for.
    """
    keys, size = labelings[0], int(labelings[0].max()) + 1
    for labeling in labelings[1:]:
        width = int(labeling.max()) + 1
        if size * width > _SPARSE * keys.size:  # lest numbers overflow
            keys = _without_gaps(keys, size)
            size = int(keys.max()) + 1
        size *= width
        keys = np.multiply(keys, width, dtype=np.int32 if size < _NARROW else np.int64)
        keys += labeling
    return keys.astype(np.int64, copy=False), size


def _without_gaps(keys: AnyIntArray, size: int) -> IntArray:
    """Return the rank of each key, of which there are at most `size`, among those that occur."""
    if size > _SPARSE * keys.size:
        return np.unique(keys, return_inverse=True)[1]
    occurs = np.zeros(size, dtype=bool)
    occurs[keys] = True
    ranks: IntArray = (np.cumsum(occurs) - 1)[keys]
    return ranks


def labels_of(subsets: Iterable[ArrayLike], size: int) -> IntArray:
    """Return the canonical labels where each subset is a block and every other row stays alone.

    Raises `PartitionError` when subsets are empty, overlap, or name rows that do not exist.
    """
    labels = np.arange(size, dtype=np.int64)
    taken = np.zeros(size, dtype=bool)
    for subset in as_subsets(subsets):
        rows = as_rows(subset, size)
        if taken[rows].any():
            raise PartitionError(f"row {rows[taken[rows]][0]} is in two subsets: keep it in one")
        taken[rows] = True
        labels[rows] = rows[0]
    return canonical(labels)


def as_subsets(subsets: Iterable[ArrayLike]) -> list[ArrayLike]:
    """Return an iterable of subsets as a list."""
    if isinstance(subsets, (str, bytes)) or not isinstance(subsets, Iterable):
        raise PartitionError(f"subsets must be a list of lists of row numbers, got {subsets!r}")
    return list(subsets)


def as_rows(subset: ArrayLike, size: int) -> IntArray:
    """Return a subset as distinct row numbers in 0..size-1, after checking that it is one."""
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

    A refinement never has larger NMIL (equation 9). Every partition refines itself.
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
