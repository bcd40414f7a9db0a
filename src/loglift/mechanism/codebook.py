"""The codebook of a release: what each block shows in each column, and which values it stands for.

A table with a line for each block and column, enough to decode any cell of the released table
without mechanism.json. It says what the released table and mechanism.json say: public values and
the number of records of each block, which anyone can count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from loglift.errors import MechanismError
from loglift.mechanism.mechanism import Mechanism
from loglift.mechanism.naming import BLOCK_COLUMN, SEPARATOR, ReleasedColumn, text_of

_MARKERS = ("NULL", "NaN", "(empty)")  # what missing values and the empty text look like
HEADER = (BLOCK_COLUMN, "column", "shown", "members", "records")


def codebook(mechanism: Mechanism, records: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the codebook of a partition, the header first.

    `records` has the number of records of each block. A text that contains a vertical bar or a
    double quote, or looks like a missing value, stands in double quotes among the members, in which
    a double quote is doubled.
    """
    if mechanism.shares is not None:
        raise MechanismError("a release that is shown as values has no codes")
    yield HEADER
    labels, names = mechanism.partition, mechanism.column_names
    order = np.argsort(labels, kind="stable").tolist()  # of Python's numbers: they are read faster
    sizes = np.bincount(labels, minlength=mechanism.size).tolist()
    shown = {column.name: column for column in mechanism.released}
    cells = [_shown(name, shown) for name in names]
    members = [_members(values, order, sizes) for values in zip(*mechanism.tuples, strict=True)]
    blocks = zip(records, zip(*cells, strict=True), zip(*members, strict=True), strict=True)
    for block, (count, shows, holds) in enumerate(blocks, start=1):
        number, size = str(block), str(count)
        for name, cell, texts in zip(names, shows, holds, strict=True):
            yield (number, name, cell, texts, size)


def _shown(name: str, shown: dict[str, ReleasedColumn]) -> Iterator[str]:
    """Yield what a column shows of each block; both ends of one that is released as two."""
    if name in shown:
        return map(text_of, shown[name].values)
    ends = (shown[f"{name}_{end}"].values for end in ("low", "high"))
    return (f"{text_of(low)} to {text_of(high)}" for low, high in zip(*ends, strict=True))


def _members(cells: Sequence[Any], order: Sequence[int], sizes: Sequence[int]) -> Iterator[str]:
    """Yield the members of each block in one column; the rows of a block are together in `order`.

    `cells` has the value of each public value.
    """
    start = 0
    for size in sizes:
        if size == 1:
            yield _quoted(cells[order[start]])
        else:
            values = {cells[row] for row in order[start : start + size]}
            yield SEPARATOR.join(map(_quoted, sorted(values, key=_in_order)))
        start += size


def _in_order(value: Any) -> tuple[Any, ...]:
    """Return a key that sorts the values of a column: NULL first, then NaN."""
    if value is None:
        return (0,)
    return (1,) if isinstance(value, float) and math.isnan(value) else (2, value)


def _quoted(value: Any) -> str:
    text = text_of(value)
    if "|" not in text and '"' not in text and (text not in _MARKERS or value not in _MARKERS):
        return text
    return '"' + text.replace('"', '""') + '"'
