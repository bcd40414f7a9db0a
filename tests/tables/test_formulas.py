"""Texts that spreadsheets run: found, and escaped so that all stay different."""

import csv

import duckdb
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st

from loglift.errors import OutputError
from loglift.tables import write
from loglift.tables.formulas import escaped, is_formula, sql_escaped, sql_is_formula

FORMULAS = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "=",
    "-",
    "＝1",
]
OTHERS = ["", "a=b", " =1", "x", "'=1", "-5", "+5", "+1.5e-3", "-.5", "1-2", "007", "(=1)"]
TEXTS = st.sampled_from([*FORMULAS, *OTHERS]) | st.text("'=+-@\t\r\n5.e x", max_size=6)


def test_formulas_are_told_from_numbers_and_from_other_texts():
    assert all(is_formula(text) for text in FORMULAS)
    assert not any(is_formula(text) for text in OTHERS)


@given(TEXTS, TEXTS)
def test_no_escaped_text_is_a_formula_and_different_texts_stay_different(one, other):
    assert not is_formula(escaped(one))
    assert escaped(one) in (one, f"'{one}")
    assert is_formula(one) <= (escaped(one) != one)
    assert (escaped(one) == escaped(other)) == (one == other)


@given(st.lists(TEXTS, min_size=1, max_size=20))
def test_the_engine_escapes_as_python_does(texts):
    rows = duckdb.connect().sql("SELECT unnest($texts) AS c", params={"texts": texts})
    found = rows.project(f"{sql_is_formula('c')}, {sql_escaped('c')}").fetchall()
    assert found == [(is_formula(text), escaped(text)) for text in texts]


def test_formulas_are_told_and_escaped_in_texts_and_headers_but_not_in_numbers(tmp_path):
    table = pl.DataFrame({"a": ["x", "=1+1", "-5"], "n": [1, -2, -3], "@b": ["u", "v", "w"]})
    assert write(table, tmp_path / "plain.csv") == ("a", "@b")
    assert (tmp_path / "plain.csv").read_text() == "a,n,@b\nx,1,u\n=1+1,-2,v\n-5,-3,w\n"
    assert write(table, tmp_path / "safe.csv", escape_formulas=True) == ()
    assert (tmp_path / "safe.csv").read_text() == "a,n,'@b\nx,1,u\n'=1+1,-2,v\n-5,-3,w\n"
    assert write(table.select("n"), tmp_path / "plain.csv") == ()


@pytest.mark.parametrize("dtype", ["str", "category", "object"])
def test_formulas_are_escaped_in_texts_of_any_kind(tmp_path, dtype):
    table = pd.DataFrame({"a": pd.Series([*FORMULAS, None], dtype=dtype), "b": 1})
    assert write(table, tmp_path / "t.csv") == ("a",)
    assert write(table, tmp_path / "t.csv", escape_formulas=True) == ()
    with (tmp_path / "t.csv").open(newline="") as file:
        assert [row["a"] for row in csv.DictReader(file)] == [*(f"'{f}" for f in FORMULAS), ""]


def test_a_single_column_is_escaped_and_keeps_its_gaps(tmp_path):
    table = pd.DataFrame({"=a": ["=1", None, "x"]})
    write(table, tmp_path / "t.csv", escape_formulas=True)
    assert (tmp_path / "t.csv").read_text() == '"\'=a"\n"\'=1"\n""\n"x"\n'


def test_parquet_has_no_formulas(tmp_path):
    table = pd.DataFrame({"a": ["=1", "x"]})
    assert write(table, tmp_path / "t.parquet") == ()
    with pytest.raises(OutputError, match="in CSV only"):
        write(table, tmp_path / "u.parquet", escape_formulas=True)
    assert not (tmp_path / "u.parquet").exists()
