"""Candidate partitions: the order in which they are tested, and that they would pass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import loglift
from known import known_joint
from loglift import Bound
from loglift.confidence.candidates import CUSHIONS, Demand, candidates
from loglift.confidence.proposal import Draws
from loglift.sparse import block_sums


def test_candidates_are_ever_less_conservative_and_keep_ever_more():
    rng = np.random.default_rng(4)
    joint = known_joint(rng, 25, 3)
    table = rng.multinomial(8000, joint.ravel()).reshape(joint.shape) + 1

    def merged(joint, bound, least):
        return loglift.merge(joint, bound=bound, min_count=least, iterations=50).labels

    demand = Demand([table], Bound.symmetric(0.8), 0.05, 1.0, merged)
    found = list(candidates(demand))
    assert len(found) > 2
    cushions = [candidate.cushion for candidate in found]
    assert cushions == sorted(cushions, reverse=True)
    assert set(cushions) <= set(CUSHIONS)
    utilities = [loglift.entropy(block_sums(table.sum(axis=1), c.proposal.labels)) for c in found]
    assert utilities == sorted(utilities)
    tested = 0
    for candidate in found:  # would pass on the same records at its own level, up to rounding
        level = 1 - demand.level(candidate.cushion)
        if level < 1 - 1e-9:
            blocks = block_sums(table, candidate.proposal.labels)
            assert loglift.leakage_bound(blocks, level) <= 0.8 + 1e-9
            tested += 1
    assert tested > 0


def test_a_larger_cushion_needs_a_smaller_error():
    demand = Demand(
        [np.ones((2, 2), dtype=np.int64)], Bound.symmetric(1), 0.05, 1.0, lambda *_: None
    )
    levels = [demand.level(cushion) for cushion in CUSHIONS]
    assert levels == sorted(levels)
    assert demand.level(0.0) == 1 - 0.95 or abs(demand.level(0.0) - 0.05) < 1e-12
    assert 0 < demand.level(1000.0) <= 1e-100


def test_runs_are_merged_with_neighbours_only():
    rng = np.random.default_rng(6)
    share = np.linspace(0.1, 0.6, 30)
    counts = np.stack([rng.binomial(300, share), rng.binomial(300, 1 - share)], axis=1)

    def merged(joint, bound, least):
        return loglift.merge(joint, bound=bound, method="ordered", min_count=least).labels

    found = list(candidates(Demand([counts], Bound.symmetric(0.9), 0.05, 1.0, merged, 0.0, True)))
    assert len(found) > 1
    assert all((np.diff(candidate.proposal.labels) >= 0).all() for candidate in found)


def test_channels_are_proposed_beside_partitions_and_keep_no_less():
    rng = np.random.default_rng(4)
    table = rng.multinomial(8000, known_joint(rng, 10, 2).ravel()).reshape(10, 2) + 1
    asked = []

    def merged(joint, bound, least):
        return loglift.merge(joint, bound=bound, min_count=least, iterations=20).labels

    def drawn(joint, bound, leasts):
        asked.append((bound, tuple(leasts)))
        channel = loglift.randomize(joint, bound=bound).channel
        return [channel for _ in leasts]

    demand = Demand([table], Bound.symmetric(0.8), 0.05, 1.0, merged)
    weight = table.sum(axis=1)
    partitions = [c.proposal.utility(weight) for c in candidates(demand)]
    found = list(candidates(replace(demand, draw=drawn)))
    utilities = [c.proposal.utility(weight) for c in found]
    assert utilities == sorted(utilities)
    assert utilities[-1] >= partitions[-1] - 1e-9
    assert all(isinstance(c.proposal, Draws) for c in found)
    assert len({bound for bound, _ in asked}) == len(asked) > 1
    assert all(leasts == tuple(sorted(leasts, reverse=True)) for _, leasts in asked)
    for candidate in found:
        shown = candidate.proposal.expected([table])[0]
        level = demand.level(candidate.cushion)
        assert loglift.leakage_bound(shown, min(1 - level, 1 - 1e-9)) <= 0.8 + 1e-6
