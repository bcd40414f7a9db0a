"""One column at a time: its type, how many values it has, and how many records have each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loglift.errors import TableError
from loglift.tables.canonical import decode
from loglift.tables.faults import explained
from loglift.tables.grouping import binned, group
from loglift.tables.opened import Table
from loglift.values import looks_fractional

MAX_LISTED_VALUES = 50_000  # of a column with more, only a sample is counted
SAMPLED_RECORDS = 2_000  # the first records of such a column


@dataclass(frozen=True)
class Overview:
    """What a column holds.

    `values` are the records of each value but NULL. Where `whole` is False there are too many: they
    are then those of the first records, and `distinct` is counted all the same. `fault` is why a
    column cannot be counted; its other fields then say nothing. `title` is the label that a file of
    Stata, SPSS or SAS gives the column.
    """

    name: str
    type: str
    records: int
    nulls: int
    distinct: int
    values: Mapping[Any, int]
    whole: bool = True
    fault: str | None = None
    title: str | None = None


def overview(opened: Table, name: str) -> Overview:
    """Count the values of one column: two queries, of which no more than a sample is held.

    In files, texts of numbers that are not all written as Python writes them are called floats.
    """
    try:
        records, nulls, distinct = _sizes(opened, name)
        whole = distinct <= MAX_LISTED_VALUES
        if whole:
            groups = group(opened, (name,), expected=(None,))
            kind, values = groups.types[0], groups.by_value()
        else:
            kind, values = _sample(opened, name)
    except TableError as error:
        return Overview(name, "unknown", 0, 0, 0, {}, fault=str(error))
    title = opened.labels[name].title if name in opened.labels else None
    values.pop(None, None)
    if kind == "text" and opened.reading == "text" and looks_fractional(values):
        kind, floats = "float", Counter[Any]()
        for text, times in values.items():
            floats[float(text)] += times
        values = floats
    seen = len(values) if whole else distinct
    return Overview(name, kind, records, nulls, seen, values, whole, title=title)


def _sizes(opened: Table, name: str) -> tuple[int, int, int]:
    """Return the number of records, of NULLs, and of different values but NULL."""
    import narwhals as nw  # noqa: PLC0415 - only when a table is used

    frame, _ = binned(opened, (name,))
    column = nw.col("c0")
    with explained(opened.where):
        sizes = frame.select(
            column.null_count().alias("nulls"),
            column.count().alias("filled"),
            column.n_unique().alias("distinct"),
        )
        gathered = opened.engine.gather(sizes.to_native())
    nulls, filled, distinct = (int(each.rows()[0] or 0) for each in gathered.columns)
    return nulls + filled, nulls, distinct - (nulls > 0)


def _sample(opened: Table, name: str) -> tuple[str, dict[Any, int]]:
    """Return the type of the first records of a column, and how often each value occurs there."""
    frame, _ = binned(opened, (name,))
    with explained(opened.where):
        some = opened.engine.gather(frame.head(SAMPLED_RECORDS).to_native()).columns[0].rows()
    kind, values = decode(some, opened.reading, name)
    return kind, Counter(values)
