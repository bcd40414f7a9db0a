"""Small records, and mechanisms for them."""

from __future__ import annotations

import itertools

import numpy as np

from loglift import Bound, Joint, Mechanism
from loglift.mechanism.making import channel_mechanism
from loglift.readers.views import RecordColumn, Records

WIDE = Bound.symmetric(50.0)


def records_of(seed, size=400, shape=(4, 3), others=(5,)):
    """Return records of two public columns, the first of numbers, and other columns."""
    random = np.random.default_rng(seed)
    rows = np.array(list(itertools.product(*map(range, shape))))
    x = random.choice(len(rows), size, p=random.dirichlet(np.ones(len(rows))))
    x[: len(rows)] = np.arange(len(rows))
    public = [
        RecordColumn(f"c{j}", tuple(range(k)), rows[x, j].astype(np.int64))
        for j, k in enumerate(shape)
    ]
    numbers = np.linspace(10.0, 40.0, shape[0])
    numbers[0] = np.nan
    public[0] = RecordColumn("age", tuple(numbers), public[0].codes, numbers, np.arange(shape[0]))
    beside = [
        RecordColumn(f"u{j}", tuple(range(k)), (x + random.integers(0, 2, size)) % k)
        for j, k in enumerate(others)
    ]
    return Records(tuple(public), tuple(beside), rows, x)


def partition_of(records, labels):
    """Return the partition of the public values as a mechanism."""
    return Mechanism(
        public=tuple(map(tuple, records.rows.tolist())),
        labels=np.asarray(labels),
        bound=WIDE,
        method="given",
    )


def channel_of(records, seed=0, outputs=5):
    """Return a random channel of the public values as a mechanism."""
    random = np.random.default_rng(seed)
    channel = random.dirichlet(np.full(outputs, 0.3), len(records.rows))
    counts = np.bincount(records.x, minlength=len(records.rows))
    mass = np.stack([counts, counts], axis=1) + 1
    return channel_mechanism(
        Joint(mass), channel, WIDE, method="given", upper_bound=1.0, scope="release"
    )


def believed(view, columns):
    """Yield each record with the rows readers believe in, row by row: slow and obvious."""
    for y in view.y.tolist():
        cells = [
            (tuple(view.rows[row].tolist()), share)
            for cell, row, share in zip(
                view.cell_y.tolist(), view.cell_row.tolist(), view.share.tolist(), strict=True
            )
            if cell == y
        ]
        assert len(cells[0][0]) == columns
        yield cells
