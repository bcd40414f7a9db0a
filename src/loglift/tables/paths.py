"""Files as tables: which files a path names, and a DuckDB relation that reads them lazily."""

from __future__ import annotations

import glob
import gzip
import os
import stat
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from loglift.errors import TableError
from loglift.tables import (
    arrowfiles,
    delimited,
    duckdbfiles,
    excel,
    jsonlines,
    parquet,
    statfiles,
)
from loglift.tables.addresses import PART, split, without_password
from loglift.tables.faults import explained
from loglift.tables.relations import COMPRESSED, Source, connect, ending_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

_FORMATS = {
    ".arrow": "arrow",
    ".feather": "arrow",
    ".xlsx": "excel",
    ".duckdb": "duckdb",
    **statfiles.KINDS,
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
_READERS: dict[str, Callable[[Connection, Sequence[Path]], Source]] = {
    "csv": delimited.read,
    "parquet": parquet.read,
    "json": jsonlines.read,
    "arrow": arrowfiles.read,
    "stata": statfiles.read,
    "spss": statfiles.read,
    "sas": statfiles.read,
}
# Files of several tables, one of which is named behind the file.
_READERS_OF_PARTS: dict[str, Callable[[Connection, Sequence[Path], str | None], Source]] = {
    "excel": excel.read,
    "duckdb": duckdbfiles.read,
}
_TEXTS = ("csv", "json")

_ENCODING_SAMPLE_BYTES = 64
# Byte order marks of other encodings than UTF-8; UTF-32 first, whose marks contain UTF-16's.
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
_MIN_SHARE_WITH_ZEROS = 0.7  # of the sample's letters


def open_files(path: str | os.PathLike[str]) -> Source:
    """Return a lazy relation over the file, or over all files of a glob as one table."""
    place, part = split(os.fspath(path))
    files = find(place)
    kind = kind_of(files)
    if kind in _TEXTS:
        for file in files:
            refuse_encoding(file)
    connection = connect()
    with explained(str(path)):
        if kind in _READERS_OF_PARTS:
            source = _READERS_OF_PARTS[kind](connection, files, part)
        elif part is not None:
            raise TableError(f"{place} is one table: leave {PART}{part} out")
        else:
            source = _READERS[kind](connection, files)
        # A constant, not the row itself: DuckDB needs pytz to convert some types to Python.
        if not source.relation.limit(1).project("1").fetchall():
            raise TableError(f"{path} has no rows, only a header: give a table with records")
    return source


def find(path: str | os.PathLike[str]) -> list[Path]:
    """Return the files that a path or glob names, in a stable order."""
    text = os.fspath(path)
    if "://" in text and not os.path.exists(text):  # noqa: PTH110
        raise TableError(
            f"{without_password(text)} is an address that loglift does not read: name a file, or a "
            "table of PostgreSQL (postgresql://user@host/db::table)"
        )
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
    """Raise if a path is not a regular file, is empty, or must not be read."""
    try:
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for its writer
            raise TableError(
                f"{file} is a pipe or a device, which cannot be read twice: save its content as a "
                "file first, such as table.csv"
            )
        empty = found.st_size == 0
        with file.open("rb"):
            pass
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}") from error
    if empty:
        raise TableError(f"{file} is empty: give a table with a header and records")


def stamps_of(files: Sequence[Path]) -> tuple[tuple[int, int], ...]:
    """Return the size and the time of change of each file; none where one is gone."""
    try:
        return tuple((found.st_size, found.st_mtime_ns) for found in (f.stat() for f in files))
    except OSError:
        return ()


def refuse_encoding(file: Path) -> None:
    """Raise if the first bytes of a file show a text in UTF-16 or UTF-32."""
    opened = gzip.open if file.suffix.lower() == ".gz" else open
    with suppress(OSError, EOFError, zlib.error), opened(file, "rb") as text:
        first = text.read(_ENCODING_SAMPLE_BYTES)
        found = encoding_of(first)
        if found is not None:
            raise TableError(
                f"{file} is {found} text: save it as UTF-8 (iconv -f {found} -t UTF-8 OLD > NEW "
                "converts it)"
            )


def encoding_of(first: bytes) -> str | None:
    """Return the encoding that a mark, or zeros, in the first bytes of a text show; or None."""
    for mark, name in _MARKS.items():
        if first.startswith(mark):
            return name
    for name, (width, zeros) in _ZEROS.items():
        letters = [first[i : i + width] for i in range(0, len(first) - width + 1, width)]
        like = [[i for i, byte in enumerate(letter) if not byte] == zeros for letter in letters]
        # The header begins with letters that have these zeros; later letters may not.
        if len(like) > 1 and all(like[:2]) and sum(like) > _MIN_SHARE_WITH_ZEROS * len(like):
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


def _kind(file: Path) -> str:
    ending = ending_of(file)
    compressed = file.suffix.lower() in COMPRESSED
    if ending not in _FORMATS or (compressed and _FORMATS[ending] not in _TEXTS):
        raise TableError(
            f"{file} has no ending loglift knows: use .csv, .tsv, .jsonl, .ndjson or .json "
            "(each also with .gz or .zst), .parquet, .arrow, .feather, .dta, .sav, .zsav, "
            ".sas7bdat, .xpt, .xlsx, .duckdb, or postgresql://host/db::table"
        )
    return _FORMATS[ending]
