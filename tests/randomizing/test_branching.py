"""Branch and bound on the largest entries, against a list of all vertices."""

from __future__ import annotations

from functools import cache

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound
from loglift._compute import threads
from loglift.promise.lift import LiftPromise
from loglift.randomizing import _branching_kernels as loops, branching
from loglift.randomizing._program_kernels import largest_entries
from loglift.randomizing.branching import branch
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.proving import rows_of
from strategies import bounds, joints
from vertex_lists import entropies, listed

CLOSED = -1e-10


def largest_of(posteriors):
    space = posteriors.exact
    return np.clip(largest_entries(space, rows_of(space)), posteriors.p, 1)


@settings(max_examples=60)
@given(joints(), bounds(), st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.0]))
def test_the_bound_is_below_every_vertex_and_meets_the_least(joint, bound, seed, weight):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), bound))
    price = np.random.default_rng(seed).normal(size=len(joint))
    vertices, largest = listed(posteriors), largest_of(posteriors)
    values = weight * entropies(vertices) - vertices @ price
    least = min(0.0, values.min())
    for programs in (1, 10, 20_000):
        proof = branch(posteriors.exact, largest, price, weight, CLOSED, programs)
        assert proof.least <= least + 1e-9
        assert proof.programs <= programs
    assert proof.least >= least - 1e-6
    assert proof.met == pytest.approx(least, abs=1e-6)


@settings(max_examples=40)
@given(joints(), bounds(), st.integers(0, 2**32 - 1), st.sampled_from([0.01, 0.1, 0.5]))
def test_with_a_tolerance_it_is_met_and_no_more_than_that_is_claimed(joint, bound, seed, tolerance):
    posteriors = Posteriors.of(LiftPromise.of(joint / joint.sum(), bound))
    price = np.random.default_rng(seed).normal(size=len(joint))
    vertices = listed(posteriors)
    least = min(0.0, (entropies(vertices) - vertices @ price).min())
    proof = branch(posteriors.exact, largest_of(posteriors), price, 1.0, -tolerance, 20_000)
    assert proof.least <= -tolerance
    assert min(least, -tolerance) - 1e-6 <= proof.least <= least + 1e-9


def test_points_that_help_are_in_q_and_worth_more_than_their_price():
    helped = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        posteriors = Posteriors.of(LiftPromise.of(rng.random((9, 4)), Bound.symmetric(0.3)))
        price = rng.normal(size=9)
        proof = branch(posteriors.exact, largest_of(posteriors), price, 1.0, CLOSED, 5000)
        helped += len(proof.points)
        lifts, (least, most) = proof.points @ posteriors.lifts.T, posteriors.limits
        assert ((lifts > least - 1e-9) & (lifts < most + 1e-9)).all()
        np.testing.assert_allclose(proof.points.sum(axis=1), 1, atol=1e-9)
        assert (entropies(proof.points) - proof.points @ price < 0).all()
    assert helped > 30


@pytest.mark.parametrize("programs", [3, 50, 20_000])
def test_bounds_of_values_to_name_by_changed_duals_are_below_every_vertex(programs):
    """More values than `MIN_PRESSED`, so that the bounds of naming each are raised."""
    for seed in range(20):
        space, largest, price, least = hard_case(seed, 2 * loops.MIN_PRESSED)
        proof = branch(space, largest, price, 1.0, CLOSED, programs)
        assert proof.least <= least + 1e-9
        if proof.programs < programs:
            assert proof.least >= least - 1e-6


def test_many_values_are_sifted_and_the_bound_stays_the_same():
    """More values than a sieve has, all vertices known: two sensitive values."""
    n = 2 * loops.FIRST_MEMBERS + 120
    for seed in range(5):
        rng = np.random.default_rng(seed)
        posteriors = Posteriors.of(LiftPromise.of(rng.random((n, 2)), Bound.symmetric(0.2)))
        price, vertices = rng.normal(size=n), listed(posteriors)
        least = min(0.0, (entropies(vertices) - vertices @ price).min())
        largest = largest_of(posteriors)
        assert (largest >= vertices.max(axis=0) - 1e-9).all()
        proof = branch(posteriors.exact, largest, price, 1.0, CLOSED, 20_000)
        assert proof.least == pytest.approx(least, abs=1e-7)


def hard_case(seed, n=24):
    """Return Q, upper bounds on its entries, prices, and the least value over its vertices."""
    posteriors, price = priced(seed, n)
    return posteriors.exact, largest_of(posteriors), price, least_over_vertices(seed, n)


def priced(seed, n):
    rng = np.random.default_rng(seed)
    posteriors = Posteriors.of(LiftPromise.of(rng.random((n, 4)), Bound.symmetric(0.15)))
    return posteriors, rng.normal(loc=1.0, scale=0.5, size=n)


@cache  # listing all vertices takes longer than the proofs, and several tests need the same lists
def least_over_vertices(seed, n):
    posteriors, price = priced(seed, n)
    vertices = listed(posteriors)
    return min(0.0, (entropies(vertices) - vertices @ price).min())


@pytest.fixture
def many_rounds(monkeypatch):
    monkeypatch.setattr(branching, "MIN_DEALT", 4)
    monkeypatch.setattr(branching, "MIN_ROUND_PROGRAMS", 3)


@pytest.mark.usefixtures("many_rounds")
def test_parts_prove_the_same_on_any_number_of_cores(monkeypatch):
    for seed in range(10):
        space, largest, price, least = hard_case(seed)
        proofs = []
        for cores in (1, 2, 3):
            monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
            proofs.append(branch(space, largest, price, 1.0, CLOSED, 20_000))
        assert proofs[0].least == pytest.approx(least, abs=1e-6)
        for proof in proofs[1:]:
            assert proof[:2] == proofs[0][:2]
            assert proof.programs == proofs[0].programs
            np.testing.assert_array_equal(proof.points, proofs[0].points)


@pytest.mark.usefixtures("many_rounds")
@pytest.mark.parametrize(("room", "programs"), [(0, 20), (0, 200), (1, 50), (32, 100)])
def test_without_room_for_nodes_or_programs_less_is_proven_and_nothing_wrong(
    room, programs, monkeypatch
):
    monkeypatch.setattr(branching, "MIN_ROOM", room)
    for seed in range(10):
        space, largest, price, least = hard_case(seed)
        proof = branch(space, largest, price, 1.0, CLOSED, programs)
        assert proof.least <= least + 1e-9
        assert proof.programs <= programs


def test_a_proof_ends_sooner_where_a_point_is_welcome(monkeypatch):
    monkeypatch.setattr(branching, "MIN_ROUND_PROGRAMS", 3)
    sooner = 0
    for seed in range(10):
        space, largest, price, least = hard_case(seed)
        whole = branch(space, largest, price, 1.0, CLOSED, 20_000)
        proof = branch(space, largest, price, 1.0, CLOSED, 20_000, welcome=least / 2)
        assert proof.least <= least + 1e-9
        assert proof.met <= least / 2
        assert len(proof.points) > 0
        assert proof.programs <= whole.programs
        sooner += proof.programs < whole.programs
    assert sooner > 5
