"""The partition view: which public values are released together, as what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from loglift.certificate import Certificate
from loglift.joint import FloatArray, IntArray
from loglift.naming import text_of
from loglift.recoding import Recoding
from loglift.report.words import event_words

MOST_VALUES = 20_000  # of a page; beyond, the mechanism has them all


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
    """All public values in the order of risk (in their own order if published), and the blocks."""

    public: tuple[str, ...]
    released: tuple[str, ...]
    values: tuple[ValueRow, ...]
    blocks: tuple[BlockRow, ...]
    left_out: int


def published_partition(recoding: Recoding) -> Partition:
    """Return what the mechanism itself says, and nothing else."""
    values = [
        ValueRow(texts_of(value), block)
        for value, block in zip(recoding.values, recoding.blocks, strict=True)
    ]
    sizes = np.bincount(recoding.blocks).tolist()
    return Partition(
        public=recoding.columns,
        released=tuple(column.name for column in recoding.released),
        values=tuple(values[:MOST_VALUES]),
        blocks=tuple(BlockRow(_shown(recoding, y), size) for y, size in enumerate(sizes)),
        left_out=max(0, len(values) - MOST_VALUES),
    )


def full_partition(
    recoding: Recoding,
    certificate: Certificate,
    order: IntArray,
    records: IntArray,
    omegas: FloatArray,
) -> Partition:
    """Return the partition with records and risks, values in the given order."""
    values = [
        ValueRow(
            texts_of(recoding.values[x]), recoding.blocks[x], int(records[x]), float(omegas[x])
        )
        for x in order[:MOST_VALUES].tolist()
    ]
    sizes = np.bincount(recoding.blocks).tolist()
    blocks = [
        BlockRow(
            _shown(recoding, y),
            size,
            told.records,
            told.leakage,
            f"{told.direction} {event_words(told.tightest)}",
        )
        for y, (size, told) in enumerate(zip(sizes, certificate.values, strict=True))
    ]
    return Partition(
        public=recoding.columns,
        released=tuple(column.name for column in recoding.released),
        values=tuple(values),
        blocks=tuple(blocks),
        left_out=max(0, len(recoding.values) - MOST_VALUES),
    )


def texts_of(value: Sequence[Any]) -> tuple[str, ...]:
    """Return a value as texts, one for each column."""
    return tuple(text_of(item) for item in value)


def _shown(recoding: Recoding, block: int) -> tuple[str, ...]:
    return tuple(text_of(column.values[block]) for column in recoding.released)
