"""Joints whose truth is known: populations, and tables that are counted from them."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loglift.joint import Column, Joint, Variable
from loglift.mechanism.mechanism import Mechanism


def known_joint(
    rng: np.random.Generator, rows: int, columns: int, spread: float = 40
) -> NDArray[np.float64]:
    """Return p(s,x); the larger the spread, the less the values of x differ in p(s|x)."""
    prior = rng.dirichlet(np.full(columns, 4.0))
    given = np.array([rng.dirichlet(prior * spread) for _ in range(rows)])
    mass: NDArray[np.float64] = rng.dirichlet(np.ones(rows))
    return np.asarray(given * mass[:, np.newaxis])


def table_joint(
    counts: NDArray[np.int64],
    values: Sequence[tuple[Any, ...]] | None = None,
    events: Sequence[tuple[Any, ...]] | None = None,
) -> Joint:
    """Return counts as the joint of a table with public columns a, b, ... and sensitive s, t, ...

    `values` and `events` are the rows and columns, as tuples with one entry per column of the
    table; by default there is one column of each kind, of numbers.
    """
    rows = [(x,) for x in range(counts.shape[0])] if values is None else list(values)
    columns = [(s,) for s in range(counts.shape[1])] if events is None else list(events)
    return Joint.trusted(
        counts.copy(),
        _labels(rows),
        _labels(columns),
        (Variable(None, 0, counts.shape[1]),),
        _columns(rows, ascii_letters),
        _columns(columns, "stuvw"),
    )


def _labels(tuples: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(value[0] if len(value) == 1 else value for value in tuples)


def _columns(tuples: Sequence[tuple[Any, ...]], names: str) -> tuple[Column, ...]:
    columns = []
    for name, entries in zip(names, zip(*tuples, strict=True), strict=False):
        distinct, codes = np.unique(entries, return_inverse=True)
        columns.append(Column(name, "integer", None, tuple(distinct.tolist()), codes))
    return tuple(columns)


def counts_of(matrix: NDArray[np.int64]) -> Joint:
    """Return the joint of a table of integers x and s; it lacks values without records."""
    present = np.flatnonzero(matrix.sum(axis=1))
    values, events = tuple(present.tolist()), tuple(range(matrix.shape[1]))
    return Joint.trusted(
        matrix[present],
        values,
        events,
        (Variable("s", 0, matrix.shape[1]),),
        (Column("x", "integer", None, values, np.arange(len(values))),),
        (Column("s", "integer", None, events, np.arange(len(events))),),
    )


def true_leakage(mechanism: Mechanism, joint: NDArray[np.float64]) -> float:
    """Return max |log-lift| of the released values in a population, given as p(s,x).

    Values that the mechanism does not know are in its block for unseen values.
    """
    other = mechanism.unseen or 0
    blocks = [mechanism.lookup.get((x,), other) for x in range(len(joint))]
    released = np.zeros((mechanism.size, joint.shape[1]))
    np.add.at(released, blocks, joint)
    return leakage(released)


def random_joint(
    rng: np.random.Generator, rows: int, columns: int, spread: float
) -> NDArray[np.float64]:
    """Return p(s,y), whose values differ a little (large spread) or a lot (small) in p(s|y)."""
    prior = np.maximum(rng.dirichlet(np.ones(columns) * 2), 0.01)
    given = np.array([rng.dirichlet(prior / prior.sum() * spread) for _ in range(rows)])
    joint = np.maximum(given, 1e-9) * rng.dirichlet(np.ones(rows) * 2)[:, np.newaxis]
    return np.asarray(joint / joint.sum())


def leakage(joint: NDArray[np.float64]) -> float:
    """Return max |log-lift| of a joint without zeros, nats."""
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(np.abs(np.log(joint / expected)).max())
