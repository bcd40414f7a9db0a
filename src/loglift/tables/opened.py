"""A table: an opened file or dataframe, and its columns by position."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables.addresses import is_database, split
from loglift.tables.canonical import Reading
from loglift.tables.columns import missing_column
from loglift.tables.engines import Engine, engine_of
from loglift.tables.faults import explained
from loglift.tables.labels import Labels
from loglift.tables.paths import find, open_files, stamps_of
from loglift.tables.relations import readable


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """An opened table.

    Attributes
    ----------
    kind
        The format of files ("csv", "parquet", "json", "stata", "spss", "sas", "excel", "arrow",
        "duckdb"), "postgresql", else the name of the dataframe's engine.
    columns
        The column names, repeated ones included.
    frame
        The engine's own frame; a relation for files.
    where
        How messages call the table; without the password of a database.
    reading
        The form in which the engine gives values to Python.
    is_file
        Whether the table was opened from a path, or from the address of a database.
    passthrough_at
        How many positions behind a column its version for passing through is.
    files
        The files that it was opened from.
    stamps
        The size and the time of change of each file, as they were before it was read.
    labels
        What a file says about its columns, by their names.
    codes
        Where the codes of labelled columns are, by the positions of the columns.
    last_tally
        Of a file: what was grouped last, and its groups, which are not counted again.

    """

    kind: str
    columns: tuple[str, ...]
    frame: Any
    engine: Engine
    where: str
    reading: Reading = "native"
    is_file: bool = False
    passthrough_at: int = 0
    files: tuple[Path, ...] = ()
    stamps: tuple[tuple[int, int], ...] = ()
    labels: Mapping[str, Labels] = field(default_factory=dict)
    codes: Mapping[int, int] = field(default_factory=dict)
    last_tally: list[tuple[Any, Any]] = field(default_factory=list, init=False)

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

    @property
    def bytes(self) -> int:
        """The size of the files that it was opened from."""
        return sum(size for size, _ in self.stamps)

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
        self,
        used: Sequence[str],
        passthrough: Sequence[str] = (),
        cuts: Mapping[int, Cut] | None = None,
    ) -> Any:
        """Return a lazy frame of the used columns, then the passthrough ones: c0, c1, ...

        Texts in the positions of `cuts` are read as the numbers or dates that are cut into bands,
        and labelled codes as the codes.
        """
        banded = {place: cut for place, cut in (cuts or {}).items() if cut.bands}
        positions = [self.position(name) for name in used]
        positions = [
            self.codes.get(at, at) if place in banded else at for place, at in enumerate(positions)
        ]
        positions += [self.position(name) + self.passthrough_at for name in passthrough]
        picked = self.engine.pick(self.frame, positions)
        self.engine.check(picked, used)
        dates = [f"c{i}" for i, cut in banded.items() if cut.is_of_dates]
        if dates and self.engine.in_utc is not None:
            picked = self.engine.in_utc(picked, dates)
        if self.reading == "native" or not banded:
            return picked
        names = {f"c{i}": name for i, name in enumerate(used)}
        return readable(picked, {f"c{i}": cut for i, cut in banded.items()}, names, self.reading)


def open_table(table: Any) -> Table:
    """Open a path, a glob, the address of a database or a dataframe; an opened table is itself.

    DuckDB reads files lazily and out of core. Raises `TableError` if the input is not a table.
    """
    if isinstance(table, Table):
        return table
    if isinstance(table, (str, os.PathLike)):
        text = os.fspath(table)
        if is_database(text):
            return _open_database(text)
        files = tuple(file.absolute() for file in find(split(text)[0]))
        stamps = stamps_of(files)
        source = open_files(text)
        _, engine = engine_of(source.relation)
        return Table(
            kind=source.kind,
            columns=source.columns,
            frame=source.relation,
            engine=engine,
            where=text,
            reading=source.reading,
            is_file=True,
            passthrough_at=source.passthrough_at,
            files=files,
            stamps=stamps,
            labels=source.labels,
            codes=source.codes,
        )
    kind, engine = engine_of(table)
    where = f"the {kind} table"
    with explained(where):
        columns = tuple(engine.names(table))
    return Table(kind, columns, table, engine, where)


def _open_database(text: str) -> Table:
    from loglift.tables.engines import postgresql as engine  # noqa: PLC0415, only when it is used
    from loglift.tables.postgresql import open_database  # noqa: PLC0415

    database, snapshot = open_database(text)
    return Table(
        kind="postgresql",
        columns=snapshot.columns,
        frame=snapshot,
        engine=cast("Engine", engine),
        where=database.where,
        is_file=True,
    )
