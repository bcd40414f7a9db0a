"""Workbooks that are written: cells of their own type, never formulas, without times."""

from __future__ import annotations

import zipfile
from datetime import UTC, date, datetime, time

import duckdb
import pytest

from loglift.errors import OutputError
from loglift.tables import open_table, to_excel, write


def relation_of(values, kind):
    made = duckdb.connect().sql("SELECT unnest($v) AS a", params={"v": values})
    return made.project(f"a::{kind} AS a, 1 AS n")


def read_back(tmp_path, values, kind):
    write(relation_of(values, kind), tmp_path / "out.xlsx")
    return [row[0] for row in open_table(tmp_path / "out.xlsx").frame.fetchall()]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -(10**14)], "BIGINT"),
        ([0.1, None, 2.5], "DOUBLE"),
        ([1.25, None], "DECIMAL(9, 2)"),
        ([True, False, None], "BOOLEAN"),
        ([date(2020, 2, 29), None, date(1900, 3, 1)], "DATE"),
        ([datetime(2020, 1, 2, 3, 4, 5), None], "TIMESTAMP"),
        ([time(1, 2, 3), None], "TIME"),
        (["=1+1", "http://a.example", "{=1}", "ü", " x ", "007", "a\nb", None], "VARCHAR"),
    ],
    ids=str,
)
def test_values_are_read_back(tmp_path, values, kind):
    assert read_back(tmp_path, values, kind) == values


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        ([2**62], "BIGINT", [str(2**62)]),
        ([date(1850, 1, 2)], "DATE", ["1850-01-02"]),
        ([float("nan"), float("inf")], "DOUBLE", ["nan", "inf"]),
        ([datetime(2020, 1, 1, tzinfo=UTC)], "TIMESTAMPTZ", ["2020-01-01 00:00:00+00:00"]),
        (["", "x"], "VARCHAR", [None, "x"]),
    ],
    ids=str,
)
def test_what_excel_lacks_becomes_text(tmp_path, values, kind, texts):
    assert read_back(tmp_path, values, kind) == texts


def test_a_workbook_holds_no_time_no_author_and_no_formula(tmp_path):
    for name in ("one", "two"):
        write(relation_of(["=1+1", "x"], "VARCHAR"), tmp_path / f"{name}.xlsx")
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()
    year = str(datetime.now(UTC).year)
    with zipfile.ZipFile(tmp_path / "one.xlsx") as book:
        assert {entry.date_time[0] for entry in book.infolist()} == {1980}
        core = book.read("docProps/core.xml").decode()
        texts = "".join(book.read(name).decode() for name in book.namelist())
    assert "<dc:creator></dc:creator>" in core
    assert "1980-01-01" in core
    assert year not in core
    assert "<f>" not in texts


def test_what_a_sheet_cannot_hold_is_refused(tmp_path, monkeypatch):
    with pytest.raises(OutputError, match="longer than the 32767 characters"):
        write(relation_of(["x" * 40_000], "VARCHAR"), tmp_path / "out.xlsx")
    monkeypatch.setattr(to_excel, "MAX_ROWS", 2)
    with pytest.raises(OutputError, match=r"at most 2 rows .* has 3 and 2: choose another format"):
        write(relation_of([1, 2, 3], "BIGINT"), tmp_path / "out.xlsx")
    assert list(tmp_path.iterdir()) == []
