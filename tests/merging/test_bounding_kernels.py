"""The bound on the blocks that extend a part, against all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from loglift import Bound
from loglift._compute.kernels import kernels
from loglift.merging._walk import Company, parts_for
from loglift.merging.items import items_of
from loglift.merging.problem import Problem
from random_joints import random_goal, random_joint_of_table

bounding = kernels("merging._bounding_kernels", plain=True)
walking = kernels("merging._pricing_kernels", plain=True)


def with_information(rng):
    return Problem.of(rng.random((7, 3)), Bound.symmetric(0.4))


def with_targets(rng):
    joint = random_joint_of_table(rng, 7)
    goal, _ = random_goal(rng, joint)
    return Problem.of(joint.scaled, Bound.symmetric(0.6), worth=goal.worth(joint))


@pytest.mark.parametrize("made", [with_information, with_targets])
def test_no_block_of_a_leader_is_worth_more_than_its_bound(made):
    rng, close = np.random.default_rng(0), 0
    for _ in range(15):
        items = items_of(made(rng)).singles()
        order = np.argsort(-items.p, kind="stable")
        gain, sums, need, n = items.gain[order], items.sums[order], items.need, items.p.size
        company = Company(
            np.ascontiguousarray(np.column_stack([gain, sums]).T),
            need,
            np.zeros(n, dtype=np.int64),
            np.zeros((0, 0), np.int64),
            items.coefficients,
            items.joint_weight,
            items.targets_alone[order],
        )
        duals = rng.random(n) * 0.3
        for leader in range(n):
            parts = parts_for(n, need.size, items.coefficients.size, n)
            multiplier = np.zeros(need.size + 1)
            walking.begin(parts, 0, leader, company, duals, multiplier)
            bound = bounding.bounded(parts, 0, company, duals, -np.inf)
            best = -np.inf
            for size in range(n - leader):
                for others in combinations(range(leader + 1, n), size):
                    block = [leader, *others]
                    if (gain[block].sum(axis=0) >= need).all():
                        members = np.zeros(n, dtype=np.int64)
                        members[order[block]] = 1
                        best = max(best, items.value(members) - duals[block].sum())
            assert bound >= best - 1e-12
            close += bound < best + 0.1
    assert close > 5
