"""Sheets of what an attacker can."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift.readers.attack import ValueCounting
from loglift.readers.compared import Compared
from loglift.report.sentences.evaluation import evaluation_statements, made_words
from loglift.report.sheets.attack import MAX_READERS, MAX_VALUES
from loglift.report.sheets.evaluation import sheets_of
from report.readings import reader_of, with_counting, with_readers


def test_what_plain_values_hide_is_said(evaluated):
    plain = replace(evaluated, shows="values")
    notes = sheets_of(plain, pairs=5)[-1].notes
    assert any("does not name the values that were exchanged" in note for note in notes)
    assert not any("exchanged" in note for note in sheets_of(evaluated, pairs=5)[-1].notes)


def test_what_readers_who_know_more_learn_is_a_sheet_of_its_own(evaluated):
    found = with_readers(evaluated, reader_of("region"))
    *_, attack, sheet, minimality = sheets_of(found, pairs=5)
    assert sheet.title == "What readers who know more learn about illness"
    assert sheet.is_attack
    rise, fall, outside, right = sheet.rows
    assert rise[1:] == ("5.00-fold", "2.00-fold", "1.00-fold", "1.49-fold")
    assert fall[1:3] == ("ruled out", "1.50-fold")
    assert outside[1:] == ("50.0 %", "0.0 %", "0.0 %", "0.0 %")
    assert right[1:] == ("90.0 %", "72.5 %", "70.0 %", "")
    assert any(row[0] == "model that knows more: AUC" for row in attack.rows)
    assert any("from region as well" in note for note in attack.notes)
    assert minimality.notes[0].startswith("What follows from what readers know besides")
    statement = evaluation_statements(found)[-1]
    assert statement.tone == "good"
    assert (
        "For readers who know region, it rises at most 2-fold and falls at most 1.5-fold; they "
        "guess illness right for 72.5 % of the records, for 70.0 % without this release."
    ) in statement.text


def test_of_many_readers_those_told_most_are_shown(evaluated):
    many = [reader_of(f"c{i}", rise=2.0 + i) for i in range(MAX_READERS + 3)]
    sheet = sheets_of(with_readers(evaluated, *many), pairs=5)[-2]
    assert len(sheet.rows) == 4 * MAX_READERS
    assert sheet.rows[0][0].startswith(f"readers who know c{MAX_READERS + 2}:")
    assert sheet.notes == ("3 more combinations of what readers know are in --json.",)


def test_earlier_releases_that_were_not_named_are_told(evaluated):
    notes = sheets_of(replace(evaluated, not_given=1), pairs=5)[-2].notes
    assert any("1 earlier release that --given did not name" in note for note in notes)


def test_values_with_limits_of_their_own_are_told_with_them(evaluated):
    values = tuple(
        ValueCounting(
            sensitive={"illness": f"v{i}"},
            rise=Compared(3.0, 1.1 + i / 10, 1.0),
            fall=Compared(2.0, 1.0, 1.0),
            allowed_rise=3.0,
            allowed_fall=np.inf,
        )
        for i in range(MAX_VALUES + 1)
    )
    bound = evaluated.bound.with_values({"v1": None, "v2": 0.1})
    found = replace(
        with_counting(evaluated, allowed_rise=None, allowed_fall=None, by_value=values),
        bound=bound,
    )
    sheet = sheets_of(found, pairs=5)[-2]
    assert [row[-1] for row in sheet.rows[:2]] == ["by value", "by value"]
    named = [row for row in sheet.rows if "illness = v" in row[0]]
    assert len(named) == 2 * MAX_VALUES
    assert named[0][0] == f"illness = v{MAX_VALUES}: largest rise"
    assert named[0][-1] == "3.00-fold"
    assert named[1][-1] == "no limit"
    assert any(f"Of {MAX_VALUES + 1} values" in note for note in sheet.notes)
    assert "within eps 0.4 (v1 not bounded, v2 0.1)." in made_words(found)
