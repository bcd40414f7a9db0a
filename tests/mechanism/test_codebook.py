"""The codebook: every cell of a released table can be decoded with it."""

from __future__ import annotations

import csv

import pandas as pd
import pytest

import loglift
from loglift import MechanismError
from loglift.mechanism.codebook import HEADER, codebook


def people():
    towns = ["a | b", 'c "d"', "=e", None, "f"]
    rows = [(20 + i % 12, towns[i % 5], "y" if i % 12 > 6 else "n") for i in range(600)]
    return pd.DataFrame(rows, columns=["age", "town", "ill"])


def members_of(text):
    """Split a list of members; one in double quotes may contain vertical bars."""
    return next(csv.reader([text.replace(" | ", "\t")], delimiter="\t"))


@pytest.mark.parametrize("ranges", ["text", "columns"])
def test_every_cell_is_decoded(ranges, tmp_path):
    table = people()
    made = loglift.protect(
        table, sensitive="ill", public=["age", "town"], eps=0.3, ranges=ranges, keep_order=True
    )
    made.save(tmp_path / "out")
    book = pd.read_csv(tmp_path / "out" / "codebook.csv", dtype=str, keep_default_na=False)
    assert tuple(book.columns) == HEADER
    lines = {(int(line.loglift_block), line.column): line for line in book.itertuples()}
    assert len(lines) == len(book) == 2 * made.mechanism.size
    for block, age in zip(made.table["loglift_block"], table["age"], strict=True):
        assert str(age) in members_of(lines[block, "age"].members)
    records = made.table["loglift_block"].value_counts()
    assert all(int(line.records) == records[block] for (block, _), line in lines.items())
    if ranges == "text":
        for row in made.table.itertuples():
            shown = lines[row.loglift_block, "age"].shown
            assert shown == row.age
    else:
        for row in made.table.itertuples():
            assert lines[row.loglift_block, "age"].shown == f"{row.age_low} to {row.age_high}"


def test_members_with_bars_and_quotes_are_quoted():
    made = loglift.protect(people(), sensitive="ill", public="town", eps=1)
    lines = list(codebook(made.mechanism, [120] * made.mechanism.size))
    assert [line[3] for line in lines[1:]] == [
        "NULL",
        '"=e"'.strip('"'),
        '"a | b"',
        '"c ""d"""',
        "f",
    ]


def test_texts_that_look_like_missing_values_are_quoted():
    towns = [None, "NULL", "", "(empty)"] * 100
    table = pd.DataFrame({"town": towns, "ill": ["y", "n"] * 200})
    made = loglift.protect(table, sensitive="ill", public="town", eps=2, bound=None)
    lines = list(codebook(made.mechanism, [100] * made.mechanism.size))[1:]
    members = [member for line in lines for member in line[3].split(" | ")]
    assert sorted(members) == sorted(["NULL", '"NULL"', "(empty)", '"(empty)"'])


def test_formulas_are_told_or_escaped(tmp_path):
    made = loglift.protect(people(), sensitive="ill", public="town", eps=1)
    saved = made.save(tmp_path / "out")
    assert saved.codebook_formulas
    assert ",=e," in (tmp_path / "out" / "codebook.csv").read_text("utf-8")
    saved = made.save(tmp_path / "out", force=True, escape_formulas=True)
    assert not saved.codebook_formulas
    assert ",'=e," in (tmp_path / "out" / "codebook.csv").read_text("utf-8")


def test_releases_without_codes_have_no_codebook(tmp_path):
    table = people()
    chosen = {"sensitive": "ill", "public": "age", "eps": 0.3}
    for more in ({"show": "values"}, {"method": "randomized"}):
        made = loglift.protect(table, **chosen, **more)
        saved = made.save(tmp_path / "out", force=True)
        assert "codebook.csv" not in saved.files
        with pytest.raises(MechanismError):
            list(codebook(made.mechanism, []))
