"""I(X;Y) as what solvers maximise: values, what merging loses, and the compiled form."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from loglift import entropy
from loglift._compute.kernels import kernels
from loglift.utility.information import (
    Information,
    least_joint_loss,
    least_loss,
    most_in_groups,
)
from naive import partitions

loops = kernels("utility._utility_kernels", plain=True)
masses = arrays(np.float64, st.integers(2, 6), elements=st.floats(0.01, 1))
MINUS_ONE = np.array([-1.0])


@given(masses)
def test_values_add_up_to_the_entropy(mass):
    worth = Information(mass, mass.sum())
    assert worth.values().sum() == pytest.approx(entropy(mass))
    assert worth.of_channel(np.eye(mass.size)) == pytest.approx(entropy(mass))
    assert worth.most(worth.values().sum()) == pytest.approx(entropy(mass))


@given(masses)
def test_blocks_and_parts_are_those_of_the_same_table(mass):
    worth, labels = Information(mass, mass.sum()), np.arange(mass.size) % 2
    merged = np.array([mass[::2].sum(), mass[1::2].sum()])
    np.testing.assert_allclose(worth.blocks(labels).weight, merged)
    rows = np.array([1, 0])
    part, rest = worth.only(rows), worth.with_rest(rows)
    np.testing.assert_allclose(part.values(), worth.values()[rows])
    np.testing.assert_allclose(rest.weight, [*mass[rows], mass[2:].sum()], atol=1e-12)
    assert worth.total == part.total == rest.total == worth.blocks(labels).total


@given(masses)
def test_the_compiled_value_is_the_same(mass):
    worth = Information(mass, mass.sum())
    sums, coefficients = worth.sums()
    assert coefficients.tolist() == [-1.0]
    for row, value in zip(sums, worth.values(), strict=True):
        assert loops.value(row, coefficients) == pytest.approx(value, abs=1e-15)
    assert loops.value(np.zeros(1), coefficients) == 0
    assert loops.value(np.ones(1), coefficients) == 0


@given(masses)
def test_a_block_loses_at_least_what_is_charged(mass):
    """One taker with company, and several takers that share their company."""
    p = mass / mass.sum()
    lost = float((p * np.log(p.sum() / p)).sum())
    company = np.array([p.sum() - p[0]])
    assert float(least_loss(p[:1], company)[0]) <= lost + 1e-12
    for takers in range(1, p.size):
        together = np.full(takers, p[takers:].sum())
        assert float(least_joint_loss(p[:takers], together).sum()) <= lost + 1e-12


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_no_partition_into_few_blocks_keeps_more(blocks):
    p = np.random.default_rng(blocks).dirichlet(np.ones(6))
    best = max(
        entropy(np.bincount(labels, p))
        for labels in map(np.array, partitions(6))
        if labels.max() < blocks
    )
    assert best <= most_in_groups(np.ones(1), np.array([float(blocks)]))[0] + 1e-12
    part = p[:4] / 2
    found = most_in_groups(part.sum()[np.newaxis], np.array([4.0]))[0]
    assert float(-(part * np.log(part)).sum()) <= found + 1e-12


@given(st.floats(-3, 5), st.floats(-1, 1), st.floats(0.001, 1), st.sampled_from([1.0, 0.3, 2.0]))
def test_the_tangent_is_above_the_utility_and_touches_it(slope, shift, p, weight):
    offset = loops.tangent_offset(slope, shift, weight)
    coefficients = weight * MINUS_ONE
    assert loops.value(np.array([p]), coefficients) <= offset + (slope + shift) * p + 1e-12
    touched = math.exp(-1 - (slope + shift) / weight)
    assert loops.value(np.array([touched]), coefficients) == pytest.approx(
        offset + (slope + shift) * touched, rel=1e-9, abs=1e-12
    )
