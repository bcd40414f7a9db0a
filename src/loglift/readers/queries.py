"""Count queries: how far the answers from a release are from the true ones.

A query asks for the number of records whose values are in given sets, on one to three columns:
10 to 50 % of a column's values, a run of them where the column has an order. Its error is

    |estimate - truth| / max(truth, 0.1 % of the records).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from loglift.joint import IntArray
from loglift.readers.compared import Compared
from loglift.readers.views import RecordColumn, Records, View

Query: TypeAlias = Mapping[int, NDArray[np.bool_]]  # column: whether each value is asked for

QUERIES = 400
MAX_QUERY_COLUMNS = 3
QUERY_SHARES = (0.1, 0.5)  # of a column's values
SMALLEST_TRUTH = 0.001  # of the records: errors of smaller counts are divided by this


@dataclass(frozen=True)
class QueryErrors:
    """Errors of random count queries; those of the original table are 0.

    `columns` is the number of columns that the queries are on, None for all queries. `median` and
    `ninety` are exceeded by half and by a tenth of the queries. Shuffled columns answer queries on
    a single column exactly.
    """

    columns: int | None
    queries: int
    median: Compared
    mean: Compared
    ninety: Compared
    largest: Compared


def query_errors(
    records: Records, released: View, shuffled: View, seed: int
) -> tuple[QueryErrors, ...]:
    """Ask the same random queries of the table, of the release and of the trivial release.

    All queries come first, then those on one column, on two, and on three.
    """
    queries = list(random_queries(records.public, seed))
    truths = np.array([matching(query, records.rows)[records.x].sum() for query in queries])
    least = np.maximum(truths, SMALLEST_TRUTH * records.size)
    found = [
        np.abs([estimate(query, view) for query in queries] - truths) / least
        for view in (released, shuffled)
    ]
    several = np.array([len(query) for query in queries])
    parts = [(None, np.ones_like(several, dtype=np.bool_))]
    if len(records.public) > 1:
        parts += [(k, several == k) for k in np.unique(several).tolist()]
    return tuple(
        QueryErrors(
            columns,
            int(chosen.sum()),
            *(
                Compared(0.0, *(float(of(errors[chosen])) for errors in found))
                for of in (np.median, np.mean, partial(np.quantile, q=0.9), np.max)
            ),
        )
        for columns, chosen in parts
    )


def random_queries(
    columns: Sequence[RecordColumn], seed: int, count: int = QUERIES
) -> Iterator[Query]:
    """Draw queries; the same seed asks the same of every release of a table."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        several = random.integers(1, min(MAX_QUERY_COLUMNS, len(columns)) + 1)
        query: dict[int, NDArray[np.bool_]] = {}
        for j in random.choice(len(columns), several, replace=False).tolist():
            places, size = columns[j].places, len(columns[j].values)
            asked = max(1, round(random.uniform(*QUERY_SHARES) * size))
            query[j] = np.zeros(size, dtype=np.bool_)
            if places is not None:
                start = random.integers(0, size - asked + 1)
                query[j][np.argsort(places, kind="stable")[start : start + asked]] = True
            else:
                query[j][random.choice(size, asked, replace=False)] = True
        yield query


def matching(query: Query, rows: IntArray) -> NDArray[np.bool_]:
    """Return which rows of codes have, in every column of the query, a value it asks for."""
    found = np.ones(len(rows), dtype=np.bool_)
    for column, asked in query.items():
        found &= asked[rows[:, column]]
    return found


def estimate(query: Query, view: View) -> float:
    """Return the number of records that a reader of a view expects to match."""
    return float(view.mass[matching(query, view.rows)].sum())
