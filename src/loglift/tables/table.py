"""A table: a file or a dataframe, opened, with checked column names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loglift.errors import TableError
from loglift.tables.engines import Engine, engine_of
from loglift.tables.faults import explained, refuse_missing
from loglift.tables.files import numeric, open_files
from loglift.tables.values import Reading


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """An opened table.

    Attributes
    ----------
    kind
        "csv", "parquet" or "json" for files, else the name of the dataframe's engine.
    columns
        The column names as they stand, repeated ones included.
    frame
        The engine's own frame; a relation for files.
    where
        How messages call the table.
    reading
        How the engine hands values over.
    is_file
        Whether the table was opened from a path.

    """

    kind: str
    columns: tuple[str, ...]
    frame: Any
    engine: Engine
    where: str
    reading: Reading = "native"
    is_file: bool = False
    kept_at: int = 0

    def __repr__(self) -> str:
        return f"Table({self.where}, {self.kind}, {len(self.columns)} columns)"

    @property
    def index(self) -> tuple[str, ...]:
        """What pandas says of rows beside their columns: the levels of their index.

        A level without a name is called "the index"; one that only numbers the rows is left out.
        """
        if self.kind != "pandas":
            return ()
        names = ("the index" if name is None else str(name) for name in self.frame.index.names)
        numbers = type(self.frame.index).__name__ == "RangeIndex"
        return tuple(name for name in names if not (numbers and name == "the index"))

    def position(self, name: str) -> int:
        """Return where a column stands; a name that is missing or stands twice is refused."""
        if name not in self.columns:
            raise refuse_missing(name, self.columns, self.where)
        if self.columns.count(name) > 1:
            raise TableError(
                f"column {name!r} stands {self.columns.count(name)} times in {self.where}: rename "
                "all but one"
            )
        return self.columns.index(name)

    def pick(
        self, used: Sequence[str], kept: Sequence[str] = (), binned: Iterable[str] = ()
    ) -> Any:
        """Return a frame of the used columns c0, c1, ..., then the kept ones, still lazy."""
        positions = [self.position(name) for name in used]
        positions += [self.position(name) + self.kept_at for name in kept]
        picked = self.engine.pick(self.frame, positions)
        self.engine.check(picked, used)
        texts = [f"c{used.index(name)}" for name in binned] if self.reading != "native" else []
        return numeric(picked, texts, list(binned)) if texts else picked


def open_table(table: Any) -> Table:
    """Open a path, a glob or a dataframe; an opened table is returned as it is.

    Files are read by DuckDB, lazily and out of core. Faults of the input raise `TableError`.
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
            kept_at=source.kept_at,
        )
    kind, engine = engine_of(table)
    where = f"the {kind} table"
    with explained(where):
        columns = tuple(engine.names(table))
    return Table(kind, columns, table, engine, where)


def as_names(names: str | Sequence[str], role: str) -> tuple[str, ...]:
    """Return one name or several as a tuple without repetitions."""
    if not isinstance(names, (str, Iterable)):
        raise TableError(f"{role} columns are named by a text or a list of texts, got {names!r}")
    found = (names,) if isinstance(names, str) else tuple(names)
    if not found:
        raise TableError(f"no {role} column is named: name at least one")
    name, times = Counter(found).most_common(1)[0]
    if times > 1:
        raise TableError(f"the {role} column {name!r} is named twice: name it once")
    return found
