"""Problems with too many inequalities to write out: safe, and not far from what search finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from known_counts import cubes, known
from loglift import Joint, Known, merge
from loglift.merging import search, wide
from loglift.merging.problem import Problem
from loglift.merging.wide import is_wide, wide_partition
from loglift.promise.bound import Bound
from naive import omega, told


@settings(max_examples=60)
@given(cubes(values=7), st.sampled_from([0.2, 0.7]))
def test_a_wide_partition_is_safe_for_all_readers(counts, eps):
    joint, bound = counts.sum(axis=1), Bound.symmetric(eps)
    problem = Problem.of(joint.astype(np.float64), bound, knowledge=[known(counts)])
    labels = wide_partition(problem, seed=0)
    blocks = np.array([joint[labels == b].sum(axis=0) for b in range(int(labels.max()) + 1)])
    assert omega(blocks, joint).max() <= eps + 1e-9
    assert told(counts, labels, "known") <= eps + 1e-9
    np.testing.assert_array_equal(labels, wide_partition(problem, seed=0))


@pytest.fixture
def counts():
    rng = np.random.default_rng(1)
    table = np.zeros((60, 12, 3), dtype=np.int64)
    np.add.at(table, (np.arange(60), np.arange(60) % 12), rng.integers(1, 20, (60, 3)))
    return table


def test_wide_problems_are_merged_without_writing_them_out(counts, monkeypatch):
    joint = Joint(counts.sum(axis=1))
    usual = merge(joint, 0.5, promises=[Known(counts)])
    monkeypatch.setattr(wide, "MAX_GAINS", 0)
    monkeypatch.setattr(search, "built", None)  # would write gains out
    made = merge(joint, 0.5, promises=[Known(counts)])
    assert made.safe
    assert told(counts, made.labels, "known") <= 0.5 + 1e-9
    assert 0.8 * usual.utility <= made.utility <= made.upper_bound
    again = merge(joint, 0.5, promises=[Known(counts)], start=usual.labels)
    assert again.utility >= usual.utility - 1e-12


def test_only_readers_who_know_more_make_a_problem_wide(monkeypatch):
    monkeypatch.setattr(wide, "MAX_GAINS", 0)
    plain = Problem.of(np.ones((3, 2)), Bound.symmetric(1))
    assert not is_wide(plain)
    assert is_wide(
        Problem.of(np.ones((2, 2)), Bound.symmetric(1), knowledge=[known(np.ones((2, 1, 2)))])
    )
