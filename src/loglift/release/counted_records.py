"""The records of a table, made of its counts: a random sample where there are very many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loglift import tables
from loglift.errors import TableError
from loglift.joint import Column, IntArray, Joint
from loglift.mechanism.columns import PublicColumn
from loglift.mechanism.mechanism import Mechanism
from loglift.readers.views import (
    RecordColumn,
    Records,
)
from loglift.release.knowledge import rows_of_earlier
from loglift.release.sensitive import combined
from loglift.sparse import as_cells
from loglift.utility.bands import is_ordered
from loglift.values import NUMBERS

MAX_RECORDS = 1_000_000  # a larger table is evaluated on a random sample of as many records
MAX_WITHOUT_REPLACEMENT = 10**9  # records that numpy draws from without replacement
UNKNOWN_TYPE = ""  # of a column that no mechanism names


@dataclass(frozen=True, eq=False)
class CountedRecords:
    """The counts of a table, and its records with the number of their joint sensitive value.

    `known` are columns that an attacker knows. `earlier` has the records as each earlier release
    counts them; x is -1 for those that it does not know.
    """

    joint: Joint
    records: Records
    s: IntArray
    others: Joint
    known: tuple[RecordColumn, ...]
    earlier: tuple[Records, ...]


def _use(column: PublicColumn) -> tables.Use:
    plain = not column.banded and column.type != UNKNOWN_TYPE
    return tables.Use(column.name, column.bin, column.type if plain else None)


def counted_records(
    opened: tables.Table,
    mechanism: Mechanism,
    others: tuple[str, ...],
    known: Sequence[PublicColumn],
    earlier: Sequence[Mechanism],
    random: np.random.Generator,
) -> CountedRecords:
    """Count the table, and make records of the counts; of a sample where there are very many."""
    width = len(mechanism.columns)
    kinds = [column.type for column in mechanism.columns]
    counted = tables.count(
        opened,
        (*mechanism.column_names, *others),
        mechanism.sensitive_names,
        bins={**mechanism.bins, **{c.name: c.bin for c in mechanism.beside if c.name in others}},
        types=[*kinds, *(None for _ in others)],
        also=[*map(_use, known), *(_use(c) for each in earlier for c in each.columns)],
        weights=mechanism.weights,
    )
    counted, _ = combined(counted, mechanism.combined)
    tables.refuse_types(counted.columns[:width], kinds)
    number = {value: row for row, value in enumerate(mechanism.tuples)}
    values = [value[:width] for value in counted.tuples]
    unknown = next((value for value in values if value not in number), None)
    if unknown is not None:
        shown = unknown[0] if width == 1 else unknown
        raise TableError(
            f"{opened.where} has the public value {shown!r}, which the mechanism does not know: "
            "give the table that was protected"
        )
    public = np.array([number[value] for value in values], dtype=np.int64)
    cells = as_cells(counted.counts)
    times = np.asarray(cells.values, dtype=np.int64)
    if (total := int(times.sum())) > MAX_RECORDS:
        if total < MAX_WITHOUT_REPLACEMENT:
            times = random.multivariate_hypergeometric(times, MAX_RECORDS, method="marginals")
        else:
            times = random.multinomial(MAX_RECORDS, times / total)
    row, s = np.repeat(cells.rows, times), np.repeat(cells.columns, times)
    known_from, earlier_from = width + len(others), width + len(others) + len(known)
    records = replace(
        _records(counted.columns[:width], mechanism, row, public),
        others=tuple(_record_column(c, row) for c in counted.columns[width:known_from]),
    )
    records_of_earlier = []
    for each in earlier:
        places = range(earlier_from, earlier_from + len(each.columns))
        earlier_from += len(each.columns)
        x = rows_of_earlier(each, counted, places)
        records_of_earlier.append(_records([counted.columns[i] for i in places], each, row, x))
    return CountedRecords(
        joint=counted.seen_as(counted.columns[:width]),
        records=records,
        s=s.astype(np.int64),
        others=counted.merged(public, len(mechanism.public)),
        known=tuple(
            _record_column(c, row) for c in counted.columns[known_from : known_from + len(known)]
        ),
        earlier=tuple(records_of_earlier),
    )


def _records(
    columns: Sequence[Column], mechanism: Mechanism, row: IntArray, x: IntArray
) -> Records:
    """Return records as a mechanism sees them, given by their row in the counts.

    `x` is the public value of the mechanism of each row.
    """
    first = tuple(_with_all_values(c, mechanism, i) for i, c in enumerate(columns))
    places = [{value: code for code, value in enumerate(column.values)} for column in first]
    rows = np.array(
        [[place[v] for place, v in zip(places, value, strict=True)] for value in mechanism.tuples],
        dtype=np.int64,
    )
    return Records(tuple(_record_column(column, row) for column in first), (), rows, x[row])


def _with_all_values(column: Column, mechanism: Mechanism, place: int) -> Column:
    """Return a column with the values that only the mechanism knows at the end."""
    more = dict.fromkeys(value[place] for value in mechanism.tuples)
    known = set(column.values)
    extra = [value for value in more if value not in known]
    if not extra:
        return column
    return Column(column.name, column.type, column.bin, (*column.values, *extra), column.codes)


def _record_column(column: Column, row: IntArray) -> RecordColumn:
    """Return a counted column with the code of each record."""
    numbers = places = None
    if column.type in NUMBERS:
        numbers = np.array([np.nan if v is None else float(v) for v in column.values])
    if is_ordered(column):
        places = np.arange(len(column.values))
        if column.ranks:
            places = np.argsort(np.argsort(column.ranks, kind="stable"))
    return RecordColumn(
        column.name, column.values, column.codes[row].astype(np.int64), numbers, places
    )
