"""The bound on the blocks that extend a part, against all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from loglift import Bound
from loglift._compute.kernels import kernels
from loglift.merging._walk import Company, parts_for
from loglift.merging.problem import Problem

bounding = kernels("merging._bounding_kernels", plain=True)
walking = kernels("merging._pricing_kernels", plain=True)


def test_no_block_of_a_leader_is_worth_more_than_its_bound():
    rng, close = np.random.default_rng(0), 0
    for _ in range(15):
        problem = Problem.of(rng.random((7, 3)), Bound.symmetric(0.4))
        gain, need = problem.scaled_inequalities(slice(None))
        order = np.argsort(-problem.p, kind="stable")
        gain, p = gain[order], problem.p[order]
        column = np.ascontiguousarray(np.column_stack([gain, p]).T)
        company = Company(column, need, np.zeros(7, dtype=np.int64), np.zeros((0, 0), np.int64))
        duals = rng.random(7) * 0.3
        for leader in range(7):
            parts = parts_for(7, need.size, 7)
            multiplier = np.zeros(need.size + 1)
            bound = walking.begin(parts, 0, leader, company, duals, multiplier, -np.inf)
            best = -np.inf
            for size in range(7 - leader):
                for others in combinations(range(leader + 1, 7), size):
                    block = [leader, *others]
                    if (gain[block].sum(axis=0) >= need).all():
                        mass = p[block].sum()
                        best = max(best, -mass * np.log(mass) - duals[block].sum())
            assert bound >= best - 1e-12
            close += bound < best + 0.1
    assert close > 10
