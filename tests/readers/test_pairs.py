"""Pairs of columns: cross-tables as readers rebuild them, and association."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy.stats import contingency

from loglift.readers.pairs import (
    MAX_PAIRED_VALUES,
    CrossTable,
    correlation,
    cramers_v,
    pair_readings,
    total_variation,
)
from loglift.readers.views import (
    RecordColumn,
    Records,
    original_view,
    plain_view,
    released_view,
    shuffled_view,
)
from small_records import believed, channel_of, partition_of, records_of

LABELS = [0, 1, 1, 2, 0, 3, 3, 3, 2, 4, 4, 1]


def with_numbers(records, size=5):
    """Return the records with numbers in their other column, one of them missing."""
    [other] = records.others
    numbers = np.array([np.nan, *np.linspace(1.0, 9.0, size - 1)])
    other = RecordColumn("income", tuple(numbers), other.codes, numbers, np.arange(size))
    return Records(records.public, (other,), records.rows, records.x)


def views_of(records, kind):
    random = np.random.default_rng(0)
    mechanism = channel_of(records) if kind == "drawn" else partition_of(records, LABELS)
    released = released_view(records, mechanism, random)
    return original_view(records), released, shuffled_view(records, random)


def slow_table(view, records, names):
    """Add up, record by record, what readers believe of two columns."""
    sums = Counter()
    beside = {column.name: column.codes.tolist() for column in records.others}
    places = {column.name: j for j, column in enumerate(records.public)}
    for number, cells in enumerate(believed(view, len(places))):
        for row, share in cells:
            key = [row[places[name]] if name in places else beside[name][number] for name in names]
            sums[tuple(key)] += share
    return sums


@pytest.mark.parametrize("kind", ["merged", "drawn"])
def test_pairs_are_what_readers_work_out_record_by_record(kind):
    records = with_numbers(records_of(0, size=120))
    views = views_of(records, kind)
    found = pair_readings(records, *views)
    assert {pair.columns for pair in found} == {
        ("age", "c1"),
        ("age", "income"),
        ("c1", "income"),
    }
    values = {column.name: column.numbers for column in (*records.public, *records.others)}
    for pair in found:
        tables = [slow_table(view, records, pair.columns) for view in views]
        for view, table in zip(("original", "released", "shuffled"), tables, strict=True):
            keys = set(table) | set(tables[0])
            distance = sum(abs(table[key] - tables[0][key]) for key in keys) / 2 / records.size
            assert getattr(pair.distance, view) == pytest.approx(distance, abs=1e-12)
            dense = np.zeros((4 if pair.columns[0] == "age" else 3, 5))
            for key, mass in table.items():
                dense[key] = mass
            strength = getattr(pair.association, view)
            if pair.measure == "Cramer's V":
                kept = dense[dense.any(axis=1)][:, dense.any(axis=0)]
                whole = contingency.association(np.rint(kept * 1e9).astype(np.int64))
                assert strength == pytest.approx(whole, abs=1e-6)
            else:
                numbers = [values[name] for name in pair.columns]
                cells = [
                    (numbers[0][a], numbers[1][b], mass)
                    for (a, b), mass in table.items()
                    if not np.isnan(numbers[0][a] + numbers[1][b])
                ]
                a, b, mass = np.array(cells).T
                matrix = np.cov(a, b, aweights=mass, ddof=0)
                slow = matrix[0, 1] / np.sqrt(matrix[0, 0] * matrix[1, 1])
                assert strength == pytest.approx(slow, abs=1e-9)
    assert [pair.measure for pair in found].count("correlation") == 1


def test_the_worst_pair_comes_first_and_the_table_itself_is_at_distance_zero():
    records = records_of(1, size=800)
    found = pair_readings(records, *views_of(records, "merged"))
    distances = [pair.distance.released for pair in found]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 0
    assert all(pair.distance.original == 0 for pair in found)
    for pair in found:
        assert pair.change == pair.association.released - pair.association.original
    assert len(found) == 3


def test_plain_values_swapped_within_blocks_keep_pairs_of_public_columns():
    records = records_of(2, size=500)
    shown = records.rows[np.random.default_rng(0).permutation(records.x)]
    swapped = plain_view(list(shown.T))
    found = pair_readings(records, original_view(records), swapped, swapped)
    by_name = {pair.columns: pair.distance.released for pair in found}
    assert by_name["age", "c1"] == pytest.approx(0)
    assert by_name["c1", "u0"] > 0.01


def test_a_column_of_very_many_values_has_a_correlation_and_no_cross_table():
    records = records_of(3, size=600)
    numbers = np.arange(600.0) + 1e9  # far from zero: sums of squares would round
    income = RecordColumn("income", tuple(numbers), np.argsort(records.x), numbers, np.arange(600))
    names = RecordColumn("name", tuple(map(str, range(600))), np.arange(600))
    assert len(income.values) > MAX_PAIRED_VALUES
    wide = Records(records.public, (income, names), records.rows, records.x)
    found = {pair.columns: pair for pair in pair_readings(wide, *views_of(wide, "merged"))}
    assert set(found) == {("age", "c1"), ("age", "income")}
    pair = found["age", "income"]
    assert pair.distance is None
    age = records.public[0].numbers[records.public[0].codes]
    truth = pd.Series(age).corr(pd.Series(numbers[income.codes]))
    assert pair.association.original == pytest.approx(truth, abs=1e-9)


def test_association_of_columns_that_say_all_or_nothing():
    a = np.array([0, 0, 1, 1, 2, 2])
    assert cramers_v(CrossTable.of(a, a, 3)) == pytest.approx(1)
    assert cramers_v(CrossTable.of(a, np.array([0, 1] * 3), 2)) == pytest.approx(0)
    assert cramers_v(CrossTable.of(a, np.zeros_like(a), 1)) == 0
    x = a.astype(np.float64)
    assert correlation(x, 7 - 2 * x, np.ones(6)) == pytest.approx(-1)
    assert correlation(x, np.full(6, 3.3), np.ones(6)) == 0
    assert correlation(np.full(6, np.nan), x, np.ones(6)) == 0


def test_total_variation_is_the_share_of_records_to_move():
    one = CrossTable.of(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 2)
    other = CrossTable.of(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 1]), 2)
    assert total_variation(one, other) == pytest.approx(0.5)
    assert total_variation(one, one) == 0
