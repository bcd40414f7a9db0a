"""What is evaluated: the records of a table as codes, and what readers see of each.

A column is a list of values and the code of each record's value. What readers see of the public
columns is a `View`: every record shows a released value y, and readers believe with the
probability b(row|y) that the record has the public values of a row. A plain value is believed as it
stands; a merged value is spread evenly over its members; for a random value the belief is its
posterior p(x|y), which its name shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import FloatArray, IntArray
from loglift.mechanism.mechanism import Mechanism
from loglift.sparse import Cells, Mass, any_row, as_cells, refinement


@dataclass(frozen=True, eq=False, repr=False)
class RecordColumn:
    """A column of the records.

    Attributes
    ----------
    name
        Its name.
    values
        Its distinct values.
    codes
        Which of them each record has.
    numbers
        The values as numbers, NaN where one is missing; None for a column that is not of numbers.
    places
        The place of each value in the order of the column; None for a column without an order.

    """

    name: str
    values: tuple[Any, ...]
    codes: IntArray
    numbers: FloatArray | None = None
    places: IntArray | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """The records of a table.

    Attributes
    ----------
    public
        The public columns.
    others
        Other columns that readers care about: released as they are, or wanted for a purpose.
    rows
        The codes of each public value that the mechanism knows, shape (public values, columns).
    x
        Which of them each record has.

    """

    public: tuple[RecordColumn, ...]
    others: tuple[RecordColumn, ...]
    rows: IntArray
    x: IntArray

    @property
    def size(self) -> int:
        """The number of records."""
        return self.x.size


@dataclass(frozen=True, eq=False, repr=False)
class View:
    """What readers see of the public columns.

    Attributes
    ----------
    y
        The number of the released value that each record shows.
    rows
        The public values that readers believe in, as codes, shape (rows, columns).
    cell_y, cell_row, share
        b(row|y) by its non-zero cells, in the order of y.

    """

    y: IntArray
    rows: IntArray
    cell_y: IntArray
    cell_row: IntArray
    share: FloatArray

    @cached_property
    def shown(self) -> int:
        """The number of released values that readers know."""
        return int(self.cell_y.max()) + 1

    @cached_property
    def records(self) -> IntArray:
        """The number of records of each released value."""
        return np.bincount(self.y, minlength=self.shown)

    @cached_property
    def mass(self) -> FloatArray:
        """The number of records of each row, as readers rebuild the table from the release."""
        return sums_of(self.cell_row, self.records[self.cell_y] * self.share, len(self.rows))

    def mean_over(self, value: NDArray[Any]) -> FloatArray:
        """Return the mean of a value of rows under the belief of each released value."""
        return sums_of(self.cell_y, self.share * value[self.cell_row], self.shown)

    def belief(self, column: int, size: int) -> tuple[IntArray, FloatArray]:
        """Return b(value|y) of one column of `size` values: y*size + code of each cell, its share.

        The numbers of the cells rise.
        """
        keys = self.cell_y * size + self.rows[self.cell_row, column]
        found, place = np.unique(keys, return_inverse=True)
        return found, sums_of(place, self.share, found.size)

    def sole(self, column: int) -> IntArray:
        """Return the code that each released value stands for; -1 where it stands for several."""
        codes = self.rows[self.cell_row, column]
        found = np.full(self.shown, -1, dtype=np.int64)
        found[self.cell_y] = codes
        found[self.cell_y[found[self.cell_y] != codes]] = -1
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Views:
    """What readers see of the table as it is, of its release, and of the trivial release."""

    original: View
    released: View
    shuffled: View


def sums_of(codes: IntArray, mass: FloatArray | None, size: int) -> FloatArray:
    """Add masses up by their codes, which are below `size`; without masses, count."""
    return np.bincount(codes, mass, minlength=size).astype(np.float64)


def plain_view(codes: Sequence[IntArray]) -> View:
    """Return the view of plain values, one array of codes per column: each is taken as it is."""
    y = refinement(codes)
    one_each = any_row(y)
    numbers = np.arange(one_each.size)
    rows = np.stack([column[one_each] for column in codes], axis=1)
    return View(y, rows, numbers, numbers, np.ones(one_each.size))


def original_view(records: Records) -> View:
    """Return the view of the table as it is."""
    return plain_view([column.codes for column in records.public])


def shuffled_view(records: Records, random: np.random.Generator) -> View:
    """Return the view of the trivial release: each public column shuffled on its own."""
    return plain_view([random.permutation(column.codes) for column in records.public])


def released_view(records: Records, mechanism: Mechanism, random: np.random.Generator) -> View:
    """Return what readers see of a release: blocks, plain values, or one draw of a channel."""
    if mechanism.labels is None:
        return _drawn_view(records, mechanism, random)
    labels = np.asarray(mechanism.labels, dtype=np.int64)
    if shows_values(mechanism):
        return plain_view(list(records.rows[swapped(records.x, labels, random)].T))
    order = np.argsort(labels, kind="stable")
    shares = 1.0 / np.bincount(labels)[labels[order]]
    return View(labels[records.x], records.rows, labels[order], order, shares)


def shows_values(mechanism: Mechanism) -> bool:
    """Return whether a mechanism shows a plain value, a member of the block, in each record."""
    return mechanism.shares is not None


def swapped(x: IntArray, labels: IntArray, random: np.random.Generator) -> IntArray:
    """Return the records' own public values, at random among the records of the same block."""
    block = labels[x]
    shown = np.empty_like(x)
    shown[np.lexsort((random.random(x.size), block))] = x[np.argsort(block, kind="stable")]
    return shown


def drawn(x: IntArray, channel: Mass, random: np.random.Generator) -> IntArray:
    """Draw a released value of each record from p(y|x), one row per public value."""
    uniform, y = random.random(x.size), np.empty(x.size, dtype=np.int64)
    cells, order = as_cells(channel), np.argsort(x, kind="stable")
    ends = np.cumsum(np.bincount(x, minlength=cells.shape[0]))
    outputs = np.split(cells.columns, cells.starts[1:-1])
    shares = np.split(cells.values, cells.starts[1:-1])
    for shown, share, records in zip(outputs, shares, np.split(order, ends[:-1]), strict=True):
        steps = np.cumsum(share)
        found = np.searchsorted(steps, uniform[records] * steps[-1], side="right")
        y[records] = shown[np.minimum(found, shown.size - 1)]
    return y


def _drawn_view(records: Records, mechanism: Mechanism, random: np.random.Generator) -> View:
    """Return the view of one draw of a channel. O(cells of the channel + records log records)."""
    channel = mechanism.probabilities
    if mechanism.exact_channel is not None:
        posterior = mechanism.exact_channel.posterior_cells()
    else:
        weight = np.bincount(records.x, minlength=channel.shape[0])
        posterior = _posterior(as_cells(channel), weight)
    y = drawn(records.x, channel, random)
    return View(y, records.rows, posterior.rows, posterior.columns, posterior.values)


def _posterior(channel: Cells, weight: IntArray) -> Cells:
    """Return p(x|y) from p(y|x) and n(x), even where no record has y; one row per y."""
    n, size = channel.shape
    mass = channel.values * weight[channel.rows]
    totals = np.bincount(channel.columns, mass, size)
    absent = np.flatnonzero(totals == 0)
    shown = mass > 0
    y = channel.columns[shown]
    return Cells.of(
        np.concatenate([y, np.repeat(absent, n)]),
        np.concatenate([channel.rows[shown], np.tile(np.arange(n), absent.size)]),
        np.concatenate([mass[shown] / totals[y], np.full(n * absent.size, 1 / n)]),
        (size, n),
    )
