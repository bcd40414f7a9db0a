"""Smoothing: noise is recognised, what is no chance is kept."""

from __future__ import annotations

import numpy as np
import pytest

from loglift.sparse import as_cells
from loglift.utility import smoothing as module
from loglift.utility.smoothing import smoothed


def counted(p, records, seed=0):
    """Counts of records[x] draws from p(u|x)."""
    rng = np.random.default_rng(seed)
    return np.array([rng.multinomial(n, row) for n, row in zip(records, p, strict=True)])


def left_out(counts, pull):
    """The log-likelihood of each record, predicted from the others; record by record."""
    p, total = counts.sum(axis=0) / counts.sum(), 0.0
    for row in counts:
        for u, n in enumerate(row):
            for _ in range(n):
                total += np.log((n - 1 + pull * p[u]) / (row.sum() - 1 + pull))
    return total


@pytest.mark.parametrize("seed", range(4))
def test_the_pull_is_the_one_that_predicts_records_left_out_best(seed):
    p = np.random.default_rng(seed).dirichlet([2, 3, 1], 40)
    counts = counted(p, np.random.default_rng(seed).integers(1, 12, 40), seed)
    counts = counts[:, counts.any(axis=0)]
    best = max(module.PULLS, key=lambda pull: left_out(counts, pull))
    records, prior = counts.sum(axis=1, keepdims=True), counts.sum(axis=0) / counts.sum()
    expected = records * (counts + best * prior) / (records + best)
    np.testing.assert_allclose(smoothed(counts).table, expected)


def test_chance_has_no_reliability_and_sure_things_have_all():
    rng = np.random.default_rng(1)
    chance = counted(np.full((3000, 4), 0.25), rng.integers(1, 5, 3000))
    assert smoothed(chance).reliability < 0.02
    sure = counted(np.eye(4)[rng.integers(0, 4, 300)], rng.integers(5, 50, 300))
    assert smoothed(sure).reliability > 0.98
    many = counted(rng.dirichlet([1, 1], 30), np.full(30, 2000))
    assert smoothed(many).reliability > 0.98


def test_smoothed_shares_are_nearer_to_the_truth_where_records_are_few():
    rng = np.random.default_rng(2)
    p = rng.dirichlet([4, 6], 2000)
    counts = counted(p, rng.integers(1, 6, 2000))
    found = smoothed(counts).table
    raw, better = (t / t.sum(axis=1, keepdims=True) for t in (counts, found))
    assert ((better - p) ** 2).mean() < 0.5 * ((raw - p) ** 2).mean()


def test_sparse_counts_give_the_same_and_large_ones_stay_counts(monkeypatch):
    counts = counted(np.full((50, 3), 1 / 3), np.full(50, 4))
    dense, sparse = smoothed(counts), smoothed(as_cells(counts))
    np.testing.assert_allclose(dense.table, sparse.table)
    assert dense.reliability == sparse.reliability
    monkeypatch.setattr(module, "MAX_SMOOTHED_CELLS", 10)
    large = smoothed(as_cells(counts))
    assert large.table[:].tolist() == counts.tolist()
    assert large.reliability == dense.reliability


@pytest.mark.parametrize("counts", [[[3], [4]], [[1]], [[1, 1]], [[1, 0], [0, 1]]])
def test_the_smallest_counts(counts):
    found = smoothed(np.array(counts))
    assert 0 <= found.reliability <= 1
    np.testing.assert_allclose(np.asarray(found.table).sum(axis=1), np.sum(counts, axis=1))
