"""The least eps keeps what was asked for, and no smaller one was found to."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings

import loglift
import naive
from loglift import frontier, least_eps
from loglift.errors import InputError, UnsafeError
from strategies import count_joints


@settings(max_examples=25)
@given(count_joints(min_public=2))
def test_the_least_eps_keeps_what_was_asked_and_a_smaller_one_was_not_found_to(counts):
    top = frontier(counts, [50.0]).points[0].kept
    share = 0.8 * top
    assume(share > 0)
    found = least_eps(counts, share)
    assert found.kept >= share
    assert found.mechanism.leakage <= found.eps
    assert loglift.merge(counts, found.eps, start=found.mechanism.labels).nmil <= 1 - share + 1e-12
    assert round(found.eps * 1000) == pytest.approx(found.eps * 1000)


def test_the_least_eps_of_a_small_joint_is_the_true_one():
    counts = np.array([[30, 10], [10, 30], [25, 20], [12, 14], [40, 37]])
    share = 0.9
    # The utility of every partition and the eps it needs, by brute force.
    needs = []
    total = -sum(p * np.log(p) for p in counts.sum(axis=1) / counts.sum())
    for labels in naive.partitions(len(counts)):
        blocks = np.zeros((max(labels) + 1, 2))
        np.add.at(blocks, labels, counts)
        mass = blocks.sum(axis=1) / counts.sum()
        if -(mass * np.log(mass)).sum() >= share * total:
            needs.append(naive.omega(blocks, counts).max())
    assert min(needs) <= least_eps(counts, share).eps <= min(needs) + 0.006


def test_a_bound_too_tight_for_a_group_is_not_the_least():
    counts = [[30, 10], [28, 12], [10, 30], [12, 29]]
    assert least_eps(counts, 0.9, intact=["a", "a", "b", "b"]).eps > 0.1


def test_all_of_it_needs_the_leakage_there_is_and_zeros_rule_it_out():
    counts = np.array([[30, 10], [10, 30], [20, 21]])
    assert least_eps(counts, 1).eps == pytest.approx(loglift.omega(counts).max(), abs=0.002)
    with pytest.raises(UnsafeError, match="at most"):
        least_eps([[10, 0], [10, 5], [3, 9]], 1)


@pytest.mark.parametrize("method", ["greedy", "complete", "ordered", "exact"])
def test_every_method_keeps_at_the_least_eps_what_was_asked(method):
    """Algorithm 1 may keep less at a bound that its own partition is inside of."""
    less = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, 40, (int(rng.integers(5, 14)), 3))
        found = least_eps(counts, 0.5, method)
        options = {} if method == "ordered" else {"over": "all"}
        assert 1 - loglift.merge(counts, found.eps, method, **options).nmil >= 0.5
        rows = np.repeat(np.arange(counts.size), counts.ravel())
        table = pl.DataFrame({"x": rows // 3, "s": rows % 3})
        made = loglift.protect(
            table,
            sensitive="s",
            public="x",
            method=method,
            utility="joint",
            min_information=0.5,
        )
        assert 1 - made.certificate.nmil >= 0.5
        enough = found.mechanism.leakage + 1e-3  # for the same partition
        less += 1 - loglift.merge(counts, enough, method, **options).nmil < 0.5
    assert (less > 0) == (method == "greedy")


def test_a_share_that_is_none_is_refused():
    for share in (0, 1.1, -1, "0.9", True, float("nan")):
        with pytest.raises(InputError, match="min_information"):
            least_eps([[3, 1], [1, 3]], share)
