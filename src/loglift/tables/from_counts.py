"""A shuffled release from counts alone.

Without passthrough columns, a released table is a uniformly random permutation of n(y) copies of
every released value y. Drawing it needs no second pass over the records: it is fast, and nothing of
their order can be in it. So the order is no secret, and a fast generator that is not cryptographic
may draw it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from loglift._compute.threads import spread
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.engines import duckdb as engine
from loglift.tables.relations import connect
from loglift.tables.shuffling import MIN_PILED_ROWS, shuffle, taken

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection, DuckDBPyRelation as Relation

# A permutation takes 1 to 4 bytes of memory per row; larger tables are shuffled by the engine's
# out-of-core sort.
MAX_PERMUTED_ROWS = 2**27
# A Parquet file lists all texts of an ENUM once for each 122,880 rows.
MAX_NARROW_TEXTS = 20_000
_ROWS_PER_CHUNK = 2**20  # a chunk fits into a processor's cache
_MAX_DEALT_VALUES = 2**17  # of more values, to deal each into chunks takes longer than to scatter


def from_counts(
    records: NDArray[np.int64],
    released: Sequence[ReleasedColumn],
    like: Relation | None = None,
    *,
    order: NDArray[Any] | None = None,
    narrow: bool = False,
) -> Relation:
    """Return a relation with records[b] copies of block b's values, in random order.

    `order` is a `permutation` of these copies, if one was drawn. Columns like a key have the type
    that the key has in `like`. With `narrow`, columns of few texts are ENUMs, of the texts that
    records have.
    """
    drawn = permutation(records) if order is None else order
    held = np.flatnonzero(records)
    if held.size < records.size:
        released = [replace(c, values=tuple(c.values[b] for b in held.tolist())) for c in released]
        drawn = numbered(np.cumsum(records > 0) - 1, drawn)
    types = {} if like is None else dict(zip(like.columns, map(str, like.types), strict=True))
    found = looked_up({"b": drawn}, {"b": released}, types, narrow=narrow)
    return found.project(", ".join(column.name for column in released))


def looked_up(
    drawn: Mapping[str, NDArray[Any]],
    columns: Mapping[str, Sequence[ReleasedColumn]],
    types: Mapping[str, str],
    *,
    narrow: bool,
) -> Relation:
    """Return arrays as a relation, in their order, with the values that their numbers stand for.

    The numbers in the array NAME are places in the values of columns[NAME]. `types` and `narrow`
    are as in `from_counts`, where `types` are those of keys.
    """
    connection = connect()
    # With the sides of the join fixed, rows keep the order in which they were drawn, except where
    # threads alternate. With many blocks DuckDB would swap the sides, and so sort rows by block.
    connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
    connection.register("drawn", dict(drawn))
    made = connection.sql("FROM drawn")
    for number, released in columns.items():
        finals = {c.name: engine.final_type(c, types) for c in released}
        if narrow:
            few = [c for c in released if len(set(c.values)) <= MAX_NARROW_TEXTS]
            texts = [c for c in few if finals[c.name] == "VARCHAR"]
            finals |= {c.name: engine.narrow_type(c) for c in texts}
        cells = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in finals.items())
        values = _values_of(connection, made, released).project(f"k, {cells}").materialize()
        joined = made.set_alias("t").join(values.set_alias("m"), f"t.{number} = m.k", how="left")
        made = joined.project(", ".join(["t.*", *(f"m.{name}" for name in finals)]))
    return made


def _values_of(
    connection: Connection, relation: Relation, released: Sequence[ReleasedColumn]
) -> Relation:
    """Return what `table_of` does, of the connection's own: texts are read from arrays there."""
    arrays = {column.name: _array_of(column) for column in released}
    if any(array is None for array in arrays.values()):
        return engine.table_of(relation, released)
    name = f"loglift_{uuid4().hex}"
    connection.register(name, {"k": np.arange(len(released[0].values)), **arrays})
    return connection.table(name)


def _array_of(column: ReleasedColumn) -> NDArray[Any] | None:
    """Return texts, or integers of 64 bits without NULL, as an array; None for other columns."""
    if column.type == "integer" and set(map(type, column.values)) == {int}:
        whole = engine.sql_type(column) == "BIGINT"
        return np.array(column.values, dtype=np.int64) if whole else None
    if column.type != "text" or not set(map(type, column.values)) <= {str}:
        return None
    texts = np.empty(len(column.values), dtype=object)
    texts[:] = column.values
    return texts


def permutation(records: NDArray[np.int64]) -> NDArray[Any]:
    """Return records[b] copies of every b in uniformly random order, in O(n).

    The multiset is dealt into chunks by the multivariate hypergeometric law, and each chunk is
    shuffled. The result is exactly uniform, and several times faster than one shuffle of the whole
    array, because a chunk fits into a processor's cache.
    """
    dtype = np.min_scalar_type(max(len(records) - 1, 0))
    drawn = np.empty(int(records.sum()), dtype=dtype)
    generator = np.random.default_rng()
    if len(records) > _MAX_DEALT_VALUES:
        return _scattered(records, drawn, generator)
    starts = range(0, len(drawn), _ROWS_PER_CHUNK)
    hands = _dealt(records, len(starts), generator)

    def fill(start: int, hand: NDArray[np.int64], own: np.random.Generator) -> None:
        chunk = drawn[start : start + _ROWS_PER_CHUNK]
        chunk[:] = np.repeat(np.arange(len(hand), dtype=dtype), hand)
        if drawn.size < MIN_PILED_ROWS:
            own.shuffle(chunk)
        else:
            shuffle(chunk, np.array([0, chunk.size]), (0, 1), partial(_words, own))

    parts = zip(starts, hands, generator.spawn(len(starts)), strict=True)
    spread(lambda part: fill(*part), parts)
    return drawn


def _words(generator: np.random.Generator, size: int) -> NDArray[np.uint32]:
    return generator.integers(0, 2**32, size, dtype=np.uint32)


def numbered(numbers: NDArray[np.int64], places: NDArray[Any]) -> NDArray[Any]:
    """Return numbers[places], in as few bytes as the numbers need."""
    kind = np.min_scalar_type(int(numbers.max(initial=0)))
    return taken(numbers.astype(kind), places)


def _scattered(
    records: NDArray[np.int64], drawn: NDArray[Any], generator: np.random.Generator
) -> NDArray[Any]:
    """Return records[b] copies of every b in uniformly random order, in O(n); `drawn` is filled.

    Every copy goes to a random chunk, and each chunk is shuffled. An order of the copies arises in
    one way from each choice of the sizes of the chunks, so all orders are as likely, exactly.
    """
    chunks = max(1, math.ceil(drawn.size / _ROWS_PER_CHUNK))
    chunk_of = generator.integers(0, chunks, drawn.size, dtype=np.min_scalar_type(chunks))
    ends = np.cumsum(np.bincount(chunk_of, minlength=chunks))
    filled = [0, *ends[:-1].tolist()]
    copies = np.repeat(np.arange(len(records), dtype=drawn.dtype), records)
    for start in range(0, drawn.size, _ROWS_PER_CHUNK):
        rows = slice(start, start + _ROWS_PER_CHUNK)
        order = np.argsort(chunk_of[rows], kind="stable")
        sizes = np.bincount(chunk_of[rows], minlength=chunks)
        parts = np.split(copies[rows][order], np.cumsum(sizes[:-1]))
        for chunk, part in enumerate(parts):
            drawn[filled[chunk] : filled[chunk] + part.size] = part
            filled[chunk] += part.size
    shuffled = zip(generator.spawn(chunks), np.split(drawn, ends[:-1]), strict=True)
    spread(lambda part: np.random.Generator.shuffle(*part), shuffled)
    return drawn


def _dealt(
    records: NDArray[np.int64], chunks: int, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Return for each chunk how many copies of every b it holds."""
    left, hands = records.astype(np.int64), []
    for _ in range(chunks - 1):
        hand = generator.multivariate_hypergeometric(left, _ROWS_PER_CHUNK, method="marginals")
        hands.append(hand)
        left = left - hand
    return [*hands, left] if chunks else []
