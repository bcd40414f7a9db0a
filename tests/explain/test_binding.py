"""Limits that bind, against slow, obvious counts."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import assume, given, settings

from loglift import Joint, merge
from loglift.explain.binding import limits_of
from strategies import bounds, count_joints


def breaks(rows, joint, s, lower, upper):
    """Which sides of the bound on sensitive value s the rows together break."""
    block = joint[rows].sum(axis=0) * joint.sum()
    expected = joint[rows].sum() * joint.sum(axis=0)
    low = not math.isinf(lower) and block[s] < math.exp(-lower) * expected[s] * (1 - 1e-9)
    high = not math.isinf(upper) and block[s] > math.exp(upper) * expected[s] * (1 + 1e-9)
    return low, high


@settings(max_examples=60)
@given(count_joints(), bounds())
def test_a_limit_binds_where_a_member_cannot_leave(joint, bound):
    assume(min(bound.lower, bound.upper) >= 0.2)  # else sides may be equal, but for rounding
    found = merge(joint, bound=bound, iterations=20)
    labels, limits = found.labels, limits_of(Joint(joint), found)
    assert len(limits) == joint.shape[1]
    for s, limit in enumerate(limits):
        sides = np.zeros((labels.max() + 1, 2), dtype=bool)
        for block in range(labels.max() + 1):
            rows = np.flatnonzero(labels == block)
            for x in rows if rows.size > 1 else []:
                sides[block] |= breaks(rows[rows != x], joint, s, bound.lower, bound.upper)
        records = np.array([joint[labels == b].sum() for b in range(labels.max() + 1)])
        assert (limit.lower_blocks, limit.upper_blocks) == tuple(sides.sum(axis=0))
        assert (limit.lower_records, limit.upper_records) == tuple(records @ sides)
        assert limit.records_with == joint[:, s].sum()
