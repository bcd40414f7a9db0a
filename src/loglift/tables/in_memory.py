"""A shuffled release with columns that pass through, put together in memory.

DuckDB joins the rows with the numbers of their public values, numpy brings them into a random
order, and DuckDB names what is released: several times faster than DuckDB's sort of the rows. Only
numbers are moved. So this is for columns that are numbers, days or times, or few different texts,
and for tables that fit into memory; other tables are sorted by the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.engines import duckdb as engine
from loglift.tables.from_counts import MAX_NARROW_TEXTS, looked_up, permutation
from loglift.tables.noise import Exchange
from loglift.tables.shuffling import Numbers, exchanging_order, taken

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

MAX_BYTES = 2**30  # of all arrays together: DuckDB holds the columns, too, while they are made
_ORDER_BYTES = 8  # of a row
_BYTES = {
    "BOOLEAN": 1, "TINYINT": 1, "UTINYINT": 1, "SMALLINT": 2, "USMALLINT": 2, "INTEGER": 4,
    "UINTEGER": 4, "FLOAT": 4, "BIGINT": 8, "UBIGINT": 8, "DOUBLE": 8,
}  # fmt: skip
MAX_WHOLE = 2**10  # whole numbers that a column may have to be its own number
CHANGED = "the table changed while it was read: nothing is released, run it again"
_LAST = 2**63 - 1  # stands for an infinite time: DuckDB has no number for it


@dataclass(frozen=True)
class Packed:
    """A column as numbers: the SQL that makes them of it, and the SQL that makes it of them.

    `texts` are those that the numbers stand for, if they do: they are looked up as NAME_text.
    """

    name: str
    number: str
    back: str
    bytes: int
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table as arrays, in its order: they are given up when they are released.

    `arrays` has `b`, the number of what each row has in the columns that are replaced, and the
    other columns as numbers, NULLs masked. `types` are those of the columns that are replaced.
    """

    arrays: dict[str, NDArray[Any]]
    packed: Sequence[Packed]
    types: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Numbered:
    """Columns of a relation, and their distinct rows: a small relation, numbered by `k`.

    The array `name` gets the number of each row, below `size`. A column of small whole numbers may
    be its own number, with `order` the number of each distinct row by `k`; the last number is that
    of NULL.
    """

    name: str
    keys: Sequence[str]
    small: Relation
    size: int
    order: IntArray | None = None

    @classmethod
    def of_whole(cls, name: str, key: str, small: Relation) -> Numbered | None:
        """Return a column that is its own number; None for one of other than few whole numbers."""
        found = small.project("c0, k").order("k").fetchnumpy()["c0"]
        if found.dtype.kind not in "iuf":
            return None
        missing = np.ma.getmaskarray(found)
        values = np.where(missing, 0, np.ma.getdata(found))
        is_small = (values >= 0) & (values < MAX_WHOLE)
        if not is_small.all() or (values % 1).any():
            return None
        last = int(values.max()) + 1
        order = np.where(missing, last, values.astype(np.int64))
        return cls(name, [key], small, last + 1, order)

    @property
    def type(self) -> str:
        """The type of the numbers."""
        return "USMALLINT" if self.size <= 2**16 else "UINTEGER"

    def joined(self, relation: Relation) -> Relation:
        """Return a relation with the numbers of its rows; NULL where a row is not among these."""
        if self.order is not None:
            [key], last = self.keys, self.size - 1
            own = f"coalesce(least(try_cast({key} AS {self.type}), {last}), {last})"
            return relation.project(f"*, {own}::{self.type} AS {self.name}")
        match = " AND ".join(f"t.{key} IS NOT DISTINCT FROM m.{key}" for key in self.keys)
        cells = [f"c{i} AS {key}" for i, key in enumerate(self.keys)]
        numbers = self.small.project(f"{', '.join(cells)}, k::{self.type} AS {self.name}")
        small = numbers.materialize().set_alias("m")
        found = relation.set_alias("t").join(small, match, how="left")
        return found.project(f"t.*, m.{self.name}")  # the optimizer leaves out what is not used


def rows_of(
    relation: Relation, parts: Sequence[Numbered], packed: Sequence[Packed], records: int
) -> Rows:
    """Read the rows of a table, once.

    The arrays have the columns that are packed, and the numbers of the parts, by their names; one
    of these is called `b`.
    """
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    return Rows(_fetched(relation, parts, packed, records), packed, types)


def shuffled(
    rows: Rows, order: Numbers, added: Sequence[ReleasedColumn], *, narrow: bool
) -> Relation:
    """Replace `b` by the columns `added`, as `attach` does, in a `random_order`."""
    return _named(_taken(rows.arrays, order), rows.packed, added, {}, narrow=narrow)


def exchanged(
    rows: Rows,
    records: IntArray,
    drawing: Exchange,
    added: Sequence[ReleasedColumn],
    *,
    narrow: bool,
) -> Relation:
    """Exchange the public values of the records of each block, in random order of the rows.

    What the rows show is a random arrangement of the table's public values, as without other
    columns; `records` are those of each value. The rows that show values of one block get its
    records by the operating system's entropy: so the arrangement, which is drawn by a fast
    generator, says nothing about who shows what.
    """
    size = int(drawing.row_of.max()) + 1
    blocks = drawing.row_of.astype(np.min_scalar_type(size - 1))
    shown = permutation(records)
    own, of_shown = taken(blocks, rows.arrays.pop("b")), taken(blocks, shown)
    order = exchanging_order(own, of_shown, size)
    drawn = {"b": shown, **_taken(rows.arrays, order)}
    return _named(drawn, rows.packed, added, rows.types, narrow=narrow)


def packed(
    relation: Relation, names: Sequence[str], parts: int, records: int
) -> list[Packed] | None:
    """Return columns as numbers, to be read beside the numbers of so many parts.

    None where that does not fit into memory, or a column not into numbers.
    """
    room = MAX_BYTES // records - _ORDER_BYTES - 2 * parts * _BYTES["UINTEGER"]
    if room < 0 or not engine.is_own(relation):
        return None
    found, kinds = [], dict(zip(relation.columns, map(str, relation.types), strict=True))
    for name in names:
        column = _as_numbers(relation, name, kinds[name])
        if column is None or (room := room - 2 * column.bytes) < 0:
            return None
        found.append(column)
    return found


def _as_numbers(relation: Relation, name: str, kind: str) -> Packed | None:
    """Return a column as numbers, if it has a type of which they can be made."""
    if kind in _BYTES:
        return Packed(name, name, name, _BYTES[kind])
    if kind == "DATE":
        return Packed(name, f"({name} - DATE '1970-01-01')::INTEGER", f"make_date({name})", 4)
    if kind == "TIMESTAMP":
        infinite = f"WHEN {name} = '{{0}}infinity' THEN {{0}}{_LAST}"
        ends = " ".join(infinite.format(sign) for sign in ("", "-"))
        limits = f"WHEN {name} = {{0}}{_LAST} THEN '{{0}}infinity'::TIMESTAMP"
        backs = " ".join(limits.format(sign) for sign in ("", "-"))
        return Packed(
            name,
            f"CASE {ends} ELSE epoch_us({name}) END",
            f"CASE {backs} ELSE make_timestamp({name}) END",
            8,
        )
    return _of_texts(relation, name) if kind == "VARCHAR" else None


def _of_texts(relation: Relation, name: str) -> Packed | None:
    """Return a column of few different texts as their numbers, in order; NULL is NULL."""
    distinct = relation.project(name).distinct().limit(MAX_NARROW_TEXTS + 2).fetchall()
    texts = sorted(text for (text,) in distinct if text is not None)
    if not texts or len(texts) > MAX_NARROW_TEXTS or any("\0" in text for text in texts):
        return None
    kind = engine.narrow_type(ReleasedColumn(name, "text", tuple(texts)))
    number = f"enum_code(CAST({name} AS {kind}))"
    return Packed(name, number, f"{name}_text", 2, tuple(texts))


def _fetched(
    relation: Relation, parts: Sequence[Numbered], packed: Sequence[Packed], records: int
) -> dict[str, NDArray[Any]]:
    """Return the columns as arrays, NULLs masked, and the numbers of the parts.

    Floats with NaN, which DuckDB would read as NULL, have an array NAME_nan that tells which.
    """
    joined = relation
    for part in parts:
        joined = part.joined(joined)
    numbers = [part.name for part in parts]
    cells = [f"{column.number} AS {column.name}" for column in packed]
    rows = joined.project(", ".join([*cells, *numbers])).fetchnumpy()
    for name in numbers:
        if np.ma.is_masked(rows[name]) or len(rows[name]) != records:
            raise TableError(CHANGED)
        rows[name] = np.ma.getdata(rows[name])
    for column in packed:
        missing = np.isnan(rows[column.name]) if rows[column.name].dtype.kind == "f" else None
        if missing is not None and missing.any():
            rows[f"{column.name}_nan"] = np.ma.filled(missing, fill_value=False)
    return rows


def _taken(rows: dict[str, NDArray[Any]], order: Numbers) -> dict[str, NDArray[Any]]:
    """Return the rows in an order; each array is given up when it is done."""
    return {name: _in_order(rows.pop(name), order) for name in list(rows)}


def _in_order(array: NDArray[Any], order: Numbers) -> NDArray[Any]:
    if not isinstance(array, np.ma.MaskedArray):
        return taken(array, order)
    data, mask = np.ma.getdata(array), np.ma.getmaskarray(array)
    return np.ma.MaskedArray(taken(data, order), taken(mask, order))


def _named(
    drawn: Mapping[str, NDArray[Any]],
    packed: Sequence[Packed],
    added: Sequence[ReleasedColumn],
    types: Mapping[str, str],
    *,
    narrow: bool,
) -> Relation:
    """Return a relation of what the rows show, and of the columns that pass through.

    Columns like a key have the type that the key has in `types`.
    """
    texts = {
        column.name: [ReleasedColumn(f"{column.name}_text", "text", column.texts)]
        for column in packed
        if column.texts
    }
    made = looked_up(drawn, {"b": added, **texts}, types, narrow=narrow)
    cells = [
        f"CASE WHEN {c.name}_nan THEN 'NaN' ELSE {c.back} END AS {c.name}"
        if f"{c.name}_nan" in drawn
        else f"{c.back} AS {c.name}"
        for c in packed
    ]
    return made.project(", ".join([*cells, *(column.name for column in added)]))
