"""How numbers are written: short, and true as they are said."""

from __future__ import annotations

import math

from hypothesis import given, strategies as st

from loglift.display.numbers import exact, nats, percent, percent_up


def test_shares_are_never_rounded_to_all_or_to_nothing():
    told = {0: "0.0 %", 1e-16: "0.0 %", 1e-6: "under 0.1 %", 0.0004: "under 0.1 %"}
    told |= {0.0006: "0.1 %", 0.5: "50.0 %", 0.9996: "99.9 %", 1: "100.0 %"}
    assert {share: percent(share) for share in told} == told


@given(st.floats(0, 1))
def test_an_upper_bound_is_rounded_up(share):
    assert float(percent_up(share).removesuffix(" %")) >= 100 * share - 1e-7


def test_nats_have_three_decimals_and_may_be_infinite():
    assert (nats(1.23456), nats(math.inf)) == ("1.235", "inf")


@given(st.floats(allow_nan=False))
def test_an_exact_number_is_not_rounded(number):
    assert float(exact(number)) == number


def test_an_exact_number_is_short():
    assert [exact(number) for number in (1.0, 0.5, 1 / 3)] == ["1", "0.5", "0.3333333333333333"]
