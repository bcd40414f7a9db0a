"""Columns as codes: the distinct values once, and for each row which one it is.

Python looks at distinct values only; all that is done row by row is done by numpy on the codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np

from loglift.joint import IntArray
from loglift.sparse import AnyIntArray, any_row, refinement

Values = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: its distinct values, and the place of each row's value among them."""

    values: list[Any]
    places: AnyIntArray

    @classmethod
    def of(cls, items: Sequence[Any]) -> Coded:
        """Code the values of a column; unhashable ones stay one value a row."""
        coding = Coding()
        try:
            coding.add(items)
        except TypeError:
            return cls(list(items), np.arange(len(items)))
        return coding.coded()

    def renamed(self, values: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Coded:
        """Put other values in the place of these; equal ones become one, sorted if a key is given.

        The sort is stable: without a key values keep the order in which they come.
        """
        named = list(values)
        distinct = list(dict.fromkeys(named))
        if key is not None:
            distinct.sort(key=key)
        place = {value: i for i, value in enumerate(distinct)}
        moved = np.array([place[value] for value in named], dtype=np.int64)
        return Coded(distinct, moved[self.places])

    def rows(self) -> list[Any]:
        """Return the value of each row."""
        return [self.values[place] for place in self.places.tolist()]

    def take(self, rows: IntArray) -> Coded:
        """Return the column of the given rows only; values that they do not have stay listed."""
        return Coded(self.values, self.places[rows])


@dataclass(frozen=True, eq=False)
class Coding:
    """A column that is coded some values at a time, so that not all are held at once."""

    place: dict[Any, int] = field(default_factory=dict)
    parts: list[IntArray] = field(default_factory=list)

    def add(self, items: Sequence[Any]) -> None:
        """Code the values that come next; instants in UTC.

        In a zone whose clocks are set back two of them are equal to Python.
        """
        place = self.place
        if any(isinstance(item, datetime) for item in items):
            items = [item.astimezone(UTC) if _is_local(item) else item for item in items]
        codes = [place.setdefault(item, len(place)) for item in items]
        self.parts.append(np.array(codes, dtype=np.int64))

    def coded(self) -> Coded:
        """Return the column."""
        return Coded(list(self.place), np.concatenate([np.arange(0), *self.parts]))


@dataclass(frozen=True, eq=False)
class Indexed:
    """The distinct rows of some columns: as tuples, and column by column as codes.

    `places` tells for each row which one it is.
    """

    values: tuple[Values, ...]
    codes: tuple[AnyIntArray, ...]
    places: IntArray


def _is_local(item: Any) -> bool:
    return isinstance(item, datetime) and item.tzinfo not in (None, UTC)


def indexed(columns: Sequence[Coded]) -> Indexed:
    """Return the distinct rows in the order of the columns' values, the first column first.

    O(rows log rows).
    """
    labels = refinement([column.places for column in columns])
    one_each = any_row(labels)
    distinct = [column.take(one_each) for column in columns]
    codes = tuple(column.places for column in distinct)
    return Indexed(tuple(tuples_of(distinct)), codes, labels)


def tuples_of(columns: Sequence[Coded]) -> list[Values]:
    """Return the rows of some columns as tuples."""
    return list(zip(*(column.rows() for column in columns), strict=True))
