"""Units of dates, and the times at which dates begin."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from loglift.cuts.dates import UNITS, date_name, moment, number_of_date


@pytest.mark.parametrize(
    ("unit", "name"),
    [("year", "2021"), ("quarter", "2021-Q1"), ("month", "2021-03"), ("day", "2021-03-31")],
)
def test_units_have_names(unit, name):
    assert date_name(number_of_date(date(2021, 3, 31), unit), unit) == name


@given(st.dates(), st.dates(), st.sampled_from(UNITS))
def test_names_have_the_order_of_the_dates(one, other, unit):
    first, second = sorted([one, other])
    numbers = [number_of_date(day, unit) for day in (first, second)]
    names = [date_name(number, unit) for number in numbers]
    assert numbers == sorted(numbers)
    assert names == sorted(names)
    assert (names[0] == names[1]) == (numbers[0] == numbers[1])


def test_a_date_begins_at_midnight_and_zones_are_utc():
    assert moment(date(2020, 1, 2), zoned=False) == datetime(2020, 1, 2)
    assert moment(date(2020, 1, 2), zoned=True) == datetime(2020, 1, 2, tzinfo=UTC)
    east = datetime(2020, 1, 2, 3, tzinfo=timezone(timedelta(hours=3)))
    assert moment(east, zoned=False) == datetime(2020, 1, 2)
    assert moment(east, zoned=True) == east
