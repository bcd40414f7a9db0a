"""What an evaluation comes to, in sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from loglift import Bound
from loglift.readers.compared import Compared
from loglift.report.sentences.evaluation import evaluation_statements, made_words
from loglift.report.sheets.evaluation import sheets_of
from report.readings import reader_of, with_counting, with_readers


def test_a_release_outside_the_bound_is_bad_news(evaluated):
    good = evaluation_statements(evaluated)[-1]
    assert good.tone == "good"
    bad = evaluation_statements(with_counting(evaluated, outside=Compared(0.5, 0.25, 0.0)))[-1]
    assert bad.tone == "bad"
    assert "25.0 % of the records show a value outside the bound" in bad.text


def test_a_sample_and_a_one_sided_bound_are_told(evaluated):
    told = made_words(replace(evaluated, evaluated=100, bound=Bound(np.inf, 1.0)))
    assert "a random sample of 100 of them evaluated" in told
    assert "within upper 1." in told


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


def test_readers_outside_the_bound_are_bad_news_and_why_is_said(evaluated):
    kept, broken = reader_of("region"), reader_of("job", outside=0.25)
    told = evaluation_statements(with_readers(evaluated, kept, broken))[-1]
    assert (told.tone, told.headline) == ("bad", "Outside the bound for readers who know job.")
    assert "25.0 % of the records are outside the bound for them: this is not the" in told.text
    asked = reader_of("job", outside=0.25, promised=False)
    found = with_readers(evaluated, kept, asked)
    assert "the release was not made to be safe for them" in evaluation_statements(found)[-1].text
    assert sheets_of(found, pairs=5)[-2].rows[2][-1] == "not promised"
