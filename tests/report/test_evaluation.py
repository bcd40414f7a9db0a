"""An evaluation on a terminal, on a page and in JSON: the same figures and sentences."""

from __future__ import annotations

import io
from dataclasses import replace
from html import unescape

import numpy as np
from rich.console import Console

import loglift
from loglift.readers.compared import Compared
from loglift.report.evaluation import (
    MAX_TERMINAL_PAIRS,
    evaluation_document,
    evaluation_page,
    print_evaluation,
)
from loglift.report.page import render
from loglift.report.sentences.evaluation import evaluation_statements, made_words
from loglift.report.sheets.evaluation import MAX_PAGE_PAIRS, sheets_of
from report.making import write_table


def printed(evaluated, width=100):
    out = Console(file=io.StringIO(), width=width, highlight=False)
    print_evaluation(evaluated, out, "people.csv")
    return " ".join(out.file.getvalue().split())


def test_page_and_terminal_show_the_same_figures(evaluated):
    page, text = unescape(evaluation_page(evaluated, "people.csv")), printed(evaluated)
    sheets = sheets_of(evaluated, pairs=MAX_TERMINAL_PAIRS)
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
    for statement in evaluation_statements(evaluated):
        assert statement.headline in page
        assert statement.text in page
        assert statement.text in text
    assert made_words(evaluated) in page


def test_the_page_is_one_document_for_the_custodian(evaluated):
    page = evaluation_page(evaluated, "<people>.csv")
    assert page.startswith("<!doctype html>")
    assert "For the custodian only" in page
    assert "&lt;people&gt;.csv" in page
    assert "<link rel=" in page
    assert "src=" not in page
    assert page.count("<section") == 2


def test_the_page_has_more_pairs_than_the_terminal(evaluated):
    many = replace(evaluated, pairs=evaluated.pairs * 40)
    assert evaluation_page(many, "t").count("town x age") == MAX_PAGE_PAIRS
    assert printed(many).count("town x age") == MAX_TERMINAL_PAIRS < MAX_PAGE_PAIRS


def test_infinite_figures_are_texts_in_json(evaluated):
    [attack] = evaluated.attacks
    counting = replace(attack.counting, fall=Compared(np.inf, 1.5, 1.0))
    never = replace(evaluated, attacks=(replace(attack, counting=counting),))
    document = evaluation_document(never)
    assert document["attacks"][0]["counting"]["fall"]["original"] == "inf"
    assert [said["tone"] for said in document["statements"]] == ["plain", "good"]


def test_the_report_of_a_release_has_it_as_a_section_where_it_was_asked_for(tmp_path):
    table = str(write_table(tmp_path / "people.csv", records=600))
    options = {"sensitive": "illness", "public": ["town", "age"], "eps": 0.5}
    title = "What readers can do with it, and what an attacker can"
    release = loglift.protect(table, **options, evaluate=True)
    page = unescape(render(release.summary))
    assert f">{title}</h2>" in page
    assert evaluation_statements(release.evaluation)[0].text in page
    assert "Guessing illness" in page
    assert title not in unescape(render(loglift.protect(table, **options).summary))
