"""Write a released table to a CSV or Parquet file: the whole file, or nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from uuid import uuid4

from loglift.errors import OutputError, TableError
from loglift.tables.engines import engine_of
from loglift.tables.faults import explain, interrupted
from loglift.tables.formulas import escaped, is_formula, sql_escaped, sql_is_formula
from loglift.tables.relations import connect, literal
from loglift.writing import whole_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

Format: TypeAlias = Literal["parquet", "csv"]

_ERRNO = re.compile(r'"errno":"(\d+)"')
# How DuckDB writes an instant when the zone is UTC; the connection may have another zone.
_IN_UTC = (
    "CASE WHEN isinf({0}) THEN {0}::VARCHAR "
    "ELSE make_timestamp(epoch_us({0}))::VARCHAR || '+00' END"
)
_CSV = "FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
# No key-value metadata is written: the file does not reveal the machine, the time or the input.
_PARQUET = "FORMAT parquet, COMPRESSION snappy"
_TEXTS = ("VARCHAR", "ENUM", "JSON", "BLOB", "UNION")


def write(
    result: Any,
    path: str | os.PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002 - the option's name on the command line
    replace: bool = True,
    escape_formulas: bool = False,
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
        The file; it ends in .parquet or .csv, unless a format is given.
    replace
        Without it an existing file is not replaced, even if it appears while this one is being
        written: `OutputError`.
    escape_formulas
        In CSV: put a single quote before texts, and names of columns, that spreadsheets would run
        as formulas.

    Returns
    -------
    The columns of a CSV file with texts that spreadsheets would run; empty if they are escaped.

    """
    place = Path(path)
    kind = format or _format(place)
    if escape_formulas and kind != "csv":
        raise OutputError("formulas are escaped in CSV only: write CSV, or do not escape them")
    relation = _relation(result)
    with whole_file(place, force=replace) as temporary, _said_plainly(place):
        if kind == "parquet":
            _copy(_exact(relation), temporary, _PARQUET)
            return ()
        found = _formulas(relation)
        options = f"{_CSV}, FORCE_QUOTE *" if len(relation.columns) == 1 else _CSV
        _copy(_as_csv(relation, escape=escape_formulas), temporary, options)
    return () if escape_formulas else found


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


def _exact(relation: Relation) -> Relation:
    """Return the relation with 128-bit integers as decimals: Parquet would make them doubles."""
    return _projected(
        relation,
        {
            i: (f"#{i + 1}::DECIMAL(38, 0)", relation.columns[i])
            for i, kind in enumerate(relation.types)
            if "HUGEINT" in str(kind)
        },
    )


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
        columns[i] = f'{cell} AS "{name.replace(chr(34), chr(34) * 2)}"'
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
    ending = place.suffix.lower()
    if ending == ".parquet":
        return "parquet"
    if ending == ".csv":
        return "csv"
    raise OutputError(f"{place} has no ending loglift writes: use .parquet or .csv")
