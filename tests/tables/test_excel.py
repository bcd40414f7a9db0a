"""Sheets: which one, types of cells, empty rows, and files that are no workbooks."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
import xlsxwriter

from loglift.errors import TableError
from loglift.tables import count, open_table
from tables import survey

FORMATS = {date: "yyyy-mm-dd", datetime: "yyyy-mm-dd hh:mm:ss", time: "hh:mm:ss"}


def workbook(path, **sheets):
    with xlsxwriter.Workbook(path) as book:
        formats = {kind: book.add_format({"num_format": form}) for kind, form in FORMATS.items()}
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if type(cell) in formats:
                        sheet.write_datetime(i, j, cell, formats[type(cell)])
                    elif cell is not None:
                        sheet.write(i, j, cell)
    return path


def rows_of(table):
    return open_table(table).frame.fetchall()


def test_the_sheet_that_is_named_is_read(tmp_path):
    assert rows_of(survey.excel(tmp_path)) == survey.shown()


def test_the_only_sheet_needs_no_name_and_others_are_listed(tmp_path):
    one = workbook(tmp_path / "one.xlsx", people=[("a", "s"), (1, "x"), (2, "y")])
    assert count(one, "a", "s").tuples == ((1,), (2,))
    two = workbook(tmp_path / "two.xlsx", a=[("a",), (1,)], b=[("a",), (1,)])
    with pytest.raises(TableError, match=r"2 sheets \(a, b\): name one, such as .*two\.xlsx::a"):
        open_table(two)
    with pytest.raises(TableError, match="no sheet 'c': its sheets are a, b"):
        open_table(f"{two}::c")
    assert rows_of(f"{two}::b") == [(1,)]


def test_columns_have_the_type_of_their_cells(tmp_path):
    rows = [
        ("int", "float", "bool", "date", "time", "when", "text", "mixed", "days"),
        (1, 1.5, True, date(2020, 1, 2), time(1, 2, 3), datetime(2020, 1, 2, 3), "x", 1, "=n"),
        (None, 2, False, None, None, date(2021, 1, 1), "7", "a", None),
        (3, 3, None, date(1999, 12, 31), time(0, 0), None, None, True, None),
    ]
    path = workbook(tmp_path / "t.xlsx", t=rows)
    frame = open_table(path).frame
    assert [str(kind) for kind in frame.types] == [
        "BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIME", "TIMESTAMP", "VARCHAR", "VARCHAR", "BIGINT",
    ]  # fmt: skip
    assert [row[:8] for row in frame.fetchall()] == [
        (1, 1.5, True, date(2020, 1, 2), time(1, 2, 3), datetime(2020, 1, 2, 3), "x", "1"),
        (None, 2.0, False, None, None, datetime(2021, 1, 1), "7", "a"),
        (3, 3.0, None, date(1999, 12, 31), time(0, 0), None, None, "true"),
    ]


def test_empty_rows_and_columns_are_left_out(tmp_path):
    rows = [
        (),
        (None, "a", None, "s"),
        (),
        (None, 1, None, "x"),
        (None, None, None, None),
        (None, 2),
    ]
    frame = open_table(workbook(tmp_path / "t.xlsx", t=rows))
    assert frame.columns == ("a", "s")
    assert frame.frame.fetchall() == [(1, "x"), (2, None)]


def test_a_column_without_a_name_can_be_there(tmp_path):
    path = workbook(tmp_path / "t.xlsx", t=[("a", None, 2024), (1, 5, "x"), (2, 6, "y")])
    assert open_table(path).columns == ("a", "", "2024")
    assert count(path, "a", "2024").total == 2


def test_other_files_and_empty_sheets_are_told_in_one_line(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(TableError, match="not a readable Excel workbook") as caught:
        open_table(tmp_path / "t.xlsx")
    assert "\n" not in str(caught.value)
    with pytest.raises(TableError, match="a sheet without cells"):
        open_table(workbook(tmp_path / "e.xlsx", t=[]))
    with pytest.raises(TableError, match="has no rows"):
        open_table(workbook(tmp_path / "h.xlsx", t=[("a", "b")]))
