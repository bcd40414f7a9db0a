"""What readers know who know more: counts, gains and exact checks against slow ones."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from known_counts import cubes, earlier, known
from loglift import Bound
from loglift.promise.knowledge import Kinds, Released, knowing
from naive import partitions, told

EPS = st.sampled_from([0.2, 0.5, 1.0, 2.0])


def whole(labels):
    return Released(np.asarray(labels))


@given(cubes(), EPS)
def test_safe_blocks_are_those_that_counting_calls_safe(counts, eps):
    bound, looked = Bound.symmetric(eps), 0
    for made, reference in ((known(counts), "known"), (earlier(counts), "given")):
        for labels in partitions(len(counts)):
            looked += 1
            worst = told(counts, labels, reference)
            assume(abs(worst - eps) > 1e-9)
            assert made.leakage(whole(labels)) == pytest.approx(worst)
            assert made.safe(whole(labels), bound).all() == (worst <= eps)
            assert made.within(whole(labels), bound) == (worst <= eps)
            promise = made.promise(len(counts), bound).blocks(np.asarray(labels))
            assert promise.safe().all() == (worst <= eps)
            assert (promise.shortfalls() <= 0).all() == (worst <= eps)
    assert looked >= 4


def test_channels_are_counted_in_whole_numbers():
    counts = np.array([[6, 2], [1, 7]], dtype=np.int64)
    half = 2**51
    drawn = Released.of_channel(np.array([[half, half], [2**52, 0]]))
    made = knowing("readers", Kinds(counts, np.arange(2)), outcomes=[drawn])
    found = made.told(Released.apart(2))
    pairs = zip(found.values.tolist(), found.contexts.tolist(), strict=True)
    table = {
        pair: [Fraction(int(c), 2**52) for c in row]
        for pair, row in zip(pairs, found.counts, strict=True)
    }
    assert table == {(0, 0): [3, 1], (0, 1): [3, 1], (1, 0): [1, 7]}
    both = Released.of_channel(np.array([[half, half], [half, half]]))
    again = made.told(both)
    assert sum(int(c) for row in again.counts for c in row) == 16 * 2**104


def test_two_drawn_releases_are_drawn_apart():
    counts = np.array([[8, 0], [0, 8]], dtype=np.int64)
    half = 2**51
    coin = Released.of_channel(np.array([[half, half], [half, half]]))
    made = knowing("readers", Kinds(counts, np.arange(2)), outcomes=[coin, coin])
    assert len(made.labels) == 4
    assert made.leakage(Released.together(2)) == 0


def test_some_of_the_public_values_are_told_as_they_are_among_all():
    counts = np.random.default_rng(0).integers(0, 9, (6, 3, 2))
    rows, labels = np.array([4, 1, 2]), np.array([0, 1, 0])
    for made in (known(counts), earlier(counts)):
        of_all = np.full(6, 2)
        of_all[rows] = labels
        found, whole_table = made.only(rows).told(Released(labels)), made.told(Released(of_all))
        inside = whole_table.values < 2
        np.testing.assert_array_equal(found.values, whole_table.values[inside])
        np.testing.assert_array_equal(found.contexts, whole_table.contexts[inside])
        np.testing.assert_array_equal(np.asarray(found.counts[:]), whole_table.counts[:][inside])
