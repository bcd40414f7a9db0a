"""Known joints: what a population really is, and what is counted of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift.joint import Column, Joint, Variable
from loglift.mechanism.recoding import Recoding


def known_joint(
    rng: np.random.Generator, rows: int, columns: int, spread: float = 40
) -> NDArray[np.float64]:
    """Return p(s,x); the larger the spread, the less the values of x differ in p(s|x)."""
    prior = rng.dirichlet(np.full(columns, 4.0))
    given = np.array([rng.dirichlet(prior * spread) for _ in range(rows)])
    mass: NDArray[np.float64] = rng.dirichlet(np.ones(rows))
    return np.asarray(given * mass[:, np.newaxis])


def counts_of(matrix: NDArray[np.int64]) -> Joint:
    """Counts of a table of integers x and s; values without records are not in it."""
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


def true_leakage(recoding: Recoding, joint: NDArray[np.float64]) -> float:
    """Of the released values in the population; values never seen are in the block for them."""
    other = recoding.unseen or 0
    blocks = [recoding.lookup.get((x,), other) for x in range(len(joint))]
    released = np.zeros((recoding.size, joint.shape[1]))
    np.add.at(released, blocks, joint)
    return leakage(released)


def leakage(joint: NDArray[np.float64]) -> float:
    """max |log-lift| of a joint without zeros."""
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(np.abs(np.log(joint / expected)).max())
