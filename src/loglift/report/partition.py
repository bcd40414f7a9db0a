"""The partition view: which public values are released together, and as what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.certify.released_values import ReleasedValue
from loglift.joint import FloatArray, IntArray
from loglift.mechanism.naming import ReleasedColumn
from loglift.mechanism.words import value_words
from loglift.report.words import event_words

MAX_VALUES = 10_000  # public values on a page; mechanism.json has all of them


@dataclass(frozen=True)
class ValueRow:
    """A public value, column by column, and the number of its released value.

    `records` and `omega` are for the custodian: None in what is published.
    """

    texts: tuple[str, ...]
    block: int | None
    records: int | None = None
    omega: float | None = None


@dataclass(frozen=True)
class BlockRow:
    """A released value, column by column, and its number of public values.

    The rest is for the custodian: None in what is published.
    """

    texts: tuple[str, ...]
    values: int
    records: int | None = None
    leakage: float | None = None
    moves: str | None = None


@dataclass(frozen=True)
class Partition:
    """The public values of a page, and the released values that they number.

    `blocks` is empty for an audit and for a randomized release. `public_values`,
    `released_values` and `merged_values` (public values that share a released one) count all
    values, also those that the page leaves out.
    """

    public: tuple[str, ...]
    released: tuple[str, ...]
    values: tuple[ValueRow, ...]
    blocks: tuple[BlockRow, ...]
    public_values: int
    released_values: int = 0
    merged_values: int = 0

    @property
    def left_out(self) -> int:
        """The number of public values that the page leaves out."""
        return self.public_values - len(self.values)


@dataclass(frozen=True, eq=False)
class Known:
    """What the custodian knows: records and omega of each public value, and the checked blocks.

    `order` lists the public values, riskiest first; `blocks` is empty for an audit.
    """

    order: IntArray
    records: IntArray
    omegas: FloatArray
    blocks: Sequence[ReleasedValue] = ()


def partition_of(
    columns: Sequence[str],
    values: Sequence[Sequence[Any]],
    labels: IntArray | None,
    released: Sequence[ReleasedColumn],
    known: Known | None = None,
) -> Partition:
    """Return the first `MAX_VALUES` public values and what they become.

    `columns` names the public columns, `values` has their values as tuples, `labels` the number
    of each one's released value (None where it has several or none), `released` the released
    columns. Without `known` the result says what the mechanism says and no more.
    """
    order = np.arange(len(values)) if known is None else known.order
    shown = order[:MAX_VALUES]
    size = len(released[0].values) if released else 0
    if labels is None:
        rows = tuple(_value(values[x], x, None, known) for x in shown.tolist())
        return Partition(tuple(columns), (), rows, (), len(values), size)
    sizes = np.bincount(labels)
    held, places = np.unique(labels[shown], return_inverse=True)
    return Partition(
        public=tuple(columns),
        released=tuple(column.name for column in released),
        values=tuple(
            _value(values[x], x, place, known)
            for x, place in zip(shown.tolist(), places.tolist(), strict=True)
        ),
        blocks=tuple(_block(released, y, int(sizes[y]), known) for y in held.tolist()),
        public_values=len(values),
        released_values=size,
        merged_values=int(sizes[sizes > 1].sum()),
    )


def _value(value: Sequence[Any], x: int, place: int | None, known: Known | None) -> ValueRow:
    texts = tuple(map(value_words, value))
    if known is None:
        return ValueRow(texts, place)
    return ValueRow(texts, place, int(known.records[x]), float(known.omegas[x]))


def _block(released: Sequence[ReleasedColumn], y: int, size: int, known: Known | None) -> BlockRow:
    texts = tuple(value_words(column.values[y]) for column in released)
    if known is None:
        return BlockRow(texts, size)
    checked = known.blocks[y]
    moves = f"{checked.direction} {event_words(checked.tightest)}"
    return BlockRow(texts, size, checked.records, checked.leakage, moves)
