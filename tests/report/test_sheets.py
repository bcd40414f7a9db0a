"""The sheets of an evaluation, and what they come to in sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift import Bound
from loglift.readers.compared import Compared
from loglift.report.sheets import evaluation_statements, made_words, sheets_of


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
