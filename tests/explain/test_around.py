"""Bounds around a release: what is kept never falls as they widen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from loglift import Bound, Joint, merge
from loglift.explain import again
from loglift.explain.around import FACTORS, nearby
from loglift.joint import Column
from loglift.utility.utility import Utility

COUNTS = Joint(np.random.default_rng(3).integers(1, 20, (14, 3)))


@pytest.mark.parametrize("method", ["search", "ordered"])
def test_what_is_kept_never_falls(method):
    found = merge(COUNTS, 0.3, method)
    around = nearby(COUNTS, found)
    assert [point.factor for point in around] == list(FACTORS)
    kept = [point.kept for point in around]
    assert kept == sorted(kept)
    assert kept[0] < kept[-1]
    asked = next(point for point in around if point.factor == 1)
    assert asked.kept >= 1 - found.nmil - 1e-9
    assert asked.bound == found.bound


def test_a_goal_with_targets_is_what_is_swept():
    rng = np.random.default_rng(7)
    codes = np.arange(30)
    columns = (
        Column("a", "integer", None, tuple(range(10)), codes // 3),
        Column("b", "text", None, ("x", "y", "z"), codes % 3),
    )
    joint = Joint(rng.integers(1, 20, (30, 3))).with_columns(columns)
    found = merge(joint, 0.4, utility=Utility.columns(), iterations=500)
    around = nearby(joint, found)
    kept = [point.kept for point in around]
    assert len(kept) == len(FACTORS)
    assert kept == sorted(kept)
    asked = next(point for point in around if point.factor == 1)
    assert asked.kept >= found.utility - 1e-9
    for point in around:
        most = merge(joint, bound=point.bound, utility=Utility.columns(), iterations=50).upper_bound
        assert point.kept <= most + 1e-9


def test_a_bound_beside_the_one_asked_for_keeps_about_what_a_release_of_its_own_keeps():
    codes = np.arange(600)
    columns = (
        Column("a", "integer", None, tuple(range(30)), codes // 20),
        Column("b", "integer", None, tuple(range(20)), codes % 20),
    )
    counts = np.random.default_rng(11).integers(1, 60, (600, 3))
    joint, goal = Joint(counts).with_columns(columns), Utility.columns()
    found = {point.factor: point for point in nearby(joint, merge(joint, 0.2, utility=goal))}
    for factor in (0.5, 0.75, 1.5):
        own = merge(joint, bound=found[factor].bound, utility=goal)
        assert found[factor].kept >= 0.95 * own.utility


def test_a_bound_too_tight_for_an_intact_group_is_left_out():
    joint = Joint([[6, 3], [6, 3], [4, 6], [4, 6]])
    found = merge(joint, 0.4, intact=["a", "a", "b", "b"])
    assert 1.0 in {point.factor for point in nearby(joint, found)}
    assert 0.125 not in {point.factor for point in nearby(joint, found)}


def test_bounds_that_cannot_be_multiplied_and_large_joints_have_no_sweep(monkeypatch):
    assert nearby(COUNTS, merge(COUNTS, 0)) == ()
    wide = nearby(COUNTS, merge(COUNTS, bound=Bound(math.inf, 200.0)))
    assert [point.factor for point in wide] == [0.125, 0.25, 0.5, 0.75, 1.0]
    monkeypatch.setattr(again, "MAX_GAINS", 5)
    assert nearby(COUNTS, merge(COUNTS, 0.3)) == ()
