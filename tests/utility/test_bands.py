"""Bands: runs of values of about equal mass, and a band for what has no place in the order."""

from __future__ import annotations

import datetime as dt
import math

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from loglift import Joint, UtilityError
from loglift.cuts import Cut
from loglift.joint import Column
from loglift.utility.bands import bands_of, is_ordered


def column(values, type_name="integer", *, cut=None, ranks=()):
    """A column whose public values are its own, one each."""
    return Column("c", type_name, cut, tuple(values), np.arange(len(values)), ranks=ranks)


@given(st.lists(st.integers(1, 50), min_size=3, max_size=60), st.integers(2, 8))
def test_bands_are_runs_of_about_equal_mass(weights, count):
    weight = np.array(weights)
    bands = bands_of(column(range(weight.size)), weight, count)
    assert (np.diff(bands) >= 0).all()
    assert sorted(set(bands.tolist())) == list(range(bands.max() + 1))
    assert bands.max() < count
    masses = np.bincount(bands, weight)
    # The values at both ends of a band lie in it by half of their mass at least.
    assert masses.max() <= weight.sum() / count + weight.max() + 1e-9


def test_equal_masses_make_equal_bands():
    bands = bands_of(column(range(16)), np.ones(16), 4)
    assert bands.tolist() == np.repeat(range(4), 4).tolist()
    heavy_first = bands_of(column(range(5)), np.array([40, 10, 10, 10, 10]), 2)
    assert heavy_first.tolist() == [0, 1, 1, 1, 1]


def test_the_mass_of_a_value_is_that_of_all_its_public_values():
    """Public values have other columns too, so several of them may have the same value here."""
    codes = np.array([0, 1, 2, 3, 0, 0])
    several = Column("c", "integer", None, (1, 2, 3, 4), codes)
    assert bands_of(several, np.array([10, 10, 10, 10, 10, 10]), 2).tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize("missing", [None, math.nan])
def test_what_is_missing_has_a_band_of_its_own(missing):
    with_missing = column([1.0, 2.0, 3.0, 4.0, missing], "float")
    weight = np.array([1, 1, 1, 1, 100])
    assert bands_of(with_missing, weight, 2).tolist() == [0, 0, 1, 1, 2]
    first = column([missing, 1.0, 2.0, 3.0, 4.0], "float")
    assert bands_of(first, np.array([100, 1, 1, 1, 1]), 2).tolist() == [2, 0, 0, 1, 1]


def test_a_column_with_nothing_but_missing_values_is_one_band():
    assert bands_of(column([None], "integer"), np.array([3]), 4).tolist() == [0]


@pytest.mark.parametrize(
    ("values", "type_name", "ordered"),
    [
        ([1, 2, 3], "integer", True),
        ([1, 2], "integer", False),  # two values have no order worth keeping
        ([dt.date(2020, 1, day) for day in (1, 2, 3)], "date", True),
        ([False, True, None], "boolean", False),
        (["a", "b", "c"], "text", False),
    ],
)
def test_numbers_dates_and_times_have_an_order(values, type_name, ordered):
    assert is_ordered(column(values, type_name)) is ordered


def test_bins_and_ordered_categories_have_an_order():
    assert is_ordered(column(["[0, 10)", "[10, 20)", "[20, 30)"], "text", cut=Cut.steps(10)))
    small = column(["low", "mid", "high"], "text", ranks=(0, 1, 2))
    assert is_ordered(small)
    assert bands_of(small, np.ones(3), 3).tolist() == [0, 1, 2]


def test_values_of_a_table_are_in_order():
    frame = pd.DataFrame({"age": [9, 100, 20, 3] * 2, "s": [0, 1] * 4})
    joint = Joint.from_table(frame, sensitive="s", public="age")
    bands = bands_of(joint.columns[0], joint.weight, 2)
    assert dict(zip(joint.columns[0].values, bands.tolist(), strict=True)) == {
        3: 0,
        9: 0,
        20: 1,
        100: 1,
    }


@pytest.mark.parametrize(
    ("made", "count", "fix"),
    [
        (column("abc", "text"), 2, "give a mapping of its values to groups"),
        (column([1, 2, 3]), 1, "a number of bands must be at least 2"),
        (column([1, 2, 3]), 2.5, "a number of bands must be a whole number"),
        (column([1, 2, 3]), True, "a number of bands must be a whole number"),
        (column([1, 2, 3]), "4", "a number of bands must be a whole number"),
    ],
)
def test_what_has_no_bands_is_refused(made, count, fix):
    with pytest.raises(UtilityError, match=fix):
        bands_of(made, np.ones(3), count)
