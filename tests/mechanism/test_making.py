"""Mechanisms made of block numbers or a channel, from numbers and from tables."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from loglift import (
    Bound,
    Joint,
    Mechanism,
    apply,
    merge,
    randomize,
    watchdog,
)
from loglift.measures import mutual_information


def test_identity_is_optimal_when_nothing_is_at_risk():
    mechanism = merge(np.outer([0.2, 0.3, 0.5], [0.4, 0.6]), 1, method="greedy")
    assert mechanism.optimal
    assert mechanism.nmil == 0
    assert mechanism.labels.tolist() == [0, 1, 2]


def test_a_channel_of_ones_own_is_measured():
    joint = Joint([[30, 10], [10, 30]])
    own = Mechanism.from_channel(joint, [[0.9, 0.1], [0.1, 0.9]], eps=0.7)
    assert own.utility == pytest.approx(mutual_information([1, 1], own.channel))
    assert own.safe
    assert not Mechanism.from_channel(joint, np.eye(2), bound=Bound(0.1, 0.1)).safe


def test_a_merging_of_a_tables_joint_shows_values_and_is_applied_to_it():
    rng = np.random.default_rng(0)
    job = rng.integers(5, size=900)
    ill = rng.random(900) < 0.1 + 0.15 * job
    table = pl.DataFrame({"job": [f"job{j}" for j in job], "ill": ill})
    joint = Joint.from_table(table, sensitive="ill", public="job")
    for made in (merge(joint, 0.3), randomize(joint, 0.3)):
        released = apply(made, table)
        assert set(released["job"]) <= set(made.released[0].values)
    merged = merge(joint, 0.3)
    assert {value for block in merged.blocks for value in block} == set(table["job"])


def test_released_values_that_are_never_drawn_are_dropped_for_tables():
    table = pl.DataFrame({"x": ["a", "b", "c"] * 4, "s": ["y", "n"] * 6})
    joint = Joint.from_table(table, sensitive="s", public="x")
    own = Mechanism.from_channel(joint, [[0.5, 0, 0.5]] * 3, 1)
    assert own.size == len(own.released[0].values) == 2
    guarded = watchdog(joint, 0.01)
    assert len(guarded.released[0].values) == guarded.channel.shape[1]
    assert Mechanism.from_json(own.to_json()).exact_channel.size == 2
