"""Edges and labels: one form for each value, and text that reads back."""

from __future__ import annotations

import csv
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift.cuts.edges import checked_edge, labels_text, number_or_date, of_one_type, text_of
from loglift.errors import TableError


@pytest.mark.parametrize(
    ("given", "edge"),
    [
        (5, 5),
        (5.0, 5),
        ("5", 5),
        (np.float64(0.5), 0.5),
        (Decimal("0.5"), 0.5),
        (Fraction(1, 2), 0.5),
        ("2020-01-01", date(2020, 1, 1)),
        (datetime(2020, 1, 1, 12), datetime(2020, 1, 1, 12)),
    ],
)
def test_an_edge_has_one_form(given, edge):
    found = checked_edge(given, "x")
    assert found == edge
    assert type(found) is type(edge)


@pytest.mark.parametrize("given", [True, None, "ten", float("nan"), float("inf"), [1]])
def test_what_is_no_edge_is_refused(given):
    with pytest.raises(TableError, match="an edge of the bins of x"):
        checked_edge(given, "x")


@given(st.integers() | st.floats(-1e15, 1e15) | st.dates())
def test_an_edge_reads_back_from_its_text(edge):
    assert number_or_date(text_of(edge)) == edge


@given(st.lists(st.text('ab," ', min_size=1), min_size=1))
def test_labels_read_back_from_their_text(labels):
    assert next(csv.reader([labels_text(labels)])) == labels


def test_mixed_edges_are_refused():
    noon, day = datetime(2020, 1, 1, 12), date(2020, 1, 2)
    with pytest.raises(TableError, match="mix"):
        of_one_type([1, day], "x")
    assert of_one_type([1, 2.5], "x") == (1, 2.5)
    assert of_one_type([noon, day], "x") == (noon, datetime(2020, 1, 2))
    assert of_one_type([datetime(2020, 1, 1), day], "x") == (date(2020, 1, 1), day)
