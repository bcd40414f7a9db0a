"""Mechanisms to compare, made of blocks that are written down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift import Bound, Joint
from loglift.joint import Column, Variable
from loglift.mechanism.making import channel_mechanism, partition_mechanism


def counted(values, names=("x",), kind="text"):
    """The counts of a table with these public values; tuples where there are several columns."""
    rows = [value if len(names) > 1 else (value,) for value in values]
    columns = []
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        distinct = tuple(dict.fromkeys(cells))
        codes = np.array([distinct.index(cell) for cell in cells])
        columns.append(Column(name, kind, None, distinct, codes))
    counts = np.ones((len(rows), 2), dtype=np.int64)
    sensitive = (Column("s", "text", None, ("n", "y"), np.arange(2)),)
    variables = (Variable("s", 0, 2),)
    return Joint.trusted(counts, tuple(values), ("n", "y"), variables, tuple(columns), sensitive)


def partition(blocks, names=("x",), kind="text", **changes):
    """A mechanism that releases each of these blocks as one value."""
    values = [value for block in blocks for value in block]
    labels = np.array([number for number, block in enumerate(blocks) for _ in block])
    made = partition_mechanism(
        counted(values, names, kind),
        labels,
        Bound(1, 1),
        method="search",
        upper_bound=1.0,
        scope="merging",
    )
    return replace(made, **changes)


def channel(rows):
    """A randomized mechanism: p(y|x) of each public value."""
    return channel_mechanism(
        counted(list(rows)),
        np.array(list(rows.values())),
        Bound(1, 1),
        method="randomized",
        upper_bound=1.0,
        scope="release",
    )
