"""Writing a released table: whole or not at all.

The file is written under a temporary name beside its place and moved there in one step, so that
neither a full disk nor a kill leaves half a table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import uuid4

from loglift.errors import OutputError, TableError
from loglift.tables.engines import engine_of
from loglift.tables.faults import explain, interrupted
from loglift.tables.files import connect, literal

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

Format: TypeAlias = Literal["parquet", "csv"]

_ERRNO = re.compile(r'"errno":"(\d+)"')
_OPTIONS = {
    # No key-value metadata is written: nothing tells the machine, the time or the input.
    "parquet": "FORMAT parquet, COMPRESSION snappy",
    "csv": "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''",
}


def write(result: Any, path: str | os.PathLike[str], *, format: Format | None = None) -> None:  # noqa: A002 - the option's name on the command line
    """Write a DuckDB relation, or a pandas, Polars or PyArrow frame, to one file.

    In CSV, NULL is an empty field and the empty text is quoted. A Parquet file has the columns
    and their values only.
    """
    place = Path(path)
    kind = format or _format(place)
    relation = _relation(result)
    with temporary_beside(place) as temporary:
        _copy(relation, temporary, kind)


@contextmanager
def temporary_beside(place: Path) -> Iterator[Path]:
    """Yield a temporary sibling of `place` that becomes it, or disappears on any failure."""
    temporary = place.with_name(f".{place.name}.{uuid4().hex}.tmp")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(place)
    except OSError as error:
        raise OutputError(f"{place} cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _copy(relation: Relation, temporary: Path, kind: str) -> None:
    import duckdb  # noqa: PLC0415 - only when a table is used

    name = f"loglift_{uuid4().hex}"
    statement = f"COPY (SELECT * FROM {name}) TO {literal(str(temporary))} ({_OPTIONS[kind]})"  # noqa: S608 - quoted
    try:
        _exact(relation).query(name, statement)
    except RuntimeError as error:
        if interrupted(error):
            raise KeyboardInterrupt from error
        raise
    except duckdb.Error as error:
        if isinstance(error, duckdb.IOException):
            raise OutputError(
                f"{temporary.parent} cannot be written to: {_cause(error)}"
            ) from error
        raise TableError(explain("the table", error)) from error


def _cause(error: Exception) -> str:
    """Return the operating system's words for a failure, or the first line of DuckDB's."""
    number = _ERRNO.search(str(error))
    return os.strerror(int(number[1])) if number else str(error).splitlines()[0]


def _exact(relation: Relation) -> Relation:
    """Return the relation with 128-bit integers as decimals: Parquet would make them doubles."""
    cells = [
        f'#{i + 1}::DECIMAL(38, 0) AS "{_doubled(name)}"' if "HUGEINT" in str(kind) else f"#{i + 1}"
        for i, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True))
    ]
    return relation.project(", ".join(cells))


def _doubled(name: str) -> str:
    return name.replace('"', '""')


def _relation(result: Any) -> Relation:
    kind, _ = engine_of(result)
    if kind == "duckdb":
        relation: Relation = result
        return relation
    if kind not in ("pandas", "polars", "arrow"):
        raise OutputError(f"a {kind} table is written by {kind} itself: use its own writer")
    connection = connect()
    connection.register("released", result)
    return connection.sql("FROM released")


def _format(place: Path) -> Format:
    ending = place.suffix.lower()
    if ending == ".parquet":
        return "parquet"
    if ending == ".csv":
        return "csv"
    raise OutputError(f"{place} has no ending loglift writes: use .parquet or .csv")
