"""What an audit says about the population, in Python and in words."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import loglift
from known import table_joint
from loglift import Bound
from loglift.audit.audit import audit_joint
from loglift.confidence.intervals import omega_intervals
from loglift.confidence.population import population_of
from loglift.report.sentences.population import audited_population, verified_population

COUNTS = np.array([[300, 200], [250, 250], [180, 330], [20, 30]])


def audited(counts=COUNTS, **options):
    return audit_joint(table_joint(counts), **options)


def test_an_audit_without_a_confidence_says_nothing_about_the_population():
    audit = audited()
    assert audit.population is None
    assert all(risk.population is None for risk in audit.riskiest)


def test_an_audit_with_a_confidence_has_intervals_around_every_omega():
    audit = audited(confidence=0.9)
    intervals = omega_intervals([COUNTS], 1 - 0.9)
    assert audit.population.leakage == loglift.leakage_bound(COUNTS, 0.9)
    assert audit.population.holds is audit.population.records_needed is None
    for risk in audit.riskiest:
        found = risk.population
        assert found.lower <= risk.omega <= found.upper
        assert (found.lower, found.upper) == tuple(intervals[risk.value["a"]])
        assert found.records_needed is None


@pytest.mark.parametrize(
    ("eps", "holds", "more"), [(1.0, True, False), (0.5, False, True), (0.05, False, None)]
)
def test_a_bound_is_certified_or_takes_more_records_or_cannot_be(eps, holds, more):
    audit = audited(confidence=0.95, bound=Bound.symmetric(eps))
    assert audit.population.holds is holds
    needed = audit.population.records_needed
    assert (needed is None) == (more is None)
    if more is not None:
        assert (needed > audit.records) is more
        assert needed == max(r.population.records_needed for r in audit.riskiest)
    words = {True: "is certified;", False: "that takes about", None: "would not change that"}
    key = True if holds else (False if more else None)
    assert words[key] in audited_population(audit)


def test_an_audit_of_zeros_is_valid_json_and_says_so():
    audit = audited(np.array([[50, 0], [40, 30]]), confidence=0.95, bound=Bound.symmetric(1))
    document = json.loads(json.dumps(audit.as_dict(), allow_nan=False))
    assert document["population"]["leakage"] == "inf"
    assert document["riskiest"][0]["population"]["upper"] == "inf"
    assert "may rule a sensitive value out" in audited_population(audit)


def test_what_fresh_records_prove_is_said():
    bound = Bound(math.inf, 0.3)
    assert "upper 0.228 too" in verified_population(
        population_of([COUNTS * 100], bound, 0.9), bound
    )
    assert "only upper" in verified_population(population_of([COUNTS], bound, 0.9), bound)
    zeros, eps = np.array([[5, 0], [4, 3]]), Bound.symmetric(1)
    assert "nothing is certified" in verified_population(population_of([zeros], eps, 0.9), eps)
