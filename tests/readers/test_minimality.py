"""The minimality attack, against linear programs over whole joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

import loglift
from loglift import Bound, Joint
from loglift.readers.minimality import (
    CALLED_SHARE,
    drawn_ranges,
    drawn_reading,
    lift_ranges,
    merged_ranges,
    merged_reading,
    surely_outside,
)

EPS = (0.3, 0.7, 1.2)


def joint_of(seed, n=6, m=3, zeros=0.0):
    random = np.random.default_rng(seed)
    mass = random.integers(1, 40, (n, m)).astype(np.float64)
    mass[random.random((n, m)) < zeros] = 0
    mass[:, 0] += mass.sum(axis=1) == 0
    mass[0] += mass.sum(axis=0) == 0
    return mass


def slow_range(mass, channel, bound, x, s, known=None):
    """Return the least and the largest p(s|x) over all joints that fit what is published.

    The unknown is the whole p(s,x): p(x) and p(s) are given, every p(s|y) is within the bound, and
    equal to `known` where that is given.
    """
    n, m = mass.shape
    p, prior = mass.sum(axis=1) / mass.sum(), mass.sum(axis=0) / mass.sum()
    equal, right, above, most = [], [], [], []
    for i in range(n):
        row = np.zeros((n, m))
        row[i] = 1
        equal.append(row.ravel())
        right.append(p[i])
    for j in range(m):
        row = np.zeros((n, m))
        row[:, j] = 1
        equal.append(row.ravel())
        right.append(prior[j])
    for y in range(channel.shape[1]):
        weight = channel[:, y] @ p
        if not weight:
            continue
        for j in range(m):
            row = np.zeros((n, m))
            row[:, j] = channel[:, y]
            if known is not None:
                equal.append(row.ravel())
                right.append(known[y, j] * weight)
                continue
            for sign, limit in ((1, math.exp(bound.upper)), (-1, math.exp(-bound.lower))):
                if math.isfinite(limit):
                    above.append(sign * row.ravel())
                    most.append(sign * limit * prior[j] * weight)
    ends = []
    for sign in (1, -1):
        cost = np.zeros((n, m))
        cost[x, s] = sign / p[x]
        done = linprog(
            cost.ravel(),
            A_ub=np.array(above) if above else None,
            b_ub=most or None,
            A_eq=np.array(equal),
            b_eq=right,
        )
        assert done.status == 0
        ends.append(sign * done.fun)
    return ends


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


def per_value(m):
    """Return a bound with limits for each of m sensitive values, in a mapping as well."""
    given = {0: (1.5, 0.2), 1: None}
    sides = {0: (1.5, 0.2), 1: (math.inf, math.inf)} | dict.fromkeys(range(2, m), (0.5, 0.5))
    return Bound.symmetric(0.5).with_values(given), sides


def slow_range_by_value(mass, channel, sides, x, s):
    """Return the range of p(s|x) over all joints within limits of each sensitive value."""
    n, m = mass.shape
    p, prior = mass.sum(axis=1) / mass.sum(), mass.sum(axis=0) / mass.sum()
    equal = [np.eye(n)[i][:, np.newaxis] * np.ones(m) for i in range(n)]
    equal += [np.ones((n, 1)) * np.eye(m)[j] for j in range(m)]
    above, most = [], []
    for y in range(channel.shape[1]):
        weight = channel[:, y] @ p
        for j, (lower, upper) in sides.items():
            row = channel[:, y][:, np.newaxis] * np.eye(m)[j]
            if math.isfinite(upper):
                above.append(row.ravel())
                most.append(math.exp(upper) * prior[j] * weight)
            if math.isfinite(lower):
                above.append(-row.ravel())
                most.append(-math.exp(-lower) * prior[j] * weight)
    ends = []
    for sign in (1, -1):
        cost = np.zeros((n, m))
        cost[x, s] = sign / p[x]
        equals = np.array([row.ravel() for row in equal])
        done = linprog(cost.ravel(), np.array(above), most, equals, np.append(p, prior))
        assert done.status == 0
        ends.append(sign * done.fun)
    return ends


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
