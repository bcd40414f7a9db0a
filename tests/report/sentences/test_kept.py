"""What is kept, as a share of the goal, and what is proven about it."""

from __future__ import annotations

from dataclasses import replace

from certificates import BY_COLUMN, CERTIFICATE
from loglift import least_eps
from loglift.report.sentences.kept import (
    at_most_words,
    kept_words,
    least_eps_statement,
    weights_words,
)


def test_what_is_kept_is_a_share_of_the_goal():
    best = replace(BY_COLUMN, goal_kept=0.9905)
    assert kept_words(best).startswith("Kept 99.1 % of what was asked for")
    assert "no merging can keep more. It keeps 80.0 %" in kept_words(best)
    # A single column that is its own and only target: the row, under another name and unit.
    alone = replace(CERTIFICATE, goal="columns", goal_kept=0.4, goal_most=0.5, upper_bound=0.45)
    assert kept_words(alone) == kept_words(CERTIFICATE)


def test_a_goal_is_listed_with_its_weights():
    assert weights_words(CERTIFICATE.targets) == "the information in whole rows"
    assert weights_words(BY_COLUMN.targets) == "town 40 %, sex 40 %, whole rows 20 %"


def test_at_most_is_said_once_for_one_scope_and_by_method_for_several():
    assert at_most_words({"search": "merging", "exact": "merging"}) == (
        "At most: no merging can keep more."
    )
    assert at_most_words({"search": "merging", "ordered": "interval"}) == (
        "At most: for search, no merging can keep more; for ordered, no interval can keep more."
    )


def test_the_least_eps_is_said():
    made = replace(least_eps([[30, 10], [10, 30], [20, 20]], 0.6), asked=0.9, kept=0.908, eps=0.721)
    assert str(least_eps_statement(made)) == (
        "eps 0.721 is the least found with search that keeps 90.0 % of the information. It keeps "
        "90.8 %; leakage 0.693 nats."
    )
    columns = least_eps_statement(replace(made, goal_words="each column and whole rows"))
    assert columns.headline.endswith(
        "keeps 90.0 % of what was asked for (each column and whole rows)."
    )
