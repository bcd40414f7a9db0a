"""Errors of the engines, as one line that says how to repair the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from loglift.errors import LogliftError, TableError

_LINE = re.compile(r"on Line: (\d+)")
_UTF8 = (
    "is not UTF-8 text: save it as UTF-8 (iconv -f CP1252 -t UTF-8 OLD > NEW converts files of "
    "Windows in western Europe and LATIN1; check the accents)"
)
_RAGGED = (
    "has a row with more or fewer fields than the header{line}: repair that row, or quote the "
    "field that holds the separator"
)
_QUOTES = "has a quoted field that does not end where it should{line}: double quotes inside quotes"
_PARQUET = "is not a readable Parquet file: it is damaged or has another format"
_OVERFLOW = "has numbers too large for bins of this width: remove them or widen the bins"
_HINTS = (
    ("not utf-8", _UTF8),
    ("unicode", _UTF8),
    ("utf-8", _UTF8),
    ("Expected Number of Columns", _RAGGED),
    ("unterminated quote", _QUOTES),
    ("Maximum line size", "has a line longer than 2 MB{line}: check that every quote is closed"),
    ("JSON", "is not valid JSON lines: one object per line, without repeated keys"),
    ("schema mismatch", "is a glob of files with different columns: name files that have the same"),
    ("Parquet", _PARQUET),
    ("magic bytes", _PARQUET),
    ("thrift", _PARQUET),
    ("Overflow in subtraction", _OVERFLOW),
    ("not in range", _OVERFLOW),
    (
        "stores the time zone",
        "holds instants, and its session is in another zone: set that to UTC to cut them",
    ),
    ("changed while it was read", "changed while it was read: nothing is released, run it again"),
    ("No space left", "needs more room than the disk has: free some space"),
    ("Out of Memory", "needs more memory than there is: name fewer columns, or use bins"),
)
# These are bugs of this library, not faults of a table: they are not caught.
_OURS = (AttributeError, NameError, AssertionError, MemoryError)


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn any failure of an engine into a TableError of one line about the table `where`."""
    try:
        yield
    except (LogliftError, *_OURS):
        raise
    except Exception as error:
        if interrupted(error):
            raise KeyboardInterrupt from error
        raise TableError(explain(where, error)) from error


def interrupted(error: Exception) -> bool:
    """Whether the user stopped the engine.

    DuckDB reports it as a RuntimeError, or quotes Python's exception in an error of its own.
    """
    text = str(error)
    said = isinstance(error, RuntimeError) and "interrupted" in text.lower()
    return said or ("Traceback" in text and KeyboardInterrupt.__name__ in text)


def explain(where: str, error: Exception) -> str:
    """Return one line that says what is wrong with the table and how to repair it."""
    text = str(error)
    found = _LINE.search(text)
    line = f" (line {found[1]})" if found else ""
    for mark, hint in _HINTS:
        if mark.lower() in text.lower():
            return f"{where} {hint.format(line=line)}"
    first = next(iter(text.splitlines()), type(error).__name__)
    return f"{where} cannot be read: {first}"
