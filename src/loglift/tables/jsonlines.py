"""JSON lines, read as JSON texts, so that long integers keep every digit.

DuckDB's type detection would read '2024-1-5' as a date, and an integer beyond 64 bits as a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loglift.errors import TableError
from loglift.tables.relations import Source, literal, quoted, refuse_different

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Connection

# Detected types in which a column passes through; columns of other types pass through as texts.
_FAITHFUL = frozenset({"BIGINT", "DOUBLE", "BOOLEAN"})
_NUMBERS = {"BIGINT", "DOUBLE"}


def read(connection: Connection, files: Sequence[Path]) -> Source:
    """Return all columns as JSON texts, then once more in the types in which they pass through."""
    detected = [(file, _detect(connection, file)) for file in files]
    refuse_different([(file, tuple(sorted(kinds))) for file, kinds in detected])
    columns = tuple(detected[0][1])
    kinds = ", ".join(f"{literal(name)}: 'JSON'" for name in columns)
    texts = [f"#{i + 1} AS c{i}" for i in range(len(columns))]
    passthrough = [
        f"{_passed(i, {kinds[name] for _, kinds in detected})} AS k{i}"
        for i, name in enumerate(columns)
    ]
    relation = connection.sql(
        f"FROM read_json({quoted(files)}, format = {_format(files)}, columns = {{{kinds}}})"
    )
    relation = relation.project(", ".join(texts + passthrough))
    return Source("json", columns, "json", relation, passthrough_at=len(columns))


def _detect(connection: Connection, file: Path) -> dict[str, str]:
    """Return the keys of all objects and their types; objects are never read as a MAP."""
    _refuse_keys(connection, file)
    relation = connection.sql(
        f"FROM read_json({quoted([file])}, format = {_format([file])}, sample_size = -1, "
        "map_inference_threshold = -1)"
    )
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _refuse_keys(connection: Connection, file: Path) -> None:
    """Raise if DuckDB cannot make columns of the keys.

    Of two keys that differ only in upper and lower case it would read one, and NULL for the other.
    With an empty key, or a line that is not an object, it would not find any columns.
    """
    objects = f"read_json_objects({quoted([file])}, format = {_format([file])})"
    keys = "CASE json_type(json) WHEN 'OBJECT' THEN json_keys(json) WHEN 'NULL' THEN [] END"
    found = connection.sql(f"FROM {objects} SELECT DISTINCT unnest(coalesce({keys}, [NULL]))")
    names = [key for (key,) in found.fetchall()]
    if None in names:
        raise TableError(f"{file} has a line that is not an object: give one object per line")
    if not names:
        raise TableError(f"{file} has no columns: give one object per line, with columns as keys")
    if "" in names:
        raise TableError(f'{file} has objects with the key "": give it a name')
    spellings: dict[str, str] = {}
    for key in sorted(names):
        other = spellings.setdefault(key.casefold(), key)
        if other != key:
            raise TableError(f"{file} has the keys {other!r} and {key!r}: rename one of them")


def _passed(i: int, kinds: set[str]) -> str:
    """Return SQL for a passthrough column of these types, in which equal values look alike.

    Where files have integers and floats, all are numbers: 1 and 1.0 are counted as one value.
    """
    cell, kind = f"#{i + 1}", next(iter(kinds)) if len(kinds) == 1 else ""
    if kinds == _NUMBERS:
        kind = "DOUBLE"
    if kind in _FAITHFUL:
        return f"CAST({cell} AS {kind})"
    if kinds & _NUMBERS:  # and NULLs only, or other types, in other files
        number = f"CAST({cell} AS DOUBLE)"
        shown = f"CAST(CASE WHEN {number} = 0 THEN 0 ELSE {number} END AS VARCHAR)"
        types = "('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')"
        return f"CASE WHEN json_type({cell}) IN {types} THEN {shown} ELSE {cell} ->> '$' END"
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "JSON"))
    return f"CAST({cell} AS VARCHAR)" if nested else f"{cell} ->> '$'"


def _format(files: Sequence[Path]) -> str:
    whole = any(".json" in file.suffixes for file in files)
    return "'auto'" if whole else "'newline_delimited'"
