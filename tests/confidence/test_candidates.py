"""Candidate partitions: the order in which they are tested, and that they would pass."""

from __future__ import annotations

import numpy as np

import loglift
from known import known_joint
from loglift import Bound
from loglift.confidence.candidates import CUSHIONS, Plan, candidates
from loglift.sparse import block_sums


def test_candidates_are_ever_less_conservative_and_keep_ever_more():
    rng = np.random.default_rng(4)
    joint = known_joint(rng, 25, 3)
    table = rng.multinomial(8000, joint.ravel()).reshape(joint.shape) + 1

    def merged(joint, bound, least):
        return loglift.merge(joint, bound=bound, min_count=least, iterations=50).labels

    plan = Plan([table], Bound.symmetric(0.8), 0.05, 1.0, merged)
    found = list(candidates(plan))
    assert len(found) > 2
    cushions = [candidate.cushion for candidate in found]
    assert cushions == sorted(cushions, reverse=True)
    assert set(cushions) <= set(CUSHIONS)
    utilities = [loglift.entropy(block_sums(table.sum(axis=1), c.labels)) for c in found]
    assert utilities == sorted(utilities)
    tested = 0
    for candidate in found:  # would pass on the same records at its own level, up to rounding
        level = 1 - plan.level(candidate.cushion)
        if level < 1 - 1e-9:
            blocks = block_sums(table, candidate.labels)
            assert loglift.leakage_bound(blocks, level) <= 0.8 + 1e-9
            tested += 1
    assert tested > 0


def test_a_larger_cushion_needs_a_smaller_error():
    plan = Plan([np.ones((2, 2), dtype=np.int64)], Bound.symmetric(1), 0.05, 1.0, lambda *_: None)
    levels = [plan.level(cushion) for cushion in CUSHIONS]
    assert levels == sorted(levels)
    assert plan.level(0.0) == 1 - 0.95 or abs(plan.level(0.0) - 0.05) < 1e-12
    assert 0 < plan.level(1000.0) <= 1e-100


def test_runs_are_merged_with_neighbours_only():
    rng = np.random.default_rng(6)
    share = np.linspace(0.1, 0.6, 30)
    counts = np.stack([rng.binomial(300, share), rng.binomial(300, 1 - share)], axis=1)

    def merged(joint, bound, least):
        return loglift.merge(joint, bound=bound, method="ordered", min_count=least).labels

    found = list(candidates(Plan([counts], Bound.symmetric(0.9), 0.05, 1.0, merged, 0.0, True)))
    assert len(found) > 1
    assert all((np.diff(candidate.labels) >= 0).all() for candidate in found)
