"""A release says that it is safe, what it keeps, and what stays open."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest

import loglift
from certificates import BY_COLUMN, CERTIFICATE, VALUE
from loglift.cuts import Cut
from loglift.report.sentences.check import check_statements
from loglift.report.sentences.release import partition_words, release_statements
from loglift.report.summary import Summary


def test_a_release_says_that_it_is_safe_and_what_it_keeps(audit):
    [safe] = release_statements(CERTIFICATE, audit, None)
    assert safe.tone == "good"
    assert safe.headline == "Safe: belief in any value moves at most 2.72-fold either way."
    assert safe.text == (
        "None of the 2 released values of town moves belief about ill beyond eps 1, checked "
        "exactly on 20 records. Kept 80.0 % of the information; no merging can keep more than "
        "90.0 %."
    )
    one = replace(CERTIFICATE, values=(VALUE,), records=1, utility=0.9, goal_kept=0.9)
    [safe] = release_statements(one, audit, None)
    assert "The one released value of town does not move belief" in safe.text
    assert "checked exactly on 1 record." in safe.text
    assert safe.text.endswith("no merging can keep more.")


def test_another_goal_is_named_and_whole_rows_are_claimed_nothing_about(audit):
    [safe, _] = release_statements(BY_COLUMN, audit, None)
    assert safe.text.endswith(
        "on 20 records. Kept 95.5 % of what was asked for (each column and whole rows); no merging "
        "can keep more than 99.1 %. It keeps 80.0 % of the information in whole rows."
    )


def test_the_cost_names_the_promises_that_it_is_the_cost_of(audit):
    def cost(**changes):
        made = replace(CERTIFICATE, kept_without=0.9, **changes)
        [said] = [each for each in release_statements(made, audit, None) if "costs" in str(each)]
        return said.text.partition(" would keep 90.0 %")[0]

    assert cost(known=("age",)) == "A release for readers who know no more"
    assert cost(both=True) == "A release that bounds weighted shares alone"
    assert cost(both=True, known=("age",)) == (
        "A release that bounds weighted shares alone, for readers who know no more,"
    )


def test_several_sensitive_columns_are_said_together_or_apart(audit):
    both = replace(CERTIFICATE, sensitive=("ill", "sex"), bins={"town": Cut.steps(10)})
    [safe] = release_statements(both, audit, None)
    assert (
        "values of town (in steps of 10) moves belief about ill, sex, taken together," in safe.text
    )
    [safe] = release_statements(replace(both, each=True), audit, None)
    assert "about ill, sex, each on its own, beyond" in safe.text


def test_what_is_released_beside_is_warned_of(audit):
    shown = replace(CERTIFICATE, beside=("age", "ill"))
    [_, warning] = release_statements(shown, audit, None)
    assert (warning.tone, warning.headline) == ("bad", "Not protected.")
    assert warning.text.startswith("ill is released as in the table")
    [_, warning] = release_statements(CERTIFICATE, audit, audit)
    assert warning.tone == "bad"
    assert warning.text.startswith("sex is released as in the table. Together with the released")
    assert "it leaks" in warning.text
    several = replace(audit, public=("town", "sex", "age"), leakage=math.inf)
    [_, warning] = release_statements(CERTIFICATE, audit, several)
    assert warning.text.startswith("sex, age are released")
    assert "they leak infinitely many nats" in warning.text
    [_, fine] = release_statements(CERTIFICATE, audit, replace(audit, holds=True))
    assert fine.tone == "good"
    assert fine.headline == "Released as in the table: sex."


def test_columns_that_are_audited_in_bands_leak_at_least_that(audit):
    town, sex = audit.joint.columns
    cut = replace(Cut.quantiles(4), points=(1, 2, 3), automatic=True)
    joint = audit.joint.with_columns((town, replace(sex, bin=cut)))
    for holds in (False, True):  # exact values tell more, so that bands prove nothing
        [_, warning] = release_statements(
            CERTIFICATE, audit, replace(audit, joint=joint, holds=holds)
        )
        assert (warning.tone, warning.headline) == ("bad", "Not protected.")
        assert warning.text.startswith("sex is released as in the table. Together with")
        assert "it leaks at least " in warning.text
        assert "; at least " in warning.text
        assert "measured on sex in 4 quantile bands: it has very many values" in warning.text
    endless = replace(audit, joint=joint, leakage=math.inf)
    [_, warning] = release_statements(CERTIFICATE, audit, endless)
    assert "it leaks infinitely many nats; at least " in warning.text


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
    assert partition_words(*numbers, drawn=drawn) == words


def test_no_sentence_promises_more_than_the_group_where_values_count_as_one():
    """One person alone has "rare", which a released value points at: only the group is bounded."""
    rows = [(f"x{i % 4}", "rare" if i == 0 else "abc"[i % 3]) for i in range(240)]
    table = pl.DataFrame(rows, schema=["x", "s"], orient="row")
    made = loglift.protect(table, sensitive="s", public="x", eps=0.5, combine={"s": ["rare", "a"]})
    assert len(made.mechanism.blocks) > 1
    summary = Summary.of_release(made.mechanism, made.certificate, made.audit, made.notions)
    taken = "rare and a of s taken as one"
    assert taken in summary.statements[0].headline
    promised = [words for words in summary.guaranteed if "any value of s" in words]
    assert len(promised) == 2
    assert all(taken in words for words in promised)
    checked = check_statements(loglift.verify(made.mechanism, table))
    assert taken in checked[0].headline
    audited = loglift.audit(table, sensitive="s", public="x", eps=3, combine={"s": ["rare", "a"]})
    assert taken in Summary.of_audit(audited).statements[0].headline
