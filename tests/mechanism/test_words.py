"""Values and bounds in words: no two look the same."""

from __future__ import annotations

import math

import pytest

from loglift import AlphaLift, Bound, TCloseness
from loglift.mechanism.words import limit_of, requirement_words, value_words
from loglift.promise.catalogue import KINDS


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (Bound.symmetric(1), "eps 1"),
        (Bound(0.5, 2), "lower 0.5, upper 2"),
        (Bound(math.inf, 0.1 + 0.2), "upper 0.30000000000000004"),
        (Bound.beta_likeness(1), "beta 1"),
        (Bound.requiring(TCloseness(0.2), eps=1), "eps 1, t-closeness 0.2"),
        (Bound.requiring(AlphaLift(0.5, alpha=3)), "alpha-lift of order 3 0.5"),
        (Bound.symmetric(1).with_values({"HIV": 0.3, None: None}, "ill"),
         "eps 1 (HIV 0.3, NULL not bounded)"),
        (Bound.symmetric(1).with_values({"HIV": (0.3, 2)}, "ill"),
         "eps 1 (HIV lower 0.3 and upper 2)"),
    ],
)  # fmt: skip
def test_bounds_are_said_in_the_words_of_their_options(bound, words):
    assert limit_of(bound) == words


@pytest.mark.parametrize("kind", KINDS)
def test_every_requirement_has_its_words(kind):
    assert requirement_words(kind(1)).endswith(" 1")


def test_a_text_that_reads_like_a_missing_value_is_quoted():
    assert [value_words(value) for value in (None, math.nan, "", "flu", 3, True)] == [
        "NULL", "NaN", "(empty)", "flu", "3", "true",
    ]  # fmt: skip
    assert [value_words(text) for text in ("NULL", "NaN", "(empty)")] == [
        '"NULL"', '"NaN"', '"(empty)"',
    ]  # fmt: skip
