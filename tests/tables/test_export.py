"""What is written is read back as the same values, and holds nothing else."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

import csv
import math
from collections import Counter
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import loglift
from loglift.errors import OutputError, TableError
from loglift.tables import apply, count, open_table, write
from loglift.tables.canonical import infer
from tables.makers import mechanism_of, types_of

TEXTS = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    ["", "NULL", "null", "=1+1", "a,b", 'q"q', "'", "a\nb", "a\r\nb", "\r", "\0", "x\0y", " x ",
     "🦆", "é", "007", "nan", "true", "1.5", "2024-01-01", ";", "\t", "|", "\\", "\ufeff", "#", "-"]
)  # fmt: skip
COLUMNS = {
    "text": TEXTS,
    "integer": st.integers(-(2**62), 2**62) | st.integers(),
    "float": st.floats(allow_infinity=False).map(lambda v: math.nan if v != v else v + 0.0),  # noqa: PLR0124
    "date": st.dates(date(1000, 1, 1), date(9000, 1, 1)),
    "boolean": st.booleans(),
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3))
    cells = st.tuples(*(st.none() | COLUMNS[kind] for kind in kinds))
    return kinds, draw(st.lists(cells, min_size=2, max_size=12))


def released(kinds, rows, folder):
    """Release every distinct row under its own values, from a file that only numbers them."""
    distinct = list(dict.fromkeys(rows))
    lines = "".join(f"{distinct.index(row)},{'st'[i % 2]}\n" for i, row in enumerate(rows))
    (folder / "rows.csv").write_text("x,s\n" + lines)
    lookup = {(i,): i for i in range(len(distinct))}
    shown = {f"c {i}": (kind, [row[i] for row in distinct]) for i, kind in enumerate(kinds)}
    mechanism = mechanism_of([("x", "integer")], lookup, shown)
    return apply(folder / "rows.csv", mechanism, passthrough=["s"])


def counted(path, width):
    counts = count(path, [f"c {i}" for i in range(width)], "s")
    return Counter(dict(zip(counts.tuples, counts.weight.tolist(), strict=True)))


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(tables())
def test_parquet_gives_back_every_value(tmp_path, table):
    kinds, rows = table
    write(released(kinds, rows, tmp_path), tmp_path / "out.parquet")
    beyond = [
        kind == "integer" and any(r[i] is not None and abs(r[i]) >= 10**38 for r in rows)
        for i, kind in enumerate(kinds)
    ]
    expected = [
        tuple(str(v) if far and v is not None else v for v, far in zip(row, beyond, strict=True))
        for row in rows
    ]
    assert counted(tmp_path / "out.parquet", len(kinds)) == Counter(expected)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
@given(tables())
def test_csv_gives_back_every_value_or_its_text(tmp_path, table):
    kinds, rows = table
    write(released(kinds, rows, tmp_path), tmp_path / "out.csv")
    texts = [tuple(None if v is None else as_text(v) for v in row) for row in rows]
    found = counted(tmp_path / "out.csv", len(kinds))
    again = Counter()
    for row, times in found.items():
        again[tuple(None if v is None else as_text(v) for v in row)] += times
    assert again == Counter(texts)
    counts = count(tmp_path / "out.csv", [f"c {i}" for i in range(len(kinds))], "s")
    for i, name in enumerate(types_of(counts.columns)):
        assert name == infer(text[i] for text in texts)


def as_text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_csv_is_written_as_it_is_read(tmp_path):
    import duckdb

    relation = duckdb.connect().sql("SELECT unnest(['', NULL, 'NULL', 'a\"b']) AS a, 1.5 AS b")
    write(relation, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == 'a,b\n"",1.5\n,1.5\nNULL,1.5\n"a""b",1.5\n'


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x", None, " ", "\t", 'a"b', "NULL", "a\nb"], "VARCHAR"),
        ([None, None], "VARCHAR"),
        ([1, None, -3], "BIGINT"),
        ([date(2024, 1, 2), None], "DATE"),
        ([True, None], "BOOLEAN"),
    ],
    ids=str,
)
def test_no_record_of_a_single_column_is_lost_to_any_reader(tmp_path, values, kind):
    """An empty line would be NULL to some readers, and no record to others."""
    import duckdb
    import pandas as pd
    import polars as pl

    connection = duckdb.connect()
    relation = connection.sql("SELECT unnest($v) AS a", params={"v": values})
    write(relation.project(f"a::{kind} AS a"), tmp_path / "out.csv")
    expected = [None if value is None else as_text(value) for value in values]
    found = open_table(tmp_path / "out.csv").frame.fetchall()
    assert [value for (value,) in found] == expected
    filled = [value for value in expected if value is not None]
    by_pandas = pd.read_csv(tmp_path / "out.csv", dtype=str, na_values=[""], keep_default_na=False)
    assert by_pandas["a"].isna().tolist() == [value is None for value in expected]
    assert by_pandas["a"].dropna().tolist() == filled
    by_polars = pl.read_csv(tmp_path / "out.csv", infer_schema=False)["a"].to_list()
    assert [value or None for value in by_polars] == expected
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row[0] or None for row in csv.reader(file)] == ["a", *expected]
    quoted = str(tmp_path / "out.csv")
    by_duckdb = connection.read_csv(quoted, header=True, all_varchar=True).fetchall()
    assert [value for (value,) in by_duckdb] == expected


def test_null_and_the_empty_text_of_a_single_column_look_the_same_in_csv(tmp_path):
    import polars as pl

    table = pl.DataFrame({"a": ["", None, "x"]})
    write(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == '"a"\n""\n""\n"x"\n'
    write(table, tmp_path / "out.parquet")
    assert open_table(tmp_path / "out.parquet").frame.fetchall() == [("",), (None,), ("x",)]


def test_a_column_without_a_name_is_refused(tmp_path):
    """DuckDB would give it a name of its own."""
    import pandas as pd

    (tmp_path / "t.csv").write_text("a,,s\n1,2,0\n2,3,1\n")
    frame = pd.DataFrame({"": [1, 2], "a": [3, 4]})
    with pytest.raises(OutputError, match="no name"):
        write(frame, tmp_path / "out.csv")
    for table in (tmp_path / "t.csv", frame):
        with pytest.raises(TableError, match="no name"):
            apply(table, mechanism_of([("", "integer")], {(2,): 0, (3,): 0}, {"": ("text", "x")}))
        mechanism = mechanism_of([("a", "integer")], {(1,): 0, (2,): 0}, {"a": ("text", "x")})
        with pytest.raises(TableError, match="no name"):
            apply(table, mechanism, passthrough=[""])


def test_a_file_that_is_there_is_replaced_unless_it_must_not_be(tmp_path):
    import polars as pl

    write(pl.DataFrame({"a": [1], "b": [2]}), tmp_path / "out.csv")
    with pytest.raises(OutputError, match="exists already"):
        write(pl.DataFrame({"a": [3], "b": [4]}), tmp_path / "out.csv", replace=False)
    assert (tmp_path / "out.csv").read_text() == "a,b\n1,2\n"
    write(pl.DataFrame({"a": [3], "b": [4]}), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,b\n3,4\n"


def test_128_bit_integers_are_not_rounded_in_parquet(tmp_path):
    import duckdb

    made = duckdb.connect().sql(f"SELECT {2**100}::HUGEINT AS a, unnest([1, 2]) AS s")
    write(made, tmp_path / "o.parquet")
    assert count(tmp_path / "o.parquet", "a", "s").tuples == ((2**100,),)


def test_parquet_has_no_metadata_of_ours_or_of_the_input(tmp_path):
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow.parquet as pq

    frame = pd.DataFrame({"a": ["x", "y"], "s": [1, 2]}, index=[17, 3])
    polars = pl.DataFrame({"a": ["x", "y"]})
    for made in (frame, polars, polars.to_arrow(), duckdb.connect().sql("SELECT 1 AS a")):
        write(made, tmp_path / "out.parquet")
        schema = pq.read_schema(tmp_path / "out.parquet")
        assert schema.metadata is None
        assert "index" not in str(schema)
        assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_categories_that_no_row_has_are_not_written(tmp_path, ending):
    """They may be left from rows that were taken out before."""
    import pandas as pd

    categories = ["unused-level", "a", "b"]
    frame = pd.DataFrame({"a": pd.Categorical(["a", "b"] * 50, categories=categories)})
    frame["b"] = [1, 2] * 50
    write(frame, tmp_path / f"out.{ending}")
    assert b"unused" not in (tmp_path / f"out.{ending}").read_bytes()
    assert [count(tmp_path / f"out.{ending}", "a", "b").tuples] == [(("a",), ("b",))]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_frames_are_written_and_read_back(maker, tmp_path, ending):
    if maker.name in ("spark", "dask", "parquet", "csv", "jsonl"):
        pytest.skip("returned, not written by loglift")
    rows = [("", 1, date(2024, 1, 2)), (None, None, None), ("NULL", -5, date(1999, 1, 1))]
    table = maker.make(["a", "b", "s"], [str, int, date], rows, tmp_path)
    write(table, tmp_path / f"out.{ending}")
    counts = count(tmp_path / f"out.{ending}", ["a", "b"], "s")
    assert counts.tuples == ((None, None), ("", 1), ("NULL", -5))
    assert counts.sensitive == (None, date(1999, 1, 1), date(2024, 1, 2))


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path):
    import duckdb

    relation = duckdb.connect().sql("SELECT 1 AS a")
    with pytest.raises(OutputError, match="cannot be written"):
        write(relation, tmp_path / "no" / "out.csv")
    with pytest.raises(OutputError, match="no ending loglift writes"):
        write(relation, tmp_path / "out.txt")
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        write(relation, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_failure_while_writing_leaves_what_was_there(tmp_path):
    import duckdb

    (tmp_path / "out.csv").write_text("old")
    (tmp_path / "ragged.csv").write_bytes(b"a,b\n" + b"1,2\n" * 5000 + b"1\n")
    failing = open_table(tmp_path / "ragged.csv").frame
    with pytest.raises(TableError, match="more or fewer fields"):
        write(failing, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    assert duckdb.connect().sql("SELECT 1").fetchall() == [(1,)]


def test_csv_files_tell_instants_in_utc_whatever_the_zone_of_the_connection(tmp_path):
    import duckdb
    import pandas as pd

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'America/New_York'")
    at = "CASE WHEN i % 3 = 0 THEN NULL ELSE TIMESTAMPTZ '2024-01-01 00:00:00.5+00' END"
    table = connection.sql(
        f"SELECT {at} AS at, i % 2 AS x, i % 4 < 2 AS s FROM range(60) r(i)"  # noqa: S608
    )
    made = loglift.protect(table, sensitive="s", public="x", eps=5, passthrough="at")
    for escape in (False, True):
        place = tmp_path / f"{escape}.csv"
        write(made.table, place, escape_formulas=escape)
        found = pd.read_csv(place)["at"].dropna().unique().tolist()
        assert found == ["2024-01-01 00:00:00.5+00"]
