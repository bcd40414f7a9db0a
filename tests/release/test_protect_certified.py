"""Releases certified for the population: known joints, and what the split may not do."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import polars as pl
import pytest

import loglift
from known import known_joint
from loglift import Bound, BoundError, InputError, UnsafeError
from loglift.confidence.proposal import Draws
from loglift.confidence.split import split
from loglift.mechanism.mechanism import Mechanism
from loglift.tables import count


def adult_like(total=20_000, seed=0):
    rng = np.random.default_rng(seed)
    joint = known_joint(rng, 12, 2, spread=20)
    cells = rng.choice(joint.size, total, p=joint.ravel() / joint.sum())
    return pl.DataFrame({"x": cells // 2, "s": cells % 2})


def test_the_certificate_tells_the_split_and_the_cost(tmp_path):
    frame = adult_like()
    result = loglift.protect(frame, sensitive="s", public="x", eps=0.5, confidence=0.95)
    plain = loglift.protect(frame, sensitive="s", public="x", eps=0.5)
    found = json.loads(json.dumps(result.certificate.as_dict()))["population"]
    assert found["confidence"] == 0.95
    assert found["holds"] is True
    assert found["upper"] == found["lower"] == 0.5
    assert found["records"] + found["choice"]["records"] == len(frame)
    assert found["choice"]["records"] == pytest.approx(0.4 * len(frame), abs=400)
    assert found["choice"]["utility_without"] == plain.certificate.utility
    assert found["choice"]["cost"] == pytest.approx(
        plain.certificate.utility - result.certificate.utility
    )
    assert 0 < found["choice"]["margin"] < 0.5
    assert plain.certificate.as_dict()["population"] is None
    again = loglift.protect(frame, sensitive="s", public="x", eps=0.5, confidence=0.95)
    assert again.certificate == result.certificate
    path = tmp_path / "mechanism.json"
    path.write_text(result.mechanism.to_json())
    fresh = loglift.verify(path, adult_like(seed=1, total=500), confidence=0.9).population
    assert fresh.choice is None
    assert fresh.records == 500


def test_runs_of_an_ordered_column_stay_runs():
    rng = np.random.default_rng(5)
    age = rng.integers(20, 70, 20_000)
    frame = pl.DataFrame({"age": age, "s": rng.random(age.size) < age / 100})
    result = loglift.protect(
        frame, sensitive="s", public="age", eps=0.5, method="ordered", confidence=0.95
    )
    blocks = np.array(result.mechanism.labels)
    assert (np.diff(blocks) >= 0).all()
    assert blocks.max() > 0
    assert result.mechanism.unseen is None


def test_each_sensitive_column_and_the_least_number_of_records_are_certified_too():
    frame = adult_like().with_columns(t=pl.Series(np.random.default_rng(1).random(20_000) < 0.4))
    result = loglift.protect(
        frame, sensitive=["s", "t"], public="x", eps=0.6, each=True, min_count=900, confidence=0.9
    )
    assert min(value.records for value in result.certificate.values) >= 900
    assert len(result.certificate.values) > 1


def test_what_cannot_be_certified_says_what_would_help():
    frame = adult_like(400)
    with pytest.raises(UnsafeError, match="only a single released value") as caught:
        loglift.protect(frame, sensitive="s", public="x", eps=0.1, confidence=0.99)
    text = str(caught.value)
    records = int(re.search(r"about ([\d,]+) records would do", text)[1].replace(",", ""))
    eps = float(re.search(r"about eps ([\d.]+) would do", text)[1])
    assert records > 400
    wide = loglift.protect(frame, sensitive="s", public="x", eps=1.3 * eps, confidence=0.99)
    assert len(wide.certificate.values) > 1
    more = adult_like(2 * records)
    enough = loglift.protect(more, sensitive="s", public="x", eps=0.1, confidence=0.99)
    assert len(enough.certificate.values) > 1


def test_one_value_is_certain_and_costs_nothing():
    frame = pl.DataFrame({"x": ["a", "b"] * 10, "s": [0, 1] * 10})
    result = loglift.protect(frame, sensitive="s", public="x", eps=0.1, confidence=0.95)
    assert len(result.certificate.values) == 1
    assert result.certificate.population.holds
    assert result.certificate.population.choice.cost == 0


def test_unseen_values_are_released_where_they_were_certified():
    result = loglift.protect(adult_like(), sensitive="s", public="x", eps=0.5, confidence=0.95)
    mechanism = Mechanism.from_json(result.mechanism.to_json())
    assert mechanism.unseen == result.mechanism.unseen
    new = pl.DataFrame({"x": [99, 0]})
    applied = loglift.apply(mechanism, new, unseen="merge", keep_order=True)["x"].to_list()
    assert applied[0] == mechanism.released[0].values[mechanism.unseen]
    plain = loglift.protect(adult_like(), sensitive="s", public="x", eps=0.5)
    assert "unseen" not in json.loads(plain.mechanism.to_json())
    with pytest.raises(InputError, match="no block for unseen"):
        loglift.apply(plain, new, unseen="merge")
    runs = loglift.protect(
        adult_like(), sensitive="s", public="x", eps=0.5, confidence=0.95, method="ordered"
    )
    with pytest.raises(InputError, match="unless its column is ordered"):
        loglift.apply(runs, new, unseen="merge")
    with pytest.raises(InputError, match="'merge', got"):
        loglift.apply(plain, new, unseen="guess")
    damaged = result.mechanism.to_json().replace(f'"unseen": {mechanism.unseen}', '"unseen": 999')
    with pytest.raises(loglift.MechanismError, match="block of unseen"):
        Mechanism.from_json(damaged)


def test_options_that_make_no_sense_are_refused():
    frame = adult_like(100)
    common = {"sensitive": "s", "public": "x", "eps": 1}
    with pytest.raises(BoundError, match="confidence"):
        loglift.protect(frame, **common, confidence=95)
    with pytest.raises(InputError, match="choose_share"):
        loglift.protect(frame, **common, confidence=0.95, choose_share=1)
    with pytest.raises(InputError, match="leave over"):
        loglift.protect(frame, **common, confidence=0.95, over="high-risk")
    few = pl.DataFrame({"x": ["a", "a", "b", "b"], "s": [0, 1, 0, 1]})
    with pytest.raises(UnsafeError, match=r"too few|only a single"):
        loglift.protect(few, **common, confidence=0.95)


@pytest.mark.parametrize("bound", [Bound(math.inf, 1), Bound.symmetric(1)])
def test_a_sensitive_value_may_be_missing_from_the_choosing_records(bound):
    """Its share is unknown there, and still the certifying records decide."""
    frame = pl.concat([adult_like(), pl.DataFrame({"x": [3], "s": [2]})])
    common = {"sensitive": "s", "public": "x", "bound": bound}
    counts = count(frame, "x", "s")
    seed = int(loglift.protect(frame, **common).certificate.counts_sha256[:12], 16)
    assert split(counts, 0.4, seed).choosing.prior[2] == 0
    if math.isfinite(bound.lower):  # a value of one record leaves one block: safe in any population
        certified = loglift.protect(frame, **common, confidence=0.9)
        assert len(certified.certificate.values) == 1
    else:
        with pytest.raises(UnsafeError, match="rarest sensitive value has 1 record:"):
            loglift.protect(frame, **common, confidence=0.9)


def test_a_confidence_of_one_half_certifies_more_than_a_larger_one():
    half, more = (
        loglift.protect(adult_like(), sensitive="s", public="x", eps=0.5, confidence=level)
        for level in (0.5, 0.95)
    )
    assert half.certificate.population.holds
    assert half.certificate.utility >= more.certificate.utility


@pytest.mark.parametrize("eps", [0, 5e-324, 1e-300, 1e-9])
def test_no_bound_is_too_tight_to_be_refused(eps):
    """Each value of this table shows nothing, so that nothing is merged without a confidence."""
    frame = pl.DataFrame({"x": [x // 200 for x in range(2000)], "s": [x % 2 for x in range(2000)]})
    assert loglift.protect(frame, sensitive="s", public="x", eps=eps).mechanism.nmil == 0
    with pytest.raises(UnsafeError, match="only a single released value"):
        loglift.protect(frame, sensitive="s", public="x", eps=eps, confidence=0.9)


def drawn_again(text, frame, population):
    """What the certifying records drew: from the mechanism's file, the table and the seeds."""
    document = json.loads(text)
    joint = count(frame, ("x",), ("s",))
    certifying = split(
        joint, population["choice"]["share"], population["choice"]["seed"]
    ).certifying
    channel = document["channel"]
    assert [value for [value] in document["values"]] == list(joint.public)
    numerators = np.zeros((len(joint.public), len(channel["p(x|y)"])), dtype=np.int64)
    for x, row in enumerate(channel["p(y|x)"]):
        for y, numerator in row:
            numerators[x, y] = numerator
    return Draws(numerators).shown(certifying, population["draw_seed"]).mass


def test_a_randomized_release_is_certified_by_records_that_draw():
    frame = adult_like()
    options = {"sensitive": "s", "public": "x", "eps": 0.2, "confidence": 0.95}
    result = loglift.protect(frame, method="randomized", **options)
    merged = loglift.protect(frame, **options)
    alone = {**options, "confidence": None, "utility": "joint"}
    plain = loglift.protect(frame, method="randomized", **alone)
    assert result.certificate.utility > merged.certificate.utility
    found = json.loads(json.dumps(result.certificate.as_dict()))["population"]
    assert found["holds"] is True
    assert found["choice"]["utility_without"] == pytest.approx(plain.certificate.utility)
    assert found["choice"]["cost"] == pytest.approx(
        plain.certificate.utility - result.certificate.utility
    )
    assert result.certificate.upper_bound == plain.certificate.upper_bound
    shown = drawn_again(result.mechanism.to_json(), frame, found)
    assert shown.sum() == found["records"]
    assert loglift.leakage_bound(shown, 0.95) <= 0.2
    again = loglift.protect(frame, method="randomized", **options)
    assert again.certificate == result.certificate
    assert loglift.verify(result, frame).holds
    assert merged.certificate.population.draw_seed is None


def test_unseen_values_of_a_randomized_release_are_released_where_they_were_certified():
    options = {"sensitive": "s", "public": "x", "eps": 0.2, "confidence": 0.95}
    result = loglift.protect(adult_like(), method="randomized", **options)
    mechanism = Mechanism.from_json(result.mechanism.to_json())
    assert mechanism.unseen == result.mechanism.unseen
    new = pl.DataFrame({"x": [99, 0, 98]})
    applied = loglift.apply(mechanism, new, unseen="merge", keep_order=True)["x"].to_list()
    home = mechanism.released[0].values[mechanism.unseen]
    assert applied[0] == applied[2] == home
    shown = loglift.apply(mechanism, new, unseen="suppress", keep_order=True)["x"].to_list()
    assert shown[0] == shown[2] == "(suppressed)" != shown[1]
    with pytest.raises(loglift.TableError, match="2 values were not seen"):
        loglift.apply(mechanism, new)
    more = adult_like(3000, seed=2).with_columns(x=pl.col("x") + 50 * (pl.col("x") == 3))
    checked = loglift.verify(mechanism, more, unseen="merge", confidence=0.9)
    assert checked.unseen_records == int((more["x"] == 53).sum()) > 0
    assert sum(value.records for value in checked.values) == pytest.approx(3000, abs=10)
    assert checked.population.draw_seed is not None
    assert (
        checked.population
        == loglift.verify(mechanism, more, unseen="merge", confidence=0.9).population
    )


def test_a_randomized_release_of_each_sensitive_column_draws_once_for_all():
    frame = adult_like().with_columns(t=pl.Series(np.random.default_rng(1).random(20_000) < 0.4))
    result = loglift.protect(
        frame,
        sensitive=["s", "t"],
        public="x",
        eps=0.4,
        each=True,
        min_count=900,
        confidence=0.9,
        method="randomized",
    )
    assert min(value.records for value in result.certificate.values) >= 900
    assert len(result.certificate.values) > 1
    fresh = frame.sample(20_000, with_replacement=True, seed=1)  # the table is the population
    found = loglift.verify(result, fresh, confidence=0.9).population
    assert found.records == 20_000
    assert found.holds


def test_a_randomized_release_that_cannot_be_certified_is_refused():
    with pytest.raises(UnsafeError, match="only a single released value"):
        loglift.protect(
            adult_like(400),
            sensitive="s",
            public="x",
            eps=0.1,
            confidence=0.99,
            method="randomized",
        )
