"""`Given` as a promise of `merge`: all releases together stay within the bound."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from known_counts import cubes
from loglift import (
    Given,
    Joint,
    JointError,
    Mechanism,
    MechanismError,
    UnsafeError,
    merge,
)
from loglift.mechanism.given import outcomes_of
from naive import partitions, told


def together(joint, channels):
    """The largest |log p(s|y1,...,yk)/p(s)| of channels that are drawn apart."""
    p, worst = joint / joint.sum(), 0.0
    for values in product(*(range(channel.shape[1]) for channel in channels)):
        share = np.prod(
            [channel[:, y] for channel, y in zip(channels, values, strict=True)], axis=0
        )
        here = share @ p
        if here.sum() > 1e-15:
            with np.errstate(divide="ignore"):
                logs = np.log(here / here.sum() / p.sum(axis=0))
            worst = max(worst, float(np.abs(logs).max()))
    return worst


@settings(max_examples=40)
@given(cubes(values=5), st.sampled_from([0.5, 1.0]))
def test_a_second_merging_is_the_best_beside_the_first(counts, eps):
    joint = Joint(counts.sum(axis=1))
    first = merge(joint, eps / 2)
    second = merge(joint, eps, promises=[Given(first)])
    cube = np.zeros((len(counts), first.size, joint.mass.shape[1]), dtype=np.int64)
    cube[np.arange(len(counts)), first.labels] = joint.mass
    assert together(joint.mass, [first.channel, second.channel]) <= eps + 1e-9
    assert second.readers[0].leakage == pytest.approx(told(cube, second.labels, "given"))
    p, most = joint.p_public, 0.0
    for labels in partitions(len(counts)):
        if max(told(cube, labels, "given"), told(counts[:, :0], labels, "given")) <= eps + 1e-12:
            masses = np.bincount(labels, p)
            most = max(most, float(-(masses * np.log(masses)).sum()))
    assert second.utility == pytest.approx(most, abs=1e-9)


def test_a_merging_after_a_random_release():
    rng = np.random.default_rng(3)
    joint = Joint(rng.integers(20, 60, (6, 3)))
    channel = 0.4 * np.eye(6) + 0.6 / 6
    first = Mechanism.from_channel(joint, channel, 3)
    for eps in (0.5, 0.8):
        second = merge(joint, eps, promises=[Given(first)])
        assert second.safe
        assert together(joint.mass, [first.channel, second.channel]) <= eps + 1e-9
    third = merge(joint, 1.2, promises=[Given(first, second)])
    assert together(joint.mass, [c.channel for c in (first, second, third)]) <= 1.2 + 1e-9


def test_an_earlier_release_of_other_columns_is_counted_with_this_one():
    rng = np.random.default_rng(5)
    counts = rng.integers(3, 20, (4, 5, 2))  # x, x1, s
    first = merge(Joint(counts.sum(axis=0)), 0.3)
    second = merge(Joint(counts.sum(axis=1)), 0.6, promises=[Given(first, counts=counts)])
    cube = np.zeros((4, first.size, 2), dtype=np.int64)
    for x1, block in enumerate(first.labels):
        cube[:, block] += counts[:, x1]
    assert told(cube, second.labels, "given") <= 0.6 + 1e-9


def test_earlier_releases_that_tell_too_much_are_refused():
    joint = Joint([[9, 1], [1, 9], [5, 5]])
    first = merge(joint, 3)
    with pytest.raises(UnsafeError, match=r"earlier release.*leakage of 1.609"):
        merge(joint, 0.1, promises=[Given(first)])


def test_records_that_were_not_released_are_told_by_that():
    joint = Joint([[9, 1], [1, 9], [5, 5]])
    first = merge(joint, 0.1)
    assert outcomes_of(first, np.array([0, -1, 2])).numbers.tolist() == [
        first.labels[0],
        first.size,
        first.labels[2],
    ]
    random = Mechanism.from_channel(joint, [[0.5, 0.5]] * 3, 1)
    drawn = outcomes_of(random, np.array([-1, 1]))
    entries = zip(drawn.rows, drawn.numbers, drawn.numerators, strict=True)
    assert sorted(tuple(map(int, entry)) for entry in entries) == [
        (0, 2, 2**52),
        (1, 0, 2**51),
        (1, 1, 2**51),
    ]


def test_what_cannot_be_is_refused():
    joint, other = Joint([[3, 1], [1, 3]]), Joint([[3, 1], [1, 3], [2, 2]])
    made = merge(other, 2)
    with pytest.raises(MechanismError, match="one or several"):
        Given()
    with pytest.raises(MechanismError, match="other public values"):
        merge(joint, 1, promises=[Given(made)])
    with pytest.raises(JointError, match="axis"):
        Given(made, counts=[[1]])
    with pytest.raises(JointError, match=r"need \(2, 3, 2\)"):
        merge(joint, 1, promises=[Given(made, counts=np.ones((2, 2, 2)))])
    with pytest.raises(JointError, match="add up"):
        merge(joint, 1, promises=[Given(made, counts=np.ones((2, 3, 2)))])
    with pytest.raises(MechanismError, match="one Given"):
        merge(other, 1, promises=[Given(made), Given(made)])
    assert math.isfinite(merge(other, 2, promises=[Given(made)]).leakage)
