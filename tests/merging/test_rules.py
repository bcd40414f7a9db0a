"""The types of Algorithm 1 are the same for compiled and for plain loops."""

from __future__ import annotations

import numpy as np

from loglift._compute.kernels import kernels
from loglift.merging._rules import Rules, Values


def test_compiled_and_plain_loops_share_the_types_and_the_result():
    mass = np.array([[9.0, 1.0], [1.0, 9.0], [9.0, 2.0], [2.0, 9.0]])
    found = []
    for plain in (True, False):
        loops = kernels("merging._greedy_kernels", plain=plain)
        assert loops.Rules is Rules
        assert loops.Values is Values
        rules = Rules(mass.sum(axis=0), float(mass.sum()), 0.9, 1.1, 1.0, 1.0)
        values, order = Values(mass, mass.sum(axis=1)), np.arange(4)
        found.append(loops.algorithm1(order.copy(), order, order[:0], values, rules).tolist())
    assert found[0] == found[1] == [0, 0, 1, 1]
