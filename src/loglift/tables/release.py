"""A shuffled release from counts alone.

Without kept columns, a released table is a uniformly random permutation of n(y) copies of every
released value y. Drawing it needs no second look at the records: fast, and nothing of their
order can be in it. The order is not a secret, then, and a fast generator may draw it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from loglift.tables.engines import Output, duckdb as engine
from loglift.tables.files import connect

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

# Rows beyond which the engine's out-of-core sort shuffles instead: 2 or 4 bytes are held per row.
MOST_ROWS = 2**27
_CHUNK = 2**20


def from_counts(records: NDArray[np.int64], outputs: Sequence[Output]) -> Relation:
    """Return a relation with records[b] copies of block b's values, in random order."""
    connection = connect()
    # With the sides of the join fixed, its rows stay as they were drawn, up to where threads take
    # turns. DuckDB would look up the rows of each block where there are many blocks, and so sort.
    connection.execute("SET disabled_optimizers = 'build_side_probe_side'")
    connection.register("drawn", {"b": permutation(records)})
    drawn = connection.sql("FROM drawn")
    values = engine.table_of(drawn, outputs)
    joined = drawn.set_alias("t").join(values.set_alias("m"), "t.b = m.k", how="left")
    return joined.project(", ".join(f"m.{output.name}" for output in outputs))


def permutation(records: NDArray[np.int64]) -> NDArray[Any]:
    """Return records[b] copies of every b in uniformly random order, in O(n).

    The multiset is dealt into chunks that fit a processor's cache by the multivariate
    hypergeometric law, and each chunk is shuffled: together exactly uniform, and several times
    faster than one shuffle through all of memory.
    """
    dtype = np.min_scalar_type(max(len(records) - 1, 0))
    drawn = np.empty(int(records.sum()), dtype=dtype)
    generator = np.random.default_rng()
    starts = range(0, len(drawn), _CHUNK)
    hands = _dealt(records, len(starts), generator)

    def fill(start: int, hand: NDArray[np.int64], own: np.random.Generator) -> None:
        chunk = drawn[start : start + _CHUNK]
        chunk[:] = np.repeat(np.arange(len(hand), dtype=dtype), hand)
        own.shuffle(chunk)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(fill, starts, hands, generator.spawn(len(starts))))
    return drawn


def _dealt(
    records: NDArray[np.int64], chunks: int, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    left, hands = records.astype(np.int64), []
    for _ in range(chunks - 1):
        hand = generator.multivariate_hypergeometric(left, _CHUNK, method="marginals")
        hands.append(hand)
        left = left - hand
    return [*hands, left] if chunks else []
