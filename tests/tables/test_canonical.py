"""Types and the canonical order of values, and what reading a file must not change."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import math
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift.tables import count
from loglift.tables.canonical import decode, infer, native, parse, sort_key
from tables.makers import types_of


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["1", "-2", None, "0"], "integer"),
        (["9" * 50], "integer"),
        (["007", "1"], "text"),
        (["+1"], "text"),
        (["1_000"], "text"),
        ([" 1"], "text"),
        (["-0"], "text"),
        (["١"], "text"),
        (["2024-02-29"], "date"),
        (["2024-02-30"], "text"),
        (["2024-2-9"], "text"),
        (["20240229"], "integer"),
        (["true", "false"], "boolean"),
        (["True"], "text"),
        (["1.5", "-0.25", "nan"], "float"),
        (["nan", "inf"], "text"),
        (["0.50"], "text"),
        (["1e5"], "text"),
        (["-0.0", "1.5"], "text"),
        (["1", "1.5"], "text"),
        (["", "1"], "text"),
        ([None], "text"),
        ([], "text"),
    ],
)
def test_a_type_is_inferred_only_when_every_text_is_its_canonical_form(texts, name):
    assert infer(texts) == name


@given(st.lists(st.integers() | st.booleans() | st.dates() | st.floats(), min_size=1))
def test_parsing_the_inferred_type_and_writing_it_again_changes_no_text(values):
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
    name = infer(texts)
    again = [parse(text, name) for text in texts]
    assert [str(value).lower() if name == "boolean" else str(value) for value in again] == texts


@given(st.lists(st.text()))
def test_texts_are_never_changed(texts):
    name = infer(texts)
    assert [str(parse(text, name)).lower() for text in texts] == [t.lower() for t in texts]


def test_values_have_one_canonical_form():
    assert native(float("nan")) is math.nan  # noqa: PLW0177 - one object
    assert math.copysign(1, native(-0.0)) == 1
    assert native(np.int64(3)) == 3
    assert type(native(np.int64(3))) is int
    assert native(np.float64("nan")) is math.nan  # noqa: PLW0177
    assert type(native(np.bool_(1))) is bool
    assert native(Decimal(2**90)) == 2**90
    assert type(native(Decimal(5))) is int
    assert native(Decimal("1.50")) == Decimal("1.5")
    assert native(bytearray(b"x")) == b"x"
    moved = native(datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=1))))
    assert moved == datetime(2023, 12, 31, 23, tzinfo=UTC)
    assert moved.tzinfo is UTC


def test_the_order_is_null_nan_value():
    values = [2.5, math.nan, None, -1.0, 0.0]
    assert sorted(values, key=sort_key)[:2] == [None, math.nan]
    assert sorted(values, key=sort_key)[2:] == [-1.0, 0.0, 2.5]


def test_integers_among_floats_are_floats_when_nothing_is_lost():
    assert decode([1, 2.5], "native", "a") == ("float", [1.0, 2.5])
    with pytest.raises(ValueError, match="too large for a float"):
        decode([2**53 + 1, 2.5], "native", "a")


def test_a_column_that_turns_into_text_late_is_text(tmp_path):
    lines = "".join(f"{i % 50}\n" for i in range(30000))
    (tmp_path / "t.csv").write_text("a,s\n" + lines.replace("\n", ",x\n") + "abc,y\n007,y\n")
    counts = count(tmp_path / "t.csv", "a", "s")
    assert types_of(counts.columns) == ("text",)
    assert {("abc",), ("007",), ("7",)} <= set(counts.tuples)


def test_huge_integers_survive_in_every_engine_that_has_them():
    import duckdb
    import pandas as pd
    import polars as pl

    huge = [2**100, -(2**100), 5]
    tables = [
        pd.DataFrame({"a": pd.Series(huge, dtype=object), "s": ["x", "y", "x"]}),
        pl.DataFrame({"a": pl.Series(huge, dtype=pl.Int128), "s": ["x", "y", "x"]}),
        duckdb.connect().sql(
            "SELECT unnest([2::HUGEINT ** 100, -(2::HUGEINT ** 100), 5])::HUGEINT AS a, "
            "unnest(['x', 'y', 'x']) AS s"
        ),
    ]
    for table in tables:
        counts = count(table, "a", "s")
        assert counts.tuples == ((-(2**100),), (5,), (2**100,))
        assert types_of(counts.columns) == ("integer",)


def test_nan_is_a_value_of_its_own_apart_from_null():
    import duckdb
    import polars as pl
    import pyarrow as pa

    values = {"a": [1.5, float("nan"), None, float("nan"), -0.0, 0.0], "s": list("xyxxyy")}
    for table in (
        pl.DataFrame(values),
        pl.LazyFrame(values),
        pa.table(values),
        duckdb.connect().from_arrow(pa.table(values)),
    ):
        counts = count(table, "a", "s")
        assert counts.tuples == ((None,), (math.nan,), (0.0,), (1.5,))
        assert counts.mass.tolist() == [[1, 0], [1, 1], [0, 2], [1, 0]]


def test_categories_are_texts():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    values = ["b", "a", None, "b"]
    tables = [
        pd.DataFrame({"a": pd.Categorical(values, ["z", "b", "a"]), "s": list("xyxy")}),
        pl.DataFrame({"a": pl.Series(values, dtype=pl.Categorical), "s": list("xyxy")}),
        pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(["z", "b", "a"])), "s": list("xyxy")}),
        pa.table({"a": pa.array(values).dictionary_encode(), "s": list("xyxy")}),
    ]
    for table in tables:
        counts = count(table, "a", "s")
        assert counts.tuples == ((None,), ("a",), ("b",))
        assert types_of(counts.columns) == ("text",)


def test_ordered_categories_are_ranked_by_every_engine_that_has_them():
    import dask.dataframe as dd
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    values, order, s = ["low", "high", None, "middle"], ["low", "middle", "high"], list("xyxy")
    frame = pd.DataFrame({"s": s, "a": pd.Categorical(values, order, ordered=True)})
    codes = pa.array([0, 2, None, 1])
    con = duckdb.connect()
    con.execute("CREATE TYPE levels AS ENUM ('low', 'middle', 'high')")
    tables = {
        "pandas": frame,
        "dask": dd.from_pandas(frame, npartitions=2),
        "polars": pl.DataFrame({"s": s, "a": pl.Series(values, dtype=pl.Enum(order))}),
        "duckdb": con.sql("SELECT s, a::levels AS a FROM frame"),
        "arrow": pa.table(
            {"s": s, "a": pa.DictionaryArray.from_arrays(codes, order, ordered=True)}
        ),
    }
    for name, table in tables.items():
        joint = count(table, "a", "s")
        assert joint.public == (None, "high", "low", "middle"), name
        assert joint.columns[0].ranks == (-1, 2, 0, 1), name
        secret = count(table, "s", "a")
        assert secret.sensitive == (None, "high", "low", "middle"), name
        assert secret.sensitive_columns[0].ranks == (-1, 2, 0, 1), name


def test_categories_without_an_order_have_no_ranks():
    import dask.dataframe as dd
    import pandas as pd
    import pyarrow as pa

    values, s = ["b", "a", None, "b"], list("xyxy")
    frame = pd.DataFrame({"a": pd.Categorical(values, ["b", "a"]), "s": s})
    parts = dd.from_pandas(frame, npartitions=2)
    known = pd.DataFrame({"a": pd.Categorical(values, ["b", "a"], ordered=True), "s": s})
    unknown = dd.from_pandas(known, npartitions=2)
    unknown["a"] = unknown["a"].cat.as_unknown()
    arrow = pa.table({"a": pa.array(values).dictionary_encode(), "s": s})
    for table in (frame, parts, unknown, arrow):
        assert count(table, "a", "s").columns[0].ranks == ()


def test_times_and_instants_are_the_same_from_every_engine():
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    noon = datetime(2024, 7, 1, 12, 30, tzinfo=UTC)
    table = pa.table(
        {
            "at": pa.array([noon, None], pa.timestamp("us", "Europe/Berlin")),
            "day": pa.array([noon.replace(tzinfo=None), None], pa.timestamp("us")),
            "clock": pa.array([time(12, 30), None], pa.time64("us")),
            "s": ["x", "y"],
        }
    )
    frame = pl.from_arrow(table)
    for made in (table, frame, duckdb.connect().from_arrow(table)):
        counts = count(made, ["at", "day", "clock"], "s")
        assert types_of(counts.columns) == ("instant", "datetime", "time")
        assert counts.tuples[1] == (noon, noon.replace(tzinfo=None), time(12, 30))
    pandas_frame = pd.DataFrame({"at": pd.to_datetime([noon, None]), "s": ["x", "y"]})
    assert count(pandas_frame, "at", "s").tuples == ((None,), (noon,))
