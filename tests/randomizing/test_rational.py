"""Channels in whole numbers: exactly safe, decided by fractions that share no code with them."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

from loglift import Bound, Joint, Target, UnsafeError, Utility, merge, randomize
from loglift.measures import mutual_information
from loglift.mechanism.given import Given
from loglift.promise.integers import DENOMINATOR
from loglift.promise.known import Known
from loglift.randomizing.rational import rational_channel
from strategies import bounds, channelled, count_joints


def exactly_inside(rational, counts, bound):
    """Every lift as a fraction, against e^eps to 70 digits."""
    decimal.getcontext().prec = 70
    least = Fraction(decimal.Decimal(-bound.lower).exp())
    most = None if math.isinf(bound.upper) else Fraction(decimal.Decimal(bound.upper).exp())
    total, prior = int(counts.sum()), counts.sum(axis=0)
    for column in rational.numerators.T:
        cells = [sum(int(w) * int(c) for w, c in zip(column, s, strict=True)) for s in counts.T]
        for cell, n in zip(cells, prior, strict=True):
            lift = Fraction(cell * total, sum(cells) * int(n))
            if lift < least or (most is not None and lift > most):
                return False
    return True


def sums_to_one(rational):
    return (rational.numerators.sum(axis=1) == DENOMINATOR).all()


@settings(max_examples=60)
@given(count_joints(), bounds())
def test_the_best_channel_is_exactly_safe_after_a_tiny_pull(counts, bound):
    found = randomize(counts, bound=bound)
    rational = rational_channel(found.channel, counts, bound)
    assert sums_to_one(rational)
    assert rational.numerators.any(axis=0).all()
    assert exactly_inside(rational, counts, bound)
    assume(min(bound.lower, bound.upper) > 0)
    assert rational.pull < 1e-9
    channel = rational.numerators / DENOMINATOR
    p = counts.sum(axis=1)
    assert mutual_information(p, channel) == pytest.approx(found.utility, abs=1e-6)


def test_any_channel_is_pulled_until_it_is_exactly_safe():
    pulls = []

    @settings(max_examples=60)
    @given(channelled(), bounds(), st.integers(0, 2**32 - 1))
    def check(given_channel, bound, seed):
        joint, channel = given_channel
        counts = np.random.default_rng(seed).poisson(2, joint.shape) + 1
        rational = rational_channel(channel, counts, bound)
        assert sums_to_one(rational)
        assert exactly_inside(rational, counts, bound)
        if 0 < rational.pull < 1:  # the least pull: half of it is not enough
            pulls.append(rational.pull)
            less = rational.pull / 2
            mixed = (1 - less) * channel + less * (counts.sum(axis=1) / counts.sum() @ channel)
            assert rational_channel(mixed, counts, bound).pull > 0

    check()
    assert len(pulls) > 3


@given(count_joints(), bounds())
def test_a_partition_that_is_safe_needs_no_pull(counts, bound):
    assume(min(bound.lower, bound.upper) > 0)
    inside = Bound(bound.lower * (1 - 1e-9), bound.upper * (1 - 1e-9))
    channel = merge(counts, bound=inside, iterations=10).channel
    rational = rational_channel(channel, counts, bound)
    assert rational.pull == 0
    np.testing.assert_array_equal(rational.numerators / DENOMINATOR, channel)


def test_every_sensitive_variable_counts():
    left = np.array([[5, 5], [5, 5], [10, 10]])
    right = np.array([[9, 1], [1, 9], [10, 10]])
    bound = Bound.symmetric(1.2)
    assert rational_channel(np.eye(3), left, bound).pull == 0
    both = rational_channel(np.eye(3), np.hstack([left, right]), bound)
    assert both.pull == rational_channel(np.eye(3), right, bound).pull > 0
    assert exactly_inside(both, right, bound)


def test_where_nothing_can_be_shown_all_rows_are_the_same():
    counts = np.array([[3, 1], [1, 4]])
    rational = rational_channel(np.eye(2), counts, Bound.symmetric(1e-30))
    assert (rational.numerators == rational.numerators[0]).all()


def test_counts_beyond_what_a_product_holds_are_exact_too():
    counts = np.array([[3, 1], [1, 3]]) * 2**58
    bound = Bound.symmetric(0.1)
    rational = rational_channel(np.eye(2), counts, bound)
    assert exactly_inside(rational, counts, bound)
    assert rational.pull == rational_channel(np.eye(2), counts // 2**58, bound).pull


def test_of_two_ways_to_be_safe_the_one_that_is_worth_more_is_taken():
    """At a bound that whole numbers cannot express: pulled almost together, or independent of S."""
    counts = np.random.default_rng(0).integers(1, 400, (12, 3))
    groups = Target.given("group", np.eye(2)[np.arange(12) % 2])
    utility = Utility.of([groups], joint_weight=0.01)
    worth = utility.worth(Joint(counts))
    best = randomize(counts, 0, utility=utility)
    found = rational_channel(best.channel, counts, Bound.symmetric(1e-30), worth)
    assert exactly_inside(found, counts, Bound.symmetric(1e-30))
    kept = worth.of_channel(found.numerators / DENOMINATOR)
    assert kept == pytest.approx(best.utility, abs=1e-6)
    assert kept > 0.3


def test_values_that_are_never_released_are_left_out():
    channel = np.array([[1.0, 0.0, 1e-30], [0.5, 0.0, 0.5]])
    rational = rational_channel(channel, np.array([[4, 4], [4, 4]]), Bound.symmetric(1))
    assert rational.numerators.shape == (2, 2)
    assert rational.numerators[:, 1].tolist() == [0, DENOMINATOR // 2]
    assert sums_to_one(rational)


def test_every_reader_counts():
    """The identity tells nothing of S without K, and all of it to readers who know K."""
    counts = np.array([[[9, 1], [1, 9]], [[1, 9], [9, 1]], [[5, 5], [5, 5]]])
    joint, bound = counts.sum(axis=1), Bound.symmetric(0.5)
    knowledge = Known(counts).on(Joint(joint))
    assert rational_channel(np.eye(3), joint, bound).pull == 0
    found = rational_channel(np.eye(3), joint, bound, knowledge=[knowledge])
    assert found.pull > 0
    for k in range(2):
        assert exactly_inside(found, counts[:, k], bound)
        less = found.pull * (1 - 1e-4)
        mixed = (1 - less) * np.eye(3) + less / 3
        assert rational_channel(mixed, joint, bound, knowledge=[knowledge]).pull > 0


def test_earlier_releases_that_leave_no_room_are_refused():
    counts = np.array([[9, 1], [1, 9]])
    knowledge = Given(merge(counts, 9)).on(Joint(counts))
    with pytest.raises(UnsafeError, match="earlier releases"):
        rational_channel(np.eye(2), counts, Bound.symmetric(0.5), knowledge=[knowledge])
