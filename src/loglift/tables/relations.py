"""DuckDB relations over files: the connection, names in SQL, and what a reader returns."""

from __future__ import annotations

import glob
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables.canonical import Reading
from loglift.tables.labels import Labels
from loglift.tables.missing import in_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection, DuckDBPyRelation as Relation

MEMORY_LIMIT = "1GB"  # of DuckDB; beyond it, DuckDB works out of core
OWN = "loglift_own"  # a variable that tells our connections from those of users
COMPRESSED = (".gz", ".zst")  # endings that follow the one of the format


@dataclass(frozen=True)
class Source:
    """A relation over files.

    Attributes
    ----------
    relation
        One column per name in `columns`. When `passthrough_at` is not 0, the same columns follow
        once more from that position on, in the types in which they pass through.
    labels
        What the file says about its columns, by their names.
    codes
        Where the codes of a labelled column are, by the position of the column: they can be cut
        into bins.

    """

    kind: str
    columns: tuple[str, ...]
    reading: Reading
    relation: Relation
    passthrough_at: int = 0
    labels: Mapping[str, Labels] = field(default_factory=dict)
    codes: Mapping[int, int] = field(default_factory=dict)


def connect() -> Connection:
    """Return a new connection: silent, bounded in memory, spilling to a temporary folder."""
    with _uninterrupted():
        import duckdb  # noqa: PLC0415 - only when a table is used

    spill = Path(tempfile.gettempdir()) / f"loglift-{uuid4().hex}"
    connection = duckdb.connect()
    # The command line draws progress on stderr; DuckDB would draw its own on stdout. In a notebook
    # without ipywidgets it draws none, and any change of the setting raises.
    [drawn] = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0]
    if drawn:
        connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = {literal(str(spill))}")
    connection.execute(f"SET memory_limit = '{MEMORY_LIMIT}'")
    # Instants are written to CSV in this zone; the machine's own zone would reveal where it is.
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"SET VARIABLE {OWN} = true")
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


def identifier(name: str) -> str:
    """Return a name as SQL quotes it."""
    return '"' + name.replace('"', '""') + '"'


def refuse_different(found: Sequence[tuple[Path, Any]]) -> None:
    """Raise if the files of a glob do not have the same columns in the same order."""
    first, columns = found[0]
    for file, others in found[1:]:
        if others != columns:
            raise TableError(
                f"{first} and {file} have different columns: name files that have the same"
            )


def readable(
    relation: Relation, cuts: Mapping[str, Cut], columns: Mapping[str, str], reading: Reading
) -> Relation:
    """Return the relation with text columns that are cut as numbers, dates or times.

    A column is integer if every text is the canonical form of an integer of 64 bits, else double;
    of dates if every text is an ISO date, else of times. Codes of missing values are NULL. Raises
    if a text is neither; messages call the columns by `columns`.
    """
    texts = {name: _text_of(name, cut, reading) for name, cut in cuts.items()}
    tests = ", ".join(
        f"count({text}), "
        f"count(CASE WHEN TRY_CAST({text} AS {narrow})::VARCHAR = {text} THEN 1 END), "
        f"count(TRY_CAST({text} AS {wide}))"
        for text, (narrow, wide) in ((texts[name], _types(cut)) for name, cut in cuts.items())
    )
    counted, casts = relation.aggregate(tests).fetchall()[0], {}
    for i, (name, cut) in enumerate(cuts.items()):
        filled, plain, fitting = counted[3 * i : 3 * i + 3]
        narrow, wide = _types(cut)
        if fitting < filled:
            what = "dates or times" if cut.is_of_dates else "numbers"
            raise TableError(
                f"column {columns[name]!r} cannot be cut into bins: {filled - fitting} of its "
                f"values are not {what}{_advice(relation, name)}"
            )
        utc = " AT TIME ZONE 'UTC'" if wide == "TIMESTAMPTZ" and plain < filled else ""
        cast = narrow if plain == filled else wide
        casts[name] = f"({texts[name]})::{cast}{utc} AS {name}"
    return relation.project(", ".join(casts.get(name, name) for name in relation.columns))


def _types(cut: Cut) -> tuple[str, str]:
    return ("DATE", "TIMESTAMPTZ") if cut.is_of_dates else ("BIGINT", "DOUBLE")


def _text_of(name: str, cut: Cut, reading: Reading) -> str:
    """Return SQL for the text of a cell; texts of JSON are quoted, so that "5" is not a number."""
    quoted = reading == "json" and cut.is_of_dates
    return in_sql(f"({name} ->> '$')" if quoted else f"{name}::VARCHAR", cut.missing)


def _advice(relation: Relation, name: str) -> str:
    """Return what to do about numbers with commas, if a column has any."""
    found = relation.filter(f"regexp_full_match({name}::VARCHAR, '[+-]?[0-9][0-9.]*(,[0-9]+)+')")
    if not found.limit(1).fetchall():
        return ""
    return (
        "; some have commas: write decimal points, or separate fields by semicolons and leave the "
        "marks of thousands out"
    )
