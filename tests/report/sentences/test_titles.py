"""Titles and names: one name for one figure."""

from __future__ import annotations

from loglift.report.sentences.titles import fewest_words, kept_name, more_title, rows_kept_name


def test_one_share_has_one_name():
    assert kept_name("whole rows") == rows_kept_name("whole rows")
    assert kept_name("sex") != rows_kept_name("sex")


def test_remedies_say_what_their_shares_are_of():
    assert more_title("whole rows") == "What would keep more"
    assert more_title("each column") == "What would keep more of what was asked for"


def test_draws_only_have_an_expected_number_of_records():
    assert fewest_words(drawn=True) != fewest_words(drawn=False)
