"""Sentences that state a result: true, whole, and with the right form of every word."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift.certify.certificate import Certificate, ReleasedValue
from loglift.cuts import Cut
from loglift.explain.caps import Cap
from loglift.explain.explain import Explanation, Remedy
from loglift.explain.hints import Hint
from loglift.explain.suggest import Step
from loglift.mechanism.kept import KeptColumn, KeptTarget
from loglift.promise.bound import Bound
from loglift.report import statements as say

VALUE = ReleasedValue({"town": "a"}, 10, 0.3, {"ill": "flu"}, "raises", safe=True)
CERTIFICATE = Certificate(
    holds=True,
    sensitive=("ill",),
    public=("town",),
    bins={},
    bound=Bound.symmetric(1),
    method="search",
    each=False,
    min_count=None,
    intact=None,
    records=20,
    public_values=3,
    leakage=0.3,
    entropy=1.0,
    utility=0.8,
    nmil=0.2,
    goal="joint",
    goal_words="whole rows",
    goal_kept=0.8,
    goal_most=1.0,
    upper_bound=0.9,
    upper_bound_scope="merging",
    counts_sha256="0",
    values=(VALUE, VALUE),
    columns=(KeptColumn("town", 0.9, 0.8, 3, 2),),
    rows_unchanged=0.9,
    targets=(KeptTarget("whole rows", 1.0, 0.8),),
)
TOWN, SEX = KeptColumn("town", 0.4, 0.8, 4, 9), KeptColumn("sex", 0.9, 0.95, 2, 3)
BY_COLUMN = replace(
    CERTIFICATE,
    public=("town", "sex"),
    goal="columns",
    goal_words="each column and whole rows",
    goal_kept=0.955,
    upper_bound=0.9905,
    columns=(TOWN, SEX),
    targets=(
        KeptTarget("town", 0.4, 0.8, "town"),
        KeptTarget("sex", 0.4, 0.95, "sex"),
        KeptTarget("whole rows", 0.2, 0.8),
    ),
)


@pytest.fixture(scope="module")
def audit():
    rng = np.random.default_rng(0)
    town = rng.integers(0, 4, 500)
    ill = np.where(rng.random(500) < 0.2 + 0.15 * town, "yes", "no")
    table = pd.DataFrame({"town": town, "sex": rng.integers(0, 2, 500), "ill": ill})
    return loglift.audit(table, sensitive="ill", public=["town", "sex"], eps=0.3)


def test_a_release_says_that_it_is_safe_and_what_it_keeps(audit):
    [safe] = say.release_statements(CERTIFICATE, audit, None)
    assert safe.tone == "good"
    assert safe.headline == "Safe: belief in any value moves at most 2.72-fold either way."
    assert safe.text == (
        "None of the 2 released values of town moves belief about ill beyond eps 1, checked "
        "exactly on 20 records. Kept 80.0 % of the information; no merging can keep more than "
        "90.0 %."
    )
    one = replace(CERTIFICATE, values=(VALUE,), records=1, utility=0.9, goal_kept=0.9)
    [safe] = say.release_statements(one, audit, None)
    assert "The one released value of town does not move belief" in safe.text
    assert "checked exactly on 1 record." in safe.text
    assert safe.text.endswith("no merging can keep more.")


def test_another_goal_is_named_and_whole_rows_are_claimed_nothing_about(audit):
    [safe, _] = say.release_statements(BY_COLUMN, audit, None)
    assert safe.text.endswith(
        "on 20 records. Kept 95.5 % of what was asked for (each column and whole rows); no merging "
        "can keep more than 99.1 %. It keeps 80.0 % of the information in whole rows."
    )
    best = replace(BY_COLUMN, goal_kept=0.9905)
    assert say.kept_words(best).startswith("Kept 99.1 % of what was asked for")
    assert "no merging can keep more. It keeps 80.0 %" in say.kept_words(best)
    # A single column that is its own and only target: the row, under another name and unit.
    alone = replace(CERTIFICATE, goal="columns", goal_kept=0.4, goal_most=0.5, upper_bound=0.45)
    assert say.kept_words(alone) == say.kept_words(CERTIFICATE)
    assert say.kept_name(alone.goal_words) == say.rows_kept_name(alone.goal_words)
    assert say.kept_name("sex") != say.rows_kept_name("sex")


def test_a_goal_is_listed_with_its_weights():
    assert say.weights_words(CERTIFICATE.targets) == "the information in whole rows"
    assert say.weights_words(BY_COLUMN.targets) == "town 40 %, sex 40 %, whole rows 20 %"


def test_a_column_of_sets_is_warned_of_with_what_may_help(audit):
    [_, warning] = say.release_statements(BY_COLUMN, audit, None)
    assert warning.tone == "bad"
    assert str(warning) == (
        "Most cells of town stand for several values (60.0 %). What may help: a larger eps, "
        "leaving town out, bands of town (--bin town=WIDTH) or --importance town=3."
    )
    assert len(say.release_statements(CERTIFICATE, audit, None)) == 1
    half = replace(BY_COLUMN, columns=(replace(TOWN, unchanged=0.5), SEX))
    assert len(say.release_statements(half, audit, None)) == 1


def test_what_may_help_fits_the_release(audit):
    """No remedy that the command would refuse, and none that cannot help."""
    [joint] = say.mostly_sets(replace(BY_COLUMN, goal="joint"), audit)
    assert joint.text.endswith("or --utility columns, which keeps what each column says.")
    [given] = say.mostly_sets(replace(BY_COLUMN, goal="targets"), audit)
    assert "--importance" not in given.text
    assert "--utility" not in given.text
    rare = replace(audit, caps=(Cap("flu", 1, 1, 0.0, 0.0),))
    [capped] = say.mostly_sets(BY_COLUMN, rare)
    assert capped.text.startswith("What may help: leaving town out,")
    [upper] = say.mostly_sets(replace(BY_COLUMN, bound=Bound(math.inf, 1)), audit)
    assert upper.text.startswith("What may help: a looser bound, leaving")
    spaced = replace(TOWN, name="the town")
    named = replace(audit.joint.columns[0], name="the town")
    renamed = replace(audit, joint=audit.joint.with_columns((named, audit.joint.columns[1])))
    [quoted] = say.mostly_sets(replace(BY_COLUMN, columns=(spaced, SEX)), renamed)
    assert "(--bin 'the town=WIDTH') or --importance 'the town=3'." in quoted.text
    [binned] = say.mostly_sets(replace(BY_COLUMN, bins={"town": Cut.steps(10)}), audit)
    assert "wider bands of town (--bin town=WIDTH)" in binned.text
    [alone] = say.mostly_sets(replace(CERTIFICATE, columns=(TOWN,)), audit)
    assert alone.text == "What may help: a larger eps or bands of town (--bin town=WIDTH)."
    ordered = replace(CERTIFICATE, columns=(TOWN,), method="ordered")
    assert say.mostly_sets(ordered, audit) == []
    nothing = replace(BY_COLUMN, utility=0.0, nmil=1.0, values=(VALUE,))
    assert [s.headline for s in say.release_statements(nothing, audit, None)][1:] == [
        "Nothing is left to analyse."
    ]


def test_several_columns_of_sets_are_warned_of_at_once(audit):
    text = replace(audit.joint.columns[1], type="text")
    words = replace(audit, joint=audit.joint.with_columns((audit.joint.columns[0], text)))
    both = replace(BY_COLUMN, columns=(TOWN, replace(SEX, unchanged=0.0)))
    [warning] = say.mostly_sets(both, words)
    assert str(warning) == (
        "Most cells of town (60.0 %) and sex (100.0 %) stand for several values. What may help: a "
        "larger eps, leaving some of them out, bands of town (--bin town=WIDTH), coarser values of "
        "sex or --importance for the one that matters most, such as town=3."
    )
    many = replace(BY_COLUMN, columns=tuple(replace(TOWN, name=f"c{n}") for n in range(14)))
    [warning] = say.mostly_sets(many, audit)
    assert warning.headline.endswith(
        "c10 (60.0 %), c11 (60.0 %) and 2 more stand for several values."
    )


@pytest.mark.parametrize(("now", "higher"), [(1, 3), (3, 9), (1.5, 4.5), (0.1, 3), (0, 3)])
def test_the_suggested_importance_is_higher_than_the_present_one(audit, now, higher):
    [warning] = say.mostly_sets(replace(BY_COLUMN, importance={"town": now}), audit)
    assert warning.text.endswith(f"--importance town={higher}.")


def test_several_sensitive_columns_are_said_together_or_apart(audit):
    both = replace(CERTIFICATE, sensitive=("ill", "sex"), bins={"town": Cut.steps(10)})
    [safe] = say.release_statements(both, audit, None)
    assert (
        "values of town (in steps of 10) moves belief about ill, sex, taken together," in safe.text
    )
    [safe] = say.release_statements(replace(both, each=True), audit, None)
    assert "about ill, sex, each on its own, beyond" in safe.text


def test_what_is_released_beside_is_warned_of(audit):
    shown = replace(CERTIFICATE, beside=("age", "ill"))
    [_, warning] = say.release_statements(shown, audit, None)
    assert (warning.tone, warning.headline) == ("bad", "Not protected.")
    assert warning.text.startswith("ill is released as in the table")
    [_, warning] = say.release_statements(CERTIFICATE, audit, audit)
    assert warning.tone == "bad"
    assert warning.text.startswith("sex is released as in the table. Together with the released")
    assert "it leaks" in warning.text
    several = replace(audit, public=("town", "sex", "age"), leakage=math.inf)
    [_, warning] = say.release_statements(CERTIFICATE, audit, several)
    assert warning.text.startswith("sex, age are released")
    assert "they leak infinitely many nats" in warning.text
    [_, fine] = say.release_statements(CERTIFICATE, audit, replace(audit, holds=True))
    assert fine.tone == "good"
    assert fine.headline == "Released as in the table: sex."


def test_a_release_without_information_says_what_may_help(audit):
    nothing = replace(CERTIFICATE, utility=0.0, nmil=1.0, values=(VALUE,))
    [_, left] = say.release_statements(nothing, audit, None)
    assert left.headline == "Nothing is left to analyse."
    assert left.text.startswith("All 8 public values are released as one.")
    assert left.text.endswith(
        "fewer or coarser sensitive values, a bound upwards only (--upper) or a looser bound."
    )
    rare = replace(audit, caps=(Cap("flu", 1, 1, 0.0, 0.0),))
    assert "looser" not in say.nothing_left(nothing, rare)
    upper = replace(nothing, bound=Bound(math.inf, 1), values=(VALUE, VALUE))
    assert say.nothing_left(upper, rare) == (
        "A released value tells nothing about which of 8 values it was. What may keep more: fewer "
        "or coarser sensitive values."
    )


def test_an_audit_says_whether_the_bound_holds(audit):
    [bad] = say.audit_statements(audit)
    assert (bad.tone, bad.headline) == ("bad", "Does not hold.")
    assert f"{audit.values_at_risk} of 8 public values, with " in bad.text
    assert bad.text.endswith("are outside eps 0.3: they reveal more about ill than it allows.")
    [one] = say.audit_statements(replace(audit, values_at_risk=1))
    assert one.text.endswith("is outside eps 0.3: it reveals more about ill than it allows.")
    [good] = say.audit_statements(replace(audit, holds=True, values_at_risk=0))
    assert good.headline == "Holds: belief in any value moves at most 1.35-fold either way."
    assert good.text == "All 8 public values are within eps 0.3 without any change."


def test_an_audit_without_a_bound_says_what_is_revealed(audit):
    [found] = say.audit_statements(replace(audit, bound=None, holds=None, leakage=1.0))
    assert str(found) == (
        "Leakage 1.000 nats. The most revealing public value moves belief about ill 2.72-fold."
    )
    [found] = say.audit_statements(replace(audit, bound=None, holds=None, leakage=math.inf))
    assert str(found) == "Infinite leakage. Some public value rules out a value of ill."
    assert say.leakage_words(math.inf) == "some value rules out a sensitive value"
    assert say.leakage_words(1.0) == "belief moves at most 2.72-fold"


def test_a_check_says_what_was_checked_and_what_was_not():
    [good, rest] = say.check_statements(replace(CERTIFICATE, min_count=1, beside=("age",)))
    assert good.headline == "Holds: belief in any value moves at most 2.72-fold either way."
    assert good.text.endswith(
        "checked exactly on 20 records; leakage 0.300 nats. Each has at least 1 record."
    )
    assert str(rest).startswith("Not covered. age (the other columns of the table).")
    unsafe = replace(VALUE, safe=False)
    [bad] = say.check_statements(replace(CERTIFICATE, values=(unsafe, VALUE)))
    assert bad.text.startswith(
        "1 of 2 released values of town moves belief about ill beyond eps 1,"
    )
    [bad] = say.check_statements(replace(CERTIFICATE, values=(unsafe, unsafe), min_count=5))
    assert "2 of 2 released values of town move belief" in bad.text
    assert "or have fewer than 5 records, checked" in bad.text


@pytest.mark.parametrize(("records", "words"), [(1, "1 record has a value"), (2, "records have")])
def test_unseen_values_are_told(records, words):
    found = replace(CERTIFICATE, unseen="suppress", unseen_records=records)
    [_, unseen] = say.check_statements(found)
    assert words in unseen.text
    assert "'apply --unseen suppress'" in unseen.text


def test_a_mechanism_says_what_it_does():
    found = say.mechanism_statement(Bound(math.inf, 1), ["town"], ["ill", "sex"], 40, 1)
    assert str(found) == (
        "Bounded: belief in any value rises at most 2.72-fold. 40 values of town are released as "
        "1, and no released value moves belief about ill, sex beyond upper 1."
    )


def test_a_rare_value_is_said_in_singular_and_plural():
    assert say.cap_words(Cap({"ill": "gout"}, 1, 1, 0.0, 0.0)) == (
        "Every released value must contain ill = gout, which one public value has (1 record): a "
        "merging has at most one released value, and keeps at most 0.0 %."
    )
    several = Cap({"ill": "gout"}, 5, 3, 1.0, 0.5)
    assert say.cap_words(several).endswith(
        "which 3 public values have (5 records): a merging has at most 3 released values, and "
        "keeps at most 50.0 %."
    )
    assert say.cap_words(several, of_rows=True).endswith(
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
        assert say.remedy_words(remedy) == f"{words}: keeps at least 50.0 %"


def test_how_to_ask_for_suggested_groups_is_said():
    step = Step((), (), 0.5, 0.5, "--combine ill=a,b")
    assert say.suggested_words(step, 1) == "What to add to protect: --combine ill=a,b"
    assert say.suggested_words(step, 2).startswith("What to add to protect for all 2 steps: --c")
    assert "recode" in say.suggested_words(replace(step, option=None), 2)


def test_what_would_help_a_column_is_said_of_it_and_of_the_others():
    out = Hint("sex", "leave out sex (-p without it)", 0.1, 0.5, 0.8, 0.9, "leave out")
    assert say.hint_words(out, 2) == (
        "leave out sex (-p without it): the other column keeps at least 90.0 % instead of 80.0 %"
    )
    assert say.hint_words(out, 3) == (
        "leave out sex (-p without it): the other columns keep at least 90.0 % instead of 80.0 % "
        "on average"
    )
    intact = replace(out, change="--intact sex", kind="intact", kept=1.0)
    assert say.hint_words(intact, 2) == (
        "--intact sex: sex keeps at least 100.0 % instead of 50.0 %, the other column keeps at "
        "least 90.0 % instead of 80.0 %"
    )
    bands = replace(out, change="replace age by 4 bands", kind="bands", column="age")
    assert say.hint_words(bands, 2).startswith(
        "replace age by 4 bands: its bands keep at least 10.0 % instead of 50.0 %, the other"
    )


def test_remedies_say_what_their_shares_are_of():
    assert say.more_title("whole rows") == "What would keep more"
    assert say.more_title("each column") == "What would keep more of what was asked for"


def test_an_explanation_says_when_there_is_nothing_to_explain():
    cap = Cap("gout", 5, 3, 1.0, 0.5)
    found = Explanation(kept=0.5, compared_with=None, limits=(), caps=(cap, cap), remedies=())
    assert say.explanation_words(found) == (say.cap_words(cap), say.NOTHING_TRIED)
    assert say.explanation_words(replace(found, compared_with=0.6)) == (say.cap_words(cap),)
    assert say.explanation_words(replace(found, kept=1.0)) == (say.NOTHING_LOST,)
    [capped, _] = say.explanation_words(found, of_rows=True)
    assert capped == say.cap_words(cap, of_rows=True)


@pytest.mark.parametrize(
    ("numbers", "drawn", "words"),
    [
        (
            (40, 29, 15, 40),
            False,
            (
                "40 public values are released as 29: 15 are merged with others, 25 stay as they "
                "are."
            ),
        ),
        (
            (3, 2, 2, 3),
            False,
            "3 public values are released as 2: 2 are merged with others, 1 stays as it is.",
        ),
        (
            (1, 1, 0, 1),
            False,
            "1 public value is released as 1: 0 are merged with others, 1 stays as it is.",
        ),
        ((9, 4, 0, 9), True, "The 9 public values. Each is released as one of 4, drawn at random."),
        ((9, 0, 0, 5), False, "The 9 public values. The page holds the first 5 of them."),
    ],
)
def test_the_partition_is_counted_in_words(numbers, drawn, words):
    assert say.partition_words(*numbers, drawn=drawn) == words


def test_what_is_not_bounded_is_not_promised():
    upper = Bound(math.inf, 1)
    promised = " ".join(say.guaranteed(upper, ["ill"], 5, "Beyond."))
    assert "more than 2.72 times as likely" in promised
    assert "less than" not in promised
    assert "at least 5 records" in promised
    assert promised.endswith("Beyond.")
    assert "Every block covers" in " ".join(say.guaranteed(upper, ["ill"], 5, None, as_values=True))
    options = {"population": False, "note": say.MECHANISM_NOTE}
    opened = " ".join(say.not_guaranteed(upper, ["ill"], each=True, **options))
    assert "only rising belief is bounded" in opened
    assert "Combinations" not in opened
    assert say.MECHANISM_NOTE in opened
    lower = " ".join(say.not_guaranteed(Bound(1, math.inf), ["a", "b"], each=True, **options))
    assert "only falling belief is bounded" in lower
    assert "Combinations of the sensitive columns" in lower
    drawn = say.not_guaranteed(upper, ["ill"], each=False, population=True, note=say.CHANNEL_NOTE)
    assert drawn[-1] == say.CHANNEL_NOTE
    assert "Other tables" not in " ".join(drawn)


def test_at_most_is_said_once_for_one_scope_and_by_method_for_several():
    assert say.at_most_words({"search": "merging", "exact": "merging"}) == (
        "At most: no merging can keep more."
    )
    assert say.at_most_words({"search": "merging", "ordered": "interval"}) == (
        "At most: for search, no merging can keep more; for ordered, no interval can keep more."
    )


def test_the_least_eps_and_pairs_and_groups_are_said():
    least = say.least_eps_statement("search", 0.421, 0.9, 0.908, 0.42)
    assert str(least) == (
        "eps 0.421 is the least found with search that keeps 90.0 % of the information. It keeps "
        "90.8 %; leakage 0.420 nats."
    )
    columns = say.least_eps_statement("search", 0.4, 0.9, 0.908, 0.4, "each column and whole rows")
    assert columns.headline.endswith(
        "keeps 90.0 % of what was asked for (each column and whole rows)."
    )
    assert say.pairs_left_out_words(1).endswith("1 other pair was not tried.")
    assert say.pairs_left_out_words(2000).endswith("2,000 other pairs were not tried.")
    assert say.nothing_to_group(0.5) == (
        "A release keeps 50.0 %; grouping sensitive values would not keep more."
    )
    assert say.nothing_to_group(0.5, of_rows=True).startswith(
        "A release keeps 50.0 % of the information in whole rows; grouping"
    )
    assert say.fewest_words(drawn=True) != say.fewest_words(drawn=False)


def test_columns_that_were_cut_by_themselves_are_named_with_an_option():
    own = replace(Cut.quantiles(3).at([5, 9]), automatic=True)
    born = replace(Cut.quantiles(2).at([date(2000, 1, 1)]), automatic=True)
    assert say.own_bands({"age": Cut.steps(10)}) == []
    [one] = say.own_bands({"age": Cut.steps(10), "in come": own})
    assert one.text == (
        "in come in 3 quantile bands, with round edges: very many values differ. Cut it otherwise "
        "with --bin, for example --bin 'in come=quantiles:20'."
    )
    [two] = say.own_bands({"born": born, "income": own})
    assert "born in 2 quantile bands and income in 3 quantile bands" in two.text
    assert two.text.endswith("Cut them otherwise with --bin, for example --bin born=month.")
