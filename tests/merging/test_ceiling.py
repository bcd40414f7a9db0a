from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, entropy
from loglift.merging.ceiling import ceiling
from naive import best_utility
from strategies import bounds, joints


@settings(max_examples=60)
@given(joints(), bounds())
def test_no_safe_partition_keeps_more(joint, bound):
    mass = Joint(joint[:6], empty_sensitive="drop").scaled
    assert best_utility(mass, bound.lower, bound.upper) <= ceiling(mass, bound) + 1e-12


def test_nothing_is_lost_when_every_value_is_low_risk():
    joint = np.outer([0.2, 0.3, 0.5], [0.4, 0.6])
    assert ceiling(Joint(joint).scaled, Bound.symmetric(1)) == pytest.approx(
        entropy(joint.sum(axis=1))
    )
