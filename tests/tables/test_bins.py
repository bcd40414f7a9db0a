"""Bins: the same half-open intervals from every engine, and widths that are refused."""

# ruff: noqa: PLC0415 - times without a zone are wanted; a dataframe library is imported by the tests that use it

from collections import Counter
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise

import duckdb
import numpy as np
import pytest

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables import apply, count
from tables.makers import mechanism_of

GOOD = b"a,b\n1,x\n2,y\n"


@pytest.mark.parametrize(
    "width",
    [0, -1, float("nan"), "-10", None, True, -(10**400)],
    ids=lambda width: repr(width)[:12],
)
def test_a_width_must_be_a_positive_number(tmp_path, width):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(
        TableError, match=r"the width of the bins of 'a' must be (a number|above 0)"
    ):
        count(tmp_path / "t.csv", "a", "b", bins={"a": width})
    with pytest.raises(TableError, match="neither public nor sensitive"):
        count(tmp_path / "t.csv", "a", "b", bins={"c": 1})


@pytest.mark.parametrize(
    "width",
    [
        float("inf"),
        np.float32("inf"),
        1e308,
        1e-320,
        10**400,
        2**54,
        1.2345678901234567e-9,
        Fraction(1, 10**400),
    ],
    ids=lambda width: repr(width)[:12],
)
def test_a_width_must_be_one_that_doubles_can_count_with(tmp_path, width):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(TableError, match="too large, too small, or has too many digits") as caught:
        count(tmp_path / "t.csv", "a", "b", bins={"a": width})
    assert len(str(caught.value)) < 200


def test_a_width_may_be_of_numpy(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    for width in (np.float32(0.5), np.float64(0.5), np.int8(2), np.uint64(2)):
        found = count(tmp_path / "t.csv", "a", "b", bins={"a": width}).tuples
        assert found == count(tmp_path / "t.csv", "a", "b", bins={"a": width.item()}).tuples


def test_integers_at_the_end_of_64_bits_are_in_their_bins_or_refused(maker, tmp_path):
    """An edge below -2^63 must not come around as one near 2^63."""
    rows = [(-(2**63), "x"), (2**63 - 1, "y"), (5, "x")]
    table = maker.make(["a", "b"], [int, str], rows, tmp_path)
    with pytest.raises(TableError, match=r"too large for bins|cannot be read") as caught:
        count(table, "a", "b", bins={"a": 10})
    assert "\n" not in str(caught.value)
    assert count(table, "a", "b", bins={"a": 2**40}).tuples == (
        (f"[{-(2**63)}, {-(2**63) + 2**40})",),
        (f"[0, {2**40})",),
        (f"[{2**63 - 2**40}, {2**63})",),
    )


def test_infinite_values_cannot_be_binned():
    import polars as pl

    frame = pl.DataFrame({"a": [1.0, float("inf")], "b": ["x", "y"]})
    with pytest.raises(TableError, match="infinite or too large"):
        count(frame, "a", "b", bins={"a": 1})


def test_bins_are_the_same_half_open_intervals(maker, tmp_path):
    values = [
        (-21, "a"),
        (-20, "b"),
        (-1, "a"),
        (0, "a"),
        (9, "b"),
        (10, "a"),
        (None, "b"),
        (2**60, "a"),
    ]
    table = maker.make(["age", "s"], [int, str], values, tmp_path)
    counts = count(table, "age", "s", bins={"age": 10})
    assert [label for (label,) in counts.tuples] == [
        None, "[-30, -20)", "[-20, -10)", "[-10, 0)", "[0, 10)", "[10, 20)",
        f"[{2**60 // 10 * 10}, {2**60 // 10 * 10 + 10})",
    ]  # fmt: skip
    lookup = {value: i for i, value in enumerate(counts.tuples)}
    mechanism = mechanism_of([("age", "text", 10)], lookup, {"age": ("text", counts.public)})
    result = apply(table, mechanism, passthrough=["s"], keep_order=True)
    assert maker.back(result)[:3] == [("[-30, -20)", "a"), ("[-20, -10)", "b"), ("[-10, 0)", "a")]


def test_float_bins_follow_the_decimal_edges(maker, tmp_path):
    values = [(0.3, "a"), (0.29, "b"), (-0.1, "a"), (-0.0, "b"), (0.0, "a"), (7.0, "b")]
    table = maker.make(["w", "s"], [float, str], values, tmp_path)
    counts = count(table, "w", "s", bins={"w": 0.1})
    assert [label for (label,) in counts.tuples] == [
        "[-0.1, 0)", "[0, 0.1)", "[0.2, 0.3)", "[0.3, 0.4)", "[7, 7.1)",
    ]  # fmt: skip
    assert counts.mass.sum() == 6


@pytest.mark.parametrize("width", [0.3, 0.9, 0.7])
def test_every_engine_cuts_at_the_same_places(width):
    """Polars divides by a literal by multiplying with its inverse, which is rounded."""
    rng = np.random.default_rng(0)
    numbers = np.append(rng.uniform(-2000, 2000, 5000).round(1), [-0.1 - 0.2, -1592.1000000000001])
    import polars as pl

    table = pl.DataFrame({"x": numbers, "s": rng.integers(0, 2, numbers.size)})
    frames = (table, table.lazy(), table.to_pandas(), table.to_arrow())
    counts = [count(frame, "x", "s", bins={"x": width}) for frame in frames]
    first = counts[0]
    for other in (
        *counts[1:],
        count(duckdb.from_arrow(table.to_arrow()), "x", "s", bins={"x": width}),
    ):
        assert other.tuples == first.tuples
        assert other.weight.tolist() == first.weight.tolist()


NUMBERS = [-21, -20, -9, 0, 17, 18, 19, 20, 39, 40, 64, 65, 90, 91, None, 2**53 + 1]
FLOATS = [-9.0, 0.1 + 0.2, 0.3, -0.0, 0.0, 17.999, 18.0, 20.0, 64.5, 90.0, 90.5, 1e300, None]
DATES = [
    date(1899, 12, 31), date(2000, 1, 1), date(2019, 3, 31), date(2019, 4, 1), date(2019, 12, 31),
    date(2020, 2, 29), date(2021, 10, 1), date(1, 1, 1), date(9999, 12, 31), None,
]  # fmt: skip
OF_NUMBERS = ["20,40,65", "0.3,18", "18,", "18..90", "..40", "0.3..", "20,65:young,adult,old"]
OF_DATES = [
    "year", "quarter", "month", "day", "2019-04-01,2020-01-01", "2000-01-01..2020-12-31",
    "..2019-03-31", "2000-01-01,2020-01-01:old,new,newest",
]  # fmt: skip
CASES = [
    *((int, NUMBERS, cut) for cut in OF_NUMBERS),
    *((float, FLOATS, cut) for cut in OF_NUMBERS),
    *((date, DATES, cut) for cut in OF_DATES),
]


@pytest.mark.parametrize("codes", [(), (-9, "40")], ids=["", "codes"])
def test_every_engine_has_the_bands_of_the_slow_oracle(maker, tmp_path, codes):
    """All cuts of a kind, one after the other; a band is what Python says of each record."""
    cases = [case for case in CASES if not (codes and case[0] is date)]
    found = [bands_of(maker, tmp_path / str(i), case, codes) for i, case in enumerate(cases)]
    expected = [oracle(values, how, codes) for _, values, how in cases]
    assert found == expected


def bands_of(maker, folder, case, codes):
    """The bands that are counted, in their order, with the records of each sensitive value."""
    kind, values, how = case
    folder.mkdir()
    table = maker.make(["x", "s"], [kind, str], rows_of(values), folder)
    found = count(table, "x", "s", bins={"x": Cut.of(how, "x").with_missing(codes)})
    assert found.columns[0].type == "text"
    return dict(zip(found.public, map(tuple, found.mass.tolist()), strict=True)), found.public


def oracle(values, how, codes):
    """The same, record by record."""
    cells = Counter((banded(value, how, codes), s) for value, s in rows_of(values))
    order = [None, *sorted({value for value in values if value is not None})]
    names = tuple(dict.fromkeys(banded(value, how, codes) for value in order))
    return {name: (cells[name, "a"], cells[name, "b"]) for name in names}, names


def rows_of(values):
    return [(value, "ab"[i % 2]) for i, value in enumerate([*values, *values[:3]])]


def test_times_are_cut_by_every_engine_that_has_them():
    import polars as pl

    times = [
        datetime(2019, 12, 31, 23, 59, 59, 999999), datetime(2020, 1, 1), None,
        datetime(2020, 6, 1, 12), datetime(2020, 6, 1, 12, 0, 0, 1),
    ]  # fmt: skip
    for zone in (None, "UTC", "Asia/Tokyo"):
        column = pl.Series("t", times, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")
        column = column.dt.convert_time_zone(zone) if zone else column.dt.replace_time_zone(None)
        frame = pl.DataFrame({"t": column, "s": list("ababa")})
        for table in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow()):
            assert count(table, "t", "s", bins={"t": "year"}).public == (None, "2019", "2020")
            edges = [datetime(2020, 1, 1), datetime(2020, 6, 1, 12, 0, 0, 1)]
            found = count(table, "t", "s", bins={"t": edges})
            assert found.public == (
                None, "< 2020-01-01", "[2020-01-01, 2020-06-01 12:00:00.000001)",
                ">= 2020-06-01 12:00:00.000001",
            )  # fmt: skip
            found = count(table, "t", "s", bins={"t": "..2020-01-01"})
            assert found.public == (
                None,
                "2019-12-31 23:59:59.999999",
                "2020-01-01",
                "> 2020-01-01",
            )
    plain = duckdb.from_arrow(frame.with_columns(pl.Series("t", times)).to_arrow())
    assert count(plain, "t", "s", bins={"t": "year"}).public == (None, "2019", "2020")


def test_instants_of_a_session_in_another_zone_are_refused():
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'Asia/Tokyo'")
    table = connection.sql("SELECT TIMESTAMPTZ '2020-01-01 00:30+00' + i * INTERVAL 1 DAY AS a, "
                           "i AS b FROM range(3) t(i)")  # fmt: skip
    with pytest.raises(TableError, match="set that to UTC to cut them"):
        count(table, "a", "b", bins={"a": "year"})
    connection.execute("SET TimeZone = 'UTC'")
    assert count(table, "a", "b", bins={"a": "year"}).public == ("2020",)


def test_nan_has_a_band_of_its_own_where_it_is_not_null():
    import polars as pl

    frame = pl.DataFrame({"a": [1.0, float("nan"), None, 50.0, float("inf")], "b": list("xyxyx")})
    for how in ("20,40", "..20", "18..40"):
        found = count(frame, "a", "b", bins={"a": how}).public
        assert found[:2] == (None, "NaN")
        assert found == count(duckdb.from_arrow(frame.to_arrow()), "a", "b", bins={"a": how}).public
    coded = count(frame, "a", "b", bins={"a": Cut.of("20,", "a").with_missing([float("nan")])})
    assert coded.public == (None, "< 20", ">= 20")


@pytest.mark.parametrize(
    ("column", "how"),
    [("b", "20,40"), ("b", "year"), ("a", "year"), ("b", "..2"), ("a", "2020-01-01,")],
)
def test_only_numbers_and_dates_are_cut(maker, tmp_path, column, how):
    table = maker.make(["a", "b"], [int, str], [(1, "x"), (2, "y")], tmp_path)
    other = "a" if column == "b" else "b"
    with pytest.raises(TableError, match="cannot be cut into bins") as caught:
        count(table, other, column, bins={column: how})
    assert "\n" not in str(caught.value)


def banded(value, how, codes=()):
    """The band of one value, written without the code under test."""
    if value is None or (codes and value in (-9, 40)):
        return None
    if how in ("year", "quarter", "month", "day"):
        text, quarter = value.isoformat(), f"{value.year:04d}-Q{(value.month + 2) // 3}"
        return {"year": text[:4], "quarter": quarter, "month": text[:7], "day": text}[how]
    return between(value, *how.split("..")) if ".." in how else edged(value, *how.split(":"))


def read(text):
    return date.fromisoformat(text) if "-" in text else float(text)


def between(value, low, high):
    if low and value < read(low):
        return f"< {low}"
    if high and value > read(high):
        return f"> {high}"
    whole = not isinstance(value, date) and value == int(value)
    return str(int(value) if whole else value)


def edged(value, edges, labels=""):
    points = [text for text in edges.split(",") if text]
    reached = sum(value >= read(text) for text in points)
    names = [f"[{one}, {other})" for one, other in pairwise(points)]
    names = [f"< {points[0]}", *names, f">= {points[-1]}"]
    return (labels.split(",") if labels else names)[reached]
