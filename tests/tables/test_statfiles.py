"""Stata, SPSS and SAS files: labels, missing values, types, and files that are none."""

from __future__ import annotations

from datetime import date, datetime, time
from types import SimpleNamespace

import pandas as pd
import pyreadstat
import pytest

from loglift.cuts import Cut
from loglift.errors import TableError
from loglift.tables import count, open_table, statfiles
from tables import survey


def rows_of(path):
    opened = open_table(path)
    return opened.engine.pick(opened.frame, range(len(opened.columns))).fetchall()


@pytest.mark.parametrize("make", [survey.stata, survey.spss, survey.sas])
def test_rows_keep_their_order_and_show_their_labels(tmp_path, make):
    assert rows_of(make(tmp_path)) == survey.shown()


@pytest.mark.parametrize("rows", [1, 7, survey.ROWS, 1000])
def test_files_are_read_in_parts(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(statfiles, "_CELLS_PER_PART", 1)
    monkeypatch.setattr(statfiles, "_MIN_ROWS_PER_PART", rows)
    assert rows_of(survey.stata(tmp_path)) == survey.shown()


def test_a_date_that_comes_late_makes_a_column_of_dates(tmp_path, monkeypatch):
    monkeypatch.setattr(statfiles, "_CELLS_PER_PART", 1)
    monkeypatch.setattr(statfiles, "_MIN_ROWS_PER_PART", 2)
    cells = {
        "d": [None, None, None, date(2020, 2, 29)],
        "t": [None, None, datetime(2020, 1, 2, 3, 4, 5), None],
        "c": [None, None, None, time(1, 2, 3)],
    }
    frame = pd.DataFrame({name: pd.Series(of, dtype=object) for name, of in cells.items()})
    pyreadstat.write_sav(frame, tmp_path / "t.sav")
    assert rows_of(tmp_path / "t.sav") == list(zip(*cells.values(), strict=True))


def test_labels_titles_and_codes_are_kept(tmp_path):
    opened = open_table(survey.spss(tmp_path, variable_measure={"education": "ordinal"}))
    education = opened.labels["education"]
    assert education.title == survey.TITLES["education"]
    assert education.texts == {**survey.EDUCATION, 5: "5"}
    assert education.ordered
    assert not opened.labels["health"].ordered
    assert opened.labels["age"].texts == {}
    [column] = count(opened, "education", "health").columns
    assert column.values == (None, "5", "degree", "none", "primary", "secondary")  # noqa: PD011
    assert column.ranks == (-1, 4, 3, 0, 1, 2)
    assert count(survey.stata(tmp_path), "education", "health").columns[0].ranks == ()


def test_labels_of_few_codes_leave_numbers(tmp_path):
    frame = pd.DataFrame({"age": list(range(20, 90)), "s": [1, 2] * 35})
    labels = {"age": {89: "89 or older"}, "s": {1: "a", 2: "b"}}
    pyreadstat.write_dta(frame, tmp_path / "t.dta", variable_value_labels=labels)
    column = count(tmp_path / "t.dta", "age", "s").columns[0]
    assert column.type == "integer"
    assert column.values == tuple(range(20, 90))  # noqa: PD011


def test_missing_values_of_all_kinds_are_null(tmp_path):
    frame = pd.DataFrame({"a": [1, 2, "a", "z", 3], "t": ["x", "", "y", "x", "y"]})
    pyreadstat.write_dta(
        frame,
        tmp_path / "t.dta",
        missing_user_values={"a": ["a", "z"]},
        variable_value_labels={"a": {1: "one", 2: "two", "a": "refused"}},
    )
    assert rows_of(tmp_path / "t.dta") == [
        ("one", "x"), ("two", None), (None, "y"), (None, "x"), ("3", "y"),
    ]  # fmt: skip
    numbers = pd.DataFrame({"a": [1.0, 2, -9, 99, 3], "t": ["x", "no", "y", "x", ""]})
    pyreadstat.write_sav(
        numbers,
        tmp_path / "t.sav",
        missing_ranges={"a": [99, {"lo": -10, "hi": -1}], "t": ["no"]},
        variable_value_labels={"a": {-9.0: "refused", 1.0: "one"}, "t": {"x": "Ex", "no": "none"}},
    )
    assert rows_of(tmp_path / "t.sav") == [
        (1, "Ex"), (2, None), (None, "y"), (None, "Ex"), (3, None),
    ]  # fmt: skip


def test_numbers_are_what_the_program_shows(tmp_path):
    frame = pd.DataFrame(
        {
            "whole": [1.0, 2.0, None],
            "half": [1.0, 2.5, None],
            "large": [2.0**60, 1.0, 2.0],
            "empty": pd.Series([None] * 3, dtype="float64"),
        }
    ).astype({"half": "float64"})
    pyreadstat.write_sav(frame, tmp_path / "t.sav")
    assert [str(kind) for kind in open_table(tmp_path / "t.sav").frame.types] == [
        "BIGINT", "DOUBLE", "DOUBLE", "BIGINT",
    ]  # fmt: skip
    pd.DataFrame({"x": pd.Series([1.1, 2.2], dtype="float32")}).to_stata(
        tmp_path / "t.dta", write_index=False
    )
    assert rows_of(tmp_path / "t.dta") == [(1.1,), (2.2,)]


def test_labels_of_sas_are_those_of_the_catalog_beside_the_file(tmp_path):
    meta = SimpleNamespace(
        column_names=["sex", "x"],
        variable_value_labels={},
        variable_to_label={"sex": "sexf"},
        readstat_variable_types={"sex": "double", "x": "double"},
    )
    catalog = SimpleNamespace(value_labels={"SEXF": {1.0: "female", 2.0: "male"}})
    reader = SimpleNamespace(read_sas7bcat=lambda _: (None, catalog))
    file = tmp_path / "t.sas7bdat"
    assert statfiles._labels(reader, file, meta) == {"sex": {}, "x": {}}  # noqa: SLF001
    (tmp_path / "t.sas7bcat").touch()
    found = statfiles._labels(reader, file, meta)  # noqa: SLF001
    assert found == {"sex": {1.0: "female", 2.0: "male"}, "x": {}}


@pytest.mark.parametrize("ending", statfiles.KINDS)
def test_other_files_are_told_in_one_line(tmp_path, ending):
    file = tmp_path / f"t{ending}"
    file.write_bytes(b"a,b\n1,2\n" * 500)
    with pytest.raises(TableError, match=rf"not a readable {ending} file") as caught:
        open_table(file)
    assert "\n" not in str(caught.value)


def test_empty_tables_globs_and_compressed_files_are_refused(tmp_path):
    pyreadstat.write_dta(pd.DataFrame({"a": pd.Series([], dtype="float64")}), tmp_path / "e.dta")
    with pytest.raises(TableError, match="has no rows"):
        open_table(tmp_path / "e.dta")
    survey.stata(tmp_path)
    with pytest.raises(TableError, match="read one at a time"):
        open_table(tmp_path / "*.dta")
    (tmp_path / "t.dta.gz").write_bytes(b"x")
    with pytest.raises(TableError, match="no ending loglift knows"):
        open_table(tmp_path / "t.dta.gz")


@pytest.mark.parametrize("code", ["3", 3])
def test_codes_for_missing_values_of_a_labelled_column_are_its_labels(tmp_path, code):
    """A code that the column does not show would count as missing without any effect."""
    table = survey.stata(tmp_path)
    with pytest.raises(
        TableError, match=r"names the code 3.*write the label of that code"
    ) as found:
        count(table, "education", "health", bins={"education": Cut().with_missing([code])})
    with pytest.raises(TableError, match="write the label of that code") as hidden:
        count(table, "education", "health", bins={"health": Cut().with_missing([code])})
    assert not any(text in str(hidden.value) for text in survey.HEALTH.values())
    assert "secondary" not in str(found.value)
    named = count(table, "education", "health", bins={"education": Cut().with_missing(["degree"])})
    assert "degree" not in named.public
    unlabelled = count(table, "education", "health", bins={"education": Cut().with_missing(["5"])})
    assert "5" not in unlabelled.public
    cut = Cut.of("3,", "education").with_missing([1])  # bins cut the codes
    assert count(table, "education", "health", bins={"education": cut}).public[0] is None
