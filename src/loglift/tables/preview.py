"""A few rows of a released table, as texts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from secrets import SystemRandom
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from loglift.tables.engines import engine_of
from loglift.tables.paths import open_files
from loglift.tables.relations import connect, identifier, quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

# As `write` writes it: NULL is an empty field, the empty text is quoted.
_CSV = (
    "header = true, all_varchar = true, allow_quoted_nulls = false, delim = ',', quote = '\"', "
    "escape = '\"'"
)


@dataclass(frozen=True)
class SomeRows:
    """Rows of a table: the names of its columns, and the cells as texts; NULL is None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def some_rows(result: Any, size: int, *, drawn: bool) -> SomeRows | None:
    """Return `size` rows of a table, or of a file that `write` made.

    They are the first ones, or with `drawn` random ones, in random order. None for a table of Spark
    or Dask, which would run its whole plan for them. O(rows) if they are drawn.
    """
    relation = _relation(result)
    if relation is None:
        return None
    texts = ", ".join(f"#{i + 1}::VARCHAR" for i in range(len(relation.columns)))
    if drawn:
        sampled = f"loglift_{uuid4().hex}"
        query = f"FROM {sampled} SELECT {texts} USING SAMPLE reservoir({size} ROWS)"
        rows = cast("Relation", relation.query(sampled, query)).fetchall()
    else:
        rows = relation.limit(size).project(texts).fetchall()
    SystemRandom().shuffle(rows)
    return SomeRows(tuple(relation.columns), tuple(rows))


def _relation(result: Any) -> Relation | None:
    if isinstance(result, Path):
        if result.suffix == ".csv":
            return connect().sql(f"FROM read_csv({quoted([result])}, {_CSV})")
        source = open_files(result)
        names = [f"#{i + 1} AS {identifier(name)}" for i, name in enumerate(source.columns)]
        return source.relation.project(", ".join(names))
    kind, _ = engine_of(result)
    if kind == "duckdb":
        relation: Relation = result
        return relation
    if kind not in ("pandas", "polars", "arrow"):
        return None
    connection = connect()
    connection.register("released", result)
    return connection.sql("FROM released")
