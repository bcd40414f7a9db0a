"""Caps, remedies and hints, in singular and plural."""

from __future__ import annotations

from dataclasses import replace

from loglift.explain.caps import Cap
from loglift.explain.explain import Explanation, Remedy
from loglift.explain.hints import Hint
from loglift.explain.suggest import Step, Suggestion
from loglift.report.sentences.explanation import (
    NOTHING_LOST,
    NOTHING_TRIED,
    cap_words,
    explanation_words,
    hint_words,
    nothing_to_group,
    remedy_words,
    suggested_lines,
)


def test_a_rare_value_is_said_in_singular_and_plural():
    assert cap_words(Cap({"ill": "gout"}, 1, 1, 0.0, 0.0)) == (
        "Every released value must contain ill = gout, which one public value has (1 record): a "
        "merging has at most one released value, and keeps at most 0.0 %."
    )
    several = Cap({"ill": "gout"}, 5, 3, 1.0, 0.5)
    assert cap_words(several).endswith(
        "which 3 public values have (5 records): a merging has at most 3 released values, and "
        "keeps at most 50.0 %."
    )
    assert cap_words(several, of_rows=True).endswith(
        "and keeps at most 50.0 % of the information in whole rows."
    )


def test_every_remedy_is_an_option_or_a_change_of_the_table():
    option, groups = "--combine ill=a,b --combine ill=c,d", (("a", "b"), ("c", "d"))
    said = {
        Remedy("search", 0.5, option="--over all"): "--over all, which finds better mergings",
        Remedy("intact", 0.5): "no --intact",
        Remedy("min_count", 0.5): "no --min-count",
        Remedy("eps", 0.5, option="--eps 2"): "--eps 2",
        Remedy("upper", 0.5, option="--upper 1"): "--upper 1 alone, which lets values be ruled out",
        Remedy("sensitive", 0.5, sensitive=groups): "one sensitive value for a; b and for c; d",
        Remedy("sensitive", 0.5, sensitive=groups, option=option): (
            f"{option}, which bounds them as one value"
        ),
        Remedy("unbounded", 0.5, sensitive=(("a",),)): "no bound for a",
        Remedy("unbounded", 0.5, sensitive=(("a",),), option="--bound ill=a:none"): (
            "--bound ill=a:none, which bounds nothing about a"
        ),
    }
    for remedy, words in said.items():
        assert remedy_words(remedy) == f"{words}: keeps at least 50.0 %"


def test_how_to_ask_for_suggested_groups_is_said():
    steps = tuple(
        Step((), (), kept, kept, f"--combine ill={values}")
        for kept, values in ((0.2, "a,b"), (0.5, "a,b,c"), (0.9, "a,b,c,d"))
    )
    one = Suggestion(0.2, steps[1:2])
    assert suggested_lines(one) == ("What to add to protect: --combine ill=a,b,c",)
    first, _, *others = suggested_lines(replace(one, steps=steps))
    assert first.startswith("Try step 2 first")
    assert others == [f"  step {n}: {step.option}" for n, step in enumerate(steps, 1)]
    [recode] = suggested_lines(replace(one, steps=(*steps, replace(steps[0], option=None))))
    assert "recode" in recode


def test_what_would_help_a_column_is_said_of_it_and_of_the_others():
    out = Hint("sex", "leave out sex (-p without it)", 0.1, 0.5, 0.8, 0.9, "leave out")
    assert hint_words(out, 2) == (
        "leave out sex (-p without it): the other column keeps at least 90.0 % instead of 80.0 %"
    )
    assert hint_words(out, 3) == (
        "leave out sex (-p without it): the other columns keep at least 90.0 % instead of 80.0 % "
        "on average"
    )
    intact = replace(out, change="--intact sex", kind="intact", kept=1.0)
    assert hint_words(intact, 2) == (
        "--intact sex: sex keeps at least 100.0 % instead of 50.0 %, the other column keeps at "
        "least 90.0 % instead of 80.0 %"
    )
    same = replace(out, others_after=0.8)
    assert hint_words(same, 2).endswith("the other column keeps at least 80.0 %, as before")
    bands = replace(out, change="replace age by 4 bands", kind="bands", column="age")
    assert hint_words(bands, 2).startswith(
        "replace age by 4 bands: its bands keep at least 10.0 % instead of 50.0 %, the other"
    )


def test_an_explanation_says_when_there_is_nothing_to_explain():
    cap = Cap("gout", 5, 3, 1.0, 0.5)
    found = Explanation(kept=0.5, compared_with=None, limits=(), caps=(cap, cap), remedies=())
    assert explanation_words(found) == (cap_words(cap), NOTHING_TRIED)
    assert explanation_words(replace(found, compared_with=0.6)) == (cap_words(cap),)
    assert explanation_words(replace(found, kept=1.0)) == (NOTHING_LOST,)
    [capped, _] = explanation_words(found, of_rows=True)
    assert capped == cap_words(cap, of_rows=True)


def test_groups_that_would_not_help_are_not_offered():
    assert nothing_to_group(0.5) == (
        "A release keeps 50.0 %; grouping sensitive values would not keep more."
    )
    assert nothing_to_group(0.5, of_rows=True).startswith(
        "A release keeps 50.0 % of the information in whole rows; grouping"
    )
