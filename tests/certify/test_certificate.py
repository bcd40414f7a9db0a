"""A certificate: its shares, its words and its file."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from certificates import BY_COLUMN, CERTIFICATE
from loglift.certify.certificate import EXPECTED, NOTE, OF_BLOCKS
from loglift.certify.released_values import direction_of


@pytest.mark.parametrize(
    ("log_lift", "word"), [(-math.inf, "rules out"), (-0.1, "lowers"), (0.1, "raises")]
)
def test_what_a_log_lift_does_is_one_word(log_lift, word):
    assert direction_of(log_lift) == word


def test_shares_are_of_the_goal_and_of_rows_where_no_goal_is_known():
    assert BY_COLUMN.goal_share == 0.955
    assert BY_COLUMN.at_most == 0.9905
    assert not BY_COLUMN.keeps_rows
    unknown = replace(BY_COLUMN, goal=None, goal_words=None, goal_kept=None, goal_most=None)
    assert unknown.goal_share == 1 - BY_COLUMN.nmil
    assert unknown.at_most == 1
    assert unknown.keeps_rows
    assert replace(BY_COLUMN, goal_kept=1 - 1e-12).goal_share == 1


def test_one_public_value_has_nothing_to_lose():
    nothing = replace(CERTIFICATE, utility=1e-12)
    assert nothing.keeps_nothing
    assert not CERTIFICATE.keeps_nothing
    assert not replace(nothing, public_values=1).keeps_nothing


def test_the_text_in_pieces_is_the_whole_document():
    written = json.loads("".join(CERTIFICATE.written()))
    assert written == json.loads(json.dumps(CERTIFICATE.as_dict()))
    assert len(written["values"]) == len(CERTIFICATE.values) == 2


def test_the_note_says_what_is_bounded():
    assert CERTIFICATE.as_dict()["note"] == NOTE
    assert replace(CERTIFICATE, drawn=True).as_dict()["note"] == f"{NOTE} {EXPECTED}"
    assert replace(CERTIFICATE, show="values").as_dict()["note"] == f"{NOTE} {OF_BLOCKS}"
