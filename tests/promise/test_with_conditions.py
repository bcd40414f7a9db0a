"""The promise of a bound with requirements: solvers against all partitions, and valid proofs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import naive
from loglift import (
    AlphaLift,
    AverageLogLift,
    Bound,
    BoundError,
    ChiSquaredLift,
    DistinctDiversity,
    EntropyDiversity,
    Joint,
    Known,
    L1Lift,
    MechanismError,
    OrderedTCloseness,
    Target,
    TCloseness,
    Utility,
    merge,
    randomize,
)
from loglift.promise.limits import Limits
from loglift.promise.with_conditions import MAX_WRITTEN_VALUES, WithConditions
from loglift.sparse import as_cells, block_sums

REQUIREMENTS = [
    TCloseness(0.15),
    OrderedTCloseness(0.1),
    L1Lift(0.2),
    ChiSquaredLift(0.1),
    AlphaLift(0.1, alpha=3),
    AverageLogLift(0.05),
    DistinctDiversity(2),
    EntropyDiversity(1.6),
]


def random_counts(rng, n, m):
    counts = rng.integers(0, 9, (n, m)) * (rng.random((n, m)) < 0.8)
    counts[:, 0] += counts.sum(axis=1) == 0
    counts[0] += 1
    return counts


def meets(requirement, eps=math.inf):
    def all_of(row, prior):
        lifts = row * prior.sum() / (prior * row.sum())
        inside = lifts.max() <= math.exp(eps) and (lifts.min() >= math.exp(-eps))
        return inside and requirement.is_met(row.tolist(), prior.tolist())

    return all_of


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.key)
def test_mergings_are_safe_best_and_proven(requirement):
    rng, tried = np.random.default_rng(7), 0
    for trial in range(25):
        counts = random_counts(rng, int(rng.integers(3, 8)), int(rng.integers(2, 5)))
        eps = 0.8 if trial % 3 == 0 else None
        if not meets(requirement)(counts.sum(axis=0), counts.sum(axis=0)):
            continue
        tried += 1
        condition = meets(requirement, eps or math.inf)
        best = naive.best_required(counts, condition)
        bound = Bound.requiring(requirement, eps=eps)
        for method in ("search", "exact"):
            made = merge(counts, method=method, bound=bound)
            assert made.safe
            blocks = [counts[made.labels == b].sum(axis=0) for b in range(made.size)]
            assert all(condition(block, counts.sum(axis=0)) for block in blocks)
            assert made.utility == pytest.approx(best, abs=1e-9)
            assert made.upper_bound >= best - 1e-9
    assert tried > 10


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.key)
def test_compiled_solvers_agree_with_all_subsets(requirement):
    """Beyond 12 values blocks are priced: the proofs of 13 values are those of 12 and a copy."""
    rng = np.random.default_rng(11)
    counts = random_counts(rng, 26, 4) + 1
    bound = Bound.requiring(requirement)
    searched, proven = merge(counts, bound=bound), merge(counts, method="exact", bound=bound)
    assert searched.safe
    assert proven.safe
    assert searched.utility <= proven.utility + 1e-9
    assert proven.utility <= min(searched.upper_bound, proven.upper_bound) + 1e-9


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=lambda each: each.key)
def test_runs_columns_and_least_records(requirement):
    rng = np.random.default_rng(3)
    counts = random_counts(rng, 9, 3)
    bound, prior = Bound.requiring(requirement), counts.sum(axis=0)
    best = -math.inf
    for cuts in range(2**8):
        labels = np.cumsum([0, *((cuts >> i) & 1 for i in range(8))])
        blocks = [counts[labels == b].sum(axis=0) for b in range(labels.max() + 1)]
        if all(requirement.is_met(block.tolist(), prior.tolist()) for block in blocks):
            shares = np.array([block.sum() for block in blocks]) / counts.sum()
            best = max(best, float(-(shares * np.log(shares)).sum()))
    assert merge(counts, method="ordered", bound=bound).utility == pytest.approx(best)
    joint = Joint(counts, public=[(i % 3, i // 3) for i in range(9)])
    made = merge(joint, bound=bound, min_count=20)
    sizes = block_sums(counts.sum(axis=1), made.labels)
    assert made.safe
    assert sizes.min() >= 20


def test_a_utility_of_targets_is_kept_under_a_requirement():
    rng = np.random.default_rng(5)
    counts, target = rng.integers(1, 20, (40, 3)), rng.dirichlet(np.ones(4) / 4, 40)
    bound = Bound.requiring(TCloseness(0.05))
    utility = Utility.of([Target.given("u", target)])
    made = merge(counts, bound=bound, utility=utility)
    assert made.safe
    assert made.utility <= made.upper_bound + 1e-9


def test_gains_add_up_and_sparse_masses_give_the_same():
    rng = np.random.default_rng(2)
    counts = random_counts(rng, 12, 4)
    joint = Joint(counts)
    limits = Bound.requiring(TCloseness(0.05), AverageLogLift(0.02), eps=1).on(joint)
    assert isinstance(limits, Limits)
    dense = WithConditions.of(joint.scaled, limits)
    sparse = WithConditions.of(as_cells(joint.scaled), limits)
    labels = np.arange(12) // 3
    np.testing.assert_allclose(
        dense.blocks(labels).gains(slice(None)), block_sums(dense.gains(slice(None)), labels)
    )
    np.testing.assert_allclose(sparse.gains(slice(None)), dense.gains(slice(None)))
    columns = sorted(column.tolist() for column in sparse.columns())
    np.testing.assert_allclose(columns, sorted(dense.gains(slice(None)).T.tolist()))
    assert dense.safe().tolist() == sparse.safe().tolist()
    np.testing.assert_allclose(dense.shortfalls(), sparse.shortfalls())
    assert ((dense.shortfalls() == 0) >= dense.safe()).all()
    drawn = np.eye(4)[labels]
    assert dense.safe_drawn(drawn).tolist() == dense.blocks(labels).safe().tolist()


@pytest.mark.parametrize(
    "requirement", [TCloseness(0.1), OrderedTCloseness(0.1), L1Lift(0.2)], ids=lambda r: r.key
)
def test_random_draws_keep_polyhedral_requirements(requirement):
    counts = random_counts(np.random.default_rng(4), 12, 4)
    bound = Bound.requiring(requirement)
    drawn, merged = randomize(counts, bound=bound), merge(counts, bound=bound)
    assert drawn.safe
    assert drawn.utility >= merged.utility - 1e-9
    assert drawn.upper_bound >= drawn.utility - 1e-9
    shown = drawn.channel.T @ counts
    limits = bound.on(Joint(counts))
    assert limits.is_safe(shown, shown.sum(axis=1)[:, None] * counts.sum(axis=0)).all()


def test_random_draws_refuse_other_requirements_by_name():
    counts = random_counts(np.random.default_rng(4), 12, 4)
    for requirement in (ChiSquaredLift(0.1), AverageLogLift(0.1), DistinctDiversity(2)):
        with pytest.raises(BoundError, match=requirement.option):
            randomize(counts, bound=Bound.requiring(requirement, eps=1))
    wide = np.ones((3, MAX_WRITTEN_VALUES + 1), dtype=int)
    with pytest.raises(BoundError, match="at most 10 sensitive values"):
        randomize(wide + np.eye(3, 11, dtype=int), bound=Bound.requiring(TCloseness(0.1)))
    with pytest.raises(BoundError, match="eps 0"):
        randomize(counts, bound=Bound.requiring(TCloseness(0)))


def test_published_methods_and_readers_who_know_more_are_refused():
    counts = random_counts(np.random.default_rng(4), 12, 4)
    bound = Bound.requiring(TCloseness(0.1), eps=1)
    with pytest.raises(MechanismError, match="published for one bound"):
        merge(counts, method="greedy", bound=bound)
    with pytest.raises(BoundError, match="readers of the release alone"):
        merge(counts, bound=bound, promises=[Known(np.stack([counts, counts], axis=1) / 2)])
