"""The sheets of an evaluation, and what they come to in sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift import Bound
from loglift.readers.attack import ValueCounting
from loglift.readers.compared import Compared
from loglift.readers.context import ContextReading
from loglift.report.sheets import (
    MAX_READERS,
    MAX_VALUES,
    evaluation_statements,
    made_words,
    sheets_of,
)


def with_counting(evaluated, **changes):
    [attack] = evaluated.attacks
    return replace(
        evaluated, attacks=(replace(attack, counting=replace(attack.counting, **changes)),)
    )


def test_columns_are_shares_of_the_evaluation(evaluated):
    [sheet, *_] = sheets_of(evaluated, pairs=5)
    town, age = sheet.rows
    assert town[0] == "town"
    assert town[1] == f"{100 * evaluated.columns[0].unchanged.released:.1f} %"
    assert town[4:] == ("", "", "")
    assert age[4] == f"{evaluated.columns[1].mean.original:.4g}"
    assert age[6] == f"{evaluated.columns[1].mean_shift.released:+.3f}"


def test_a_release_outside_the_bound_is_bad_news(evaluated):
    good = evaluation_statements(evaluated)[-1]
    assert good.tone == "good"
    bad = evaluation_statements(with_counting(evaluated, outside=Compared(0.5, 0.25, 0.0)))[-1]
    assert bad.tone == "bad"
    assert "25.0 % of the records show a value outside the bound" in bad.text


def test_infinite_factors_are_said_in_words(evaluated):
    never = with_counting(evaluated, fall=Compared(np.inf, np.inf, 1.0), allowed_fall=np.inf)
    sheet = sheets_of(never, pairs=5)[-2]
    [fall] = [row for row in sheet.rows if "fall" in row[0]]
    assert fall[1:] == ("ruled out", "ruled out", "1.00-fold", "no limit")
    assert "a value may be ruled out" in evaluation_statements(never)[-1].text


def test_many_pairs_are_cut_and_counted(evaluated):
    many = replace(evaluated, pairs=evaluated.pairs * 40)
    short = sheets_of(many, pairs=10)[1]
    assert len(short.rows) == 10
    assert short.notes == ("30 more pairs are in --json.",)
    distances = [pair.distance.released for pair in evaluated.pairs]
    assert short.rows[0][1] == f"{distances[0]:.3f}"


def test_a_sample_and_a_one_sided_bound_are_told(evaluated):
    told = made_words(replace(evaluated, evaluated=100, bound=Bound(np.inf, 1.0)))
    assert "a random sample of 100 of them evaluated" in told
    assert "within upper 1." in told


def test_what_plain_values_hide_is_said(evaluated):
    plain = replace(evaluated, shows="values")
    notes = sheets_of(plain, pairs=5)[-1].notes
    assert any("does not name the values that were exchanged" in note for note in notes)
    assert not any("exchanged" in note for note in sheets_of(evaluated, pairs=5)[-1].notes)


def test_at_most_stays_true(evaluated):
    rise = 2.71401
    changed = with_counting(evaluated, rise=Compared(9.0, rise, 1.0))
    said = evaluation_statements(changed)[-1].text
    assert "rises at most 2.72-fold" in said


def test_what_follows_from_an_optimal_mechanism_is_said_where_something_follows(evaluated):
    [attack] = evaluated.attacks
    reading = attack.minimality
    told = replace(reading, optimal=replace(reading.optimal, worked_out=0.25))
    changed = replace(evaluated, attacks=(replace(attack, minimality=told),))
    said = "can work out p(s|x) for public values with 25.0 % of the records"
    assert said in evaluation_statements(changed)[-1].text
    assert evaluation_statements(changed)[-1].tone == "plain"
    assert said not in evaluation_statements(evaluated)[-1].text
    drawn = replace(changed, shows="random values")
    assert "on the bound, and on which side" in sheets_of(drawn, pairs=5)[-1].notes[0]


def reader_of(knows, outside=0.0, *, promised=True, rise=2.0):
    return ContextReading(
        readers=f"readers who know {knows}",
        knows=(knows,),
        contexts=3,
        promised=promised,
        rise=Compared(5.0, rise, 1.0),
        fall=Compared(np.inf, 1.5, 1.0),
        outside=Compared(0.5, outside, 0.0),
        right=Compared(0.9, 0.725, 0.7),
    )


def with_readers(evaluated, *readers, **changes):
    [attack] = evaluated.attacks
    learned = replace(attack.learning, columns=("town", "age", "region"))
    told = replace(attack, readers=readers, learning_knowing=learned)
    return replace(evaluated, attacks=(told,), known=("region",), **changes)


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


def test_readers_outside_the_bound_are_bad_news_and_why_is_said(evaluated):
    kept, broken = reader_of("region"), reader_of("job", outside=0.25)
    told = evaluation_statements(with_readers(evaluated, kept, broken))[-1]
    assert (told.tone, told.headline) == ("bad", "Outside the bound for readers who know job.")
    assert "25.0 % of the records are outside the bound for them: this is not the" in told.text
    asked = reader_of("job", outside=0.25, promised=False)
    found = with_readers(evaluated, kept, asked)
    assert "the release was not made to be safe for them" in evaluation_statements(found)[-1].text
    assert sheets_of(found, pairs=5)[-2].rows[2][-1] == "not promised"


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
