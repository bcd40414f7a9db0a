"""Any promise goes through the solvers: here two bounds for different sensitive values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

import numpy as np
import pytest

from loglift import Bound, Joint, merge
from loglift.merging.greedy import greedy
from loglift.merging.methods import Searching, by_omega, by_proof, by_runs, by_search
from loglift.merging.problem import Problem
from loglift.promise.lift import LiftPromise
from loglift.promise.promise import OnlyInequalities
from naive import partitions

SEARCH = Searching(start=None, high_risk_only=False, iterations=300, seed=0, time_limit=None)


@dataclass(frozen=True, eq=False)
class Both(OnlyInequalities):
    """Two promises at once: the coordinates of both."""

    first: LiftPromise
    second: LiftPromise

    @property
    def inequalities(self):
        return self.first.inequalities + self.second.inequalities

    @property
    def scale(self):
        return np.concatenate([self.first.scale, self.second.scale])

    def gains(self, rows, *, tolerant=False):
        return np.hstack([part.gains(rows, tolerant=tolerant) for part in self.parts])

    def columns(self, *, tolerant=False):
        for part in self.parts:
            yield from part.columns(tolerant=tolerant)

    def safe(self):
        return self.first.safe() & self.second.safe()

    def shortfalls(self):
        return self.first.shortfalls() + self.second.shortfalls()

    def most_blocks(self, groups=None):
        return np.minimum(self.first.most_blocks(groups), self.second.most_blocks(groups))

    def fingerprint(self, rows):
        return np.hstack([part.fingerprint(rows) for part in self.parts])

    def only(self, rows):
        return Both(*(part.only(rows) for part in self.parts))

    def blocks(self, labels):
        return Both(*(part.blocks(labels) for part in self.parts))

    def with_rest(self, rows):
        return Both(*(part.with_rest(rows) for part in self.parts))

    @property
    def parts(self):
        return (self.first, self.second)


def two_bounds(mass, tight, loose):
    """The first two sensitive values are bounded tightly, the others loosely."""
    problem = Problem.of(mass, tight)
    halves = [
        replace(problem.promise, mass=mass[:, part], prior=mass[:, part].sum(axis=0), bound=bound)
        for part, bound in ((slice(2), tight), (slice(2, None), loose))
    ]
    return replace(problem, promise=Both(*halves))


def best_of_all(mass, tight, loose, *, runs=False):
    best = -np.inf
    for labels in map(np.array, partitions(len(mass))):
        if runs and (np.diff(labels) < 0).any():
            continue
        p = np.array([mass[labels == b].sum() for b in range(labels.max() + 1)]) / mass.sum()
        lifts = np.array(
            [
                mass[labels == b].sum(axis=0)
                * mass.sum()
                / (mass[labels == b].sum() * mass.sum(axis=0))
                for b in range(labels.max() + 1)
            ]
        )
        limits = np.where(np.arange(mass.shape[1]) < 2, tight, loose) + 1e-12
        if (np.abs(np.log(lifts)) <= limits).all():
            best = max(best, float(-(p * np.log(p)).sum()))
    return best


@pytest.mark.parametrize("solve", [by_search, by_proof])
@pytest.mark.parametrize("seed", range(4))
def test_search_and_exact_take_any_promise(solve, seed):
    mass = np.random.default_rng(seed).integers(1, 9, (8, 4)).astype(float)
    problem = two_bounds(mass, Bound.symmetric(0.2), Bound.symmetric(1.0))
    proof = solve(problem, SEARCH)
    best = best_of_all(mass, 0.2, 1.0)
    assert proof.utility == pytest.approx(best)
    assert proof.most >= best - 1e-9
    assert problem.promise.blocks(proof.labels).safe().all()


@pytest.mark.parametrize("seed", range(4))
def test_runs_take_any_promise(seed):
    mass = np.random.default_rng(seed).integers(1, 9, (8, 4)).astype(float)
    problem = two_bounds(mass, Bound.symmetric(0.2), Bound.symmetric(1.0))
    best = best_of_all(mass, 0.2, 1.0, runs=True)
    assert problem.utility_of(by_runs(problem)) == pytest.approx(best)


def test_algorithm_1_needs_the_bound_on_log_lift():
    mass = np.random.default_rng(0).integers(1, 9, (8, 4)).astype(float)
    problem = two_bounds(mass, Bound.symmetric(0.2), Bound.symmetric(1.0))
    with pytest.raises(TypeError, match="log-lift"):
        greedy(problem)


def test_high_risk_values_only():
    joint = Joint(np.random.default_rng(1).integers(1, 30, (15, 3)))
    problem = Problem.of(joint.scaled, Bound.symmetric(0.4))
    low_risk = problem.promise.safe()
    assert low_risk.any()
    labels = by_search(problem, replace(SEARCH, high_risk_only=True)).labels
    assert (np.bincount(labels)[labels[low_risk]] == 1).all()


def test_complete_merging_falls_back_on_algorithm_1_to_absorb():
    counts = np.array([[6, 0], [5, 1], [20, 20]], dtype=float)
    problem = Problem.of(counts, Bound.symmetric(0.3))
    assert by_omega(problem, whole=True, absorb=False).tolist() == [0, 0, 1]
    assert by_omega(problem, whole=True, absorb=True).tolist() == [0, 0, 0]


def test_beyond_the_proven_values_no_proof_is_begun(monkeypatch):
    monkeypatch.setattr("loglift.merging.methods.MAX_PROVEN_VALUES", 5)
    joint = np.random.default_rng(2).random((12, 3))
    found = merge(joint, 0.3, "exact")
    assert found.safe
    assert not found.optimal


def test_with_a_time_limit_exact_keeps_no_less_than_search(monkeypatch):
    """Both do the same then. The clock of the test goes on with every look at it."""
    looks = count()
    monkeypatch.setattr("time.monotonic", lambda: 0.01 * next(looks))
    joint = np.random.default_rng(5).random((30, 8))
    found = merge(joint, 0.25, time_limit=1, iterations=100)
    looks = count()
    proven = merge(joint, 0.25, "exact", time_limit=1, iterations=100)
    assert proven.utility >= found.utility
    assert proven.upper_bound <= found.upper_bound * (1 + 1e-12)


def test_by_default_exact_keeps_no_less_than_search():
    for seed in range(3):
        joint = np.random.default_rng(seed).random((26, 6))
        assert merge(joint, 0.3, "exact").utility >= merge(joint, 0.3).utility
