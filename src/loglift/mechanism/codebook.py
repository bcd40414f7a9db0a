"""The codebook of a release: what each block shows in each column, and which values it stands for.

A table with a line for each block and column, enough to decode any cell of the released table
without mechanism.json. It says what the released table and mechanism.json say: public values and
the number of records of each block, which anyone can count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
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
    labels, values = mechanism.partition, mechanism.tuples
    shown = {column.name: column for column in mechanism.released}
    order = np.argsort(labels, kind="stable").tolist()  # of Python's numbers: they are read faster
    ends = np.cumsum(np.bincount(labels, minlength=mechanism.size)).tolist()
    blocks = (order[start:end] for start, end in pairwise([0, *ends]))
    for block, (rows, count) in enumerate(zip(blocks, records, strict=True)):
        for i, name in enumerate(mechanism.column_names):
            members = sorted({values[row][i] for row in rows}, key=_in_order)
            texts = SEPARATOR.join(map(_quoted, members))
            yield (str(block + 1), name, _cell(name, block, shown), texts, str(count))


def _cell(name: str, block: int, shown: dict[str, ReleasedColumn]) -> str:
    """Return what a cell of a column shows; both ends of a column that is released as two."""
    names = [name] if name in shown else [f"{name}_low", f"{name}_high"]
    return " to ".join(text_of(shown[each].values[block]) for each in names)


def _in_order(value: Any) -> tuple[Any, ...]:
    """Return a key that sorts the values of a column: NULL first, then NaN."""
    if value is None:
        return (0,)
    return (1,) if isinstance(value, float) and math.isnan(value) else (2, value)


def _quoted(value: Any) -> str:
    text = text_of(value)
    if "|" not in text and '"' not in text and value not in _MARKERS:
        return text
    return '"' + text.replace('"', '""') + '"'
