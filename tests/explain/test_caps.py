"""Caps of rare sensitive values, against all partitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, entropy
from loglift.explain.caps import caps_of
from naive import partitions
from strategies import count_joints


@settings(max_examples=60)
@given(count_joints(max_public=6))
def test_caps_are_the_most_blocks_that_all_hold_a_sensitive_value(joint):
    caps = caps_of(joint, range(joint.shape[1]), Bound.symmetric(1), 100.0)
    assert [cap.blocks for cap in caps] == sorted(cap.blocks for cap in caps)
    for cap in caps:
        most = 0
        for labels in map(np.array, partitions(len(joint))):
            blocks = [joint[labels == block, cap.sensitive].sum() for block in set(labels)]
            most = max(most, len(blocks) if min(blocks) > 0 else 0)
        assert cap.blocks == most <= cap.records_with
        assert cap.utility == pytest.approx(math.log(most))


def test_caps_need_a_lower_bound_and_are_below_what_there_is():
    joint = np.array([[5, 1], [4, 0], [6, 0]])
    assert caps_of(joint, "ab", Bound(math.inf, 1), 1.0) == ()
    [cap] = caps_of(joint, "ab", Bound.symmetric(1), entropy(joint.sum(axis=1)))
    assert (cap.sensitive, cap.records_with, cap.blocks, cap.kept) == ("b", 1, 1, 0)
