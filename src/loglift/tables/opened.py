"""A table: an opened file or dataframe, and its columns by position."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loglift.errors import TableError
from loglift.tables.canonical import Reading
from loglift.tables.columns import missing_column
from loglift.tables.engines import Engine, engine_of
from loglift.tables.faults import explained
from loglift.tables.paths import open_files
from loglift.tables.relations import numeric


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """An opened table.

    Attributes
    ----------
    kind
        "csv", "parquet" or "json" for files, else the name of the dataframe's engine.
    columns
        The column names, repeated ones included.
    frame
        The engine's own frame; a relation for files.
    where
        How messages call the table.
    reading
        The form in which the engine gives values to Python.
    is_file
        Whether the table was opened from a path.
    passthrough_at
        How many positions behind a column its version for passing through is.

    """

    kind: str
    columns: tuple[str, ...]
    frame: Any
    engine: Engine
    where: str
    reading: Reading = "native"
    is_file: bool = False
    passthrough_at: int = 0

    def __repr__(self) -> str:
        return f"Table({self.where}, {self.kind}, {len(self.columns)} columns)"

    @property
    def index(self) -> tuple[str, ...]:
        """The names of the levels of a pandas index; empty for other engines.

        A level without a name is called "the index". A RangeIndex without a name only numbers the
        rows, and is left out.
        """
        if self.kind != "pandas":
            return ()
        names = ("the index" if name is None else str(name) for name in self.frame.index.names)
        numbers = type(self.frame.index).__name__ == "RangeIndex"
        return tuple(name for name in names if not (numbers and name == "the index"))

    def position(self, name: str) -> int:
        """Return the position of a column; raise if no column, or several, have the name."""
        if name not in self.columns:
            raise missing_column(name, self.columns, self.where)
        if self.columns.count(name) > 1:
            raise TableError(
                f"{self.columns.count(name)} columns of {self.where} are named {name!r}: rename "
                "all but one"
            )
        return self.columns.index(name)

    def pick(
        self, used: Sequence[str], passthrough: Sequence[str] = (), binned: Iterable[int] = ()
    ) -> Any:
        """Return a lazy frame of the used columns, then the passthrough ones: c0, c1, ...

        Texts in the positions `binned` are read as numbers.
        """
        positions = [self.position(name) for name in used]
        positions += [self.position(name) + self.passthrough_at for name in passthrough]
        picked = self.engine.pick(self.frame, positions)
        self.engine.check(picked, used)
        places = list(binned) if self.reading != "native" else []
        texts = [f"c{place}" for place in places]
        return numeric(picked, texts, [used[place] for place in places]) if texts else picked


def open_table(table: Any) -> Table:
    """Open a path, a glob or a dataframe; return an opened table as it is.

    DuckDB reads files lazily and out of core. Raises `TableError` if the input is not a table.
    """
    if isinstance(table, Table):
        return table
    if isinstance(table, (str, os.PathLike)):
        source = open_files(table)
        _, engine = engine_of(source.relation)
        return Table(
            kind=source.kind,
            columns=source.columns,
            frame=source.relation,
            engine=engine,
            where=os.fspath(table),
            reading=source.reading,
            is_file=True,
            passthrough_at=source.passthrough_at,
        )
    kind, engine = engine_of(table)
    where = f"the {kind} table"
    with explained(where):
        columns = tuple(engine.names(table))
    return Table(kind, columns, table, engine, where)
