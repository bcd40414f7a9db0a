"""The smallest tables under the most extreme bounds: a safe release, or a clear refusal."""

from __future__ import annotations

import math
from itertools import product

import polars as pl
import pytest

import loglift
from loglift import Bound, InputError, UnsafeError
from loglift.report.page import render
from loglift.report.summary import Summary

TABLES = {
    "one record": [("a", "x")],
    "two records": [("a", "x"), ("b", "y")],
    "one public value": [("a", s) for s in "xyxyxyyy"],
    "one sensitive value": [(p, "x") for p in "abcabcaab"],
    "all records identical": [("a", "x")] * 20,
    "a sensitive value with one record": [(p, s) for p in "abcd" for s in "xxyy"] + [("a", "z")],
    "every value rules another out": [("a", "x")] * 5 + [("b", "y")] * 5 + [("c", "z")] * 3,
    "every record its own value": [(f"v{i}", "xy"[i % 2]) for i in range(12)],
}
BOUNDS = [
    {"eps": eps} for eps in (0, 5e-324, 1e-300, 1e-12, 1e-9, 0.5, 231, 700, 1e4, 1e308, math.inf)
] + [
    {"bound": Bound(math.inf, 0.0)},
    {"bound": Bound(math.inf, 700)},
    {"bound": Bound(0.0, math.inf)},
    {"bound": Bound(1e308, math.inf)},
    {"bound": Bound(1e-9, 1e4)},
]
METHODS = ["search", "exact", "ordered", "greedy", "complete", "randomized"]


def table_of(name):
    return pl.DataFrame(TABLES[name], schema=["x", "s"], orient="row")


def released(frame, method, bound, **options):
    """Protect and render; None where it is refused."""
    try:
        result = loglift.protect(
            frame, sensitive="s", public="x", method=method, **bound, **options
        )
    except (InputError, UnsafeError):
        return None
    page = render(result.summary, command="loglift protect")
    assert "nan" not in page.lower().split()
    return result


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", TABLES)
def test_protect_releases_safely_or_refuses(name, method):
    frame, done = table_of(name), 0
    for bound in BOUNDS:
        result = released(frame, method, bound)
        if result is not None:
            done += 1
            assert result.certificate.holds
            assert loglift.verify(result, frame).holds
    single = table_of(name)["s"].n_unique() == 1  # refused: there is nothing to protect
    assert done == (0 if single else len(BOUNDS) - 1)  # and a bound infinite on both sides


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999999, 1 - 1e-9])
@pytest.mark.parametrize("name", TABLES)
def test_a_confidence_certifies_or_refuses(name, confidence):
    """What is released is safe on the table, and more than one value only if records certify it."""
    frame = table_of(name)
    refused = 0
    for bound, method in product(BOUNDS, ["greedy", "ordered", "search"]):
        result = released(frame, method, bound, confidence=confidence)
        if result is None:
            refused += 1
            continue
        assert loglift.verify(result, frame).holds
        several, population = len(result.certificate.values) > 1, result.certificate.population
        assert population.records < frame.height or not several
    nothing = frame["s"].n_unique() == 1
    assert refused >= (3 * len(BOUNDS) if nothing else 3)  # 3: a bound infinite on both sides


def test_many_records_are_certified_at_every_confidence():
    """So that the tests above are about refusals for want of records, not for any other reason."""
    rows = [(p, s) for p, s in product("abc", "xy") for _ in range(400)]
    frame = pl.DataFrame(rows, schema=["x", "s"], orient="row")
    for confidence in (0.5, 0.95, 0.999999, 1 - 1e-9):
        result = released(frame, "search", {"eps": 1}, confidence=confidence)
        assert len(result.certificate.values) == 3
        assert result.certificate.population.lower <= 1


def test_a_refusal_at_the_highest_confidence_is_one_sentence():
    rows = [("pqrst"[i % 5], s) for i, s in enumerate(["a"] * 199 + ["b"] * 200 + ["c"])]
    frame = pl.DataFrame(rows, schema=["x", "s"], orient="row")
    with pytest.raises(UnsafeError, match=r"at confidence 0\.999999999 from 400 records"):
        loglift.protect(
            frame,
            sensitive="s",
            public="x",
            bound=loglift.Bound(math.inf, 0.7),
            confidence=0.999999999,
        )


@pytest.mark.parametrize("confidence", [None, 0.5, 0.999999])
@pytest.mark.parametrize("name", TABLES)
def test_audit_measures_or_refuses(name, confidence):
    frame = table_of(name)
    for bound in BOUNDS:
        try:
            found = loglift.audit(frame, sensitive="s", public="x", confidence=confidence, **bound)
        except InputError:
            assert frame["s"].n_unique() == 1 or bound == {"eps": math.inf}
            continue
        assert render(Summary.of_audit(found), command="loglift audit")
