"""Known joints: what a population really is, and what is counted of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from loglift.mechanism.recoding import Recoding
from loglift.tables import Counts


def known_joint(
    rng: np.random.Generator, rows: int, columns: int, spread: float = 40
) -> NDArray[np.float64]:
    """Return p(s,x); the larger the spread, the less the values of x differ in p(s|x)."""
    prior = rng.dirichlet(np.full(columns, 4.0))
    given = np.array([rng.dirichlet(prior * spread) for _ in range(rows)])
    mass: NDArray[np.float64] = rng.dirichlet(np.ones(rows))
    return np.asarray(given * mass[:, np.newaxis])


def counts_of(matrix: NDArray[np.int64]) -> Counts:
    """Counts of a table of integers x and s; values without records are not in it."""
    present = np.flatnonzero(matrix.sum(axis=1))
    rows, columns = np.nonzero(matrix[present])
    values = tuple((int(x),) for x in present)
    return Counts(
        public_columns=("x",),
        sensitive_columns=("s",),
        public_types=("integer",),
        sensitive_types=("integer",),
        public=values,
        sensitive=tuple((s,) for s in range(matrix.shape[1])),
        public_orders=(tuple(x for (x,) in values),),
        public_codes=(np.arange(len(values)),),
        rows=rows,
        columns=columns,
        records=matrix[present][rows, columns],
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
