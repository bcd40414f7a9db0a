"""Stata, SPSS and SAS files: labelled columns show their labels, all missing values are NULL.

Stata's .a to .z, the missing values that an SPSS file defines, and empty texts, which these
programs take for missing, are NULL. Numbers without a fraction are integers: SPSS and SAS have no
other numbers than doubles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loglift.errors import TableError
from loglift.tables.extras import needed
from loglift.tables.labels import Labels, code_text, is_labelled, shown_texts
from loglift.tables.relations import Source, ending_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

KINDS = {".dta": "stata", ".sav": "spss", ".zsav": "spss", ".sas7bdat": "sas", ".xpt": "sas"}
EXTRA, WHAT = "statfiles", "Stata, SPSS and SAS files"

_FUNCTIONS = {
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
_CELLS_PER_PART = 5_000_000  # read at once; a cell is a Python object here
_MIN_ROWS_PER_PART = 10_000
_MAX_WHOLE = 2**53  # larger doubles need not be the integer that they look like
_TYPES = {bool: "BOOLEAN", datetime: "TIMESTAMP", date: "DATE", time: "TIME"}
_ARROW = {
    "DOUBLE": "float64",
    "FLOAT": "float32",
    "VARCHAR": "string",
    "TIMESTAMP": "timestamp[us]",
    "DATE": "date32",
    "TIME": "time64[us]",
}


@dataclass(eq=False)
class _Column:
    """A column while its file is read: `codes` are the different ones of a labelled column."""

    type: str
    labels: Mapping[Any, str]
    codes: set[Any] = field(default_factory=set)


def read(connection: Connection, files: Sequence[Path]) -> Source:
    """Read a file into a table of the connection, which keeps on disk what exceeds its memory."""
    file = one_file(files)
    ending = ending_of(file)
    pyreadstat, arrow = needed("pyreadstat", EXTRA, WHAT), needed("pyarrow", EXTRA, WHAT)
    function = getattr(pyreadstat, _FUNCTIONS[ending])
    try:
        meta = function(file, metadataonly=True)[1]
        names = tuple(meta.column_names)
        if not names:
            raise TableError(f"{file} has no columns: give a table with records")
        columns = [
            _Column(_type(meta.readstat_variable_types[name]), labels)
            for name, labels in _labels(pyreadstat, file, meta).items()
        ]
        _make(connection, columns)
        for part in _parts(function, file, len(names)):
            _insert(connection, arrow, columns, [part[name] for name in names])
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeError) as error:
        raise TableError(
            f"{file} is not a readable {ending} file: it is damaged, or has another format "
            f"({str(error).splitlines()[0]})"
        ) from None
    return _source(connection, KINDS[ending], names, columns, meta)


def one_file(files: Sequence[Path]) -> Path:
    """Return the only file; raise for a glob of several, whose labels may differ."""
    if len(files) > 1:
        raise TableError(
            f"the glob names {len(files)} files, and files of this format are read one at a time: "
            "name one of them"
        )
    return files[0]


def _type(stored: str) -> str:
    if stored == "string":
        return "VARCHAR"
    return "FLOAT" if stored == "float" else "DOUBLE"


def _labels(pyreadstat: Any, file: Path, meta: Any) -> dict[str, dict[Any, str]]:
    """Return the labels of each column; those of a .sas7bdat are in a catalog beside it."""
    found = dict(meta.variable_value_labels)
    for catalog in (file.with_suffix(".sas7bcat"), file.with_name("formats.sas7bcat")):
        if ending_of(file) == ".sas7bdat" and catalog.exists():
            told = pyreadstat.read_sas7bcat(catalog)[1].value_labels
            formats = {name: form.upper() for name, form in meta.variable_to_label.items()}
            sets = {form.upper(): labels for form, labels in told.items()}
            found = {name: sets[form] for name, form in formats.items() if form in sets}
            break
    return {name: _of_type(found.get(name, {}), meta, name) for name in meta.column_names}


def _of_type(labels: Mapping[Any, str], meta: Any, name: str) -> dict[Any, str]:
    """Return the labels of values; those of Stata's .a to .z are of no values."""
    texts = meta.readstat_variable_types[name] == "string"
    return {code: text for code, text in labels.items() if isinstance(code, str) == texts}


def _parts(function: Any, file: Path, width: int) -> Iterator[dict[str, list[Any]]]:
    """Yield some rows at a time, as lists of Python values."""
    rows = max(_MIN_ROWS_PER_PART, _CELLS_PER_PART // width)
    start = 0
    while True:
        part = function(file, output_format="dict", row_offset=start, row_limit=rows)[0]
        found = len(next(iter(part.values()), ()))
        if found:
            yield part
        if found < rows:
            return
        start += rows


def _make(connection: Connection, columns: Sequence[_Column]) -> None:
    kinds = ", ".join(f"c{i} {column.type}" for i, column in enumerate(columns))
    texts = "".join(f", t{i} VARCHAR" for i, column in enumerate(columns) if column.labels)
    connection.execute(f"CREATE TABLE loglift_rows ({kinds}{texts})")


def _insert(
    connection: Connection, arrow: Any, columns: Sequence[_Column], cells: Sequence[list[Any]]
) -> None:
    """Append rows; a column is found to hold dates or times when its first one comes."""
    arrays = {}
    for i, (column, values) in enumerate(zip(columns, cells, strict=True)):
        first = next((value for value in values if value is not None), None)
        found = _TYPES.get(type(first), column.type)
        if found != column.type:
            connection.execute(f"ALTER TABLE loglift_rows ALTER c{i} TYPE {found} USING NULL")
            column.type = found
        plain = [value or None for value in values] if found == "VARCHAR" else values
        arrays[f"c{i}"] = arrow.array(plain, type=arrow.type_for_alias(_ARROW[found]))
        if column.labels:
            texts = shown_texts(column.labels)
            column.codes.update(plain)
            shown = {v: texts[v] if v in texts else code_text(v) for v in set(plain) - {None}}
            arrays[f"t{i}"] = arrow.array([shown.get(v) for v in plain], type=arrow.string())
    part = arrow.table(arrays)
    connection.register("loglift_part", part)
    connection.execute("INSERT INTO loglift_rows BY NAME FROM loglift_part")
    connection.unregister("loglift_part")


def _source(
    connection: Connection, kind: str, names: tuple[str, ...], columns: Sequence[_Column], meta: Any
) -> Source:
    """Return the columns as they are shown, then the codes of labelled ones."""
    numbers = {f"c{i}": column.type for i, column in enumerate(columns)}
    plain = whole_numbers(connection, numbers)
    shown, labels = [], {}
    codes: dict[int, int] = {}
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        labelled = is_labelled(column.codes, column.labels)
        shown.append(f"t{i} AS c{i}" if labelled else f"{plain[f'c{i}']} AS c{i}")
        if labelled and column.type != "VARCHAR":
            codes[i] = len(names) + len(codes)
        title = meta.column_names_to_labels.get(name)
        texts = _texts(column) if labelled else {}
        ordered = labelled and meta.variable_measure.get(name) == "ordinal"
        labels[name] = Labels(title, texts, ordered)
    raw = [f"{plain[f'c{i}']} AS k{i}" for i in codes]
    relation = connection.table("loglift_rows").project(", ".join(shown + raw))
    return Source(kind, names, "native", relation, labels=labels, codes=codes)


def _texts(column: _Column) -> dict[Any, str]:
    """Return the text of every code that has a label or occurs, in the order of the codes."""
    plain = {code: code_text(code) for code in column.codes - {None}}
    return dict(sorted((plain | shown_texts(column.labels)).items()))


def whole_numbers(connection: Connection, types: Mapping[str, str]) -> dict[str, str]:
    """Return SQL for each column of `loglift_rows`: doubles that are all whole become integers.

    A float of 32 bits becomes the shortest double that is written like it: 1.1, not 1.10000002.
    """
    sql = {
        name: f"CAST(CAST({name} AS VARCHAR) AS DOUBLE)" if kind == "FLOAT" else name
        for name, kind in types.items()
    }
    numbers = [name for name, kind in types.items() if kind in ("DOUBLE", "FLOAT")]
    if numbers:
        tests = ", ".join(
            f"bool_and({name} = trunc({name}) AND abs({name}) <= {_MAX_WHOLE})" for name in numbers
        )
        answers = connection.table("loglift_rows").aggregate(tests).fetchall()[0]
        whole = [name for name, answer in zip(numbers, answers, strict=True) if answer is not False]
        sql |= {name: f"CAST({name} AS BIGINT)" for name in whole}
    return sql
