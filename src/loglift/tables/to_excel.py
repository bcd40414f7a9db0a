"""Write a table as an Excel workbook of one sheet, without author or times.

Texts are never formulas. What Excel cannot hold becomes text: numbers of more than 15 digits, dates
before March 1900, instants (in UTC). NULL is an empty cell; so is the empty text.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loglift.errors import OutputError
from loglift.tables.excel import EXTRA, WHAT
from loglift.tables.extras import needed

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

MAX_ROWS = 2**20 - 1  # below the header
_MAX_COLUMNS = 2**14
_MAX_CHARACTERS = 32_767  # of a cell
_MAX_DIGITS = 15  # of a number
_FIRST_DATE = date(1900, 3, 1)  # Excel takes 1900 for a leap year
_ROWS_PER_BATCH = 50_000
_MADE = datetime(1980, 1, 1, tzinfo=UTC)
_FORMATS = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss.000", time: "hh:mm:ss"}


def write(relation: Relation, path: Path) -> None:
    """Write the rows below a header."""
    library = needed("xlsxwriter", EXTRA, WHAT)
    records = relation.aggregate("count(*)").fetchall()[0][0]
    if records > MAX_ROWS or len(relation.columns) > _MAX_COLUMNS:
        raise OutputError(
            f"an Excel sheet has at most {MAX_ROWS} rows and {_MAX_COLUMNS} columns, and the "
            f"release has {records} and {len(relation.columns)}: choose another format "
            "(--format parquet)"
        )
    book = library.Workbook(str(path), {"constant_memory": True, "default_date_format": ""})
    book.set_properties({"created": _MADE})
    sheet = book.add_worksheet("released")
    formats = {kind: book.add_format({"num_format": form}) for kind, form in _FORMATS.items()}
    try:
        for at, name in enumerate(relation.columns):
            sheet.write_string(0, at, name)
        row = 1
        for batch in relation.to_arrow_reader(_ROWS_PER_BATCH):
            for cells in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                for at, cell in enumerate(cells):
                    _write(sheet, row, at, cell, formats)
                row += 1
    finally:
        book.close()


def _write(sheet: Any, row: int, at: int, cell: Any, formats: dict[type, Any]) -> None:
    value = _as_cell(cell)
    if value is None:
        return
    if isinstance(value, str):
        if len(value) > _MAX_CHARACTERS:
            raise OutputError(
                f"a text is longer than the {_MAX_CHARACTERS} characters of an Excel cell: choose "
                "another format (--format parquet)"
            )
        sheet.write_string(row, at, value)
    elif isinstance(value, bool):
        sheet.write_boolean(row, at, value)
    elif isinstance(value, (date, datetime, time)):
        sheet.write_datetime(row, at, value, formats[type(value)])
    else:
        sheet.write_number(row, at, value)


def _as_cell(cell: Any) -> Any:
    """Return a value that Excel holds as it is, or its text."""
    if cell is None or isinstance(cell, (bool, str)):
        return cell
    texts: dict[type, Callable[[Any], bool]] = {
        int: lambda value: abs(value) >= 10**_MAX_DIGITS,
        float: lambda value: not math.isfinite(value),
        Decimal: lambda value: len(value.normalize().as_tuple().digits) > _MAX_DIGITS,
        datetime: lambda value: value.tzinfo is not None or value.date() < _FIRST_DATE,
        date: lambda value: value < _FIRST_DATE,
        time: lambda value: bool(value.microsecond),
    }
    as_text = texts.get(type(cell), lambda _: True)
    return str(cell) if as_text(cell) else cell
