from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, entropy
from loglift.merging.ceiling import ceiling, prices
from loglift.merging.intact import Groups
from loglift.merging.problem import Problem
from naive import best_utility
from random_joints import random_bound
from strategies import bounds, joints


@settings(max_examples=60)
@given(joints(), bounds())
def test_no_safe_partition_keeps_more(joint, bound):
    mass = Joint(joint[:6], empty_sensitive="drop").scaled
    assert best_utility(mass, bound.lower, bound.upper) <= ceiling(Problem.of(mass, bound)) + 1e-12


def test_nothing_is_lost_when_every_value_is_low_risk():
    joint = np.outer([0.2, 0.3, 0.5], [0.4, 0.6])
    problem = Problem.of(Joint(joint).scaled, Bound.symmetric(1))
    assert ceiling(problem) == pytest.approx(entropy(joint.sum(axis=1)))
    assert prices(problem).sum() == pytest.approx(ceiling(problem))


def test_the_number_of_blocks_of_each_group_limits_what_is_kept():
    """Two values have the rare sensitive value, both in the same group."""
    counts = np.array([[5, 5, 1], [5, 5, 1], [5, 5, 0], [5, 5, 0], [5, 5, 1], [5, 5, 0]])
    groups = Groups.of(np.array([0, 0, 0, 0, 1, 1]))
    problem = Problem.of(counts.astype(float), Bound.symmetric(2), groups=groups)
    shares = np.array([22 + 20, 21])[:, np.newaxis] / counts.sum()
    most = float((shares * np.log(np.array([[2], [1]]) / shares)).sum())
    assert ceiling(problem) == pytest.approx(most)


def test_no_safe_block_exceeds_its_prices():
    rng, safe = np.random.default_rng(5), 0
    for _ in range(30):
        mass, bound = rng.random((8, 3)) ** 3, random_bound(rng)
        p, price = mass.sum(axis=1) / mass.sum(), prices(Problem.of(mass, bound))
        for mask in range(1, 1 << 8):
            block = [x for x in range(8) if mask >> x & 1]
            shown = mass[block].sum(axis=0) * mass.sum()
            if bound.is_safe(shown, mass[block].sum() * mass.sum(axis=0)):
                safe += 1
                assert -p[block].sum() * np.log(p[block].sum()) <= price[block].sum() + 1e-12
    assert safe > 100
