"""Ranges of p(s|x), against linear programs over whole joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import loglift
from loglift import Bound, Joint
from loglift.readers.minimality import drawn_reading, merged_reading
from loglift.readers.ranges import drawn_ranges, lift_ranges, merged_ranges
from loglift.sparse import as_cells
from minimality_cases import joint_of, per_value, slow_range, slow_range_by_value

EPS = (0.3, 0.7, 1.2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([*EPS, None]), st.booleans(), st.integers(2, 4))
def test_ranges_of_merged_values_are_the_programs_over_whole_joints(seed, eps, published, m):
    mass = joint_of(seed, m=m, zeros=0.2)
    bound = Bound(math.inf, 0.5) if eps is None else Bound.symmetric(eps)
    mechanism = loglift.merge(Joint(mass.astype(int)), bound=bound)
    low, high = merged_ranges(mass, mechanism.labels, bound, published=published)
    blocks = np.zeros((mechanism.size, m))
    np.add.at(blocks, mechanism.labels, mass)
    known = blocks / blocks.sum(axis=1, keepdims=True) if published else None
    random = np.random.default_rng(seed)
    for x, s in zip(random.integers(0, 6, 4), random.integers(0, m, 4), strict=True):
        slow = slow_range(mass, mechanism.channel, bound, x, s, known)
        assert [low[x, s], high[x, s]] == pytest.approx(slow, abs=1e-6)
    truth = mass / mass.sum(axis=1, keepdims=True)
    assert (low <= truth + 1e-9).all()
    assert (truth <= high + 1e-9).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("m", [2, 3])
def test_ranges_of_random_releases_are_the_programs_over_whole_joints(seed, m):
    mass, bound = joint_of(seed, n=5, m=m), Bound.symmetric(0.3)
    channel = loglift.randomize(Joint(mass.astype(int)), bound=bound).channel
    p, prior = mass.sum(axis=1) / mass.sum(), mass.sum(axis=0) / mass.sum()
    posterior = (channel * p[:, np.newaxis] / (p @ channel)).T
    chosen = np.array([0, 3])
    for s in range(m):
        ends = [end / prior[s] for end in bound.belief_range(prior[s])]
        limits = tuple(np.full(len(posterior), end) for end in ends)
        low, high = lift_ranges(posterior, p, 1 / prior[s], limits, chosen)
        for place, x in enumerate(chosen):
            slow = slow_range(mass, channel, bound, x, s)
            found = [prior[s] * low[place], prior[s] * high[place]]
            assert found == pytest.approx(slow, abs=1e-6)
    assert chosen.size == 2


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("optimal", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_ranges_of_random_releases_hold_the_truth(published, optimal, m):
    widths = []
    for seed in range(6):
        mass, bound = joint_of(seed, n=9, m=m, zeros=0.1), Bound.symmetric(0.25)
        channel = loglift.randomize(Joint(mass.astype(int)), bound=bound).channel
        p = mass.sum(axis=1)
        posterior = (channel * p[:, np.newaxis] / (p @ channel)).T
        low, high = drawn_ranges(
            mass, posterior, bound, np.arange(9), published=published, optimal=optimal
        )
        truth = mass / p[:, np.newaxis]
        assert (low <= truth + 1e-5).all()
        assert (truth <= high + 1e-5).all()
        widths.append((high - low).mean())
    assert max(widths) < 1


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 4))
def test_ranges_of_merged_values_with_bounds_of_their_own(seed, m):
    mass = joint_of(seed, m=m)
    joint, (bound, sides) = Joint(mass.astype(int)), per_value(m)
    mechanism = loglift.merge(joint, bound=bound)
    limits = bound.on(joint)
    low, high = merged_ranges(mass, mechanism.labels, limits, published=False)
    random = np.random.default_rng(seed)
    for x, s in zip(random.integers(0, 6, 4), random.integers(0, m, 4), strict=True):
        slow = slow_range_by_value(mass, mechanism.channel, sides, x, s)
        assert [low[x, s], high[x, s]] == pytest.approx(slow, abs=1e-6)
    reading = merged_reading(mass, mechanism.labels, limits, published=False)
    assert reading.published.widest <= 1


@pytest.mark.parametrize("seed", range(3))
def test_ranges_of_random_values_with_bounds_of_their_own_hold_all_that_fits(seed):
    """Each sensitive value is looked at on its own: a range may be too wide, never too narrow."""
    mass = joint_of(seed, n=5)
    joint, (bound, sides) = Joint(mass.astype(int)), per_value(3)
    channel = loglift.randomize(joint, 0.2).channel  # within the tightest side of the bound
    p = mass.sum(axis=1)
    posterior = (channel * p[:, np.newaxis] / (p @ channel)).T
    limits = bound.on(joint)
    low, high = drawn_ranges(mass, posterior, limits, np.arange(5), published=False, optimal=False)
    for x in range(5):
        for s in range(3):
            slow = slow_range_by_value(mass, channel, sides, x, s)
            assert low[x, s] <= slow[0] + 1e-6
            assert high[x, s] >= slow[1] - 1e-6
    reading = drawn_reading(mass, posterior, limits, published=False)
    assert 0 < reading.published.mean_width <= 1


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("published", [False, True])
def test_ranges_of_a_sparse_posterior_are_those_of_the_dense_one(monkeypatch, m, published):
    """Parts that are small follow from their own released values; all is one part otherwise."""
    bound, chosen = Bound.symmetric(0.3), np.array([1, 6, 9, 17])
    mass = np.vstack([joint_of(seed, n=4, m=m) * [1, 2, 3][:m] for seed in range(5)])
    blocks = [Joint(mass[i : i + 4].astype(int)) for i in range(0, 20, 4)]
    parts = [loglift.randomize(each, bound=bound).channel for each in blocks]
    sizes = np.cumsum([0, *(part.shape[1] for part in parts)])
    channel = np.zeros((20, sizes[-1]))
    for i, part in enumerate(parts):
        channel[4 * i : 4 * i + 4, sizes[i] : sizes[i + 1]] = part
    p = mass.sum(axis=1)
    posterior = (channel * p[:, np.newaxis] / (p @ channel)).T
    wide = Bound.symmetric(1.5)
    for part, optimal in ((1, False), (1, True), (200, False), (200, True)):
        monkeypatch.setattr("loglift.readers.ranges.MIN_PART_RELEASED", part)
        both = [
            drawn_ranges(mass, each, wide, chosen, published=published, optimal=optimal)
            for each in (posterior, as_cells(posterior))
        ]
        np.testing.assert_allclose(both[1], both[0], atol=1e-6)
    assert (both[0][1] - both[0][0]).max() > 0.01 or published


def test_parts_alone_never_narrow_a_range(monkeypatch):
    """Without the mean of all lifts a large part knows less."""
    monkeypatch.setattr("loglift.readers.ranges.MIN_PART_RELEASED", 1)
    bound, wider = Bound.symmetric(0.2), 0
    for seed in range(5):
        mass = joint_of(seed, n=6, m=2)
        mass[0] *= 20
        posterior = np.zeros((3, 6))
        for y, inside in enumerate((slice(0, 1), slice(1, 4), slice(4, 6))):
            posterior[y, inside] = mass[inside].sum(axis=1) / mass[inside].sum()
        options = {"published": False, "optimal": False}
        dense = drawn_ranges(mass, posterior, bound, np.arange(6), **options)
        apart = drawn_ranges(mass, as_cells(posterior), bound, np.arange(6), **options)
        assert (apart[0] <= dense[0] + 1e-9).all()
        assert (apart[1] >= dense[1] - 1e-9).all()
        wider += ((apart[1] - apart[0]) > (dense[1] - dense[0]) + 1e-6).any()
    assert wider > 0
