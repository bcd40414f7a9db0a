"""Proposals: a partition is a channel, and what a channel draws has the law of the population."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from known import leakage, table_joint
from loglift import Bound
from loglift.confidence.proposal import Blocks, Draws
from loglift.confidence.swings import excess_bound
from loglift.confidence.variables import counts_of
from loglift.promise.integers import DENOMINATOR

COUNTS = np.array([[30, 10], [0, 0], [20, 40], [5, 5]])


def as_draws(labels):
    return Draws.of(np.eye(max(labels) + 1)[labels])


def test_a_partition_as_a_channel_says_the_same():
    labels, weight = np.array([0, 1, 0]), COUNTS[[0, 2, 3]].sum(axis=1)
    blocks, draws = Blocks(labels), as_draws(labels)
    every = COUNTS.sum(axis=1)
    joint, kept = table_joint(COUNTS), COUNTS[[0, 2, 3]]
    assert blocks.size == draws.size == 2
    assert blocks.home(weight) == draws.home(weight) == 1
    assert blocks.utility(weight) == pytest.approx(draws.utility(weight))
    assert blocks.shares(weight) is None
    np.testing.assert_allclose(draws.shares(weight), np.eye(2)[labels].T * weight / weight.sum())
    np.testing.assert_array_equal(blocks.expected([kept])[0], draws.expected([kept])[0])
    wide, drawn = (each.extended(every, runs=False) for each in (blocks, draws))
    np.testing.assert_array_equal(wide.labels, [0, 1, 1, 0])  # the second value has no records
    np.testing.assert_array_equal(drawn.channel, np.eye(2)[wide.labels])
    np.testing.assert_array_equal(wide.shown(joint, 1).mass, drawn.shown(joint, 1).mass)
    whole = drawn.in_whole_numbers(COUNTS)
    assert (whole == wide.in_whole_numbers(COUNTS).astype(object) * drawn.denominator).all()
    assert wide.denominator == 1
    one = np.zeros(2, dtype=np.int64)
    assert blocks.merged(one).size == draws.merged(one).size == 1


def test_what_is_drawn_has_the_law_of_the_channel_and_every_record_draws_once():
    """Means over many draws; what a value never shows is never drawn."""
    draws = Draws.of(np.array([[0.2, 0.8, 0.0], [0.5, 0.5, 0.0], [0.0, 0.3, 0.7], [1.0, 0.0, 0.0]]))
    joint = table_joint(COUNTS)
    found = np.array([draws.shown(joint, seed).mass for seed in range(2000)])
    assert (found.sum(axis=1) == COUNTS.sum(axis=0)).all()
    exact = [[Fraction(int(n), DENOMINATOR) for n in row] for row in draws.in_whole_numbers(COUNTS)]
    mean = draws.channel.T @ COUNTS
    np.testing.assert_allclose(np.array(exact, dtype=float), mean)
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=0.5)
    assert found[:, 2].sum(axis=1).max() <= 60
    np.testing.assert_array_equal(draws.shown(joint, 3).mass, found[3])
    assert len({tuple(each.ravel()) for each in found}) > 100


def test_a_released_value_that_rounding_never_draws_is_left_out():
    assert Draws.of(np.array([[1.0, 1e-20], [1.0, 0.0]])).size == 1


@pytest.mark.parametrize("alpha", [0.3, 0.1])
def test_a_channel_outside_the_bound_passes_at_most_as_often_as_alpha(alpha):
    """The bound is just below the true leakage, where false certificates are most likely."""
    rng = np.random.default_rng(4)
    truth = np.array([[0.24, 0.06], [0.2, 0.2], [0.1, 0.2]])
    draws = Draws.of(np.array([[0.9, 0.1], [0.6, 0.4], [0.25, 0.75]]))
    worst = leakage(draws.channel.T @ truth)
    passed = inside = 0
    for seed in range(600):
        joint = table_joint(rng.multinomial(800, truth.ravel()).reshape(truth.shape))
        counts = counts_of(draws.shown(joint, seed))
        passed += excess_bound(counts, Bound.symmetric(worst - 1e-9), alpha).max() <= 0
        inside += excess_bound(counts, Bound.symmetric(2 * worst), alpha).max() <= 0
    assert passed <= 600 * alpha + 3 * np.sqrt(600 * alpha * (1 - alpha))
    assert inside > 500
