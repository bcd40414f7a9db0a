"""Partitions built from single values, and unsafe ones that are mended, are safe."""

from __future__ import annotations

import math

import numpy as np

from loglift import Bound, refines
from loglift.measures.partition import canonical
from loglift.merging.building import _paired, built, dealt, joined, repaired, utility_if_safe
from loglift.merging.problem import Problem
from loglift.promise.bipartition import safe_rows
from loglift.sparse import as_cells, block_sums

BOUND = Bound(1.0, 1.0)


def few_cells(rng, rows, columns, share):
    """Counts of which only a share is not zero; every row and column has some."""
    counts = rng.integers(1, 6, (rows, columns)) * (rng.random((rows, columns)) < share)
    counts[np.arange(rows), np.arange(rows) % columns] += 1
    return counts


def test_built_partitions_are_safe_and_differ_by_trial():
    counts = few_cells(np.random.default_rng(1), rows=60, columns=4, share=0.5) * 1.0
    problem = Problem.of(counts, BOUND)
    found = [built(problem, trial, seed=0) for trial in range(4)]
    for labels in found:
        assert safe_rows(block_sums(counts, labels), BOUND).all()
        assert utility_if_safe(problem, labels) > 0
    assert len({labels.tobytes() for labels in found}) > 1


def test_an_unsafe_partition_is_only_merged():
    counts = few_cells(np.random.default_rng(4), rows=40, columns=4, share=0.5) * 1.0
    problem, begin = Problem.of(counts, BOUND), canonical(np.arange(40) // 2)
    assert utility_if_safe(problem, begin) == -math.inf
    labels = repaired(problem, begin, seed=0)
    assert refines(begin, labels)
    assert utility_if_safe(problem, labels) == problem.utility_of(labels)


def test_rows_are_dealt_once_and_joined_again():
    groups = dealt(100, 30, seed=1)
    assert [len(rows) for rows in groups] == [25] * 4
    assert sorted(np.concatenate(groups)) == list(range(100))
    labels = joined(groups, [np.zeros(25, dtype=np.int64)] * 4)
    assert np.bincount(labels).tolist() == [25] * 4
    assert all(np.unique(labels[rows]).size == 1 for rows in groups)


def test_unsafe_values_are_paired_until_there_is_room():
    counts = few_cells(np.random.default_rng(2), rows=300, columns=6, share=0.4)
    whole = Problem.of(as_cells(counts * 1.0), Bound(1.0, 1.0))
    labels = _paired(whole, 40, np.random.default_rng(0))
    left = safe_rows(block_sums(counts * 1.0, canonical(labels)), Bound(1.0, 1.0))
    assert np.count_nonzero(~left) <= 40
    assert np.bincount(labels).max() > 1
