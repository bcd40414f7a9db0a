"""Where a release comes from: the date, the input as it was read, and some released rows."""

from __future__ import annotations

import datetime as dt
import hashlib

import pandas as pd
import polars as pl
import pytest

import loglift
from loglift import tables
from loglift.release.origin import PREVIEWED_ROWS, Input, preview_of, today

COLUMNS = {"sensitive": "s", "public": "x", "eps": 1}


def frame(size=60):
    return pd.DataFrame({"x": list("abc") * (size // 3), "s": list("uvvu") * (size // 4)})


@pytest.fixture
def path(tmp_path):
    frame().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_the_date_can_be_given(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")
    assert today() == dt.date(1970, 1, 1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert today() == dt.date(1970, 1, 2)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert today() == dt.datetime.now(dt.UTC).date()


def test_a_file_has_its_name_without_folders_and_its_hash(path):
    found = Input.of(tables.open_table(str(path)), keeps_order=False).origin
    assert (found.name, found.files) == ("people.csv", 1)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_several_files_are_hashed_one_after_the_other(tmp_path):
    for name in "ba":
        frame().to_csv(tmp_path / f"part-{name}.csv", index=False)
    with (tmp_path / "part-a.csv").open("a") as file:
        file.write("a,u\n")
    found = Input.of(tables.open_table(str(tmp_path / "part-*.csv")), keeps_order=True).origin
    both = b"".join((tmp_path / f"part-{name}.csv").read_bytes() for name in "ab")
    assert found.sha256 == hashlib.sha256(both).hexdigest()
    assert (found.name, found.files, found.keeps_order) == ("part-*.csv", 2, True)


def test_a_file_that_changed_or_is_gone_has_no_hash(path):
    opened = Input.of(tables.open_table(str(path)), keeps_order=False)
    gone = Input.of(tables.open_table(str(path)), keeps_order=False)
    with path.open("a") as file:
        file.write("a,u\n")
    assert opened.origin.sha256 is None
    path.unlink()
    assert gone.origin.sha256 is None
    assert gone.origin.name == "people.csv"


def test_a_dataframe_has_neither_name_nor_hash():
    found = Input.of(tables.open_table(frame()), keeps_order=False).origin
    assert (found.name, found.files, found.sha256) == (None, 0, None)


@pytest.mark.parametrize("keep_order", [False, True])
@pytest.mark.parametrize("made", [lambda f: f, pl.from_pandas], ids=["pandas", "polars"])
def test_a_report_previews_rows_of_its_table(tmp_path, made, keep_order):
    release = loglift.protect(made(frame()), **COLUMNS, keep_order=keep_order)
    release.report(tmp_path / "report.html")
    assert "Ten released rows" in (tmp_path / "report.html").read_text()
    preview = preview_of(release.table, keeps_order=keep_order)
    assert preview.columns == tuple(release.table.columns)
    assert len(preview.rows) == PREVIEWED_ROWS
    assert {row[0] for row in preview.rows} <= set(map(str, release.table["x"]))


def test_rows_that_keep_their_order_are_drawn_from_all_of_them():
    table = pd.DataFrame({"x": range(300)})
    found = {row for _ in range(12) for row in preview_of(table, keeps_order=True).rows}
    assert any(int(x) >= 100 for (x,) in found)
    first = preview_of(table, keeps_order=False).rows  # shuffled before
    assert {int(x) for (x,) in first} == set(range(PREVIEWED_ROWS))
