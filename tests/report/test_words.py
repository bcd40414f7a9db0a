"""Numbers, bounds and values in words: short, and true as they are said."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from loglift import AlphaLift, DistinctDiversity, TCloseness
from loglift.certify.certificate import Belief
from loglift.cuts import Cut
from loglift.display.numbers import nats
from loglift.promise.bound import Bound
from loglift.promise.catalogue import KINDS
from loglift.report.words import (
    amount,
    as_one,
    belief_words,
    binned,
    either,
    event_words,
    events_words,
    fold,
    fraction,
    held,
    listed,
    measure_title,
    number_of,
    required,
    rounded_up,
    series,
)

SIZES = st.floats(0, 50)


def test_a_rare_belief_is_told_in_digits_that_matter():
    before, least, most = belief_words(Belief({"s": "x"}, 0.00028, 0.00028 / math.e, 0.00076))
    assert (before, least, most) == ("0.028 %", "0.010 %", "0.076 %")
    before, least, most = belief_words(Belief({"s": "x"}, 0.9997, 0.99918, 0.99989))
    assert (before, least, most) == ("99.970 %", "99.918 %", "99.989 %")
    assert belief_words(Belief({"s": "x"}, 1.0, 1.0, 1.0)) == ("100.0 %",) * 3
    assert belief_words(Belief({"s": "x"}, 0.5, *Bound.symmetric(20).belief_range(0.5))) == (
        "50.0 %", "nearly 0 %", "nearly 100 %",
    )  # fmt: skip
    assert belief_words(Belief({"s": "x"}, 2e-7, 1.2e-7, 3e-7))[1:] == ("0.000012 %", "0.000030 %")
    assert belief_words(Belief({"s": "x"}, 0.5, 0.0, 1.0)) == ("50.0 %", "0.0 %", "100.0 %")


@given(SIZES)
def test_a_factor_stays_true_as_it_is_said(size):
    up, down = float(fold(size)), float(fraction(size))
    assert math.exp(size) * (1 - 1e-8) <= up <= math.exp(size) * 1.011
    assert math.exp(-size) / 1.011 <= down <= math.exp(-size) * (1 + 1e-6)


def test_factors_are_as_short_as_they_can_be():
    assert [fold(size) for size in (0, math.log(1.5), 0.4, 1)] == ["1", "1.5", "1.5", "2.72"]
    assert [fraction(size) for size in (0, math.log(2), 1)] == ["1", "0.5", "0.367"]
    assert float(fold(10_000)) > 1e300


@given(st.floats(1e-6, 1e9))
def test_numbers_are_rounded_up_to_two_digits(number):
    assert number * (1 - 1e-6) <= rounded_up(number) <= number * 1.101


def test_how_far_belief_moves_is_said_for_every_kind_of_bound():
    inf = math.inf
    said = {
        Bound(1, 1): "moves at most 2.72-fold either way",
        Bound(0, 0): "does not move",
        Bound(inf, 1): "rises at most 2.72-fold",
        Bound(1, inf): "falls at most 2.72-fold",
        Bound(1, 0.5): "rises at most 1.65-fold and falls at most 2.72-fold",
    }
    assert {bound: held(bound) for bound in said} == {
        bound: f"belief in any value {words}" for bound, words in said.items()
    }


def test_numbers_have_the_right_form_of_their_words():
    assert [number_of(n, "record") for n in (0, 1, 2500)] == [
        "0 records",
        "1 record",
        "2,500 records",
    ]
    assert [either(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]
    assert nats(math.inf) == "inf"
    assert amount(math.inf) == "infinitely many nats"
    assert amount(0.25) == "0.250 nats"


def test_a_series_has_its_word_before_the_last_part():
    assert series(["a"]) == "a"
    assert series(["a", "b"]) == "a and b"
    assert series(["a", "b", "c"], "or") == "a, b or c"


def test_columns_and_values_are_named():
    assert listed([f"c{i}" for i in range(14)], most=2) == "c0, c1 and 12 more"
    assert binned("age", {"age": Cut.steps(10)}) == "age (in steps of 10)"
    assert binned("sex", {"age": 10}) == "sex"
    assert event_words({"a": 1, "b": "x"}) == "a = 1, b = x"
    assert event_words("flu") == "flu"
    assert events_words([{"a": 1}, {"a": 2}]) == "a = 1, 2"
    assert events_words([{"a": 1, "b": 2}, "flu"]) == "a = 1, b = 2; flu"


def test_a_text_that_reads_like_a_missing_value_is_quoted():
    assert event_words({"ill": None}) != event_words({"ill": "NULL"})
    assert events_words([{"ill": None}, {"ill": "NULL"}]) == 'ill = NULL, "NULL"'


@pytest.mark.parametrize("kind", KINDS)
def test_every_requirement_has_its_words(kind):
    told = required(kind(1), "illness")
    assert "illness" in told
    assert told.endswith(".")
    assert measure_title(kind.key)
    said = required(kind(1), "illness", "population")
    assert said == told.replace("whole table", "population")


def test_a_change_of_shares_is_told_in_points():
    told = required(TCloseness(0.15), "illness")
    assert told.endswith("by more than 15.0 percentage points (t-closeness).")


def test_requirements_are_named_beside_the_bound():
    bound = Bound.requiring(TCloseness(0.2), AlphaLift(0.5, alpha=3), eps=1)
    assert held(bound) == (
        "belief in any value moves at most 2.72-fold either way, and every released value meets "
        "t-closeness 0.2 and alpha-lift of order 3 0.5"
    )
    alone = Bound.requiring(DistinctDiversity(3))
    assert held(alone) == "every released value meets distinct l-diversity 3"
    assert measure_title("average_log_lift") == "average log-lift (nats)"


def test_values_that_count_as_one_are_named_where_any_value_is_promised():
    combined = {"ill": ((None, "HIV"),), "job": (tuple("abcde"), ("f", "g"))}
    said = "NULL and HIV of ill; some values of job; f and g of job taken as one"
    assert as_one(combined) == said
    assert held(Bound.symmetric(1), combined) == (
        f"belief in any value, {said}, moves at most 2.72-fold either way"
    )
