"""What is counted as one value is released as one, and what is released apart is counted apart."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import loglift
from loglift.errors import TableError
from loglift.sklearn import LiftProtector

# Half past one, twice: clocks in New York were set back between the first two.
INSTANTS = [1730611800, 1730615400, 1720000000]
ROWS = np.arange(600)
SECONDS = np.array(INSTANTS)[ROWS % 3]
# The first goes with ill, the second with well, the third with either.
ILL = np.where(np.array([0, 1, 0, 0, 1, 1])[ROWS % 6] == 0, "ill", "well")
ZONE = "America/New_York"


def in_pandas(unit="ns"):
    at = pd.to_datetime(SECONDS, unit="s", utc=True).tz_convert(ZONE).as_unit(unit)
    return pd.DataFrame({"at": at, "s": ILL, "x": ROWS % 2})


def in_polars():
    at = pl.Series(SECONDS * 10**6).cast(pl.Datetime("us", ZONE))
    return pl.DataFrame({"at": at, "s": ILL, "x": ROWS % 2})


def in_dask():
    return pytest.importorskip("dask.dataframe").from_pandas(in_pandas("us"), npartitions=3)


FRAMES = {
    "pandas": lambda: in_pandas("us"),
    "pandas, nanoseconds": in_pandas,
    "pandas, arrow": lambda: in_pandas("us").astype(
        {"at": pd.ArrowDtype(pa.timestamp("us", ZONE))}
    ),
    "polars": in_polars,
    "lazy": lambda: in_polars().lazy(),
    "arrow": lambda: in_polars().to_arrow(),
    "duckdb": lambda: duckdb.from_arrow(in_polars().to_arrow()),
    "dask": in_dask,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_both_hours_of_a_clock_set_back_are_told_apart(make):
    found = loglift.audit(make(), sensitive="s", public="at")
    assert found.public_values == 3
    assert found.leakage == np.inf
    assert loglift.audit(make(), sensitive="at", public="s").sensitive_values == 3
    kept = loglift.protect(
        make(), sensitive="s", public="x", eps=0.5, passthrough="at"
    ).passthrough_audit
    assert kept.leakage == np.inf
    made = loglift.protect(make(), sensitive="s", public="at", eps=0.1)
    assert made.mechanism.size == 2
    assert made.certificate.holds
    assert loglift.verify(made, make()).holds


def test_arrays_of_local_times_are_told_apart_too():
    zone = ZoneInfo(ZONE)
    at = np.array([[datetime.fromtimestamp(s, zone)] for s in SECONDS.tolist()], dtype=object)
    fitted = LiftProtector(eps=9).fit(at, ILL)
    assert len(fitted.mechanism_.public) == 3


PLUS_ONE = timezone(timedelta(hours=1))
EQUAL = {
    "decimals": (Decimal("1.0"), Decimal("1.00")),
    "large decimals": (Decimal("1E+2"), Decimal(100)),
    "zeros": (0.0, -0.0),
    "zero decimals": (Decimal("0.0"), Decimal("-0.0")),
    "missing": (None, float("nan")),
    "instants": (datetime(2024, 1, 1, tzinfo=UTC), pd.Timestamp(2024, 1, 1, tz=UTC)),
}


@pytest.mark.parametrize("pair", EQUAL.values(), ids=EQUAL)
def test_equal_objects_pass_as_one(pair):
    values = [pair[i % 2] for i in ROWS]
    for rows in (values, [*values[1:], pair[0]]):  # whichever of them comes first
        frame = pd.DataFrame({"x": ROWS % 3, "s": ILL, "k": pd.Series(rows, dtype=object)})
        made = loglift.protect(frame, sensitive="s", public="x", eps=0.5, passthrough="k")
        assert made.passthrough_audit.public_values == made.mechanism.size
        assert len({repr(value) for value in made.table["k"].tolist()}) == 1
    assert len({repr(value) for value in made.table["k"].tolist()} | {repr(_first(pair))}) == 1


def _first(pair):
    """Return how the second of the pair passes where it is alone."""
    frame = pd.DataFrame({"x": [0, 1] * 5, "s": list("ab") * 5, "k": [pair[1]] * 10}, dtype=object)
    made = loglift.protect(
        frame, sensitive="s", public="x", eps=9, passthrough="k", keep_order=True
    )
    return made.table["k"].tolist()[0]


def test_decimals_of_many_digits_pass_unrounded():
    """Python's context rounds to 28 digits."""
    exact = [Decimal(f"1.{'0' * 40}{digit}0") for digit in (1, 2)]
    frame = pd.DataFrame({"x": ROWS % 3, "s": ILL, "k": pd.Series(exact * 300, dtype=object)})
    made = loglift.protect(
        frame, sensitive="s", public="x", eps=9, passthrough="k", keep_order=True
    )
    assert made.table["k"].tolist() == exact * 300
    assert str(made.table["k"][0]) == f"1.{'0' * 40}1"


UNCLEAR = {
    "local times": [datetime(2024, 1, 1, 1, tzinfo=PLUS_ONE), datetime(2024, 1, 1, tzinfo=UTC)],
    "times with a zone": [time(1, tzinfo=PLUS_ONE), time(0, tzinfo=UTC)],
}


@pytest.mark.parametrize("pair", UNCLEAR.values(), ids=UNCLEAR)
def test_objects_that_are_equal_and_not_the_same_are_refused(pair):
    frame = pd.DataFrame({"x": ROWS % 3, "s": ILL, "k": pd.Series(pair * 300, dtype=object)})
    for public, kept in (("k", ()), ("x", "k")):
        with pytest.raises(TableError, match=r"with a (time )?zone"):
            loglift.protect(frame, sensitive="s", public=public, eps=0.5, passthrough=kept)
    with pytest.raises(TableError, match=r"with a (time )?zone"):
        loglift.audit(frame, sensitive="k", public="x")


ZEROS = np.where(ROWS % 2, 0.0, -0.0)
HALF = pa.array(ZEROS.astype("float16"))
ODD_NUMBERS = {
    "pandas float16": pd.DataFrame({"k": ZEROS.astype("float16")}),
    "pandas long": pd.DataFrame({"k": ZEROS.astype(np.longdouble)}),
    "pandas complex": pd.DataFrame({"k": ZEROS + 1j}),
    "pandas sparse": pd.DataFrame({"k": pd.arrays.SparseArray(ZEROS)}),
    "pandas arrow": pd.DataFrame({"k": pd.Series(HALF, dtype=pd.ArrowDtype(pa.float16()))}),
    "polars": pl.DataFrame({"k": pl.Series(ZEROS).cast(pl.Float16)}),
    "arrow": pa.table({"k": HALF}),
}


@pytest.mark.parametrize("frame", ODD_NUMBERS.values(), ids=ODD_NUMBERS)
def test_numbers_whose_zeros_would_pass_as_two_are_refused(frame):
    if isinstance(frame, pd.DataFrame):
        frame = frame.assign(x=ROWS % 3, s=ILL)
    elif isinstance(frame, pl.DataFrame):
        frame = frame.with_columns(x=pl.Series(ROWS % 3), s=pl.Series(ILL))
    else:
        frame = frame.append_column("x", pa.array(ROWS % 3)).append_column("s", pa.array(ILL))
    with pytest.raises(TableError, match=r"'k' holds .* numbers"):
        loglift.protect(frame, sensitive="s", public="x", eps=0.5, passthrough="k")
    with pytest.raises(TableError, match=r"'k' holds .* numbers"):
        loglift.audit(frame, sensitive="s", public="k")


NAN_BITS = np.array([0x7FF8000000000001, 0x7FF8000000000002], dtype=np.uint64).view(np.float64)
SPLIT = {
    "float64": pd.Series([0.0, -0.0] * 20),
    "float32": pd.Series([0.0, -0.0] * 20, dtype="float32"),
    "Float64": pd.Series([0.0, -0.0] * 20, dtype="Float64"),
    "double[pyarrow]": pd.Series([0.0, -0.0] * 20, dtype="double[pyarrow]"),
    "bits of NaN": pd.Series(np.tile(NAN_BITS, 20)),
    "NaN and NA": pd.Series(pd.array([0.0, None] * 20, dtype="Float64")) / 0,
    "NaN and null": pd.Series(
        pa.array([float("nan"), None] * 20), dtype=pd.ArrowDtype(pa.float64())
    ),
}


@pytest.mark.parametrize("x", SPLIT.values(), ids=SPLIT)
def test_a_column_of_pandas_that_is_not_merged_is_released_as_it_is_counted(x):
    """Not as it lies in the frame: the sign of a zero, or the kind of a gap, would tell S."""
    frame = pd.DataFrame({"x": x, "z": ["p", "q"] * 20, "s": ["A", "B"] * 20})
    for public in (["x", "z"], ["x"]):
        made = loglift.protect(frame, sensitive="s", public=public, eps=0.5, keep_order=True)
        assert made.certificate.leakage == 0
        again = loglift.apply(made, frame, keep_order=True)
        for released in (made.table, again):
            assert released["x"].dtype == x.dtype
            cells = pa.Table.from_pandas(released[["x"]], preserve_index=False)["x"]
            assert cells.null_count in {0, 40}
            numbers = cells.fill_null(1).to_numpy()
            assert len({number.tobytes() for number in numbers}) == 1


@pytest.mark.parametrize("role", ["public", "sensitive", "kept"])
def test_types_that_hold_more_than_python_tells_are_refused(role, tmp_path):
    fine = pa.array([0, 1] * 20, pa.time64("ns"))
    frames = [
        pl.DataFrame({"k": pl.Series([0, 1] * 20).cast(pl.Time)}).with_columns(
            x=pl.Series(["p", "p", "q", "q"] * 10), s=pl.Series(list("ABAB") * 10)
        ),
        pd.DataFrame({"k": pd.Series(fine, dtype=pd.ArrowDtype(fine.type))}).assign(
            x=list("ppqq") * 10, s=list("ABAB") * 10
        ),
        pa.table(
            {
                "k": pa.array([0, 1] * 20, pa.date64()),
                "x": list("ppqq") * 10,
                "s": list("ABAB") * 10,
            }
        ),
        duckdb.sql(
            "SELECT CASE WHEN i % 2 = 0 THEN 1::VARIANT ELSE 1.0::DOUBLE::VARIANT END AS k, "
            "'p' || i % 3 AS x, i % 2 AS s FROM range(40) r(i)"
        ),
    ]
    long = pa.array([10**50 + i % 2 for i in range(40)], pa.decimal256(60, 0))
    place = tmp_path / "long.parquet"
    pq.write_table(pa.table({"k": long, "x": list("ppqq") * 10, "s": list("ABAB") * 10}), place)
    options = {
        "public": {"public": "k", "sensitive": "s"},
        "sensitive": {"public": "x", "sensitive": "k"},
        "kept": {"public": "x", "sensitive": "s", "passthrough": "k"},
    }[role]
    for table in (*frames, place):
        with pytest.raises(TableError, match="column 'k'"):
            loglift.protect(table, eps=0.5, **options)


BIG = 2**53
SENSITIVE = {
    "integers beside a gap": [float("nan"), BIG, BIG + 1, 5],
    "large integers": [2**63, 2**63 + 1, -1, 5],
    "nullable": pd.array([None, BIG, BIG + 1, 5], dtype="Int64"),
    "arrow": pa.array([None, BIG, BIG + 1, 5]),
    "chunks": pa.chunked_array([[None, BIG], [BIG + 1, 5]]),
    "pandas with arrow": pd.array([None, BIG, BIG + 1, 5], dtype="int64[pyarrow]"),
    "bytes": [b"a", b"a\0", b"b", b"c"],
    "local times after a gap": [
        float("nan"),
        *(datetime.fromtimestamp(s, ZoneInfo(ZONE)) for s in INSTANTS),
    ],
}


@pytest.mark.parametrize("four", SENSITIVE.values(), ids=SENSITIVE)
def test_sensitive_values_are_told_apart_however_they_are_given(four):
    if isinstance(four, list):
        given = four * 10
    elif isinstance(four, pd.api.extensions.ExtensionArray):
        given = four.take(list(range(4)) * 10)
    else:
        given = four.take(pa.array(list(range(4)) * 10))
    public = np.array([["p"], ["q"], ["p"], ["q"], ["q"]] * 8)
    fitted = LiftProtector(eps=9).fit(public, given)
    assert len(fitted.certificate_.beliefs) == 4


def test_masked_entries_are_refused():
    masked = np.ma.array(list(range(4)) * 10, mask=[False, False, False, True] * 10)
    with pytest.raises(TableError, match="masked"):
        LiftProtector(eps=9).fit(np.array([["p"], ["q"]] * 20), masked)
