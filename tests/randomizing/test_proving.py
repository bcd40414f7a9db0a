"""Floors of the loss: below the least loss with any prices and any effort."""

from __future__ import annotations

import time

import numpy as np
import pytest

from loglift import Bound
from loglift.promise.lift import LiftPromise
from loglift.randomizing import proving
from loglift.randomizing._program_kernels import entry_duals, largest_entries
from loglift.randomizing.cost import Cost
from loglift.randomizing.effort import Effort
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.pricing import Listed
from loglift.randomizing.proving import Prover, largest_by_duals, rows_of
from loglift.randomizing.vertices import all_vertices
from randomizing.test_climbing import cost_of, solved
from vertex_lists import entropies

MUCH = 10**6


def floor_of(posteriors, cost, price, effort=MUCH):
    prover = Prover(posteriors, cost, Effort(effort))
    prover.points(price)
    return prover.floor


def cases(plain):
    for seed in range(12):
        joint = np.random.default_rng(seed).random((7, 3))
        posteriors = Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.2)))
        cost = Cost.joint(7) if plain else cost_of(joint, seed)
        best, _ = solved(posteriors, cost, Listed(posteriors, cost, all_vertices(posteriors), 0))
        yield posteriors, cost, best, np.random.default_rng(seed).random(7)


@pytest.mark.parametrize("limit", ["_MAX_IMAGE_CELLS", "_MAX_BOXES", "_MAX_IMAGE_VALUES"])
def test_with_less_effort_the_floor_with_targets_stays_a_floor(limit, monkeypatch):
    """Without images, with a single box, or without programs for the limits of images."""
    monkeypatch.setattr(proving, limit, 1)
    gaps = []
    for posteriors, cost, best, other in cases(plain=False):
        for price in (best.price, other):
            assert floor_of(posteriors, cost, price) <= best.loss + 1e-9
        gaps.append(best.loss - floor_of(posteriors, cost, best.price))
    assert (max(gaps) > 1e-3) == (limit != "_MAX_IMAGE_VALUES")


@pytest.mark.parametrize("boxed", [0, 40])
@pytest.mark.parametrize("effort", [1, 20, MUCH])
def test_the_floor_of_plain_information_is_one_with_any_prices_and_any_effort(
    effort, boxed, monkeypatch
):
    monkeypatch.setattr(proving, "_MAX_BOXED_VALUES", boxed)
    gaps = []
    for posteriors, cost, best, other in cases(plain=True):
        assert floor_of(posteriors, cost, other, effort) <= best.loss + 1e-9
        gaps.append(best.loss - floor_of(posteriors, cost, best.price, effort))
        assert gaps[-1] >= -1e-9
    assert (max(gaps) > 1e-3) == (effort < MUCH)


def test_proofs_of_many_values_go_from_a_tolerance_to_none(monkeypatch):
    monkeypatch.setattr(proving, "MAX_FULL_PROOF_VALUES", 1)
    monkeypatch.setattr(proving, "_MAX_BOXED_VALUES", 0)
    gaps, helped = [], []
    for posteriors, cost, best, other in cases(plain=True):
        prover = Prover(posteriors, cost, Effort(MUCH))
        assert not len(prover.points(best.price))
        assert prover.is_proven(best.price)
        gaps.append(best.loss - prover.floor)
        points = Prover(posteriors, cost, Effort(MUCH)).points(3 * other)
        helped.append(len(points))
        assert (entropies(points) - 3 * points @ other < 0).all()
    assert np.abs(gaps).max() < 1e-8
    assert min(helped) > 0


def test_duals_of_some_entries_bound_all_entries_from_above():
    tight = []
    for seed in range(10):
        joint = np.random.default_rng(seed).random((14, 3))
        space = Posteriors.of(LiftPromise.of(joint, Bound.symmetric(0.2))).exact
        most = largest_entries(space, rows_of(space))
        some = entry_duals(space, rows_of(space), np.arange(0, 14, 3))
        found = largest_by_duals(space, some)
        assert (found >= most - 1e-9).all()
        tight.append(np.abs(found - most)[::3].max())
        noise = np.random.default_rng(seed).normal(size=(30, 4))
        assert (largest_by_duals(space, noise) >= most - 1e-9).all()
    assert np.median(tight) < 1e-6


def test_a_deadline_that_is_over_leaves_the_floor_of_single_entries():
    gaps = []
    for posteriors, cost, best, _ in cases(plain=True):
        prover = Prover(posteriors, cost, Effort(MUCH, time.monotonic() - 1))
        assert not len(prover.points(best.price))
        gaps.append(best.loss - prover.floor)
        assert prover.floor > 0
    assert min(gaps) > -1e-9
