"""Counts of released values, against sums written out."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import loglift
import naive
from loglift.certify.recount import kept_information, largest_log_lifts, released_counts
from loglift.promise.integers import DENOMINATOR

COUNTS = st.lists(st.lists(st.integers(1, 50), min_size=3, max_size=3), min_size=2, max_size=7).map(
    np.array
)


@given(COUNTS)
def test_blocks_are_sums_of_their_members(counts):
    made = loglift.merge(loglift.Joint(counts), 0.2)
    rows = np.asarray(made.labels)
    found = released_counts(made, counts, rows)
    assert found.tolist() == [counts[rows == y].sum(axis=0).tolist() for y in range(made.size)]
    sizes = found.sum(axis=1) / counts.sum()
    expected = -sum(p * math.log(p) for p in sizes.tolist())
    assert kept_information(made, counts.sum(axis=1), rows) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_channel_spreads_every_record_over_its_values(seed):
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 5, 300)
    frame = pd.DataFrame({"town": town, "ill": rng.random(300) < 0.2 + 0.1 * town})
    made = loglift.protect(frame, sensitive="ill", public="town", eps=0.2, method="randomized")
    counts = np.asarray(loglift.Joint.from_table(frame, sensitive="ill", public="town").mass)
    found = released_counts(made.mechanism, counts, np.arange(len(counts)))
    assert found.sum(axis=0).tolist() == [int(n) * DENOMINATOR for n in counts.sum(axis=0)]
    expected = made.mechanism.channel.T @ counts
    assert (found / DENOMINATOR).astype(float) == pytest.approx(expected)


@given(COUNTS)
def test_the_largest_log_lifts_are_those_of_the_oracle(counts):
    _, logs = largest_log_lifts(counts, None)
    assert np.abs(logs) == pytest.approx(naive.omega(counts, counts))


def test_a_value_that_is_ruled_out_is_infinitely_far_and_one_without_a_bound_is_not_looked_at():
    counts = np.array([[0, 5, 5], [10, 5, 5]])
    places, logs = largest_log_lifts(counts, None)
    assert (places[0], logs[0]) == (0, -math.inf)
    places, logs = largest_log_lifts(counts, np.array([1, 2]))
    assert np.isfinite(logs).all()
    assert set(places.tolist()) <= {1, 2}
