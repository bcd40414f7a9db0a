"""Cuts: what texts mean, what is refused, the names of bands."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from loglift.cuts import Cut
from loglift.cuts.bands import band_of
from loglift.errors import TableError


@pytest.mark.parametrize(
    "text",
    [
        "10", "0.5", "20,30,65", "18,", "20,65:young,adult,old", '1,2:"a, b",c,d', "quantiles:10",
        "..200000", "18..", "18..90", "-5..-1", "year", "quarter", "month", "day",
        "2020-01-01,2021-06-30", "2020-01-01..", "2020-01-01 10:00:00,2021-06-30",
        "2020-01-01 10:00:00,2021-06-30 00:30:00.500000:early,late,last", "2020-01-01 10:00:00..",
        "20,65:a..b,c: d,e", '20:" a ",b', '20:"a\nb",c',
    ],
)  # fmt: skip
def test_a_cut_says_the_text_that_makes_it(text):
    cut = Cut.of(text, "x")
    assert cut.option == text
    assert cut.bands
    assert cut.words
    if cut.found:
        assert Cut.from_document(cut.document()) == cut
    coded = cut.at([5]) if not cut.found else cut
    coded = coded.with_missing([-9, "NA"])
    assert Cut.from_document(coded.document()) == coded
    assert coded.words.endswith("-9 and NA as missing")


def test_python_gives_numbers_and_lists_too():
    assert Cut.of(10, "x") == Cut.of(10.0, "x") == Cut.of(np.int8(10), "x") == Cut.of("10", "x")
    assert Cut.of([20, 30], "x") == Cut.of("20,30", "x") == Cut.of((20.0, Fraction(30)), "x")
    assert Cut.of([Decimal("0.5")], "x") == Cut.of("0.5,", "x")
    assert Cut.of([date(2020, 1, 1)], "x") == Cut.of("2020-01-01,", "x")
    assert Cut.of(Cut.limits(high=5), "x") == Cut.of("..5", "x")
    assert Cut.edges([20, 40], labels=["a", "b", "c"]).names == ("a", "b", "c")
    assert Cut.of(np.array([20, 30]), "x") == Cut.of("20,30", "x")
    for unit in ("D", "s", "ns"):
        assert Cut.of(np.array(["2020-01-01"], f"M8[{unit}]"), "x") == Cut.of("2020-01-01,", "x")


def test_edges_with_a_zone_are_named_in_utc_as_they_are_compared():
    east = timezone(timedelta(hours=5))
    cut = Cut.edges([datetime(2020, 1, 1, 10, tzinfo=east)])
    assert cut == Cut.edges([datetime(2020, 1, 1, 5, tzinfo=UTC)]) == Cut.of(cut.option, "x")
    assert cut.names == ("< 2020-01-01 05:00:00", ">= 2020-01-01 05:00:00")
    assert band_of(datetime(2020, 1, 1, 4, 59, tzinfo=UTC), cut) == "< 2020-01-01 05:00:00"


def test_times_of_pandas_are_edges_and_its_missing_time_is_not():
    pandas = pytest.importorskip("pandas")
    given = [pandas.Timestamp("2020-01-01 10:00"), pandas.Timestamp("2021-01-01")]
    cut = Cut.of(given, "x")
    assert cut == Cut.of("2020-01-01 10:00,2021-01-01", "x") == Cut.from_document(cut.document())
    assert {type(point) for point in cut.points} == {datetime}
    with pytest.raises(TableError, match="must be a date, got NaT"):
        Cut.of([pandas.NaT], "x")


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("3,2", "must increase, and 2 follows 3"),
        ("2,2.0", "must increase, and 2 follows 2"),
        ("1,2:a,b", "the edges make 3 bands of 'x', and the number of labels is 2"),
        ("1,2:a,a,b", "must differ"),
        ("1,2:a,NaN,b", "none may be NaN"),
        ("1,2:a,,b", "must be texts"),
        ("quantiles:1", "at least 2"),
        ("quantiles:ten", "a whole number"),
        ("quantiles:2000", "at most 1000"),
        ("week", "a unit of dates"),
        ("", "does not say how to cut"),
        ("..", "need a limit"),
        ("9..1", "the smaller one first"),
        ("a..9", "a number or a date"),
        ("1,x", "a number or a date"),
        ("1,inf", "finite"),
        ("1,2020-01-01", "mix numbers and dates"),
        ("1:a\nb,c", "cannot be read: write a label"),
        ([], "need 1 to"),
        (list(range(1000)), "need 1 to"),
        ([True], "a number or a date"),
        (0, "above 0"),
        (None, "must be a number"),
        ({}, "must be a number"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(given, fault):
    with pytest.raises(TableError) as caught:
        Cut.of(given, "x")
    assert fault in str(caught.value)
    assert "'x'" in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(TableError, match="no unit of the dates"):
        Cut.dates("week")


@pytest.mark.parametrize(
    "document",
    [
        {}, {"quantiles": 5}, {"width": 0}, {"edges": [2, 1]}, {"edges": [1], "automatic": 1},
        {"width": 1, "unit": "year"}, {"unit": "week"}, {"edges": [1], "labels": ["a"]}, {"x": 1},
    ],
)  # fmt: skip
def test_a_damaged_document_is_refused(document):
    with pytest.raises((TableError, KeyError, TypeError)):
        Cut.from_document(document)


@pytest.mark.parametrize(
    ("how", "first", "last", "name"),
    [
        ("10", "[20, 30)", "[40, 50)", "[20, 50)"),
        ("20,30,65", "< 20", "[20, 30)", "< 30"),
        ("20,30,65", "[20, 30)", ">= 65", ">= 20"),
        ("20,30,65", "[20, 30)", "[30, 65)", "[20, 65)"),
        ("20,30,65", "< 20", ">= 65", "< 20 to >= 65"),
        ("20,65:young,adult,old", "young", "adult", "young to adult"),
        ("18..90", "25", "34", "25-34"),
        ("18..90", "< 18", "20", "<= 20"),
        ("18..90", "85", "> 90", ">= 85"),
        ("18..90", "< 18", "> 90", "< 18 to > 90"),
        ("-5..90", "-3", "34", "-3 to 34"),
        ("year", "2019", "2021", "2019 to 2021"),
        ("2020-01-01,2021-01-01", "< 2020-01-01", "[2020-01-01, 2021-01-01)", "< 2021-01-01"),
    ],
)
def test_runs_of_bands_have_one_name(how, first, last, name):
    assert Cut.of(how, "x").span(first, last) == name
