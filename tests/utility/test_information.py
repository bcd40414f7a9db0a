"""I(X;Y) as a utility: values, what merging loses, and the compiled form."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from loglift import entropy
from loglift._compute.kernels import kernels
from loglift.utility.information import INFORMATION
from naive import partitions

masses = arrays(np.float64, st.integers(2, 6), elements=st.floats(0.01, 1))


@given(masses)
def test_values_add_up_to_the_entropy(mass):
    p = mass / mass.sum()
    assert INFORMATION.values(p[:, np.newaxis]).sum() == pytest.approx(entropy(p))


@given(masses)
def test_the_compiled_value_is_the_same(mass):
    value = kernels("utility._utility_kernels", plain=True).value
    for p in [*(mass / mass.sum()), 1.0, 0.0]:
        sums = np.array([p])
        assert value(sums) == pytest.approx(INFORMATION.values(sums[np.newaxis])[0], abs=1e-15)


@given(masses)
def test_a_block_loses_at_least_what_is_charged(mass):
    """One taker with company, and several takers that share their company."""
    p = mass / mass.sum()
    lost = float((p * np.log(p.sum() / p)).sum())
    company = np.array([p.sum() - p[0]])
    assert float(INFORMATION.least_loss(p[:1], company)[0]) <= lost + 1e-12
    for takers in range(1, p.size):
        together = np.full(takers, p[takers:].sum())
        assert float(INFORMATION.least_joint_loss(p[:takers], together).sum()) <= lost + 1e-12


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_no_partition_into_few_blocks_keeps_more(blocks):
    p = np.random.default_rng(blocks).dirichlet(np.ones(6))
    best = max(
        entropy(np.bincount(labels, p))
        for labels in map(np.array, partitions(6))
        if labels.max() < blocks
    )
    assert best <= INFORMATION.most(blocks) + 1e-12
    part = p[:4] / 2
    found = INFORMATION.most_in_groups(part.sum()[np.newaxis], np.array([4.0]))[0]
    assert float(INFORMATION.values(part[:, np.newaxis]).sum()) <= found + 1e-12


@given(st.floats(-3, 5), st.floats(-1, 1), st.floats(0.001, 1))
def test_the_tangent_is_above_the_utility_and_touches_it(slope, shift, p):
    loops = kernels("utility._utility_kernels", plain=True)
    offset = loops.tangent_offset(slope, shift)
    assert loops.value(np.array([p])) <= offset + (slope + shift) * p + 1e-12
    touched = math.exp(-1 - slope - shift)
    assert loops.value(np.array([touched])) == pytest.approx(offset + (slope + shift) * touched)
