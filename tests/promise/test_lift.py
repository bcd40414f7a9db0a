"""The bound on log-lift as a promise: its gains decide what `safe_rows` decides."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from loglift import Bound, Joint
from loglift.promise.bipartition import safe_rows
from loglift.promise.lift import LiftPromise
from loglift.sparse import as_cells, block_sums
from naive import partitions
from strategies import bounds, joints, labelled


@given(joints(), bounds())
def test_safe_values_are_those_with_gains_of_at_least_zero(joint, bound):
    mass = Joint(joint).scaled
    promise = LiftPromise.of(mass, bound)
    gains = promise.gains(slice(None), tolerant=True)
    assert gains.shape == (len(mass), promise.inequalities)
    np.testing.assert_array_equal(promise.safe(), safe_rows(mass, bound))
    clear = np.abs(gains * promise.scale).min(axis=1) > 1e-15
    np.testing.assert_array_equal((gains >= 0).all(axis=1)[clear], promise.safe()[clear])


@given(labelled(), bounds())
def test_gains_add_up(case, bound):
    joint, labels = case
    promise = LiftPromise.of(Joint(joint).scaled, bound)
    summed = block_sums(promise.gains(slice(None)), labels)
    size = promise.total * promise.total
    np.testing.assert_allclose(promise.blocks(labels).gains(slice(None)), summed, atol=1e-9 * size)
    assert promise.blocks(np.zeros(len(joint), dtype=np.int64)).safe().all()


@given(joints(), bounds())
def test_columns_are_the_gains_one_inequality_at_a_time(joint, bound):
    for mass in (Joint(joint).scaled, as_cells(Joint(joint).scaled)):
        promise = LiftPromise.of(mass, bound)
        columns = sorted(column.tolist() for column in promise.columns())
        assert columns == sorted(promise.gains(slice(None)).T.tolist())


@given(joints(), bounds())
def test_some_values_and_the_rest_are_measured_against_the_same_table(joint, bound):
    promise = LiftPromise.of(Joint(joint).scaled, bound)
    rows = np.arange(0, len(joint), 2)
    np.testing.assert_array_equal(promise.only(rows).safe(), promise.safe()[rows])
    with_rest = promise.with_rest(rows)
    assert with_rest.weight.sum() == pytest.approx(promise.total)
    np.testing.assert_array_equal(with_rest.safe()[:-1], promise.safe()[rows])


def test_no_partition_has_more_safe_blocks_than_said():
    counts = np.array([[5, 4, 1], [4, 5, 1], [5, 5, 0], [6, 4, 0], [4, 4, 0]], dtype=float)
    promise = LiftPromise.of(counts, Bound.symmetric(2))
    assert promise.most_blocks().tolist() == [2]
    most = 0
    for labels in map(np.array, partitions(5)):
        if promise.blocks(labels).safe().all():
            most = max(most, labels.max() + 1)
    assert most == 2
    assert promise.most_blocks(np.array([0, 1, 1, 0, 0])).tolist() == [1, 1]
    assert np.isinf(LiftPromise.of(counts, Bound(math.inf, 1)).most_blocks()).all()


def test_a_sensitive_value_without_a_column_is_not_bounded():
    counts = np.array([[9, 1, 5], [1, 9, 5], [5, 5, 90]], dtype=float)
    whole = LiftPromise.of(counts, Bound.symmetric(1))
    first = LiftPromise(counts[:, :1], whole.weight, whole.prior[:1], whole.total, whole.bound)
    lifts = counts[:, 0] * counts.sum() / (counts.sum(axis=1) * counts[:, 0].sum())
    assert first.safe().tolist() == (np.abs(np.log(lifts)) <= 1).tolist()
    assert first.safe().tolist() != whole.safe().tolist()


def test_a_value_without_a_bound_has_no_inequality():
    joint = Joint([[3, 4, 1], [5, 2, 2], [1, 6, 3]])
    promise = LiftPromise.of(joint.scaled, Bound.symmetric(0.5).with_values({1: None}).on(joint))
    columns = list(promise.columns())
    assert len(columns) == promise.inequalities == 4
    together = promise.gains(slice(None))
    for column in columns:
        assert any(np.allclose(column, together[:, i]) for i in range(4))
