"""Sparse mass, and sums over rows that share a label.

`Cells` hold a mass of shape (public values, sensitive values) by its non-zero cells. They are added
up like a dense array, and some of their rows at a time can be made dense: work that goes row by row
takes memory in proportion to the non-zero cells, whatever the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError

IntArray: TypeAlias = NDArray[np.int64]
AnyIntArray: TypeAlias = NDArray[np.signedinteger[Any]]

CELLS_PER_PART = 2**21  # of the dense parts that `in_parts` yields: 16 MB
MAX_ALWAYS_DENSE_CELLS = 2**22  # a mass of at most this size is always dense
MIN_CELLS_PER_NONZERO = 4  # a larger mass with more is held by its non-zero cells
MAX_DENSE_CELLS = 2**27  # of a dense array: 1 GB
_MAX_KEYS_OF_32_BITS = 2**31  # beyond, keys have 64 bits
_DIGIT_BITS = 16  # of the digits by which numbers are sorted
_MAX_KEYS_PER_ROW = 8  # with more possible keys per row, sorting is faster than a table of keys


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The non-zero cells, row by row, and in each row column by column.

    Row i has values[starts[i] : starts[i + 1]] in columns[starts[i] : starts[i + 1]].
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[Any]
    width: int

    @classmethod
    def of(cls, rows: ArrayLike, columns: ArrayLike, values: ArrayLike, shape: Any) -> Cells:
        """Return cells given in any order; values of the same cell are added up. O(n log n)."""
        height, width = (int(size) for size in shape)
        keys = np.asarray(rows, dtype=np.int64) * width + np.asarray(columns, dtype=np.int64)
        order = stable_order(keys, height * width)
        given, keys = np.asarray(values)[order], keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        sums = np.add.reduceat(given, first) if first.size else given
        kept = sums != 0
        places = keys[first][kept]
        starts = np.searchsorted(places, np.arange(height + 1) * width)
        return cls(starts, places % width, sums[kept], width)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self.starts.size - 1, self.width

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return self.values.dtype

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The row of each cell."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    def sum(self, axis: int | None = None, dtype: Any = None) -> Any:
        """Add up all cells, or those of each column (axis 0) or row (axis 1)."""
        values = self.values if dtype is None else self.values.astype(dtype)
        if axis is None:
            return values.sum()
        sums = np.zeros(self.shape[1 - axis], dtype=values.dtype)
        np.add.at(sums, self.columns if axis == 0 else self.rows, values)
        return sums

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        """Return some rows, dense."""
        taken = self.take(rows)
        dense = np.zeros(taken.shape, dtype=self.dtype)
        dense[taken.rows, taken.columns] = taken.values
        return dense

    def take(self, rows: Any) -> Cells:
        """Return some rows: a slice, a mask, or their numbers."""
        chosen = np.arange(self.shape[0])[rows]
        sizes = np.diff(self.starts)[chosen]
        starts = np.append(0, np.cumsum(sizes))
        places = np.arange(starts[-1]) + np.repeat(self.starts[chosen] - starts[:-1], sizes)
        return Cells(starts, self.columns[places], self.values[places], self.width)

    def __matmul__(self, matrix: NDArray[Any]) -> NDArray[Any]:
        """Return the product with a dense matrix. O(cells x columns of the matrix)."""
        found = [
            np.bincount(self.rows, self.values * column[self.columns], self.shape[0])
            for column in matrix.T
        ]
        return np.ascontiguousarray(np.transpose(found))

    def column(self, number: int) -> NDArray[Any]:
        """Return one column, dense."""
        order, starts = self._by_column
        cells = order[starts[number] : starts[number + 1]]
        dense = np.zeros(self.shape[0], dtype=self.dtype)
        dense[self.rows[cells]] = self.values[cells]
        return dense

    @cached_property
    def _by_column(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The order of the cells by column, and where each column begins in it."""
        order = stable_order(self.columns, self.width)
        return order, np.searchsorted(self.columns[order], np.arange(self.width + 1))

    def mapped(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> Cells:
        """Apply a function to the values of the non-zero cells; zeros stay zeros."""
        return Cells(self.starts, self.columns, function(self.values), self.width)

    def astype(self, dtype: Any) -> Cells:
        """Return the cells with values of another dtype."""
        return self.mapped(lambda values: values.astype(dtype))

    def grouped(self, labels: NDArray[np.int64], size: int) -> Cells:
        """Add up the rows that have the same label; labels are below `size`."""
        return Cells.of(labels[self.rows], self.columns, self.values, (size, self.width))


Mass: TypeAlias = "NDArray[Any] | Cells"


def cells_of(mass: Any) -> Cells | None:
    """Return `Cells`, or a sparse matrix of SciPy, as cells; None for anything else."""
    if isinstance(mass, Cells) or not hasattr(mass, "tocoo"):
        return mass if isinstance(mass, Cells) else None
    given = mass.tocoo()
    return Cells.of(given.row, given.col, given.data, given.shape)


def held(rows: ArrayLike, columns: ArrayLike, values: ArrayLike, shape: tuple[int, int]) -> Mass:
    """Return a mass given by cells: dense if it is small or has few zeros, else sparse."""
    size, given = shape[0] * shape[1], np.asarray(values)
    if is_large(*shape) and size > MIN_CELLS_PER_NONZERO * given.size:
        return Cells.of(rows, columns, given, shape)
    array = np.zeros(shape, dtype=given.dtype)
    places = np.asarray(rows, dtype=np.int64) * shape[1] + np.asarray(columns)
    np.add.at(array.reshape(-1), places, given)  # with one index it is several times as fast
    return array


def is_large(height: int, width: int) -> bool:
    """Whether a mass of this shape may be worth holding by its non-zero cells."""
    return height * width > MAX_ALWAYS_DENSE_CELLS


def dense(mass: Mass) -> NDArray[Any]:
    """Return the mass as a dense array; raise `JointError` if it is too large for that."""
    if isinstance(mass, Cells):
        if mass.shape[0] * mass.shape[1] > MAX_DENSE_CELLS:
            raise JointError(
                f"{mass.shape[0]:,} public and {mass.shape[1]:,} sensitive values are too many for "
                "a dense table: merge with method='search' (--method search), or take fewer "
                "columns, or bins"
            )
        return mass[:]
    return mass


@overload
def block_sums(mass: NDArray[Any], labels: IntArray, size: int | None = None) -> NDArray[Any]: ...
@overload
def block_sums(mass: Cells, labels: IntArray, size: int | None = None) -> Cells: ...
@overload
def block_sums(mass: Mass, labels: IntArray, size: int | None = None) -> Mass: ...
def block_sums(mass: Mass, labels: IntArray, size: int | None = None) -> Mass:
    """Add up the rows of each block: p(s,B) from p(s,x). Shape (blocks, ...). O(cells).

    Integer counts stay integers. `labels` number the blocks from 0 on; a block below `size` without
    rows is zero.
    """
    blocks = int(labels.max()) + 1 if size is None else size
    if isinstance(mass, Cells):
        return mass.grouped(labels, blocks)
    order = stable_order(labels, blocks)
    starts = np.searchsorted(labels[order], np.arange(blocks + 1))
    found = np.flatnonzero(np.diff(starts))
    added: NDArray[Any] = np.add.reduceat(mass[order], starts[found], axis=0)
    if found.size == blocks:
        return added
    sums: NDArray[Any] = np.zeros((blocks, *mass.shape[1:]), dtype=mass.dtype)
    sums[found] = added
    return sums


def drawn_sums(channel: Mass, mass: NDArray[Any]) -> NDArray[Any]:
    """Return p(s,y) = sum over x of p(y|x) p(s,x), shape (y, s), from p(y|x), dense or sparse.

    O(cells of the channel x columns of the mass) for a sparse one.
    """
    if not isinstance(channel, Cells):
        return np.asarray(channel.T @ mass)
    found = [
        np.bincount(channel.columns, channel.values * column[channel.rows], channel.width)
        for column in mass.T
    ]
    return np.ascontiguousarray(np.transpose(found))


def column_sums(mass: Mass, codes: AnyIntArray, size: int) -> Mass:
    """Add up the columns that have the same code; codes are below `size`."""
    if isinstance(mass, Cells):
        return Cells.of(mass.rows, codes[mass.columns], mass.values, (mass.shape[0], size))
    return np.ascontiguousarray(block_sums(mass.T, codes.astype(np.int64), size).T)


@overload
def take_columns(mass: Cells, columns: IntArray) -> Cells: ...
@overload
def take_columns(mass: Mass, columns: IntArray) -> Mass: ...
def take_columns(mass: Mass, columns: IntArray) -> Mass:
    """Return some columns, given by their numbers in ascending order."""
    if not isinstance(mass, Cells):
        return np.asarray(mass[:, columns])
    place = np.full(mass.width, -1)
    place[columns] = np.arange(columns.size)
    kept = place[mass.columns] >= 0
    starts = np.append(0, np.cumsum(kept))[mass.starts]
    return Cells(starts, place[mass.columns][kept], mass.values[kept], columns.size)


def take_rows(mass: Mass, rows: Any) -> Mass:
    """Return some rows, dense or sparse as the mass is."""
    return mass.take(rows) if isinstance(mass, Cells) else mass[rows]


def column_of(mass: Mass, number: int) -> NDArray[Any]:
    """Return one column."""
    return mass.column(number) if isinstance(mass, Cells) else mass[:, number]


def stacked(masses: Sequence[Mass]) -> Mass:
    """Stack masses of the same columns on top of each other."""
    if not any(isinstance(mass, Cells) for mass in masses):
        return np.vstack([np.asarray(mass) for mass in masses])
    return _shifted(masses, axis=0)


def side_by_side(masses: Sequence[Mass]) -> Mass:
    """Put masses of the same rows side by side."""
    if not any(isinstance(mass, Cells) for mass in masses):
        return np.hstack([np.asarray(mass) for mass in masses])
    return _shifted(masses, axis=1)


def with_rest(cells: Cells, rows: IntArray) -> Cells:
    """Return some rows and, last, the sum of all others, which rounding does not make negative."""
    part = cells.take(rows)
    rest = np.maximum(cells.sum(axis=0) - part.sum(axis=0), 0)
    return _shifted([part, rest[np.newaxis]], axis=0)


def _shifted(masses: Sequence[Mass], axis: int) -> Cells:
    parts, shape = [as_cells(mass) for mass in masses], list(masses[0].shape)
    before = np.cumsum([0, *(part.shape[axis] for part in parts)])
    shape[axis] = int(before[-1])
    down, right = (before, 0 * before) if axis == 0 else (0 * before, before)
    return Cells.of(
        np.concatenate([part.rows + shift for part, shift in zip(parts, down[:-1], strict=True)]),
        np.concatenate(
            [part.columns + shift for part, shift in zip(parts, right[:-1], strict=True)]
        ),
        np.concatenate([part.values for part in parts]),
        shape,
    )


def as_cells(mass: Mass) -> Cells:
    """Return the non-zero cells of a mass."""
    if isinstance(mass, Cells):
        return mass
    rows, columns = np.nonzero(mass)  # in order
    starts = np.searchsorted(rows, np.arange(mass.shape[0] + 1))
    return Cells(starts, columns, mass[rows, columns], mass.shape[1])


def holders(mass: Mass) -> NDArray[np.int64]:
    """Return the number of non-zero cells of each column; shape (columns,)."""
    if isinstance(mass, Cells):
        return np.bincount(mass.columns, minlength=mass.width)
    return np.asarray(np.count_nonzero(mass, axis=0))


def in_parts(mass: Mass) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield dense parts of some rows each, and the slice of their row numbers."""
    height, width = mass.shape
    step = max(1, CELLS_PER_PART // max(1, width))
    for start in range(0, height, step):
        rows = slice(start, min(start + step, height))
        yield rows, mass[rows]


def by_rows(function: Callable[[NDArray[Any]], NDArray[Any]], mass: Mass) -> NDArray[Any]:
    """Apply a function that treats each row on its own, to some dense rows at a time."""
    return np.concatenate([function(rows) for _, rows in in_parts(mass)])


def any_row(labels: IntArray) -> IntArray:
    """Return the number of one row of each block; shape (blocks,)."""
    rows = np.empty(int(labels.max()) + 1, dtype=np.int64)
    rows[labels] = np.arange(labels.size)
    return rows


def components(rows: IntArray, groups: IntArray, size: int) -> IntArray:
    """Number the components of `size` rows, where rows[i] belongs to groups[i]; without gaps.

    Rows that share a group are in one component. O(entries) for each step of the longest chain.
    """
    least = np.arange(size)
    while True:
        of_group = np.full(int(groups.max(initial=0)) + 1, size)
        np.minimum.at(of_group, groups, least[rows])
        before = least.copy()
        np.minimum.at(least, rows, of_group[groups])
        least = least[least]
        if np.array_equal(least, before):
            return _without_gaps(least, size)


def apart(cells: Cells, step: int = 1) -> list[tuple[IntArray, IntArray]]:
    """Return the rows and columns, rising, of parts that have no cells in common.

    A part is one component, or several that begin within the same `step` rows. Columns without
    cells are in no part. O(cells) for each step of the longest chain.
    """
    of_row = components(cells.rows, cells.columns, cells.shape[0])
    begun = np.append(0, np.cumsum(np.bincount(of_row))[:-1])
    of_row = _without_gaps(begun // step, cells.shape[0])[of_row]
    of_column = np.full(cells.width, -1)
    of_column[cells.columns] = of_row[cells.rows]
    used = np.flatnonzero(of_column >= 0)
    parts = int(of_row.max()) + 1
    rows = np.split(stable_order(of_row, parts), np.cumsum(np.bincount(of_row))[:-1])
    columns = used[stable_order(of_column[used], parts)]
    ends = np.cumsum(np.bincount(of_column[used], minlength=parts))[:-1]
    return list(zip(rows, np.split(columns, ends), strict=True))


def between(cells: Cells, rows: IntArray, columns: IntArray) -> NDArray[Any]:
    """Return the cells of some rows and columns, dense; numbers rise."""
    return take_columns(cells.take(rows), columns)[:]


def stable_order(numbers: NDArray[np.integer[Any]], size: int) -> IntArray:
    """Return the rows in the order of their numbers, which are from 0 on and below `size`.

    Rows of the same number stay in their order. O(n) for every 16 bits of the numbers: numpy sorts
    numbers of 16 bits by their digits, several times faster than larger ones, which it compares.
    """
    order = np.argsort(numbers.astype(np.uint16, copy=False), kind="stable")  # by the lowest digit
    for shift in range(_DIGIT_BITS, max(size - 1, 0).bit_length(), _DIGIT_BITS):
        digits = (numbers >> shift).astype(np.uint16)[order]
        order = order[np.argsort(digits, kind="stable")]
    return order


def refinement(labelings: Sequence[AnyIntArray]) -> IntArray:
    """Number the combinations of several labellings of the same rows: their common refinement.

    Labels are numbers from 0 on; so are the result's, without gaps, in lexicographic order. O(n)
    for each labelling while combinations are few, else O(n log n).
    """
    return _without_gaps(*_keys(labelings))


def tallied(labelings: Sequence[AnyIntArray]) -> tuple[IntArray, IntArray]:
    """Return one row of each combination of several labellings, and the number of its rows.

    Combinations are in the order of `refinement`; O(n) where that is.
    """
    keys, size = _keys(labelings)
    if size > _MAX_KEYS_PER_ROW * keys.size:
        keys = _without_gaps(keys, size)
        size = int(keys.max()) + 1
    counts, rows = np.bincount(keys, minlength=size), np.empty(size, dtype=np.int64)
    rows[keys] = np.arange(keys.size)
    occurs = np.flatnonzero(counts)
    return rows[occurs], counts[occurs]


def _keys(labelings: Sequence[AnyIntArray]) -> tuple[IntArray, int]:
    """Return one number for the labels of each row, in lexicographic order, and its upper limit.

    Numbers have 32 bits while they fit: the time goes into reading memory, which is halved.
    """
    keys, size = labelings[0], int(labelings[0].max(initial=-1)) + 1
    for labeling in labelings[1:]:
        width = int(labeling.max(initial=-1)) + 1
        if size * width > _MAX_KEYS_PER_ROW * keys.size:  # this also avoids an overflow
            keys = _without_gaps(keys, size)
            size = int(keys.max()) + 1
        size *= width
        keys = np.multiply(keys, width, dtype=np.int32 if size < _MAX_KEYS_OF_32_BITS else np.int64)
        keys += labeling
    return keys.astype(np.int64, copy=False), size


def _without_gaps(keys: AnyIntArray, size: int) -> IntArray:
    """Return the rank of each key among the keys that occur; keys are below `size`."""
    if size > _MAX_KEYS_PER_ROW * keys.size:
        return np.unique(keys, return_inverse=True)[1]
    occurs = np.zeros(size, dtype=bool)
    occurs[keys] = True
    ranks: IntArray = (np.cumsum(occurs) - 1)[keys]
    return ranks
