"""The study of promises: each holds, and the measures of a release imply each other as stated."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import naive
from loglift import Joint
from loglift.paper import promise_study
from loglift.paper.promise_study import MEASURES, ORDER

SHIFT = 1e-5  # figures have six digits
KEYS = {"t": "t", "l1": "l1_lift", "chi2": "chi2_lift", "average": "average_log_lift"}


@pytest.fixture(scope="module")
def study():
    with pytest.MonkeyPatch.context() as patched:
        few = {name: replace(each, limits=each.limits[2::3]) for name, each in MEASURES.items()}
        patched.setattr(promise_study, "MEASURES", few)
        return promise_study.RECIPE.run(2, 3, lambda _: None)


def test_measures_are_the_textbook_formulas():
    counts = np.array([[30, 10, 5], [12, 30, 6], [20, 20, 9], [8, 9, 30]])
    prior = counts.sum(axis=0)
    for name, each in MEASURES.items():
        found = each.of(Joint(counts))
        key = "alpha_lift" if name == "alpha" else KEYS.get(name)
        expected = [
            naive.omega(row[np.newaxis], counts)[0]
            if name == "eps"
            else naive.measure(key, row, prior, alpha=ORDER)
            for row in counts
        ]
        assert found == pytest.approx([float(value) for value in expected])
    assert len(MEASURES) == 6


def test_every_promise_holds_and_looser_limits_keep_more(study):
    assert {(point.promise, point.measure) for point in study.points} == {
        (promise, measure) for promise in MEASURES for measure in MEASURES
    }
    for promise in MEASURES:
        own = [p for p in study.points if p.promise == promise == p.measure]
        assert [p.limit for p in own] == sorted(p.limit for p in own)
        assert all(p.mean <= p.worst <= p.limit + SHIFT for p in own)
        kept = [p.kept for p in own]
        assert kept == sorted(kept)
        assert 0 < kept[0] < 1


def test_what_a_release_implies_for_the_other_measures(study):
    worst = {(p.promise, p.limit, p.measure): p.worst for p in study.points}
    releases = {(p.promise, p.limit) for p in study.points}
    assert len(releases) >= len(MEASURES)
    for promise, limit in releases:
        eps, t, l1, chi2, alpha, average = (worst[promise, limit, name] for name in MEASURES)
        assert l1 == pytest.approx(2 * t, rel=SHIFT)
        assert l1 <= math.sqrt(chi2) + SHIFT
        assert t <= math.sqrt(average / 2) + SHIFT
        assert average <= alpha * ORDER / (ORDER - 1) + SHIFT
        assert alpha <= eps + SHIFT


def test_charts_show_each_promise_at_each_limit(study):
    assert tuple(study.charts) == promise_study.CHARTS
    for spec in study.charts.values():
        rows = spec["data"]["values"]
        assert len(rows) == len({(row["promise"], row["limit"]) for row in rows})
        assert {row["promise"] for row in rows} == set(MEASURES)
