"""What narwhals leaves to each engine: picking by position, gathering, joining and shuffling.

Counting, binning and renaming are written once, with narwhals. Five things have to be said to
each engine in its own words: columns by position (a name may stand twice), a small frame as
coded columns, a join in which NULL equals NULL and NaN equals NaN, a shuffle, and a random draw.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.tables.coded import Coded, Coding

if TYPE_CHECKING:
    from loglift.tables.drawing import Drawing

# How narwhals recognises a dataframe without importing its library, and our module for it.
_ENGINES = {
    "is_pandas_dataframe": "pandas",
    "is_polars_dataframe": "polars",
    "is_polars_lazyframe": "polars",
    "is_pyarrow_table": "arrow",
    "is_duckdb_relation": "duckdb",
    "is_pyspark_dataframe": "spark",
    "is_pyspark_connect_dataframe": "spark",
    "is_dask_dataframe": "dask",
}


@dataclass(frozen=True)
class Output:
    """A column of the released table: one value per block, of one type.

    `same_as` is the key that it shows as it is, if any: an engine may keep the type it has there.
    """

    name: str
    values: Sequence[Any]
    type: str
    same_as: str | None = None


@dataclass(frozen=True)
class Gathered:
    """A small frame, held fast (a lazy plan could change under us), and its columns."""

    frame: Any
    columns: list[Coded]

    @classmethod
    def of_rows(cls, frame: Any, rows: Sequence[tuple[Any, ...]]) -> Gathered:
        """Gather a frame that its engine hands over row by row."""
        return cls(frame, [Coded.of(column) for column in zip(*rows, strict=True)])

    @classmethod
    def of_batches(
        cls, frame: Any, width: int, batches: Iterable[Sequence[tuple[Any, ...]]]
    ) -> Gathered:
        """Gather a frame of so many columns that its engine hands over some rows at a time."""
        codings = [Coding() for _ in range(width)]
        for rows in batches:
            for coding, column in zip(codings, zip(*rows, strict=True), strict=True):
                coding.add(column)
        return cls(frame, [coding.coded() for coding in codings])


@dataclass(frozen=True)
class Tally:
    """The distinct rows of a frame, held fast, their columns, and how many records have each."""

    frame: Any
    columns: list[Coded]
    records: IntArray


class UnclearValueError(TableError):
    """A column, by its place among the counted ones, holds values that Python cannot tell apart."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(f"a column holds {what}: replace them first")
        self.place, self.what = place, what


class Engine(Protocol):
    """The functions of an engine's module."""

    folds_case: bool  # whether two columns may not have names equal up to case
    # How to count the distinct rows of the columns at some positions, which messages call by these
    # names, after the checks of `check`; None: narwhals knows best.
    tally: Callable[[Any, Sequence[int], Sequence[str]], Tally] | None

    def names(self, frame: Any) -> list[str]:
        """Return the column names as they stand, repeated ones included."""

    def pick(self, frame: Any, positions: Sequence[int]) -> Any:
        """Return the columns at these positions, named c0, c1, ..."""

    def check(self, frame: Any, columns: Sequence[str]) -> None:
        """Refuse picked columns that have no well-defined values; `columns` are their names."""

    def gather(self, frame: Any) -> Gathered:
        """Collect a small frame."""

    def attach(
        self, frame: Any, small: Any, keys: Sequence[str], added: Sequence[Output], *, ordered: bool
    ) -> Any:
        """Put the columns `added`, which belong to the rows of `small`, in place of the keys.

        Rows stay in order, or come in one drawn from the operating system's entropy.
        """

    def draw(
        self,
        frame: Any,
        small: Any,
        keys: Sequence[str],
        drawing: Drawing,
        added: Sequence[Output],
        *,
        ordered: bool,
    ) -> Any:
        """Put columns with one value per released value in place of the keys, drawn at random.

        Row r of the drawing belongs to row r of `small`. Its key, if any, is a column of the
        frame, which disappears too.
        """


def places(size: int) -> Output:
    """Return a column that numbers the rows of a small frame."""
    return Output("place", range(size), "integer")


def engine_of(frame: Any) -> tuple[str, Engine]:
    """Return the name of a dataframe's engine, and the engine."""
    from narwhals import dependencies  # noqa: PLC0415 - only when a table is used

    tests = (name for test, name in _ENGINES.items() if getattr(dependencies, test)(frame))
    name = next(tests, None)
    if name is None:
        raise TableError(
            f"a {type(frame).__name__} is not a table: give a path or a dataframe of pandas, "
            "Polars, PyArrow, DuckDB, Spark or Dask"
        )
    if name == "duckdb":
        atexit.register(_forget_duckdb)
    return name, cast("Engine", import_module(f"{__name__}.{name}"))


def _forget_duckdb() -> None:
    """Drop what narwhals caches of DuckDB, which would print notes about leaks at the exit."""
    cached = getattr(sys.modules.get("narwhals._namespace"), "_builtin_namespace", None)
    forget = getattr(cached, "cache_clear", None)
    if forget is not None:
        forget()
