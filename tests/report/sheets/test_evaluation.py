"""All sheets of an evaluation, in order."""

from __future__ import annotations

from dataclasses import replace

from loglift.report.sheets.evaluation import MAX_PAGE_PAIRS, evaluation_parts, sheets_of
from report.readings import reader_of, with_readers


def test_what_was_not_measured_has_no_sheet(evaluated):
    titles = [sheet.title for sheet in sheets_of(evaluated, pairs=5)]
    assert titles[0] == "Columns"
    assert titles[-2:] == [
        "Guessing illness",
        "What the mechanism tells about illness of single public values",
    ]
    bare = replace(evaluated, pairs=(), models=())
    assert [sheet.title for sheet in sheets_of(bare, pairs=5)] == [
        "Columns",
        "Count queries",
        *titles[-2:],
    ]
    more = sheets_of(with_readers(evaluated, reader_of("region")), pairs=5)
    assert len(more) == len(titles) + 1


def test_what_an_attacker_can_comes_last(evaluated):
    attacks = [sheet.is_attack for sheet in sheets_of(evaluated, pairs=5)]
    assert attacks == sorted(attacks)
    assert set(attacks) == {False, True}


def test_a_page_has_the_sheets_and_what_they_come_to(evaluated):
    parts = evaluation_parts(evaluated)
    assert parts["sheets"]["evaluation"] == sheets_of(evaluated, pairs=MAX_PAGE_PAIRS)
    assert len(parts["evaluated"]) == 2
