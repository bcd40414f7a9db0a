"""Sheets of Excel workbooks: the first row names the columns.

An empty cell, an error such as #N/A and an empty text are NULL; a row without cells is no record.
Numbers without a fraction are integers, a column of which the cells have several types is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loglift.errors import TableError
from loglift.tables.addresses import PART
from loglift.tables.extras import needed
from loglift.tables.labels import code_text
from loglift.tables.relations import Source
from loglift.tables.statfiles import one_file
from loglift.values import in_chunks

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

EXTRA, WHAT = "excel", "Excel workbooks"

_MAX_WHOLE = 2**53  # of doubles, Excel's only numbers
_ROWS_PER_PART = 50_000  # that go to DuckDB at a time
_MAX_NAMED_SHEETS = 6  # in a message
_SQL = {
    bool: "BOOLEAN",
    int: "BIGINT",
    float: "DOUBLE",
    date: "DATE",
    datetime: "TIMESTAMP",
    time: "TIME",
    str: "VARCHAR",
}
_ARROW = {
    bool: "bool",
    int: "int64",
    float: "float64",
    date: "date32",
    datetime: "timestamp[us]",
    time: "time64[us]",
    str: "string",
}


def read(connection: Connection, files: Sequence[Path], sheet: str | None) -> Source:
    """Read a sheet into a table of the connection."""
    file = one_file(files)
    calamine, arrow = needed("python_calamine", EXTRA, WHAT), needed("pyarrow", EXTRA, WHAT)
    try:
        book = calamine.CalamineWorkbook.from_path(str(file))
        rows = book.get_sheet_by_name(_sheet(file, book.sheet_names, sheet)).iter_rows()
        header = next((row for row in rows if any(cell != "" for cell in row)), None)
    except (calamine.CalamineError, OSError) as error:
        raise TableError(
            f"{file} is not a readable Excel workbook: it is damaged, has a password, or another "
            f"format ({str(error).splitlines()[0]})"
        ) from None
    if header is None:
        raise TableError(f"{file} has a sheet without cells: give a table with a header and rows")
    names = tuple("" if name == "" else code_text(name) for name in header)
    filled = [[_plain(cell) for cell in row] for row in rows if any(cell != "" for cell in row)]
    used = [i for i in range(len(names)) if names[i] or any(row[i] is not None for row in filled)]
    kinds = [_kind(row[i] for row in filled) for i in used]
    typed = ", ".join(f"c{k} {_SQL[kind]}" for k, kind in enumerate(kinds))
    connection.execute(f"CREATE TABLE loglift_rows ({typed})")
    for part in in_chunks(filled, _ROWS_PER_PART):
        arrays = {
            f"c{k}": arrow.array(
                [_as(kind, row[i]) for row in part], type=arrow.type_for_alias(_ARROW[kind])
            )
            for k, (i, kind) in enumerate(zip(used, kinds, strict=True))
        }
        connection.register("loglift_part", arrow.table(arrays))
        connection.execute("INSERT INTO loglift_rows FROM loglift_part")
        connection.unregister("loglift_part")
    relation = connection.table("loglift_rows")
    return Source("excel", tuple(names[i] for i in used), "native", relation)


def _sheet(file: Path, sheets: Sequence[str], named: str | None) -> str:
    """Return the sheet that is named, or the only one."""
    if named in sheets:
        return str(named)
    listed = ", ".join(sheets[:_MAX_NAMED_SHEETS])
    more = f", ... ({len(sheets)} in all)" if len(sheets) > _MAX_NAMED_SHEETS else ""
    if named is not None:
        raise TableError(f"{file} has no sheet {named!r}: its sheets are {listed}{more}")
    if len(sheets) != 1:
        raise TableError(
            f"{file} has {len(sheets)} sheets ({listed}{more}): name one, such as "
            f"{file}{PART}{next(iter(sheets), 'Sheet1')}"
        )
    return sheets[0]


def _plain(cell: Any) -> Any:
    """Return a cell as a Python value; a date at midnight is a date, a duration is a text."""
    if cell == "":
        return None
    if isinstance(cell, timedelta):
        return str(cell)
    whole = isinstance(cell, float) and cell.is_integer() and abs(cell) <= _MAX_WHOLE
    return int(cell) if whole else cell


def _kind(cells: Iterable[Any]) -> type:
    """Return the one type of a column; text where it has several."""
    found = {type(cell) for cell in cells if cell is not None}
    if found == {int, float}:
        return float
    if found == {date, datetime}:
        return datetime
    return found.pop() if len(found) == 1 else str


def _as(kind: type, cell: Any) -> Any:
    if cell is None or type(cell) is kind:
        return cell
    if kind is datetime:  # a date among times
        return datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001, Excel has no zones
    if kind is float:
        return float(cell)
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
