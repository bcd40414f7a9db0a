"""The minimality attack: what ranges come to."""

from __future__ import annotations

import numpy as np
import pytest

import loglift
from loglift import Bound, Joint
from loglift.readers.minimality import CALLED_SHARE, drawn_reading, merged_reading
from loglift.readers.ranges import surely_outside
from minimality_cases import joint_of


def test_a_partition_is_a_channel_too():
    mass, bound = joint_of(3, n=8, m=2), Bound.symmetric(0.4)
    mechanism = loglift.merge(Joint(mass.astype(int)), bound=bound)
    assert mechanism.size > 1
    p = mass.sum(axis=1)
    posterior = (mechanism.channel * p[:, np.newaxis] / (p @ mechanism.channel)).T
    drawn = drawn_reading(mass, posterior, bound, published=False).published
    merged = merged_reading(mass, mechanism.labels, bound, published=False).published
    for name in ("not_prior", "ruled_out", "outside", "narrowest", "mean_width", "widest"):
        assert getattr(drawn, name) == pytest.approx(getattr(merged, name), abs=1e-5)


def test_nothing_is_told_about_a_table_that_is_one_block():
    mass = joint_of(0)
    found = merged_reading(mass, np.zeros(6, dtype=int), Bound.symmetric(1), published=True)
    told = found.published
    assert (told.not_prior, told.ruled_out, told.outside, told.worked_out) == (0, 0, 0, 0)
    assert told.widest > 0.9


def test_with_s_released_unmerged_values_are_known():
    mass = joint_of(1)
    labels = np.arange(6)
    found = merged_reading(mass, labels, Bound.symmetric(9), published=True)
    assert found.published.worked_out == found.published.not_prior == 1
    assert found.published.widest == pytest.approx(0)
    assert found.calls is None
    hidden = merged_reading(mass, labels, Bound.symmetric(9), published=False).published
    assert hidden.worked_out == hidden.not_prior == 0


def test_values_said_to_be_outside_for_sure_are_outside():
    said = 0
    bound = Bound.symmetric(0.5)
    for seed in range(40):
        mass = joint_of(seed, n=8, m=2) ** 2
        mass[:4] /= 30  # values of few records among values of many
        mechanism = loglift.merge(Joint(mass), bound=bound, method="exact")
        assert mechanism.optimal
        surely = surely_outside(mass, mechanism.labels, bound, published=True)
        high_risk = np.zeros(8, dtype=bool)
        high_risk[loglift.bipartition(Joint(mass), bound=bound).high_risk] = True
        assert (high_risk | ~surely).all()
        said += surely.sum()
        reading = merged_reading(mass, mechanism.labels, bound, published=True)
        assert reading.optimal_true == 1
        assert reading.optimal.outside >= reading.published.outside
    assert said > 5


def test_posteriors_on_the_bound_tell_what_public_values_are():
    mass, bound = joint_of(5, n=12, m=2), Bound.symmetric(0.2)
    channel = loglift.randomize(Joint(mass.astype(int)), bound=bound).channel
    p = mass.sum(axis=1)
    posterior = (channel * p[:, np.newaxis] / (p @ channel)).T
    found = drawn_reading(mass, posterior, bound, published=False)
    assert found.optimal_true == 1
    assert found.published.worked_out == 0 < found.optimal.worked_out
    assert found.optimal.mean_width < found.published.mean_width
    assert found.records == 1
    known = drawn_reading(mass, posterior, bound, published=True).published
    assert known.worked_out > 0
    assert known.mean_width <= found.optimal.mean_width + 1e-5


def test_calls_are_those_of_the_attack_in_the_documentation():
    random = np.random.default_rng(0)
    mass = random.integers(1, 60, (30, 2)).astype(np.float64) ** 2
    bound = Bound.symmetric(0.4)
    mechanism = loglift.merge(Joint(mass.astype(int)), bound=bound)
    calls = merged_reading(mass, mechanism.labels, bound, published=False).calls
    high_risk = set(loglift.bipartition(Joint(mass), bound=bound).high_risk.tolist())
    weight = mass.sum(axis=1)
    merged = [
        x
        for block in range(mechanism.size)
        if (mechanism.labels == block).sum() > 1
        for x in np.flatnonzero(mechanism.labels == block).tolist()
    ]
    called = [
        x
        for x in merged
        if CALLED_SHARE * weight[x] <= weight[mechanism.labels == mechanism.labels[x]].sum()
    ]
    fewest = sorted(merged, key=lambda x: (weight[x], x))[: len(called)]
    assert (calls.merged, calls.called) == (len(merged), len(called))
    assert len(called) > 2
    assert calls.right == pytest.approx(np.mean([x in high_risk for x in called]))
    assert calls.guessing == pytest.approx(np.mean([x in high_risk for x in merged]))
    assert calls.fewest == pytest.approx(np.mean([x in high_risk for x in fewest]))
