"""Sentences about the population; what they claim is tested in tests/confidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift.confidence.sample import Interval
from loglift.display.numbers import percent
from loglift.report.sentences.population import (
    audited_population,
    interval_text,
    level,
    released_population,
    verified_population,
)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    town = rng.integers(0, 4, 8000)
    ill = np.where(rng.random(8000) < 0.2 + 0.02 * town, "yes", "no")
    return pd.DataFrame({"town": town, "ill": ill})


def test_a_release_says_what_the_promise_rests_on_and_costs(table):
    columns = {"sensitive": "ill", "public": "town"}
    certificate = loglift.protect(table, **columns, eps=1, confidence=0.95).certificate
    said = released_population(certificate)
    found = certificate.population
    assert said.startswith("With 95 % confidence this holds for the population")
    assert (
        f"{found.choice.records:,} records chose what to merge and {found.records:,} other" in said
    )
    assert "Without this promise" in said
    assert "Without this promise" not in released_population(replace(certificate, entropy=0.0))
    # Another goal: no cost is claimed, because whole rows may keep more with the promise.
    other = replace(certificate, goal_words="each column and whole rows")
    without = percent(found.choice.utility_without / certificate.entropy)
    assert released_population(other).endswith(
        f"Whole rows keep {percent(1 - certificate.nmil)} of their information; without this "
        f"promise they would keep {without}."
    )
    plain = loglift.protect(table, **columns, eps=1).certificate
    assert released_population(plain) == "not asked for"


def test_an_audit_says_what_is_certified(table):
    columns = {"sensitive": "ill", "public": "town"}
    audit = loglift.audit(table, **columns, eps=1, confidence=0.9)
    said = audited_population(audit)
    assert said.startswith("With 90 % confidence the leakage of the population")
    assert "eps 1 is certified; about " in said
    assert audited_population(replace(audit, bound=None)).endswith(" nats.")
    assert audited_population(replace(audit, population=None)) == "not asked for"
    tight = loglift.audit(table, **columns, eps=0.001, confidence=0.9)
    assert "the table itself is outside the bound. Protect it." in audited_population(tight)


def test_fresh_records_say_what_they_prove(table):
    made = loglift.protect(table, sensitive="ill", public="town", eps=1)
    found = loglift.verify(made.mechanism, table, confidence=0.9)
    said = verified_population(found.population, found.bound)
    assert "if these 8,000 records are a random sample" in said
    assert said.endswith(" too.")


def test_numbers_are_short():
    assert interval_text(Interval(0.123, float("inf"), None)) == "0.12 to inf"
    assert level(0.95) == "95 %"
    assert level(0.999) == "99.9 %"


def test_what_is_drawn_to_certify_is_said(table):
    columns = {"sensitive": "ill", "public": "town"}
    made = loglift.protect(table, **columns, eps=1, confidence=0.95, method="randomized")
    found = made.certificate.population
    said = released_population(made.certificate)
    assert (
        f"chose what to draw and {found.records:,} others certified it, each by a released value "
        "that it drew for this alone."
    ) in said
    fresh = loglift.verify(made, table, confidence=0.9)
    assert "and each draws a released value, the population" in verified_population(
        fresh.population, fresh.bound
    )
