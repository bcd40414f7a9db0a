"""Quantile bands: about as many records each, at round edges."""

from bisect import bisect_left
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift.tables.quantiles import MIN_RECORDS, quantile_edges, roundest


def edges_and_sizes(values, bands):
    distinct, records = np.unique(np.array(values, dtype=object), return_counts=True)
    edges = quantile_edges(distinct.tolist(), records, bands)
    ordered = sorted(values)
    starts = [0, *(bisect_left(ordered, edge) for edge in edges), len(ordered)]
    return edges, np.diff(starts)


@given(
    st.lists(st.integers(-1000, 1000) | st.integers(0, 3), min_size=1, max_size=300),
    st.integers(2, 12),
)
def test_every_band_has_enough_records_and_edges_increase(values, bands):
    edges, sizes = edges_and_sizes(values, bands)
    assert list(edges) == sorted(set(edges))
    assert len(edges) < bands
    if edges:
        assert min(sizes) >= max(MIN_RECORDS, len(values) / bands / 2)
    assert all(isinstance(edge, int) for edge in edges)


@given(st.lists(st.floats(-1e6, 1e6), min_size=200, max_size=300, unique=True))
def test_floats_of_their_own_are_split_about_evenly(values):
    edges, sizes = edges_and_sizes(values, 10)
    assert len(edges) == 9
    share = len(values) / 10
    assert max(abs(sizes - share)) <= 0.2 * share + 2


def test_edges_are_round_and_not_values_of_records():
    rng = np.random.default_rng(0)
    incomes = rng.lognormal(10, 1, 10_000).round(2)
    edges, sizes = edges_and_sizes(incomes.tolist(), 10)
    assert edges == (6000, 9500, 13000, 17000, 22000, 29000, 38000, 50000, 80000)
    assert not set(edges) & set(incomes.tolist())
    assert min(sizes) > 900
    days = [date(1950, 1, 1) + timedelta(days=int(n)) for n in rng.integers(0, 20_000, 5000)]
    edges, _ = edges_and_sizes(days, 10)
    assert {(edge.month, edge.day) for edge in edges} == {(1, 1)}
    times = [datetime(2020, 1, 1) + timedelta(seconds=int(n)) for n in rng.integers(0, 10**5, 999)]
    edges, _ = edges_and_sizes(times, 4)
    assert {(edge.minute, edge.second) for edge in edges} == {(0, 0)}


def test_days_and_times_that_are_not_round_are_no_record_s_own():
    """Sixty birthdays: an edge that is no first of a month lies between two of them."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(60):
        for unit in (timedelta(days=1), timedelta(seconds=90)):
            begin = date(1930, 1, 1) if unit.days else datetime(1930, 1, 1, 0, 0, 7)
            values = sorted({begin + int(step) * unit for step in rng.integers(0, 20_000, 60)})
            odd = [edge for edge in edges_and_sizes(values, 8)[0] if not is_round(edge)]
            found += len(odd)
            # Between a day and the next one there is nothing.
            assert all(edge not in values or edge - unit in values for edge in odd)
    assert found > 5


def is_round(edge):
    return edge.second == 0 if isinstance(edge, datetime) else edge.day == 1


def test_the_least_and_the_largest_record_are_never_an_edge():
    values = [*range(1000), 10**9, -(10**9)]
    for bands in (2, 10, 100):
        edges, sizes = edges_and_sizes(values, bands)
        assert -1000 < min(edges) <= max(edges) < 1000
        assert min(sizes) >= MIN_RECORDS


def test_a_value_with_most_records_is_one_band():
    edges, sizes = edges_and_sizes([0.0] * 500 + np.linspace(1, 2, 500).tolist(), 10)
    assert edges[0] <= 1
    assert sizes[0] == 500
    assert edges_and_sizes([0] * 995 + [1, 2, 3, 4, 5], 10)[0] in ((), (1,))
    assert edges_and_sizes([0] * 996 + [1, 2, 3, 4], 10)[0] == ()


@pytest.mark.parametrize(
    ("low", "near", "high", "edge"),
    [
        (37, 38, 38, 38),
        (37, 38, 44, 40),
        (-3, 2, 5, 0),
        (0.3, 0.31, 0.34, 0.32),
        (1234.5, 1234.6, 1234.7, 1234.6),
        (date(2020, 3, 2), date(2020, 4, 7), date(2020, 5, 2), date(2020, 4, 1)),
        (date(2020, 3, 2), date(2020, 3, 3), date(2020, 3, 3), date(2020, 3, 3)),
        (date(9999, 12, 30), date(9999, 12, 31), date(9999, 12, 31), date(9999, 12, 31)),
    ],
)
def test_the_roundest_value_of_an_interval(low, near, high, edge):
    assert roundest(low, near, high) == edge


def test_neighbouring_doubles_are_told_apart():
    one = 0.1
    other = np.nextafter(one, 1).item()
    assert one < roundest(one, other, other) <= other
