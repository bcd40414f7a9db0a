"""Parquet, in its own types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loglift.errors import TableError
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.relations import Source, quoted, refuse_different

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection


def read(connection: Connection, files: Sequence[Path]) -> Source:
    """Return all columns, read lazily."""
    schemas = []
    for file in files:
        _refuse_long_decimals(connection, file)
        relation = connection.sql(f"FROM {_scan([file])}")
        schemas.append((file, (columns_of(connection, file), list(map(str, relation.types)))))
    refuse_different(schemas)
    return Source("parquet", schemas[0][1][0], "native", connection.sql(f"FROM {_scan(files)}"))


def _refuse_long_decimals(connection: Connection, file: Path) -> None:
    """Raise if a decimal may have more than 38 digits: DuckDB would round it to a double."""
    found = connection.sql(
        f"SELECT name FROM parquet_schema({quoted([file])}) WHERE precision > {MAX_DECIMAL_DIGITS}"  # noqa: S608 - quoted
    ).fetchall()
    if found:
        raise TableError(
            f"column {found[0][0]!r} of {file} holds decimals of more than {MAX_DECIMAL_DIGITS} "
            "digits: write it as text"
        )


def columns_of(connection: Connection, file: Path) -> tuple[str, ...]:
    """Return the column names of the file itself: DuckDB renames repeated ones."""
    rows = connection.sql(
        f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({quoted([file])})"  # noqa: S608 - quoted
    ).fetchall()
    nodes = iter(rows)
    _, width = next(nodes)
    return tuple(_top_level(nodes, width))


def _top_level(nodes: Iterator[tuple[str, int]], width: int) -> Iterator[str]:
    """Yield the names of the next `width` subtrees of a schema listed depth first."""
    for _ in range(width):
        name, children = next(nodes)
        list(_top_level(nodes, children))
        yield name


def _scan(files: Sequence[Path]) -> str:
    return f"read_parquet({quoted(files)}, hive_partitioning = false)"
