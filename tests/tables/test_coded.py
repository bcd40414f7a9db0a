"""Columns as codes: what they say is what the rows said."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, strategies as st

import loglift
from loglift.tables.coded import Coded, indexed, tuples_of

ITEMS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), min_size=1, max_size=30)


@given(ITEMS)
def test_rows_are_given_back(rows):
    columns = [Coded.of(column) for column in zip(*rows, strict=True)]
    assert tuples_of(columns) == rows


@given(ITEMS)
def test_distinct_rows_come_in_the_order_of_the_values(rows):
    columns = [Coded.of(column) for column in zip(*rows, strict=True)]
    columns = [column.renamed(column.values, key=str) for column in columns]
    found = indexed(columns)
    assert list(found.values) == sorted(set(rows))
    assert [found.values[place] for place in found.places] == rows  # noqa: PD011, no dataframe
    distinct = [Coded(c.values, codes) for c, codes in zip(columns, found.codes, strict=True)]
    assert tuples_of(distinct) == sorted(set(rows))


@given(st.lists(st.integers(-9, 9), min_size=1))
def test_values_renamed_alike_become_one(items):
    coded = Coded.of(items)
    sizes = coded.renamed((abs(value) for value in coded.values), key=lambda size: -size)  # noqa: PD011, no dataframe
    assert sizes.rows() == [abs(item) for item in items]
    assert sizes.values == sorted({abs(item) for item in items}, reverse=True)  # noqa: PD011


def test_unhashable_values_are_left_for_others_to_refuse():
    coded = Coded.of([[1], [1]])
    assert coded.rows() == [[1], [1]]


def test_every_kind_of_missing_value_of_pandas_is_one_value():
    frame = pd.DataFrame(
        {
            "text": pd.Series([None, np.nan, pd.NA, "x", "y", "x", None, "y"] * 20, dtype=object),
            "number": [0.0, -0.0, 1.5, np.nan, 0.0, -0.0, 1.5, np.nan] * 20,
            "kind": pd.Categorical(
                ["u", "v", None, "u", "v", "u", None, "v"] * 20, ["w", "v", "u"]
            ),
            "secret": ["p", "q", "p", "q", "q", "p", "q", "p"] * 20,
        }
    )
    expected = {
        "text": ((None, "x", "y"), [80, 40, 40]),
        "number": ((None, 0.0, 1.5), [40, 80, 40]),
        "kind": ((None, "u", "v"), [40, 60, 60]),
    }
    for name, (values, records) in expected.items():
        joint = loglift.Joint.from_table(frame, sensitive="secret", public=name)
        assert joint.public == values
        assert joint.mass.sum(axis=1).tolist() == records
    released = loglift.protect(frame, sensitive="secret", public=list(expected), eps=3).table
    assert len(released) == len(frame)
