"""Stata and SPSS files that are written: labels, what the formats lack, and nothing else."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import duckdb
import pyreadstat
import pytest

from loglift.errors import OutputError
from loglift.tables import open_table, write
from loglift.tables.labels import Labels

READ = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav}
LABELS = {
    "edu": Labels("Education", {1: "none", 2: "primary", 7: "degree"}),
    "gone": Labels("Not released", {1: "x"}),
}


def written(tmp_path, ending, values, kind="VARCHAR", labels=LABELS, name="edu"):
    relation = duckdb.connect().sql("SELECT unnest($v) AS a", params={"v": values})
    path = tmp_path / f"out.{ending}"
    write(relation.project(f"a::{kind} AS {name}"), path, labels=labels)
    data, meta = READ[ending](path, output_format="dict")
    return data[name], meta


def rows_of(path):
    opened = open_table(path)
    return opened.engine.pick(opened.frame, range(len(opened.columns))).fetchall()


@pytest.mark.parametrize("ending", READ)
def test_labelled_columns_keep_codes_and_what_was_merged_gets_new_ones(tmp_path, ending):
    texts = ["degree", "none", None, "none | primary", "12", "*"]
    codes, meta = written(tmp_path, ending, texts)
    assert codes == [7, 1, None, 14, 12, 13]
    assert meta.variable_value_labels == {
        "edu": {1: "none", 7: "degree", 12: "12", 13: "*", 14: "none | primary"}
    }
    assert meta.column_names_to_labels == {"edu": "Education"}
    assert rows_of(tmp_path / f"out.{ending}") == [(text,) for text in texts]


@pytest.mark.parametrize("ending", READ)
def test_texts_of_columns_without_labels_stay_texts(tmp_path, ending):
    texts = ["none", "ü" * 300, None, ""]
    cells, meta = written(tmp_path, ending, texts, labels={})
    assert cells == ["none", "ü" * 300, "", ""]
    assert meta.variable_value_labels == {}


def test_labels_that_spss_would_cut_are_written_as_texts(tmp_path):
    long = ["x" * 130 + end for end in "ab"]
    cells, meta = written(tmp_path, "sav", [*long, "none"])
    assert cells == [*long, "none"]
    assert meta.variable_value_labels == {}
    assert len(set(written(tmp_path, "dta", [*long, "none"])[0])) == 3


@pytest.mark.parametrize("ending", READ)
@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -5], "BIGINT"),
        ([2**31 - 1, None, -(2**52)], "BIGINT"),
        ([0.1, None, 2.5], "DOUBLE"),
        ([1.5, None, 0.25], "DECIMAL(9, 2)"),
        ([date(2020, 2, 29), None], "DATE"),
        ([datetime(2020, 1, 2, 3, 4, 5), None], "TIMESTAMP"),
        ([time(1, 2, 3), None], "TIME"),
    ],
    ids=str,
)
def test_values_are_read_back(tmp_path, ending, values, kind):
    written(tmp_path, ending, values, kind, labels={})
    if kind == "TIME" and ending == "dta":  # Stata has none
        values = ["01:02:03.000000", None]
    assert rows_of(tmp_path / f"out.{ending}") == [(value,) for value in values]


@pytest.mark.parametrize("ending", READ)
def test_what_the_formats_lack_becomes_numbers_texts_or_missing(tmp_path, ending):
    assert written(tmp_path, ending, [True, False, None], "BOOLEAN")[0] == [1, 0, None]
    assert written(tmp_path, ending, [2**62, 1], "BIGINT")[0] == [str(2**62), "1"]
    assert written(tmp_path, ending, [float("nan"), 1.5], "DOUBLE")[0] == [None, 1.5]
    at = [datetime(2020, 1, 1, 1, tzinfo=UTC)]
    assert written(tmp_path, ending, at, "TIMESTAMPTZ")[0] == [datetime(2020, 1, 1, 1)]


@pytest.mark.parametrize("ending", READ)
@pytest.mark.parametrize(
    ("values", "kind", "name", "message"),
    [
        ([float("inf"), 1.0], "DOUBLE", "x", "infinite numbers"),
        ([b"x"], "BLOB", "x", "holds binary values"),
        ([1], "BIGINT", '"my column"', "my column.*rename the column"),
        ([1], "BIGINT", f'"{"x" * 70}"', "too long.*rename the column"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, ending, values, kind, name, message):
    with pytest.raises(OutputError, match=message):
        written(tmp_path, ending, values, kind, name=name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", READ)
def test_a_file_tells_neither_its_time_nor_labels_that_no_row_has(tmp_path, ending):
    _, meta = written(tmp_path, ending, ["none", "degree"] * 9)
    assert meta.creation_time == meta.modification_time == datetime(1980, 1, 1)
    assert (meta.file_label or "", meta.notes) == ("", [])
    data = (tmp_path / f"out.{ending}").read_bytes()
    assert b"primary" not in data
    assert b"Not released" not in data
    assert str(datetime.now(UTC).year).encode() not in data
    again = tmp_path / f"again.{ending}"
    write(open_table(tmp_path / f"out.{ending}").frame.project("#1 AS edu"), again, labels=LABELS)
    assert again.read_bytes() == data


@pytest.mark.parametrize("ending", READ)
def test_categories_are_written_as_texts(tmp_path, ending):
    texts, meta = written(
        tmp_path, ending, ["b", "a", "b"], kind="ENUM('a', 'b', 'unused')", labels={}
    )
    assert texts == ["b", "a", "b"]
    assert meta.variable_value_labels == {}
    assert b"unused" not in (tmp_path / f"out.{ending}").read_bytes()
