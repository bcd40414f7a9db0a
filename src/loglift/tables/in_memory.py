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

from loglift._compute.threads import spread
from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.mechanism.naming import ReleasedColumn
from loglift.sparse import stable_order
from loglift.tables.engines import duckdb as engine
from loglift.tables.from_counts import MAX_NARROW_TEXTS, looked_up, permutation
from loglift.tables.noise import Exchange
from loglift.tables.shuffling import random_order

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

_ROWS_PER_CHUNK = 2**16  # a chunk of an order fits into a processor's cache
MAX_BYTES = 2**30  # of all arrays together: DuckDB holds the columns, too, while they are made
_ORDER_BYTES = 8  # of a row
_BYTES = {
    "BOOLEAN": 1, "TINYINT": 1, "UTINYINT": 1, "SMALLINT": 2, "USMALLINT": 2, "INTEGER": 4,
    "UINTEGER": 4, "FLOAT": 4, "BIGINT": 8, "UBIGINT": 8, "DOUBLE": 8,
}  # fmt: skip
_LAST = 2**63 - 1  # stands for an infinite time: DuckDB has no number for it


@dataclass(frozen=True)
class _Packed:
    """A column as numbers: the SQL that makes them of it, and the SQL that makes it of them.

    `texts` are those that the numbers stand for, if they do: they are looked up as NAME_text.
    """

    name: str
    number: str
    back: str
    bytes: int
    texts: tuple[str, ...] = ()


def shuffled(
    relation: Relation,
    small: Relation,
    keys: Sequence[str],
    added: Sequence[ReleasedColumn],
    *,
    narrow: bool,
) -> Relation | None:
    """Replace the keys of the rows by the columns `added`, as `attach` does, in random order.

    Returns None where the rows do not fit into memory, or not into numbers.
    """
    packed = _packed(relation, small, keys)
    if packed is None:
        return None
    rows = _fetched(relation, small, keys, packed)
    order = random_order(rows["b"].size)
    return _named(_taken(rows, order), packed, added, {}, narrow=narrow)


def exchanged(
    relation: Relation,
    small: Relation,
    keys: Sequence[str],
    drawing: Exchange,
    added: Sequence[ReleasedColumn],
    *,
    narrow: bool,
) -> Relation | None:
    """Exchange the public values of the records of each block, in random order of the rows.

    What the rows show is a random arrangement of the table's public values, as without other
    columns. The rows that show values of one block get its records in an order from the operating
    system's entropy: so any assignment is as likely as any other, and the arrangement, which is
    drawn by a fast generator, says nothing about it. Returns None as `shuffled` does.
    """
    packed = _packed(relation, small, keys)
    if packed is None:
        return None
    rows, records = _fetched(relation, small, keys, packed), _records(small)
    blocks = drawing.row_of.astype(np.min_scalar_type(int(drawing.row_of.max())))
    shown, order = permutation(records), random_order(rows["b"].size)
    source = np.empty_like(order)
    of_record = blocks[rows.pop("b")][order]
    blocks_shown, size = blocks[shown], int(drawing.row_of.max()) + 1
    source[stable_order(blocks_shown, size)] = order[stable_order(of_record, size)]
    del order, of_record
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    return _named({"b": shown, **_taken(rows, source)}, packed, added, types, narrow=narrow)


def _records(small: Relation) -> IntArray:
    """Return the records of each row of the small frame, by its number `k`."""
    found = small.project("k, n").fetchnumpy()
    records = np.empty(len(found["k"]), dtype=np.int64)
    records[found["k"]] = found["n"]
    return records


def _packed(relation: Relation, small: Relation, keys: Sequence[str]) -> list[_Packed] | None:
    """Return the columns beside the keys as numbers; None if a column, or all, are too large."""
    room = MAX_BYTES // int(_records(small).sum()) - _ORDER_BYTES - 2 * _code_of(small)[1]
    if room < 0 or not engine.is_own(relation):
        return None
    found = []
    for name, kind in zip(relation.columns, map(str, relation.types), strict=True):
        if name not in keys:
            packed = _as_numbers(relation, name, kind)
            if packed is None or (room := room - 2 * packed.bytes) < 0:
                return None
            found.append(packed)
    return found


def _code_of(small: Relation) -> tuple[str, int]:
    """Return the type of the numbers of the public values, and its bytes."""
    kind = "USMALLINT" if len(small) <= np.iinfo(np.uint16).max else "UINTEGER"
    return kind, _BYTES[kind]


def _as_numbers(relation: Relation, name: str, kind: str) -> _Packed | None:
    """Return a column as numbers, if it has a type of which they can be made."""
    if kind in _BYTES:
        return _Packed(name, name, name, _BYTES[kind])
    if kind == "DATE":
        return _Packed(name, f"({name} - DATE '1970-01-01')::INTEGER", f"make_date({name})", 4)
    if kind == "TIMESTAMP":
        infinite = f"WHEN {name} = '{{0}}infinity' THEN {{0}}{_LAST}"
        ends = " ".join(infinite.format(sign) for sign in ("", "-"))
        limits = f"WHEN {name} = {{0}}{_LAST} THEN '{{0}}infinity'::TIMESTAMP"
        backs = " ".join(limits.format(sign) for sign in ("", "-"))
        return _Packed(
            name,
            f"CASE {ends} ELSE epoch_us({name}) END",
            f"CASE {backs} ELSE make_timestamp({name}) END",
            8,
        )
    return _of_texts(relation, name) if kind == "VARCHAR" else None


def _of_texts(relation: Relation, name: str) -> _Packed | None:
    """Return a column of few different texts as their numbers, in order; NULL is NULL."""
    distinct = relation.project(name).distinct().limit(MAX_NARROW_TEXTS + 2).fetchall()
    texts = sorted(text for (text,) in distinct if text is not None)
    if not texts or len(texts) > MAX_NARROW_TEXTS or any("\0" in text for text in texts):
        return None
    kind = engine.narrow_type(ReleasedColumn(name, "text", tuple(texts)))
    number = f"enum_code(CAST({name} AS {kind}))"
    return _Packed(name, number, f"{name}_text", 2, tuple(texts))


def _fetched(
    relation: Relation, small: Relation, keys: Sequence[str], packed: Sequence[_Packed]
) -> dict[str, NDArray[Any]]:
    """Return the columns as arrays, NULLs masked, and `b`, the number of the public value.

    Floats with NaN, which DuckDB would read as NULL, have an array NAME_nan that tells which.
    """
    code, _ = _code_of(small)
    numbered = small.project(f"{', '.join(keys)}, k::{code} AS b").materialize()
    condition = " AND ".join(f"t.{key} IS NOT DISTINCT FROM m.{key}" for key in keys)
    joined = relation.set_alias("t").join(numbered.set_alias("m"), condition, how="left")
    own = [f"t.{column.name}" for column in packed]
    cells = [f"{column.number} AS {column.name}" for column in packed]
    rows = joined.project(", ".join([*own, "b"])).project(", ".join([*cells, "b"])).fetchnumpy()
    if np.ma.is_masked(rows["b"]) or len(rows["b"]) != _records(small).sum():
        raise TableError("the table changed while it was read: nothing is released, run it again")
    rows["b"] = np.ma.getdata(rows["b"])
    for column in packed:
        missing = np.isnan(rows[column.name]) if rows[column.name].dtype.kind == "f" else None
        if missing is not None and missing.any():
            rows[f"{column.name}_nan"] = np.ma.filled(missing, fill_value=False)
    return rows


def _taken(rows: dict[str, NDArray[Any]], order: IntArray) -> dict[str, NDArray[Any]]:
    """Return the rows in an order; each array is given up when it is done."""
    return {name: _ordered(rows.pop(name), order) for name in list(rows)}


def _ordered(array: NDArray[Any], order: IntArray) -> NDArray[Any]:
    """Return array[order], on all cores."""
    if isinstance(array, np.ma.MaskedArray):
        return np.ma.MaskedArray(
            _ordered(np.ma.getdata(array), order), _ordered(np.ma.getmaskarray(array), order)
        )
    found = np.empty_like(array)

    def fill(start: int) -> None:
        part = order[start : start + _ROWS_PER_CHUNK]
        found[start : start + part.size] = array.take(part)

    spread(fill, range(0, order.size, _ROWS_PER_CHUNK))
    return found


def _named(
    drawn: Mapping[str, NDArray[Any]],
    packed: Sequence[_Packed],
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
