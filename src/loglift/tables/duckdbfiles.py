"""Tables and views of a DuckDB file, which is attached for reading only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loglift.errors import TableError
from loglift.tables.addresses import PART, names_of
from loglift.tables.columns import missing_table
from loglift.tables.relations import Source, identifier, literal
from loglift.tables.statfiles import one_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

_SOURCE = "loglift_source"  # what the file is called in the connection
_USUAL = "main"  # the schema of a table that is named without one


def read(connection: Connection, files: Sequence[Path], table: str | None) -> Source:
    """Return a table or view, read lazily; the file cannot be changed while it is attached."""
    import duckdb  # noqa: PLC0415 - only when a table is used

    file = one_file(files)
    try:
        connection.execute(f"ATTACH {literal(str(file))} AS {_SOURCE} (TYPE duckdb, READ_ONLY)")
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise TableError(
                f"{file} is being written by another program: close it there first"
            ) from None
        raise TableError(
            f"{file} is not a readable DuckDB file: it is damaged, encrypted, of another version, "
            "or has another format"
        ) from None
    found = connection.execute(
        "SELECT table_schema, table_name FROM information_schema.tables "
        "WHERE table_catalog = ? ORDER BY ALL",
        [_SOURCE],
    ).fetchall()
    listed = [name if schema == _USUAL else f"{schema}.{name}" for schema, name in found]
    if table is None:
        raise TableError(
            f"{file} may hold several tables: name one, such as "
            f"{file}{PART}{next(iter(listed), 'people')}"
        )
    schema, name = names_of(table)
    if (schema or _USUAL, name) not in found:
        raise missing_table(table, listed, str(file))
    relation = connection.sql(f"FROM {_SOURCE}.{identifier(schema or _USUAL)}.{identifier(name)}")
    return Source("duckdb", tuple(relation.columns), "native", relation)
