"""The partition view: which public values are released together, as what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.certify.certificate import Certificate
from loglift.joint import FloatArray, IntArray
from loglift.mechanism.naming import text_of
from loglift.mechanism.recoding import Recoding
from loglift.report.words import event_words

MOST_VALUES = 10_000  # of a page; beyond, the mechanism has them all


@dataclass(frozen=True)
class ValueRow:
    """A public value, column by column, and the number of the released value it becomes.

    `records` and `omega` are for the custodian: None in what is published.
    """

    texts: tuple[str, ...]
    block: int | None
    records: int | None = None
    omega: float | None = None


@dataclass(frozen=True)
class BlockRow:
    """A released value, column by column, and how many public values it stands for."""

    texts: tuple[str, ...]
    values: int
    records: int | None = None
    leakage: float | None = None
    moves: str | None = None


@dataclass(frozen=True)
class Partition:
    """The public values a page holds and the released values they become, which they number.

    `public_values`, `released_values` and `merged_values` (public values that share a released
    one) count all of them, also those that a page is too small for.
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
        """How many public values the page does not hold."""
        return self.public_values - len(self.values)


def published_partition(recoding: Recoding) -> Partition:
    """Return what the mechanism itself says, and nothing else, values in its own order."""
    return _partition(recoding, np.arange(len(recoding.values)), None)


def full_partition(recoding: Recoding, known: Known) -> Partition:
    """Return the partition with records and risks, riskiest values first."""
    return _partition(recoding, known.order, known)


@dataclass(frozen=True, eq=False)
class Known:
    """What the custodian knows of the values: their order, records and omega; the certificate."""

    order: IntArray
    records: IntArray
    omegas: FloatArray
    certificate: Certificate


def _partition(recoding: Recoding, order: IntArray, known: Known | None) -> Partition:
    shown = order[:MOST_VALUES]
    if recoding.channel is not None:  # a public value has no one released value
        values = tuple(_value(recoding, x, None, known) for x in shown.tolist())
        return Partition(recoding.columns, (), values, (), len(recoding.values), recoding.size)
    blocks, sizes = np.array(recoding.blocks), np.bincount(recoding.blocks)
    held, places = np.unique(blocks[shown], return_inverse=True)
    return Partition(
        public=recoding.columns,
        released=tuple(column.name for column in recoding.released),
        values=tuple(
            _value(recoding, x, place, known)
            for x, place in zip(shown.tolist(), places.tolist(), strict=True)
        ),
        blocks=tuple(_block(recoding, y, int(sizes[y]), known) for y in held.tolist()),
        public_values=len(recoding.values),
        released_values=recoding.size,
        merged_values=int(sizes[sizes > 1].sum()),
    )


def _value(recoding: Recoding, x: int, place: int | None, known: Known | None) -> ValueRow:
    texts = texts_of(recoding.values[x])
    if known is None:
        return ValueRow(texts, place)
    return ValueRow(texts, place, int(known.records[x]), float(known.omegas[x]))


def _block(recoding: Recoding, y: int, size: int, known: Known | None) -> BlockRow:
    texts = tuple(text_of(column.values[y]) for column in recoding.released)
    if known is None:
        return BlockRow(texts, size)
    told = known.certificate.values[y]
    moves = f"{told.direction} {event_words(told.tightest)}"
    return BlockRow(texts, size, told.records, told.leakage, moves)


def texts_of(value: Sequence[Any]) -> tuple[str, ...]:
    """Return a value as texts, one for each column."""
    return tuple(text_of(item) for item in value)
