"""Releases that keep requirements: recounted from the released rows, repeated, and verified."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import naive
from loglift import (
    AlphaLift,
    AverageLogLift,
    Bound,
    BoundError,
    ChiSquaredLift,
    DistinctDiversity,
    EntropyDiversity,
    InputError,
    L1Lift,
    Mechanism,
    OrderedTCloseness,
    TCloseness,
    protect,
    verify,
)

REQUIREMENTS = [
    TCloseness(0.2),
    OrderedTCloseness(0.1),
    L1Lift(0.3),
    ChiSquaredLift(0.2),
    AlphaLift(0.15, alpha=3),
    AverageLogLift(0.05),
    DistinctDiversity(3),
    EntropyDiversity(2.5),
]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    job = rng.choice(list("abcdefgh"), 900)
    town = rng.choice(list("xyz"), 900)
    shares = {name: rng.dirichlet(np.ones(4)) for name in "abcdefgh"}
    ill = [int(rng.choice(4, p=shares[name])) for name in job]
    return pd.DataFrame({"job": job, "town": town, "ill": ill})


def counts_of(released, people):
    values, prior = np.unique(people["ill"], return_counts=True)
    shown = [name for name in released.columns if name != "ill"]
    rows = [
        [int((group["ill"] == value).sum()) for value in values]
        for _, group in released.groupby(shown)
    ]
    return rows, prior.tolist()


def read_as(mechanism, people):
    """The block of each record, and its sensitive value."""
    pairs = zip(people["job"], people["town"], strict=True)
    block = dict(zip(mechanism.public, mechanism.labels.tolist(), strict=True))
    return pd.DataFrame({"block": [block[pair] for pair in pairs], "ill": people["ill"]})


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.key)
@pytest.mark.parametrize("eps", [None, 1.0])
def test_released_rows_meet_the_requirement(people, requirement, eps, tmp_path):
    bound = Bound.requiring(requirement, eps=eps)
    made = protect(
        people, sensitive="ill", public=["job", "town"], bound=bound, keep_sensitive=True
    )
    rows, prior = counts_of(made.table, people)
    assert len(rows) > 1
    assert all(requirement.is_met(row, prior) for row in rows)
    if eps is not None:
        lifts = np.array(rows) * sum(prior) / np.outer(np.sum(rows, axis=1), prior)
        assert np.abs(np.log(lifts)).max() <= eps + 1e-9
    assert made.certificate.holds
    made.mechanism.save(tmp_path / "mechanism.json")
    read = Mechanism.load(tmp_path / "mechanism.json")
    assert read.bound == bound
    assert verify(read, people).holds
    worse = people.assign(ill=np.where(people["job"] == "a", 0, people["ill"]))
    rows, prior = counts_of(read_as(read, worse), worse)
    expected = all(requirement.is_met(row, prior) for row in rows)
    assert verify(read, worse).holds <= expected


def test_what_is_not_promised_is_refused(people):
    bound = Bound.requiring(TCloseness(0.2))
    asked = {"sensitive": "ill", "public": "job", "bound": bound}
    with pytest.raises(BoundError, match="readers of the release alone"):
        protect(people, **asked, known="town")
    with pytest.raises(BoundError, match="certified for the population"):
        protect(people, **asked, confidence=0.9)
    with pytest.raises(InputError, match="greedy has no limit"):
        protect(people, **asked, method="greedy", max_block=3)


def test_blocks_have_at_most_as_many_values_as_asked(people):
    made = protect(people, sensitive="ill", public=["job", "town"], eps=1, max_block=4)
    assert np.bincount(made.mechanism.labels).max() <= 4


def test_measures_of_the_release_are_those_of_the_requirement(people):
    made = protect(
        people,
        sensitive="ill",
        public=["job", "town"],
        bound=Bound.requiring(TCloseness(0.15)),
        keep_sensitive=True,
    )
    rows, prior = counts_of(made.table, people)
    worst = max(float(naive.measure("t", row, prior)) for row in rows)
    assert made.notions.t == pytest.approx(worst)
    assert worst <= 0.15
