"""Attacks by counting and by learning."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from loglift import Bound, Joint, omega
from loglift.readers.attack import counting_reading, learning_reading
from loglift.readers.learner import Sight, Target, split_of
from loglift.readers.views import original_view, released_view, shuffled_view
from loglift.sparse import block_sums
from small_records import partition_of, records_of
from strategies import bounds, count_joints, labelled

LABELS = [0, 1, 1, 2, 0, 3, 3, 3, 2, 4, 4, 1]


@given(labelled(count_joints()), bounds())
def test_counting_finds_the_largest_lifts(case, bound):
    mass, labels = case
    shown = block_sums(mass, labels)
    found = counting_reading(mass.astype(float), shown.astype(float), bound)
    for table, side in ((mass, "original"), (shown, "released")):
        known = table[table.sum(axis=1) > 0]
        lifts = known / known.sum(axis=1, keepdims=True) / (mass.sum(axis=0) / mass.sum())
        assert getattr(found.rise, side) == pytest.approx(lifts.max())
        with np.errstate(divide="ignore"):
            assert getattr(found.fall, side) == pytest.approx((1 / lifts).max())
        log = max(math.log(getattr(found.rise, side)), math.log(getattr(found.fall, side)))
        assert log == pytest.approx(omega(Joint(known)).max())
    assert found.rise.shuffled == found.fall.shuffled == 1
    assert found.allowed_rise == pytest.approx(math.exp(bound.upper))
    assert found.allowed_fall == pytest.approx(math.exp(bound.lower))


def test_records_outside_the_bound_are_counted():
    mass = np.array([[8.0, 2.0], [3.0, 7.0], [45.0, 35.0]])
    found = counting_reading(mass, mass.sum(axis=0, keepdims=True), Bound.symmetric(0.2))
    assert found.outside.original == pytest.approx(20 / 100)
    assert found.outside.released == 0


def test_the_learner_guesses_less_from_blocks_and_nothing_from_shuffled_columns():
    records = records_of(0, size=4000)
    random = np.random.default_rng(0)
    views = (
        original_view(records),
        released_view(records, partition_of(records, LABELS), random),
        shuffled_view(records, random),
    )
    sights = [Sight([(records.public, view)], [(records.public, view)]) for view in views]
    s = (random.random(4000) < np.linspace(0.1, 0.9, 12)[records.x]).astype(np.int64)
    target = Target("s", "classes", s)
    split = split_of(target, random)
    found = learning_reading(target, split, sights, 0, ("age", "c1"))
    assert found.columns == ("age", "c1")
    assert found.gain.original > found.gain.released > 0.005
    assert found.gain.shuffled == pytest.approx(0, abs=0.01)
    assert found.auc.original > found.auc.released > 0.55
    assert found.moved.original > found.moved.released > 1
    constant = Target("s", "classes", np.zeros(4000, dtype=int))
    assert learning_reading(constant, split, sights, 0, ()) is None


def test_values_with_bounds_of_their_own_are_told_one_by_one():
    mass = np.array([[8.0, 2.0, 1.0], [3.0, 7.0, 0.0], [45.0, 35.0, 4.0]])
    bound = Bound.symmetric(0.4).with_values({2: None, 1: (1.0, 0.2)})
    shown = np.array([mass[0] + mass[1], mass[2]])
    found = counting_reading(mass, shown, bound.on(Joint(mass)), ["a", "b", "c"])
    assert (found.allowed_rise, found.allowed_fall) == (None, None)
    assert [value.sensitive for value in found.by_value] == ["a", "b", "c"]
    allowed = [(value.allowed_rise, value.allowed_fall) for value in found.by_value]
    assert allowed == [
        pytest.approx((math.exp(0.4), math.exp(0.4))),
        pytest.approx((math.exp(0.2), math.e)),
        (math.inf, math.inf),
    ]
    prior = mass.sum(axis=0) / mass.sum()
    for s, value in enumerate(found.by_value):
        lifts = shown[:, s] / shown.sum(axis=1) / prior[s]
        assert value.rise.released == pytest.approx(lifts.max())
        assert value.fall.released == pytest.approx(1 / lifts.min())
    assert found.by_value[2].fall.original == math.inf
    lifts = mass / mass.sum(axis=1, keepdims=True) / prior
    limits = np.array([[0.4, 0.4], [1.0, 0.2], [np.inf, np.inf]])
    with np.errstate(divide="ignore"):
        logs = np.log(lifts)
    unsafe = ((logs < -limits[:, 0]) | (logs > limits[:, 1])).any(axis=1)
    assert 0 < unsafe.sum() < 3
    assert found.outside.original == pytest.approx(mass[unsafe].sum() / mass.sum())
    plain = counting_reading(mass, shown, Bound.symmetric(0.4))
    assert plain.by_value == ()
