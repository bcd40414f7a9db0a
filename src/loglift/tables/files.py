"""Files as tables: which files a path names, and a DuckDB relation that reads them lazily."""

from __future__ import annotations

import glob
import gzip
import os
import signal
import stat
import tempfile
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from loglift.errors import TableError
from loglift.tables.faults import explained
from loglift.tables.values import Reading

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection, DuckDBPyRelation as Relation

# What DuckDB may hold of our files; beyond it, it works out of core.
MEMORY = "1GB"

_COMPRESSED = (".gz", ".zst")
_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}


_BYTES_LOOKED_AT = 64
# How texts in other encodings than UTF-8 begin; the longer marks first, which begin with others.
_MARKS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# Without a mark: how many bytes a letter has, and which of them are zero in most letters.
_ZEROS = {
    "UTF-32LE": (4, [1, 2, 3]),
    "UTF-32BE": (4, [0, 1, 2]),
    "UTF-16LE": (2, [1]),
    "UTF-16BE": (2, [0]),
}
_ALIKE = 0.7  # share of letters


@dataclass(frozen=True)
class Source:
    """A relation over files.

    Attributes
    ----------
    relation
        One column per name in `columns`, then, when `kept_at` is not 0, the same columns once
        more in the types in which they are passed through.

    """

    kind: str
    columns: tuple[str, ...]
    reading: Reading
    relation: Relation
    kept_at: int = 0


def open_files(path: str | os.PathLike[str]) -> Source:
    """Return a lazy relation over the file, or over all files of a glob as one table."""
    from loglift.tables import delimited, jsonlines, parquet  # noqa: PLC0415 - they import Source

    files = find(path)
    kind = kind_of(files)
    readers: dict[str, Any] = {
        "csv": delimited.read,
        "parquet": parquet.read,
        "json": jsonlines.read,
    }
    if kind != "parquet":
        for file in files:
            refuse_encoding(file)
    connection = connect()
    with explained(str(path)):
        source: Source = readers[kind](connection, files)
        # Whether there is a row, not which: DuckDB needs pytz to hand some types to Python.
        if not source.relation.limit(1).project("1").fetchall():
            raise TableError(f"{path} has no rows, only a header: give a table with records")
    return source


def connect() -> Connection:
    """Return a connection of our own: silent, bounded in memory, spilling to a temporary folder."""
    with _uninterrupted():
        import duckdb  # noqa: PLC0415 - only when a table is used

    spill = Path(tempfile.gettempdir()) / f"loglift-{uuid4().hex}"
    connection = duckdb.connect()
    # Progress is drawn by the command line, on stderr; DuckDB's own would go to stdout.
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = {literal(str(spill))}")
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    # Instants are written to CSV in this zone; the machine's own would tell where it stands.
    connection.execute("SET TimeZone = 'UTC'")
    return connection


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off for a moment: DuckDB, interrupted while it is imported, aborts the process."""
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.getsignal(number) for number in numbers}
    if threading.current_thread() is not threading.main_thread() or None in handlers.values():
        yield  # signals are not ours to handle
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


def find(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path or glob names, in a stable order."""
    text = os.fspath(path)
    if os.path.isdir(text):  # noqa: PTH112 - a glob is not a path
        raise TableError(
            f"{text} is a directory: name a file in it, or a glob such as {text}/*.parquet"
        )
    if os.path.islink(text) and not os.path.exists(text):  # noqa: PTH110, PTH114
        raise TableError(f"{text} is a symbolic link that leads nowhere: name the file itself")
    if os.path.exists(text):  # noqa: PTH110
        files = [Path(text)]
    elif glob.has_magic(text):
        found = glob.glob(text, recursive=True)  # noqa: PTH207 - absolute globs, too
        files = sorted(path for path in map(Path, found) if path.exists() and not path.is_dir())
        if not files:
            raise TableError(f"no file matches {text}: check the pattern, and quote it in a shell")
    else:
        raise TableError(f"there is no file {text}: check the name and the folder")
    for file in files:
        refuse_unreadable(file)
    return files


def refuse_unreadable(file: Path) -> None:
    """Refuse what is no file, an empty file, and one that may not be read."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # to open a pipe would wait for its writer
            raise TableError(
                f"{file} is a pipe or a device, which cannot be read twice: save what comes out "
                "of it as a file first, such as table.csv"
            )
        empty = found.st_size == 0
        with file.open("rb"):
            pass
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}") from error
    if empty:
        raise TableError(f"{file} is empty: give a table with a header and records")


def refuse_encoding(file: Path) -> None:
    """Refuse a text in UTF-16 or UTF-32, which its first bytes tell: half of them are zero."""
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    with suppress(OSError, EOFError, zlib.error), opened(file, "rb") as text:
        first = text.read(_BYTES_LOOKED_AT)
        found = encoding_of(first)
        if found is not None:
            raise TableError(
                f"{file} is {found} text: save it as UTF-8 (iconv -f {found} -t UTF-8 converts it)"
            )


def encoding_of(first: bytes) -> str | None:
    """Return the encoding that the first bytes of a text tell by a mark or by zeros; or None."""
    for mark, name in _MARKS.items():
        if first.startswith(mark):
            return name
    for name, (width, zeros) in _ZEROS.items():
        letters = [first[i : i + width] for i in range(0, len(first) - width + 1, width)]
        like = [[i for i, byte in enumerate(letter) if not byte] == zeros for letter in letters]
        # The header begins with letters that have these zeros; some further ones may not.
        if len(like) > 1 and all(like[:2]) and sum(like) > _ALIKE * len(like):
            return name
    return None


def kind_of(files: Sequence[Path]) -> str:
    """Return the format that all files share, by their endings."""
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise TableError(
            f"the glob names files of different formats ({', '.join(sorted(kinds))}): "
            "name files of one"
        )
    return kinds.pop()


def is_tabbed(file: Path) -> bool:
    """Whether a file's ending says that its fields are separated by tabs."""
    return _ending(file) == ".tsv"


def _kind(file: Path) -> str:
    ending = _ending(file)
    compressed = file.suffix.lower() in _COMPRESSED
    if ending not in _FORMATS or (compressed and ending == ".parquet"):
        raise TableError(
            f"{file} has no ending loglift knows: use .csv, .tsv, .jsonl, .ndjson or .json "
            "(each also with .gz or .zst), or .parquet"
        )
    return _FORMATS[ending]


def _ending(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def quoted(files: Sequence[Path]) -> str:
    """Return SQL for the list of files, each taken literally though DuckDB would see globs."""
    return "[" + ", ".join(literal(glob.escape(str(file))) for file in files) + "]"


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def refuse_different(found: Sequence[tuple[Path, Any]]) -> None:
    """Refuse files of one glob that do not have the same columns in the same order."""
    first, columns = found[0]
    for file, others in found[1:]:
        if others != columns:
            raise TableError(
                f"{first} and {file} have different columns: name files that have the same"
            )


def numeric(connected: Relation, names: Sequence[str], columns: Sequence[str]) -> Relation:
    """Return the relation with these text columns as numbers, for binning.

    A column is integer if every text is the canonical form of one that fits 64 bits, else
    double; one text that is no number refuses the column.
    """
    tests = ", ".join(
        f"count({name}), count(CASE WHEN TRY_CAST({name} AS BIGINT)::VARCHAR = {name} THEN 1 END), "
        f"count(TRY_CAST({name}::VARCHAR AS DOUBLE))"
        for name in names
    )
    counted = connected.aggregate(tests).fetchall()[0]
    casts = {}
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        filled, integers, numbers = counted[3 * i : 3 * i + 3]
        if numbers < filled:
            raise TableError(
                f"column {column!r} cannot be cut into bins: {filled - numbers} of its "
                "values are not numbers"
            )
        casts[name] = "BIGINT" if integers == filled else "DOUBLE"
    return connected.project(
        ", ".join(
            f"{name}::VARCHAR::{casts[name]} AS {name}" if name in casts else name
            for name in connected.columns
        )
    )
