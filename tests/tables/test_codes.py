"""Columns as codes: what they say is what the rows said."""

from __future__ import annotations

from hypothesis import given, strategies as st

from loglift.tables.codes import Coded, distinct_rows, tuples_of

ITEMS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=1, max_size=30)


@given(ITEMS)
def test_rows_are_given_back(rows):
    columns = [Coded.of(column) for column in zip(*rows, strict=True)]
    assert tuples_of(columns) == rows


@given(ITEMS)
def test_distinct_rows_come_in_the_order_of_the_values(rows):
    columns = [Coded.of(column) for column in zip(*rows, strict=True)]
    columns = [column.renamed(column.values, lambda value: (0, str(value))) for column in columns]
    found = distinct_rows(columns)
    assert list(found.values) == sorted(set(rows))
    assert [found.values[place] for place in found.places] == rows
    distinct = [Coded(c.values, codes) for c, codes in zip(columns, found.codes, strict=True)]
    assert tuples_of(distinct) == sorted(set(rows))


@given(st.lists(st.integers(-9, 9), min_size=1))
def test_values_renamed_alike_become_one(items):
    coded = Coded.of(items)

    def odd_last(size):
        return (size % 2, -size)

    sizes = coded.renamed((abs(value) for value in coded.values), odd_last)
    assert sizes.rows() == [abs(item) for item in items]
    assert sizes.values == sorted({abs(item) for item in items}, key=odd_last)


def test_unhashable_values_are_left_for_others_to_refuse():
    coded = Coded.of([[1], [1]])
    assert coded.rows() == [[1], [1]]
