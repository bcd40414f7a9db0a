"""The promise to a reader who knows more, as solvers take it: gains, and what must be together."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, strategies as st

from known_counts import cubes, known
from loglift import Bound
from naive import partitions, told

EPS = st.sampled_from([0.2, 0.5, 1.0, 2.0])


@given(cubes(), EPS)
def test_gains_add_up_and_say_what_is_lacking(counts, eps):
    promise = known(counts).promise(len(counts), Bound.symmetric(eps))
    gains = promise.gains(slice(None))
    assert gains.shape == (len(counts), promise.inequalities)
    lacking = np.maximum(-gains, 0) @ promise.scale
    np.testing.assert_allclose(promise.shortfalls(), lacking, atol=1e-12)
    columns = sorted(column.tolist() for column in promise.columns())
    assert columns == sorted(gains.T.tolist())
    labels = np.arange(len(counts)) // 2
    summed = np.array([gains[labels == b].sum(axis=0) for b in range(int(labels.max()) + 1)])
    np.testing.assert_allclose(promise.blocks(labels).gains(slice(None)), summed, atol=1e-9)
    rows = np.arange(0, len(counts), 2)
    np.testing.assert_array_equal(promise.only(rows).safe(), promise.safe()[rows])
    rest = promise.with_rest(rows)
    np.testing.assert_allclose(rest.mass.sum(axis=0), promise.mass.sum(axis=0))
    np.testing.assert_array_equal(rest.safe()[:-1], promise.safe()[rows])


@given(cubes(), EPS)
def test_what_is_said_to_be_together_is_so_in_every_safe_partition(counts, eps):
    promise = known(counts).promise(len(counts), Bound.symmetric(eps))
    forced = promise.together()
    most = promise.most_blocks()[0]
    clearly = [p for p in partitions(len(counts)) if told(counts, p, "known") <= eps - 1e-9]
    assert clearly  # at least all values as one block
    for labels in clearly:
        for block in range(int(forced.max()) + 1):
            assert len(set(np.asarray(labels)[forced == block].tolist())) == 1
        assert len(set(labels)) <= most
    assert promise.blocks(np.zeros(len(counts), dtype=np.int64)).safe().all()


def test_a_single_holder_of_a_value_keeps_its_context_together():
    counts = np.array([[[3, 1]], [[4, 0]], [[2, 0]]])
    promise = known(counts).promise(3, Bound.symmetric(1))
    assert promise.together().tolist() == [0, 0, 0]
    upper_only = known(counts).promise(3, Bound(math.inf, 1))
    assert upper_only.together().tolist() == [0, 1, 2]
