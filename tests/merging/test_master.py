"""The master against a linear program written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from loglift import Bound
from loglift.merging.items import items_of
from loglift.merging.master import Master
from loglift.merging.problem import Problem


def test_value_and_duals_are_those_of_the_linear_program():
    rng = np.random.default_rng(0)
    items = items_of(Problem.of(rng.random((6, 3)), Bound.symmetric(9)))
    blocks = [np.eye(6, dtype=np.int64)[i] for i in range(6)]
    blocks += [(rng.random(6) < 0.4).astype(np.int64) for _ in range(10)]
    blocks = [block for block in blocks if block.any()]
    master = Master(items, blocks)
    found = master.solve(np.zeros(6), 1e6)
    table = np.array(master.blocks)
    values = np.array([items.value(block) for block in master.blocks])
    known = linprog(-values, A_eq=table.T, b_eq=np.ones(6))
    assert found.value == pytest.approx(-known.fun)
    assert (table @ found.duals >= values - 1e-7).all()
    assert not found.boxed


def test_a_known_block_is_not_added_again():
    items = items_of(Problem.of(np.random.default_rng(0).random((3, 2)), Bound.symmetric(9)))
    master = Master(items, [])
    assert master.add(np.array([1, 1, 0]))
    assert not master.add(np.array([1, 1, 0]))
    assert len(master.blocks) == 1
