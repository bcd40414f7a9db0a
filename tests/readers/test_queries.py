"""Count queries. The benchmark of readers, which shares no code with them, is the oracle."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from loglift.readers.queries import estimate, matching, query_errors, random_queries
from loglift.readers.views import RecordColumn, original_view, released_view, shuffled_view
from small_records import believed, channel_of, partition_of, records_of

LABELS = [0, 1, 1, 2, 0, 3, 3, 3, 2, 4, 4, 1]


@pytest.fixture(scope="module")
def benchmark():
    path = Path(__file__).parents[2] / "benchmarks" / "readers.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_readers", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def release_of(seed):
    records = records_of(seed, size=500)
    random = np.random.default_rng(seed)
    released = released_view(records, partition_of(records, LABELS), random)
    return records, released, shuffled_view(records, random)


def test_errors_are_those_of_the_benchmark(benchmark):
    records, released, shuffled = release_of(0)
    labels = np.array(LABELS)
    release = benchmark.Release(labels[records.x], records.rows, labels)
    codes = np.stack([column.codes for column in records.public], axis=1)
    queries = benchmark.random_queries([4, 3], [True, False], 7)
    errors = [benchmark.query_error(query, codes, release) for query in queries]
    [found, *_] = query_errors(records, released, shuffled, 7)
    assert found.queries == len(errors) == 400
    assert found.median.released == pytest.approx(np.median(errors))
    assert found.mean.released == pytest.approx(np.mean(errors))
    assert found.ninety.released == pytest.approx(np.quantile(errors, 0.9))
    assert found.largest.released == pytest.approx(max(errors))
    assert found.mean.original == 0 < found.mean.released


def test_estimates_are_what_readers_work_out_record_by_record():
    records = records_of(1, size=80)
    view = released_view(records, channel_of(records), np.random.default_rng(0))
    seen = list(believed(view, 2))
    queries = list(random_queries(records.public, 3, count=20))
    for query in queries:
        slow = sum(
            share
            for cells in seen
            for row, share in cells
            if all(asked[row[column]] for column, asked in query.items())
        )
        assert estimate(query, view) == pytest.approx(slow)
    assert len(queries) == 20


def test_the_table_itself_answers_exactly_and_shuffled_columns_one_by_one():
    records, _, shuffled = release_of(2)
    every, *parts = query_errors(records, original_view(records), shuffled, 0)
    assert every.largest.released == 0
    assert [part.columns for part in parts] == [1, 2]
    assert sum(part.queries for part in parts) == every.queries
    assert parts[0].largest.shuffled == 0 < parts[1].largest.shuffled


def test_ordered_columns_are_asked_for_runs_in_their_order():
    places = np.array([2, 0, 3, 1, 4])
    column = RecordColumn("size", tuple("abcde"), np.arange(5), None, places)
    asked = [query[0] for query in random_queries([column], 0, count=50)]
    assert len(asked) == 50
    for values in asked:
        run = np.sort(places[values])
        assert np.array_equal(run, np.arange(run[0], run[0] + run.size))
    assert len({tuple(values) for values in asked}) > 3


def test_a_row_matches_if_every_column_does():
    query = {0: np.array([True, False]), 1: np.array([False, True])}
    rows = np.array([[0, 1], [0, 0], [1, 1]])
    assert matching(query, rows).tolist() == [True, False, False]
