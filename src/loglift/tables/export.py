"""Write a released table to a file: the whole file, or nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args
from uuid import uuid4

from loglift.errors import OutputError, TableError
from loglift.tables import to_excel, to_statfiles
from loglift.tables.canonical import MAX_DECIMAL_DIGITS
from loglift.tables.engines import engine_of
from loglift.tables.extras import needed
from loglift.tables.faults import explain, interrupted
from loglift.tables.formulas import escaped, is_formula, sql_escaped, sql_is_formula
from loglift.tables.labels import Labels
from loglift.tables.relations import connect, identifier, literal
from loglift.writing import whole_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

Format: TypeAlias = Literal["parquet", "csv", "dta", "sav", "xlsx", "arrow"]
FORMATS: tuple[Format, ...] = get_args(Format)

# The format in which a table of each kind is released, where it is not Parquet.
_SAME_KIND: dict[str, Format] = {"stata": "dta", "spss": "sav", "excel": "xlsx", "arrow": "arrow"}

_ERRNO = re.compile(r'"errno":"(\d+)"')
# How DuckDB writes an instant when the zone is UTC; the connection may have another zone.
_IN_UTC = (
    "CASE WHEN isinf({0}) THEN {0}::VARCHAR "
    "ELSE make_timestamp(epoch_us({0}))::VARCHAR || '+00' END"
)
_CSV = "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
# No key-value metadata is written: the file does not reveal the machine, the time or the input.
_PARQUET = "FORMAT parquet, COMPRESSION snappy"
_ROWS_PER_BATCH = 100_000  # of an Arrow file
_TEXTS = ("VARCHAR", "ENUM", "JSON", "BLOB", "UNION")


def write(
    result: Any,
    path: str | os.PathLike[str],
    *,
    replace: bool = True,
    escape_formulas: bool = False,
    labels: Mapping[str, Labels] | None = None,
    check: Callable[[], None] | None = None,
) -> tuple[str, ...]:
    """Write a DuckDB relation, or a pandas, Polars or PyArrow frame, to one file.

    In CSV, NULL is an empty field and the empty text is quoted. In a table of one column every
    field is quoted, and both are `""`, because readers skip empty lines. A Parquet file has the
    columns and their values only.

    Parameters
    ----------
    result
        The table.
    path
        The file; it ends in .parquet, .csv, .arrow, .dta (Stata), .sav (SPSS) or .xlsx (Excel).
    replace
        Without it an existing file is not replaced, even if it appears while this one is being
        written: `OutputError`.
    escape_formulas
        In CSV: put a single quote before texts, and names of columns, that spreadsheets would run
        as formulas.
    labels
        The labels of the table that is released, for Stata and SPSS.
    check
        Called when the file is written, before it takes its place: it may raise.

    Returns
    -------
    The columns of a CSV file with texts that spreadsheets would run; empty if they are escaped.

    """
    place = Path(path)
    kind = _format(place)
    if escape_formulas and kind != "csv":
        raise OutputError("formulas are escaped in CSV only: write CSV, or do not escape them")
    relation = _relation(result)
    with whole_file(place, force=replace) as temporary, _said_plainly(place):
        found = _write(relation, temporary, kind, labels or {}, escape=escape_formulas)
        if check is not None:
            check()
    return found


def format_like(kind: str) -> Format:
    """Return the format in which a table of a kind is released: its own, where loglift has it."""
    return _SAME_KIND.get(kind, "parquet")


def _write(
    relation: Relation, path: Path, kind: Format, labels: Mapping[str, Labels], *, escape: bool
) -> tuple[str, ...]:
    """Write a file; return the columns of a CSV file that hold formulas and are not escaped."""
    if kind == "parquet":
        _copy(_exact(relation), path, _PARQUET)
    elif kind == "arrow":
        _write_arrow(_exact(relation), path)
    elif kind == "xlsx":
        to_excel.write(_exact(relation), path)
    elif kind in ("dta", "sav"):
        to_statfiles.write(_exact(relation, texts=("ENUM",)), path, kind, labels)
    else:
        found = () if escape else _formulas(relation)
        options = f"{_CSV}, FORCE_QUOTE *" if len(relation.columns) == 1 else _CSV
        _copy(_as_csv(relation, escape=escape), path, options)
        return found
    return ()


def _write_arrow(relation: Relation, path: Path) -> None:
    """Write an Arrow file (Feather 2): the columns and their values only, without metadata."""
    arrow, ipc = (needed(name, "arrow", "Arrow files") for name in ("pyarrow", "pyarrow.ipc"))
    reader = relation.to_arrow_reader(_ROWS_PER_BATCH)
    schema = reader.schema.remove_metadata()
    options = ipc.IpcWriteOptions(compression="lz4")
    with arrow.OSFile(str(path), "wb") as file, ipc.new_file(file, schema, options=options) as out:
        for batch in reader:
            out.write_batch(batch.replace_schema_metadata(None))


def _copy(relation: Relation, temporary: Path, options: str) -> None:
    name = f"loglift_{uuid4().hex}"
    relation.query(name, f"COPY (SELECT * FROM {name}) TO {literal(str(temporary))} ({options})")  # noqa: S608 - quoted


@contextmanager
def _said_plainly(place: Path) -> Iterator[None]:
    import duckdb  # noqa: PLC0415 - only when a table is used

    try:
        yield
    except (RuntimeError, duckdb.Error) as error:
        if interrupted(error):
            raise KeyboardInterrupt from error
        if not isinstance(error, duckdb.Error):
            raise
        if isinstance(error, duckdb.IOException):
            raise OutputError(f"{place} cannot be written: {_cause(error)}") from error
        raise TableError(explain("the table", error)) from error


def _cause(error: Exception) -> str:
    """Return the operating system's message for a failure, or the first line of DuckDB's."""
    number = _ERRNO.search(str(error))
    return os.strerror(int(number[1])) if number else str(error).splitlines()[0]


def _exact(relation: Relation, *, texts: tuple[str, ...] = ()) -> Relation:
    """Return the relation with 128-bit integers as decimals: Parquet would make them doubles.

    Columns of the types `texts` become texts.
    """
    cells = {}
    for i, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True)):
        if "HUGEINT" in str(kind):
            cells[i] = (f"#{i + 1}::DECIMAL({MAX_DECIMAL_DIGITS}, 0)", name)
        elif str(kind).startswith(texts):
            cells[i] = (f"#{i + 1}::VARCHAR", name)
    return _projected(relation, cells)


def _as_csv(relation: Relation, *, escape: bool) -> Relation:
    """Return the relation with the cells of the file: instants in UTC, formulas escaped."""
    names = [escaped(name) if escape else name for name in relation.columns]
    cells = {
        i: (_IN_UTC.format(f"#{i + 1}"), names[i])
        for i, kind in enumerate(map(str, relation.types))
        if kind in ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ")
    }
    if escape:
        cells = {i: (f"#{i + 1}", name) for i, name in enumerate(names)} | cells
        cells |= {i: (sql_escaped(cell), names[i]) for i, cell in _texts(relation).items()}
    if len(relation.columns) == 1:
        cell, name = cells.get(0, ("#1", relation.columns[0]))
        cells = {0: (f"coalesce(({cell})::VARCHAR, '')", name)}
    return _projected(relation, cells)


def _formulas(relation: Relation) -> tuple[str, ...]:
    """Return the columns whose name, or any cell, is a text that spreadsheets run."""
    texts = _texts(relation)
    tests = [f"bool_or{sql_is_formula(cell)}" for cell in texts.values()]
    answers = relation.aggregate(", ".join(tests)).fetchall()[0] if tests else ()
    found = {i for i, answer in zip(texts, answers, strict=True) if answer}
    return tuple(name for i, name in enumerate(relation.columns) if i in found or is_formula(name))


def _texts(relation: Relation) -> dict[int, str]:
    """Return SQL for the text of each column that holds texts, keyed by position."""
    return {
        i: f"#{i + 1}::VARCHAR"
        for i, kind in enumerate(relation.types)
        if str(kind).startswith(_TEXTS)
    }


def _projected(relation: Relation, cells: dict[int, tuple[str, str]]) -> Relation:
    """Return the relation with some cells replaced: position -> (SQL of the cell, name)."""
    columns = [f"#{i + 1}" for i in range(len(relation.columns))]
    for i, (cell, name) in cells.items():
        columns[i] = f"{cell} AS {identifier(name)}"
    return relation.project(", ".join(columns))


def _relation(result: Any) -> Relation:
    kind, engine = engine_of(result)
    if kind == "duckdb":
        relation: Relation = result
        return relation
    if kind not in ("pandas", "polars", "arrow"):
        raise OutputError(f"a {kind} table is written by {kind} itself: use its own writer")
    if "" in engine.names(result):
        raise OutputError("a column has no name: give it one")
    connection = connect()
    connection.register("released", result)
    return connection.sql("FROM released")


def _format(place: Path) -> Format:
    ending = place.suffix.lower().removeprefix(".")
    if ending == "feather":
        return "arrow"
    if ending in FORMATS:
        return ending
    listed = ", ".join(f".{each}" for each in FORMATS[:-1])
    raise OutputError(f"{place} has no ending loglift writes: use {listed} or .{FORMATS[-1]}")
