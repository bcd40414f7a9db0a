"""Splitting the records of a joint: what both parts have, and what may not depend on them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from known import known_joint, table_joint
from loglift.confidence.split import extended, largest_block, split
from loglift.joint import Joint
from loglift.sparse import Cells, as_cells
from loglift.tables import count


def table(total, seed=0):
    rng = np.random.default_rng(seed)
    joint = known_joint(rng, 12, 2, spread=20)
    cells = rng.choice(joint.size, total, p=joint.ravel() / joint.sum())
    return pl.DataFrame({"x": cells // 2, "s": cells % 2})


def test_a_split_is_the_same_whatever_the_order_of_the_records_and_keeps_all_of_them():
    counts = count(table(2000), "x", "s")
    found, again = split(counts, 0.3, 7), split(count(table(2000)[::-1], "x", "s"), 0.3, 7)
    assert (again.choosing.mass == found.choosing.mass).all()
    assert (found.choosing.mass + found.certifying.mass == counts.mass).all()
    assert found.choosing.total == pytest.approx(600, abs=100)
    assert (split(counts, 0.3, 8).choosing.mass != found.choosing.mass).any()


def test_sparse_counts_are_split_like_dense_ones():
    counts = table_joint(np.random.default_rng(0).poisson(0.5, (30, 20)))
    sparse = Joint.trusted(as_cells(counts.mass), counts.public, counts.sensitive, counts.variables)
    found = split(sparse, 0.4, 3).choosing.mass
    assert isinstance(found, Cells)
    assert (found[:] == split(counts, 0.4, 3).choosing.mass).all()


def test_variables_are_taken_apart_after_the_split():
    """A record is in one part with all its columns: both variables have the same n(x) there."""
    counts = np.random.default_rng(1).poisson(3, (5, 4)) + 1
    joint = table_joint(counts, events=[(0, 0), (0, 1), (1, 0), (1, 1)])
    records = split(joint, 0.5, 0)
    for whole, apart in zip(
        (records.choosing, records.certifying),
        (records.apart().choosing, records.apart().certifying),
        strict=True,
    ):
        one, other = apart.by_variable()
        assert (one.mass == np.stack([whole.mass[:, :2].sum(1), whole.mass[:, 2:].sum(1)], 1)).all()
        assert (one.weight == whole.weight).all()
        assert (other.weight == whole.weight).all()


def test_values_without_choosing_records_go_where_the_certifying_ones_have_no_say():
    weight = np.array([0, 30, 0, 50, 0])
    assert extended(np.array([0, 1]), weight, runs=False).tolist() == [0, 1, 0, 0, 0]
    assert extended(np.array([0, 1]), weight, runs=True).tolist() == [0, 0, 0, 1, 1]
    assert largest_block(np.array([0, 1, 0, 0, 0]), weight) == 0
    assert largest_block(np.array([0, 0, 0, 1, 1]), weight) == 1
    assert largest_block(np.array([0, 1]), np.array([5, 5])) == 0
