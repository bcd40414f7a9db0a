"""Columns as codes: the distinct values once, and for each row the number of its value.

Python handles distinct values only; numpy does all work per row, on the codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np

from loglift.joint import IntArray
from loglift.sparse import AnyIntArray, any_row, refinement
from loglift.tables.canonical import sort_key

Values = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Coded:
    """A column: its distinct values, and for each row the place of its value among them."""

    values: list[Any]
    places: AnyIntArray

    @classmethod
    def of(cls, items: Sequence[Any]) -> Coded:
        """Encode the values of a column; if one is unhashable, every row is a value of its own."""
        encoder = Encoder()
        try:
            encoder.add(items)
        except TypeError:
            return cls(list(items), np.arange(len(items)))
        return encoder.coded()

    def renamed(
        self, values: Iterable[Any], key: Callable[[Any], tuple[int, Any]] | None = None
    ) -> Coded:
        """Replace the distinct values by others, given in the same order; equal ones become one.

        With a `key` the new values are sorted by it; the sort is stable. Without it they keep their
        order.
        """
        named = list(values)
        distinct = list(dict.fromkeys(named))
        order = list(range(len(distinct))) if key is None else _order_of(distinct, key)
        moved = np.empty(len(distinct), dtype=np.int64)
        moved[order] = np.arange(len(order))
        if len(distinct) < len(named):
            place = {value: i for i, value in enumerate(distinct)}
            moved = moved[[place[value] for value in named]]
        return Coded([distinct[i] for i in order], moved[self.places])

    def rows(self) -> list[Any]:
        """Return the value of each row."""
        return [self.values[place] for place in self.places.tolist()]

    def take(self, rows: IntArray) -> Coded:
        """Return the column of the given rows; values that occur in no such row stay listed."""
        return Coded(self.values, self.places[rows])


def _order_of(values: list[Any], key: Callable[[Any], tuple[int, Any]]) -> list[int]:
    """Return the places of the values in the order of their keys."""
    if key is sort_key and set(map(type, values)) in ({str}, {int}):  # their keys are themselves
        return sorted(range(len(values)), key=values.__getitem__)
    return _sorted(map(key, values))


def _sorted(keys: Iterable[tuple[int, Any]]) -> list[int]:
    """Return the places of keys (rank, value) in sorted order.

    Values are compared within their rank, and without tuples: that is several times as fast.
    """
    values: list[Any] = []
    places: dict[int, list[int]] = {}
    for place, (rank, value) in enumerate(keys):
        values.append(value)
        places.setdefault(rank, []).append(place)
    return [i for rank in sorted(places) for i in sorted(places[rank], key=values.__getitem__)]


@dataclass(frozen=True, eq=False)
class Encoder:
    """Encodes a column batch by batch, so that memory never holds all its values at once."""

    place: dict[Any, int] = field(default_factory=dict)
    parts: list[IntArray] = field(default_factory=list)

    def add(self, items: Sequence[Any]) -> None:
        """Encode the next batch of values; instants are converted to UTC.

        Without the conversion, two instants are equal to Python when clocks are set back between
        them.
        """
        place = self.place
        if any(isinstance(item, datetime) for item in items):
            items = [item.astimezone(UTC) if _is_local(item) else item for item in items]
        codes = [place.setdefault(item, len(place)) for item in items]
        self.parts.append(np.array(codes, dtype=np.int64))

    def coded(self) -> Coded:
        """Return the column."""
        return Coded(list(self.place), np.concatenate([np.arange(0), *self.parts]))


def _is_local(item: Any) -> bool:
    return isinstance(item, datetime) and item.tzinfo not in (None, UTC)


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """The distinct rows of some columns, column by column.

    `places` has for each row the number of the distinct row that it equals.
    """

    columns: tuple[Coded, ...]
    places: IntArray

    @property
    def codes(self) -> tuple[AnyIntArray, ...]:
        """The places of their values among those of the column, column by column."""
        return tuple(column.places for column in self.columns)

    @cached_property
    def values(self) -> tuple[Values, ...]:
        """The distinct rows as tuples."""
        return tuple(tuples_of(self.columns))


def distinct_rows(columns: Sequence[Coded]) -> DistinctRows:
    """Return the distinct rows, sorted by the order of the columns' values, first column first.

    O(rows log rows).
    """
    labels = refinement([column.places for column in columns])
    one_each = any_row(labels)
    return DistinctRows(tuple(column.take(one_each) for column in columns), labels)


def tuples_of(columns: Sequence[Coded]) -> list[Values]:
    """Return the rows of some columns as tuples."""
    return list(zip(*(column.rows() for column in columns), strict=True))
