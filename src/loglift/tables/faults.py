"""Faults of the libraries underneath, said in one line that says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

from loglift.errors import InputError, LogliftError, TableError

_LINE = re.compile(r"on Line: (\d+)")
_UTF8 = (
    "is not UTF-8 text: save it as UTF-8 (if it is LATIN1, iconv -f LATIN1 -t UTF-8 converts it)"
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
    ("Maximum line size", "has a line beyond 2 MB{line}: is a quote never closed?"),
    ("JSON", "is not valid JSON lines: one object per line, without repeated keys"),
    ("schema mismatch", "is a glob of files with different columns: name files that have the same"),
    ("Parquet", _PARQUET),
    ("magic bytes", _PARQUET),
    ("thrift", _PARQUET),
    ("Overflow in subtraction", _OVERFLOW),
    ("not in range", _OVERFLOW),
    ("No space left", "needs more room than the disk has: free some space"),
    ("Out of Memory", "needs more memory than there is: name fewer columns, or use bins"),
)
# These are mistakes in this library, not in a table: they must be seen as what they are.
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
    """Whether an engine was stopped by the user.

    DuckDB says so in a RuntimeError, or quotes Python's exception in an error of its own.
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


def refuse_missing(name: str, columns: Sequence[str], where: str) -> InputError:
    """Return the error for a column that the table does not have, with close matches."""
    texts = [str(column) for column in columns]
    folded = {text.casefold().strip(): text for text in texts}
    close = get_close_matches(str(name).casefold().strip(), list(folded), n=3, cutoff=0.6)
    if close:
        hint = "did you mean " + " or ".join(repr(folded[match]) for match in close) + "?"
    else:
        hint = "its columns are " + _some([repr(text) for text in texts])
    return TableError(f"{where} has no column {name!r}: {hint}")


def _some(texts: Sequence[str], limit: int = 12) -> str:
    rest = f", ... ({len(texts)} in all)" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + rest
