"""What readers of a release get, measured on records. Nothing here imports loglift.

A value of a column is its number among the column's sorted values. Y, what readers see, is the
block of a record: a set of public values, its members.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
Query: TypeAlias = Mapping[
    int, NDArray[np.bool_]
]  # column: whether each of its values is asked for

QUERIES = 400
MAX_QUERY_COLUMNS = 3
QUERY_SHARES = (0.1, 0.5)  # of a column's values
SMALLEST_TRUTH = 0.001  # of the records: errors of smaller counts are divided by this


@dataclass(frozen=True)
class Table:
    """The public columns of a table.

    Attributes
    ----------
    values
        The sorted values of each column.
    ordered
        Whether the order of a column's values means something.
    codes
        The number of each record's value, shape (records, columns).

    """

    values: tuple[tuple[Any, ...], ...]
    ordered: tuple[bool, ...]
    codes: IntArray

    @classmethod
    def of(cls, columns: Sequence[Sequence[Any]]) -> Table:
        """Return the table with these columns; columns of numbers are ordered."""
        values = tuple(tuple(sorted(set(column))) for column in columns)
        ordered = tuple(not isinstance(found[0], str) for found in values)
        return cls(values, ordered, _codes(values, zip(*columns, strict=True)))

    def encoded(self, rows: Sequence[tuple[Any, ...]]) -> IntArray:
        """Return the codes of public values given as tuples."""
        return _codes(self.values, rows)


@dataclass(frozen=True)
class Release:
    """The block of each record, and the members of each block.

    Attributes
    ----------
    block
        The number of each record's block.
    members
        The codes of each public value, shape (public values, columns).
    member_block
        The number of each public value's block.

    """

    block: IntArray
    members: IntArray
    member_block: IntArray


@dataclass(frozen=True)
class Figures:
    """What readers get; see `measured`."""

    blocks: int
    kept: float
    columns: float
    one_value: float
    query_median: float
    query_mean: float


def measured(table: Table, release: Release, seed: int) -> Figures:
    """Return the figures of a release of a table.

    `kept` is I(X;Y)/H(X), `columns` the mean over public columns of I(X_j;Y)/H(X_j), `one_value`
    the share of cells (records x columns) whose released set is a single value. `query_median` and
    `query_mean` are of the errors of `QUERIES` random queries.
    """
    rows = np.unique(table.codes, axis=0, return_inverse=True)[1]
    queries = random_queries([len(v) for v in table.values], table.ordered, seed)
    errors = [query_error(query, table.codes, release) for query in queries]
    return Figures(
        blocks=np.unique(release.block).size,
        kept=share_kept(rows, release.block),
        columns=float(np.mean([share_kept(column, release.block) for column in table.codes.T])),
        one_value=one_value(release),
        query_median=float(np.median(errors)),
        query_mean=float(np.mean(errors)),
    )


def share_kept(u: IntArray, y: IntArray) -> float:
    """I(U;Y)/H(U) of records; 1 where U has a single value: nothing to lose."""
    whole = _entropy(u[:, np.newaxis])
    if whole == 0:
        return 1.0
    both = _entropy(np.stack([u, y], axis=1))
    return (whole + _entropy(y[:, np.newaxis]) - both) / whole


def one_value(release: Release) -> float:
    """Return the share of cells whose released set, the values of all members, is one value."""
    shares = []
    for column in release.members.T:
        different = np.unique(np.stack([release.member_block, column]), axis=1)
        sizes = np.bincount(different[0])
        shares.append((sizes[release.block] == 1).mean())
    return float(np.mean(shares))


def random_queries(
    sizes: Sequence[int], ordered: Sequence[bool], seed: int, count: int = QUERIES
) -> Iterator[Query]:
    """Draw queries on one to three columns: runs of values of ordered columns, any of others.

    The same seed asks the same of every release of a table.
    """
    random = np.random.default_rng(seed)
    for _ in range(count):
        several = random.integers(1, min(MAX_QUERY_COLUMNS, len(sizes)) + 1)
        query: dict[int, NDArray[np.bool_]] = {}
        for j in random.choice(len(sizes), several, replace=False).tolist():
            asked = max(1, round(random.uniform(*QUERY_SHARES) * sizes[j]))
            query[j] = np.zeros(sizes[j], dtype=np.bool_)
            if ordered[j]:
                start = random.integers(0, sizes[j] - asked + 1)
                query[j][start : start + asked] = True
            else:
                query[j][random.choice(sizes[j], asked, replace=False)] = True
        yield query


def query_error(query: Query, codes: IntArray, release: Release) -> float:
    """Return |estimate - truth| / max(truth, 0.1 % of the records) of a count.

    A reader spreads the records of a block evenly over its members.
    """
    truth = _matching(query, codes).sum()
    hits = np.bincount(release.member_block, _matching(query, release.members))
    shares = hits / np.maximum(np.bincount(release.member_block), 1)
    estimate = shares[release.block].sum()
    return float(abs(estimate - truth) / max(truth, SMALLEST_TRUTH * len(codes)))


def rows_of(codes: IntArray, members: IntArray) -> IntArray:
    """Return the row of `members` that each record has; -1 if it has none of them."""
    place = {row: i for i, row in enumerate(map(tuple, members.tolist()))}
    return np.array([place.get(row, -1) for row in map(tuple, codes.tolist())])


def crosstab(rows: IntArray, columns: IntArray) -> IntArray:
    """Count records by two numbers."""
    counts = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1), dtype=np.int64)
    np.add.at(counts, (rows, columns), 1)
    return counts


def log_loss_gain(x: IntArray, u: IntArray, labels: IntArray, train: NDArray[np.bool_]) -> float:
    """Return how many nats a frequency table p(u|block) is better than p(u), on other records.

    `x` is the row of each record's public value, -1 if no training record has it; `labels` is the
    block of each row. Both tables are counted on the training records, one added to each count;
    records with an unknown public value are predicted by p(u).
    """
    counts = np.zeros((int(labels.max()) + 1, int(u.max()) + 1), dtype=np.int64)
    np.add.at(counts, (labels[x[train]], u[train]), 1)
    prior, model = _smoothed(counts.sum(axis=0)), _smoothed(counts)
    seen = (x >= 0) & ~train
    gains = np.log(model[labels[x[seen]], u[seen]] / prior[u[seen]])
    return float(gains.sum() / (~train).sum())


def _smoothed(counts: IntArray) -> FloatArray:
    """Return frequencies along the last axis, one added to each count."""
    more = counts + 1
    return np.asarray(more / more.sum(axis=-1, keepdims=True))


def _matching(query: Query, codes: IntArray) -> NDArray[np.bool_]:
    """Return which rows of codes have, in every column of the query, a value it asks for."""
    found = np.ones(len(codes), dtype=np.bool_)
    for column, asked in query.items():
        found &= asked[codes[:, column]]
    return found


def _entropy(rows: IntArray) -> float:
    """Return the entropy of rows as records, nats."""
    p = np.unique(rows, axis=0, return_counts=True)[1] / len(rows)
    return float(-(p * np.log(p)).sum())


def _codes(values: Sequence[Sequence[Any]], rows: Any) -> IntArray:
    """Return the number of each value among the values of its column."""
    place = [{value: i for i, value in enumerate(column)} for column in values]
    found = [[at[value] for at, value in zip(place, row, strict=True)] for row in rows]
    return np.array(found, dtype=np.int64)
