"""CSV and TSV, read as texts: type detection would turn '007' into 7, or fail in row 20,481.

An unquoted empty field is NULL, a quoted empty field is the empty text, and an unquoted NULL is the
text 'NULL'. In a file of one column a quoted empty field is NULL too: most programs write NULL so,
because readers skip empty lines. An empty line is a record (NULL) in a file of one column; in a
file of several columns it is skipped.

Where fields are not separated by commas, a column of which every value is a number, some with a
decimal comma, is read with points: 1,5 is 1.5.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loglift.errors import TableError
from loglift.tables.relations import Source, ending_of, literal, quoted, refuse_different

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection, DuckDBPyRelation as Relation

_SEPARATORS = (",", ";", "\t", "|")
_NUMBER = "[+-]?[0-9]+(,[0-9]+)?"  # without points: 1.234 may be one thousand
_HEAD_LINES = 50  # that decide which separator a file has


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
            f"{files[0]} has a line break in its header, and no rows that can be read: use the "
            "same line breaks in the header and at the ends of lines"
        )
    return Source("csv", columns, "text", relation if separator == "," else with_points(relation))


def with_points(relation: Relation) -> Relation:
    """Return the relation with decimal points in columns of numbers with decimal commas."""
    names = relation.columns
    tests = [
        f"bool_and(regexp_full_match({name}, '{_NUMBER}')) AND bool_or(contains({name}, ','))"
        for name in names
    ]
    answers = relation.aggregate(", ".join(tests)).fetchall()[0]
    cells = [
        f"replace({name}, ',', '.') AS {name}" if answer else name
        for name, answer in zip(names, answers, strict=True)
    ]
    return relation.project(", ".join(cells)) if any(answers) else relation


def head(connection: Connection, file: Path) -> tuple[tuple[str, ...], str]:
    """Return the header, unchanged, and the separator."""
    lines = first_lines(connection, file)
    separator = "\t" if ending_of(file) == ".tsv" else separator_of(lines)
    header = next(csv.reader(lines, delimiter=separator, strict=True), None)
    if header is None:
        raise TableError(f"{file} is empty: give a table with a header and records")
    if not header:
        raise TableError(f"{file} begins with an empty line: begin with the header")
    return tuple(header), separator


def first_lines(connection: Connection, file: Path) -> list[str]:
    """Return the first lines, decompressed, each with its line end.

    Strict mode is off: a quoted field may hold other line ends than the file.
    """
    relation = connection.sql(
        f"FROM read_csv({quoted([file])}, auto_detect = false, header = false, delim = '\\x1f', "
        "quote = '', escape = '', nullstr = '', strict_mode = false, "
        "columns = {'line': 'VARCHAR'}) "
        f"LIMIT {_HEAD_LINES}"
    )
    return [(line or "") + "\n" for (line,) in relation.fetchall()]


def separator_of(lines: Sequence[str]) -> str:
    """Return the separator that splits all given records into equally many fields.

    The comma wins when several do. If no separator does, the result is a comma too: a file without
    commas then has one column, and any other file is ragged, which raises when it is read.
    """
    for separator in _SEPARATORS:
        # The last line may be the beginning of a quoted field.
        records = csv.reader(lines[:-1] or lines, delimiter=separator)
        widths = {len(record) for record in records if record}
        if len(widths) == 1 and widths.pop() > 1:
            return separator
    return _SEPARATORS[0]
