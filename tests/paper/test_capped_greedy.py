"""Algorithm 1 with a cap: without effect at |X|, and never a larger block than the cap."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from loglift.paper.capped_greedy import capped_algorithm1
from loglift.paper.experiment import draw_joints


@pytest.mark.parametrize("eps", [0.25, 0.5, 1.0, 1.5, 30.0])
def test_a_cap_of_all_values_is_algorithm_1(eps):
    for joint in draw_joints(30, seed=2):
        assert capped_algorithm1(joint, eps, len(joint)) == naive.algorithm1(joint, eps)


def test_zeros_are_high_risk():
    joint = draw_joints(1, seed=3, public=6, sensitive=3)[0]
    joint[1, 2] = 0
    joint /= joint.sum()
    with np.errstate(divide="ignore"):
        assert capped_algorithm1(joint, 1.0, 6) == naive.algorithm1(joint, 1.0)
    assert [1] in capped_algorithm1(joint, 30.0, 1)


@pytest.mark.parametrize("cap", [1, 2, 3, 5, 8])
def test_blocks_have_at_most_the_cap_and_the_high_risk_values(cap):
    unsafe = 0
    for joint in draw_joints(20, seed=5):
        blocks = capped_algorithm1(joint, 0.6, cap)
        high_risk = np.flatnonzero(naive.omega(joint, joint) > 0.6)
        assert sorted(x for block in blocks for x in block) == high_risk.tolist()
        assert max(map(len, blocks)) <= cap
        for block in blocks[:-1]:  # one that stopped early is safe
            alone = naive.omega(joint[block].sum(axis=0)[np.newaxis], joint)[0]
            assert len(block) == cap or alone <= 0.6 + 1e-9
            unsafe += alone > 0.6
    assert (unsafe > 0) == (cap < 5)  # four values are enough here


def test_the_last_block_takes_blocks_that_fit():
    stuck = 0
    for joint in draw_joints(40, seed=6, public=7, sensitive=4):
        for cap in (3, 4, 5):
            *others, last = capped_algorithm1(joint, 0.3, cap)
            if naive.omega(joint[last].sum(axis=0)[np.newaxis], joint)[0] > 0.3:
                stuck += 1
                assert all(len(block) + len(last) > cap for block in others)
    assert stuck > 0
