"""Mass with few cells that are not zero: a table of many public and many sensitive values.

`Cells` stand where a dense array of mass, shape (public values, sensitive values), would. They are
added up like one, and their rows come out of them dense, some at a time: what is done row by row
takes memory in proportion to the cells that are not zero, whatever the shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from loglift.errors import JointError

AT_ONCE = 2**21  # cells that are looked at together, dense: 16 MB
FEW = 2**22  # cells that are held dense anyway
SPARSE = 4  # times more cells than those that are not zero, from where on only these are held
MOST_DENSE = 2**27  # cells of a dense array: 1 GB


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The cells that are not zero, row by row, and in each row column by column.

    Row i has values[starts[i] : starts[i + 1]] in the columns of the same place.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: NDArray[Any]
    width: int

    @classmethod
    def of(cls, rows: ArrayLike, columns: ArrayLike, values: ArrayLike, shape: Any) -> Cells:
        """Put cells in order that come in any; those of the same place are added up."""
        height, width = (int(size) for size in shape)
        keys = np.asarray(rows, dtype=np.int64) * width + np.asarray(columns, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        given, keys = np.asarray(values)[order], keys[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        sums = np.add.reduceat(given, first) if first.size else given
        kept = sums != 0
        places = keys[first][kept]
        starts = np.searchsorted(places, np.arange(height + 1) * width)
        return cls(starts, places % width, sums[kept], width)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        return self.starts.size - 1, self.width

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the values."""
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

    def column(self, number: int) -> NDArray[Any]:
        """Return one column, dense."""
        order, starts = self._by_column
        cells = order[starts[number] : starts[number + 1]]
        dense = np.zeros(self.shape[0], dtype=self.dtype)
        dense[self.rows[cells]] = self.values[cells]
        return dense

    @cached_property
    def _by_column(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells in the order of their columns, and where each column begins."""
        order = np.argsort(self.columns, kind="stable")
        return order, np.searchsorted(self.columns[order], np.arange(self.width + 1))

    def mapped(self, function: Callable[[NDArray[Any]], NDArray[Any]]) -> Cells:
        """Return the cells with other values in their places; zeros stay zeros."""
        return Cells(self.starts, self.columns, function(self.values), self.width)

    def astype(self, dtype: Any) -> Cells:
        """Return the cells with values of another type."""
        return self.mapped(lambda values: values.astype(dtype))

    def grouped(self, labels: NDArray[np.int64], size: int) -> Cells:
        """Add up the rows that have the same label, of which there are `size`."""
        return Cells.of(labels[self.rows], self.columns, self.values, (size, self.width))


Mass: TypeAlias = "NDArray[Any] | Cells"


def cells_of(mass: Any) -> Cells | None:
    """Return `Cells` as they are, and a sparse matrix of SciPy as such; None for anything else."""
    if isinstance(mass, Cells) or not hasattr(mass, "tocoo"):
        return mass if isinstance(mass, Cells) else None
    given = mass.tocoo()
    return Cells.of(given.row, given.col, given.data, given.shape)


def held(rows: ArrayLike, columns: ArrayLike, values: ArrayLike, shape: tuple[int, int]) -> Mass:
    """Hold cells densely where they are few or most of them are not zero, else only these."""
    size, given = shape[0] * shape[1], np.asarray(values)
    if size > max(FEW, SPARSE * given.size):
        return Cells.of(rows, columns, given, shape)
    array = np.zeros(shape, dtype=given.dtype)
    np.add.at(array, (np.asarray(rows), np.asarray(columns)), given)
    return array


def dense(mass: Mass) -> NDArray[Any]:
    """Return the mass as an array, for what needs all of it at once."""
    if isinstance(mass, Cells):
        if mass.shape[0] * mass.shape[1] > MOST_DENSE:
            raise JointError(
                f"{mass.shape[0]:,} public and {mass.shape[1]:,} sensitive values are too many to "
                "hold against each other: only search can merge so many; or take fewer columns, or "
                "bins"
            )
        return mass[:]
    return mass


def take_rows(mass: Mass, rows: Any) -> Mass:
    """Return some rows, as the mass is: an array, or cells."""
    return mass.take(rows) if isinstance(mass, Cells) else mass[rows]


def column_of(mass: Mass, number: int) -> NDArray[Any]:
    """Return one column."""
    return mass.column(number) if isinstance(mass, Cells) else mass[:, number]


def stacked(masses: Sequence[Mass]) -> Mass:
    """Put masses of the same columns one below the other."""
    if not any(isinstance(mass, Cells) for mass in masses):
        return np.vstack([np.asarray(mass) for mass in masses])
    return _shifted(masses, axis=0)


def side_by_side(masses: Sequence[Mass]) -> Mass:
    """Put masses of the same rows beside each other."""
    if not any(isinstance(mass, Cells) for mass in masses):
        return np.hstack([np.asarray(mass) for mass in masses])
    return _shifted(masses, axis=1)


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
    """Return the cells of a mass that are not zero."""
    if isinstance(mass, Cells):
        return mass
    rows, columns = np.nonzero(mass)  # in order
    starts = np.searchsorted(rows, np.arange(mass.shape[0] + 1))
    return Cells(starts, columns, mass[rows, columns], mass.shape[1])


def holders(mass: Mass) -> NDArray[np.int64]:
    """How many rows have each column: cells that are not zero; shape (columns,)."""
    if isinstance(mass, Cells):
        return np.bincount(mass.columns, minlength=mass.width)
    return np.asarray(np.count_nonzero(mass, axis=0))


def in_parts(mass: Mass) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield some rows at a time, dense, and where they stand."""
    height, width = mass.shape
    step = max(1, AT_ONCE // max(1, width))
    for start in range(0, height, step):
        rows = slice(start, min(start + step, height))
        yield rows, mass[rows]


def by_rows(function: Callable[[NDArray[Any]], NDArray[Any]], mass: Mass) -> NDArray[Any]:
    """Apply a function of rows, each on its own, to all rows, some at a time."""
    return np.concatenate([function(rows) for _, rows in in_parts(mass)])
