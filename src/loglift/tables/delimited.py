"""CSV and TSV, as texts: a sniffed type would turn '007' into 7 and stumble over row 20,481.

An unquoted empty field is NULL, a quoted one is the empty text, and NULL is the text 'NULL'. Where
there is one column only, a quoted empty field is NULL, too: most programs write it so, for readers
skip an empty line. It is a record here, and not one where there are several columns.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loglift.errors import TableError
from loglift.tables.files import Source, is_tabbed, literal, quoted, refuse_different

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

_SEPARATORS = (",", ";", "\t", "|")
_LINES_LOOKED_AT = 50


def read(connection: Connection, files: Sequence[Path]) -> Source:
    """Return all columns as texts, read lazily."""
    heads = [(file, head(connection, file)) for file in files]
    refuse_different(heads)
    columns, separator = heads[0][1]
    kinds = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns)))
    single = str(len(columns) == 1).lower()
    relation = connection.sql(
        f"FROM read_csv({quoted(files)}, auto_detect = false, header = true, "
        f"delim = {literal(separator)}, quote = '\"', escape = '\"', nullstr = '', "
        f"allow_quoted_nulls = {single}, strict_mode = true, columns = {{{kinds}}})"
    )
    if any("\n" in name for name in columns) and not relation.limit(1).fetchall():
        raise TableError(
            f"{files[0]} has a line break in its header, and no rows that can be read: does it end "
            "its lines in another way than it breaks them there?"
        )
    return Source("csv", columns, "text", relation)


def head(connection: Connection, file: Path) -> tuple[tuple[str, ...], str]:
    """Return the header, as it stands in the file, and the separator."""
    lines = first_lines(connection, file)
    separator = "\t" if is_tabbed(file) else separator_of(lines)
    header = next(csv.reader(lines, delimiter=separator, strict=True), None)
    if header is None:
        raise TableError(f"{file} is empty: give a table with a header and records")
    if not header:
        raise TableError(f"{file} begins with an empty line: begin with the header")
    return tuple(header), separator


def first_lines(connection: Connection, file: Path) -> list[str]:
    """Return the first lines, decompressed, each with its line end.

    Not strictly: a quoted field may hold other line ends than the file has.
    """
    relation = connection.sql(
        f"FROM read_csv({quoted([file])}, auto_detect = false, header = false, delim = '\\x1f', "
        "quote = '', escape = '', nullstr = '', strict_mode = false, "
        "columns = {'line': 'VARCHAR'}) "
        f"LIMIT {_LINES_LOOKED_AT}"
    )
    return [(line or "") + "\n" for (line,) in relation.fetchall()]


def separator_of(lines: Sequence[str]) -> str:
    """Return the separator that cuts all looked-at records into equally many fields.

    The comma wins when several do. When none does, a file without commas has one column, and
    any other one is ragged, which reading it will say.
    """
    for separator in _SEPARATORS:
        # The last line looked at may be the beginning of a quoted field.
        records = csv.reader(lines[:-1] or lines, delimiter=separator)
        widths = {len(record) for record in records if record}
        if len(widths) == 1 and widths.pop() > 1:
            return separator
    return _SEPARATORS[0]
