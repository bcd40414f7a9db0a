"""An evaluation in words: the same on a terminal, on a page and in JSON."""

from __future__ import annotations

import io
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from rich.console import Console

import loglift
from loglift import Bound
from loglift.readers.compared import Compared
from loglift.report.evaluation import (
    MAX_PAGE_PAIRS,
    MAX_TERMINAL_PAIRS,
    evaluation_document,
    evaluation_page,
    evaluation_statements,
    made_words,
    print_evaluation,
    sheets_of,
)
from report.making import write_table


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    table = write_table(tmp_path_factory.mktemp("evaluation") / "people.csv", records=1200)
    mechanism = loglift.protect(
        str(table), sensitive="illness", public=["town", "age"], eps=0.4
    ).mechanism
    return loglift.evaluate(table, mechanism)


def printed(found, width=100):
    out = Console(file=io.StringIO(), width=width, highlight=False)
    print_evaluation(found, out, "people.csv")
    return " ".join(out.file.getvalue().split())


def with_counting(found, **changes):
    [attack] = found.attacks
    return replace(found, attacks=(replace(attack, counting=replace(attack.counting, **changes)),))


def test_page_and_terminal_show_the_same_figures(found):
    page, text = unescape(evaluation_page(found, "people.csv")), printed(found)
    sheets = sheets_of(found, pairs=MAX_TERMINAL_PAIRS)
    assert [sheet.title for sheet in sheets] == [
        "Columns",
        "Pairs of columns, the worst first",
        "Count queries",
        "Guessing illness",
        "What the mechanism tells about illness of single public values",
    ]
    for sheet in sheets:
        assert sheet.title in page
        assert {len(row) for row in sheet.rows} == {len(sheet.head)}
        for row in sheet.rows:
            assert all(f"<bdi>{cell}</bdi>" in page for cell in row if cell)
            assert all(word in text for cell in row for word in cell.split())
    for statement in evaluation_statements(found):
        assert statement.headline in page
        assert statement.text in page
        assert statement.text in text
    assert made_words(found) in page


def test_columns_are_shares_of_the_evaluation(found):
    [sheet, *_] = sheets_of(found, pairs=5)
    town, age = sheet.rows
    assert town[0] == "town"
    assert town[1] == f"{100 * found.columns[0].unchanged.released:.1f} %"
    assert town[4:] == ("", "", "")
    assert age[4] == f"{found.columns[1].mean.original:.4g}"
    assert age[6] == f"{found.columns[1].mean_shift.released:+.3f}"


def test_the_page_is_one_document_for_the_custodian(found):
    page = evaluation_page(found, "<people>.csv")
    assert page.startswith("<!doctype html>")
    assert "For the custodian only" in page
    assert "&lt;people&gt;.csv" in page
    assert "<link rel=" in page
    assert "src=" not in page
    assert page.count("<section") == 2


def test_a_release_outside_the_bound_is_bad_news(found):
    good = evaluation_statements(found)[-1]
    assert good.tone == "good"
    bad = evaluation_statements(with_counting(found, outside=Compared(0.5, 0.25, 0.0)))[-1]
    assert bad.tone == "bad"
    assert "25.0 % of the records show a value outside the bound" in bad.text


def test_infinite_factors_are_said_in_words(found):
    never = with_counting(found, fall=Compared(np.inf, np.inf, 1.0), allowed_fall=np.inf)
    sheet = sheets_of(never, pairs=5)[-2]
    [fall] = [row for row in sheet.rows if "fall" in row[0]]
    assert fall[1:] == ("ruled out", "ruled out", "1.00-fold", "no limit")
    assert "a value may be ruled out" in evaluation_statements(never)[-1].text
    assert evaluation_document(never)["attacks"][0]["counting"]["allowed_fall"] == "inf"


def test_many_pairs_are_cut_and_counted(found):
    many = replace(found, pairs=found.pairs * 40)
    short = sheets_of(many, pairs=MAX_TERMINAL_PAIRS)[1]
    assert len(short.rows) == MAX_TERMINAL_PAIRS
    assert short.notes == (f"{40 - MAX_TERMINAL_PAIRS} more pairs are in --json.",)
    assert evaluation_page(many, "t").count("town x age") == MAX_PAGE_PAIRS
    distances = [pair.distance.released for pair in found.pairs]
    assert short.rows[0][1] == f"{distances[0]:.3f}"


def test_a_sample_and_a_one_sided_bound_are_told(found):
    told = made_words(replace(found, evaluated=100, bound=Bound(np.inf, 1.0)))
    assert "a random sample of 100 of them evaluated" in told
    assert "within upper 1." in told


def test_what_plain_values_hide_is_said(found):
    plain = replace(found, shows="values")
    notes = sheets_of(plain, pairs=5)[-1].notes
    assert any("does not see which values were exchanged" in note for note in notes)
    assert not any("exchanged" in note for note in sheets_of(found, pairs=5)[-1].notes)
