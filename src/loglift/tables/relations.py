"""DuckDB relations over files: the connection, names in SQL, and what a reader returns."""

from __future__ import annotations

import glob
import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loglift.errors import TableError
from loglift.tables.canonical import Reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection, DuckDBPyRelation as Relation

MEMORY_LIMIT = "1GB"  # of DuckDB; beyond it, DuckDB works out of core
COMPRESSED = (".gz", ".zst")  # endings that follow the one of the format


@dataclass(frozen=True)
class Source:
    """A relation over files.

    Attributes
    ----------
    relation
        One column per name in `columns`. When `passthrough_at` is not 0, the same columns follow
        once more from that position on, in the types in which they pass through.

    """

    kind: str
    columns: tuple[str, ...]
    reading: Reading
    relation: Relation
    passthrough_at: int = 0


def connect() -> Connection:
    """Return a new connection: silent, bounded in memory, spilling to a temporary folder."""
    with _uninterrupted():
        import duckdb  # noqa: PLC0415 - only when a table is used

    spill = Path(tempfile.gettempdir()) / f"loglift-{uuid4().hex}"
    connection = duckdb.connect()
    # The command line draws progress on stderr; DuckDB would draw its own on stdout.
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = {literal(str(spill))}")
    connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    # Instants are written to CSV in this zone; the machine's own zone would reveal where it is.
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the block ends: DuckDB, interrupted during its import, aborts."""
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.getsignal(number) for number in numbers}
    if threading.current_thread() is not threading.main_thread() or None in handlers.values():
        yield  # only the main thread can set handlers, and only those that Python knows
        return
    for number in numbers:
        signal.signal(number, lambda signum, _frame: came.append(signum))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for signum in came:
        signal.raise_signal(signum)


def ending_of(file: Path) -> str:
    """Return the ending that tells the format, in lower case, without the one of a compression."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def quoted(files: Sequence[Path]) -> str:
    """Return SQL for the list of files; characters that DuckDB reads as a glob are escaped."""
    return "[" + ", ".join(literal(glob.escape(str(file))) for file in files) + "]"


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def refuse_different(found: Sequence[tuple[Path, Any]]) -> None:
    """Raise if the files of a glob do not have the same columns in the same order."""
    first, columns = found[0]
    for file, others in found[1:]:
        if others != columns:
            raise TableError(
                f"{first} and {file} have different columns: name files that have the same"
            )


def numeric(relation: Relation, names: Sequence[str], columns: Sequence[str]) -> Relation:
    """Return the relation with the text columns `names` as numbers, for binning.

    A column is integer if every text is the canonical form of an integer of 64 bits, else double.
    Raises if a text is not a number; messages call the columns by `columns`.
    """
    tests = ", ".join(
        f"count({name}), count(CASE WHEN TRY_CAST({name} AS BIGINT)::VARCHAR = {name} THEN 1 END), "
        f"count(TRY_CAST({name}::VARCHAR AS DOUBLE))"
        for name in names
    )
    counted = relation.aggregate(tests).fetchall()[0]
    casts = {}
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        filled, integers, numbers = counted[3 * i : 3 * i + 3]
        if numbers < filled:
            raise TableError(
                f"column {column!r} cannot be cut into bins: {filled - numbers} of its "
                "values are not numbers"
            )
        casts[name] = "BIGINT" if integers == filled else "DOUBLE"
    return relation.project(
        ", ".join(
            f"{name}::VARCHAR::{casts[name]} AS {name}" if name in casts else name
            for name in relation.columns
        )
    )
