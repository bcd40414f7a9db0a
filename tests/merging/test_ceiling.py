from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, entropy
from loglift.bound import safe_rows
from loglift.measures.partition import block_sums
from loglift.merging.ceiling import ceiling
from strategies import bounds, joints


def partitions(n):
    """All partitions of n rows, as canonical labels."""
    if n == 0:
        yield []
        return
    for rest in partitions(n - 1):
        for block in range(max(rest, default=-1) + 2):
            yield [*rest, block]


@settings(max_examples=60)
@given(joints(), bounds())
def test_no_safe_partition_keeps_more(joint, bound):
    mass = Joint(joint[:6], empty_sensitive="drop").scaled
    p = mass.sum(axis=1) / mass.sum()
    best = 0.0
    for labels in partitions(len(mass)):
        blocks = block_sums(mass, np.array(labels))
        if safe_rows(blocks, bound).all():
            best = max(best, entropy(block_sums(p, np.array(labels))))
    assert best <= ceiling(mass, bound) + 1e-12


def test_nothing_is_lost_when_every_value_is_low_risk():
    joint = np.outer([0.2, 0.3, 0.5], [0.4, 0.6])
    assert ceiling(Joint(joint).scaled, Bound.symmetric(1)) == pytest.approx(
        entropy(joint.sum(axis=1))
    )
