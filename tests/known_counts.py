"""Counts of public values, contexts and sensitive values, and what readers know by them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, strategies as st

from loglift.promise.knowledge import Kinds, Released, knowing


@st.composite
def cubes(draw, *, values=5):
    """Counts (x, c, s) with zeros, in which every x, c and s occurs."""
    shape = (draw(st.integers(2, values)), draw(st.integers(1, 3)), draw(st.integers(2, 3)))
    cells = draw(st.lists(st.integers(0, 6), min_size=math.prod(shape), max_size=math.prod(shape)))
    counts = np.array(cells, dtype=np.int64).reshape(shape)
    for axes in ((1, 2), (0, 2), (0, 1)):
        assume(counts.sum(axis=axes).all())
    return counts


def known(counts):
    n, size, m = counts.shape
    rows = counts.reshape(n * size, m)
    occurs = np.flatnonzero(rows.any(axis=1))
    kinds = Kinds(rows[occurs], occurs // size)
    return knowing("readers", kinds, known=(occurs % size, tuple(range(size))))


def earlier(counts):
    n, size, m = counts.shape
    rows = counts.reshape(n * size, m)
    occurs = np.flatnonzero(rows.any(axis=1))
    return knowing(
        "readers", Kinds(rows[occurs], occurs // size), outcomes=[Released(occurs % size)]
    )
