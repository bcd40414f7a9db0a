"""Tables of PostgreSQL: what is picked is counted by the server; the rest is DuckDB's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loglift.tables.engines.duckdb import (
    attach,
    check,
    draw,
    folds_case,
    gather,
    in_utc,
    orders,
    tally,
)
from loglift.tables.postgresql import Snapshot

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation as Relation

__all__ = [
    "attach",
    "check",
    "draw",
    "folds_case",
    "gather",
    "in_utc",
    "names",
    "orders",
    "pick",
    "tally",
]


def names(snapshot: Snapshot) -> list[str]:
    """Return the column names."""
    return list(snapshot.columns)


def pick(snapshot: Snapshot, positions: Sequence[int]) -> Relation:
    """Return the columns at these positions, named c0, c1, ..., in any order of the rows."""
    return snapshot.rows(positions)
