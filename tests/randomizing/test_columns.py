"""Posteriors as sparse columns."""

from __future__ import annotations

import numpy as np
import pytest

from loglift.randomizing.columns import column_of


def test_a_column_has_the_entries_that_are_not_rounding_errors():
    column = column_of(np.array([0.25, 0.0, 1e-15, 0.75]))
    assert column.support.tolist() == [0, 3]
    assert column.values.sum() == pytest.approx(1)
    assert column.entropy == pytest.approx(-(0.25 * np.log(0.25) + 0.75 * np.log(0.75)))


def test_columns_that_differ_by_rounding_have_the_same_key():
    first, second = (column_of(np.array([0.25 + e, 0.75])) for e in (0.0, 1e-13))
    assert first.key == second.key
    assert first.key != column_of(np.array([0.26, 0.74])).key
