"""What narwhals leaves to each engine: picking by position, gathering, joining and shuffling.

Counting, binning and renaming are written once, with narwhals. Each engine has its own code for
five things: columns by position (a name may be repeated), a small frame as coded columns, a join in
which NULL equals NULL and NaN equals NaN, a shuffle, and a random draw.
"""

from __future__ import annotations

import atexit
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from loglift.errors import TableError
from loglift.joint import IntArray
from loglift.mechanism.naming import ReleasedColumn
from loglift.tables.codes import Coded

if TYPE_CHECKING:
    from loglift.tables.noise import Drawing

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
class LikeKey(ReleasedColumn):
    """A released column that shows values of a key: it keeps the key's own type.

    Where a key is not merged at all, some engines leave it in the type of its counted values.
    """

    key: str


@dataclass(frozen=True)
class Narrow(ReleasedColumn):
    """A released column of texts that DuckDB leaves as an ENUM: that is written three times faster.

    A Parquet file has the same texts.
    """


@dataclass(frozen=True)
class Gathered:
    """A small frame, computed once (a lazy plan may give other rows later), and its columns."""

    frame: Any
    columns: list[Coded]

    @classmethod
    def of_rows(cls, frame: Any, rows: Sequence[tuple[Any, ...]]) -> Gathered:
        """Gather a frame from a list of its rows."""
        return cls(frame, [Coded.of(column) for column in zip(*rows, strict=True)])


@dataclass(frozen=True)
class Tally:
    """The distinct rows of a frame, computed once, their columns, and the records of each."""

    frame: Any
    columns: list[Coded]
    records: IntArray


class UnclearValueError(TableError):
    """A counted column, given by its place, holds values that Python cannot tell apart."""

    def __init__(self, place: int, what: str) -> None:
        super().__init__(f"a column holds {what}: replace them first")
        self.place, self.what = place, what


class Engine(Protocol):
    """The functions of an engine's module."""

    folds_case: bool  # whether names that differ in upper and lower case only are the same
    # Returns the frame with instants in some columns as times in UTC. None: narwhals converts them.
    in_utc: Callable[[Any, Sequence[str]], Any] | None
    # Checks and counts the distinct rows of the columns at some positions; messages call them by
    # the given names. None: narwhals counts.
    tally: Callable[[Any, Sequence[int], Sequence[str]], Tally] | None
    # Returns the categories of the columns at some positions, in their order; empty for a column
    # without ordered categories. None: narwhals knows them.
    orders: Callable[[Any, Sequence[int]], list[Sequence[Any]]] | None

    def names(self, frame: Any) -> list[str]:
        """Return the column names, repeated ones included."""

    def pick(self, frame: Any, positions: Sequence[int]) -> Any:
        """Return the columns at these positions, named c0, c1, ..."""

    def check(self, frame: Any, columns: Sequence[str]) -> None:
        """Raise if picked columns hold values that are not well defined; `columns` names them."""

    def gather(self, frame: Any) -> Gathered:
        """Collect a small frame."""

    def attach(
        self,
        frame: Any,
        small: Any,
        keys: Sequence[str],
        added: Sequence[ReleasedColumn],
        *,
        ordered: bool,
    ) -> Any:
        """Replace the keys by the columns `added`, whose values belong to the rows of `small`.

        Rows keep their order, or get one drawn from the operating system's entropy.
        """

    def draw(
        self,
        frame: Any,
        small: Any,
        keys: Sequence[str],
        drawing: Drawing,
        added: Sequence[ReleasedColumn],
        *,
        ordered: bool,
    ) -> Any:
        """Replace the keys by columns with one value per released value, which is drawn at random.

        Place i of the drawing is row i of `small`. Its key, if any, is a column of the frame, which
        is dropped too.
        """


def is_long(column: ReleasedColumn) -> bool:
    """Whether a column holds integers that do not fit into 64 bits."""
    return column.type == "integer" and any(
        value is not None and not -(2**63) <= value < 2**63 for value in column.values
    )


def scale_of(column: ReleasedColumn) -> int:
    """Return how many digits after the point a column of decimals needs."""
    exponents = (int(v.as_tuple().exponent) for v in column.values if v is not None)
    return max(0, -min(exponents, default=0))


def places(size: int) -> ReleasedColumn:
    """Return a column that numbers the rows of a small frame."""
    return ReleasedColumn("place", "integer", tuple(range(size)))


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
    """Clear what narwhals caches of DuckDB, which would print warnings about leaks at exit."""
    cached = getattr(sys.modules.get("narwhals._namespace"), "_builtin_namespace", None)
    forget = getattr(cached, "cache_clear", None)
    if forget is not None:
        forget()
