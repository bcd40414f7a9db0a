"""Conditions: they add up, their tangents are below them, and kernels compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from loglift._compute.kernels import kernels
from loglift.promise.conditions import (
    DISTINCT,
    LOGARITHM,
    POWER,
    RANKED,
    SPREAD,
    Condition,
    conditions_of,
    excess,
    facets,
    lacking_of,
    no_conditions,
    tangent,
)

KINDS = (SPREAD, RANKED, POWER, LOGARITHM, DISTINCT)


def random_condition(rng, kind, size):
    reference = rng.dirichlet(np.ones(size))
    level = {POWER: 1 + 0.3 * rng.random(), DISTINCT: float(rng.integers(1, size + 1))}
    return Condition(kind, level.get(kind, 0.6 * rng.random()), reference, 1 + 3 * rng.random())


def random_masses(rng, rows, size):
    masses = rng.random((rows, size)) * (rng.random((rows, size)) < 0.8)
    masses[:, 0] += masses.sum(axis=1) == 0
    return masses


@pytest.mark.parametrize("kind", KINDS)
def test_unions_of_blocks_that_meet_a_condition_meet_it(kind):
    rng, seen = np.random.default_rng(kind), 0
    for _ in range(200):
        size = int(rng.integers(2, 6))
        condition = random_condition(rng, kind, size)
        a, b = random_masses(rng, 2, size)
        of = excess(condition, np.array([a, b, a + b, 2 * a]))
        if kind != DISTINCT:
            assert of[2] <= of[0] + of[1] + 1e-12
        assert of[3] == pytest.approx(2 * of[0], abs=1e-12)
        if (of[:2] <= 0).all():
            seen += 1
            assert of[2] <= 1e-12
    assert seen > 3


@pytest.mark.parametrize("kind", [SPREAD, RANKED, POWER, LOGARITHM])
def test_tangents_are_below_and_touch(kind):
    rng = np.random.default_rng(kind)
    for _ in range(200):
        size = int(rng.integers(2, 6))
        condition = random_condition(rng, kind, size)
        point, *others = random_masses(rng, 5, size)
        line = tangent(condition, point)
        assert line @ point == pytest.approx(excess(condition, point[np.newaxis])[0], abs=1e-9)
        assert (others @ line <= excess(condition, np.array(others)) + 1e-12).all()


def test_distinct_values_have_no_tangent():
    assert tangent(Condition(DISTINCT, 2.0, np.ones(3)), np.ones(3)) is None


@pytest.mark.parametrize("kind", [SPREAD, RANKED])
def test_facets_say_it_all(kind):
    rng = np.random.default_rng(kind)
    for size in (2, 3, 4, 6):
        condition = random_condition(rng, kind, size)
        masses = random_masses(rng, 20, size)
        most = (masses @ facets(condition).T).max(axis=1)
        np.testing.assert_allclose(most, excess(condition, masses), atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_kernels_compute_the_same(kind):
    rng = np.random.default_rng(kind)
    loops = kernels("promise._condition_kernels", plain=True)
    for _ in range(30):
        size = int(rng.integers(2, 6))
        condition, other = (random_condition(rng, kind, size) for _ in range(2))
        columns = [rng.permutation(8)[:size], rng.permutation(8)[:size]]
        written = conditions_of([condition, other], columns, 8)
        total, plus = random_masses(rng, 2, 8)
        minus = 0.5 * total
        gains = (total + plus - minus)[np.newaxis]
        for c, (one, of) in enumerate(zip((condition, other), columns, strict=True)):
            expected = excess(one, gains[:, of])[0]
            assert loops.excess(written, c, total, plus, minus) == pytest.approx(
                expected, abs=1e-12
            )
        expected = lacking_of(written, gains)[0]
        assert loops.lacking(written, total, plus, minus) == pytest.approx(expected, abs=1e-12)


def test_no_conditions_ask_for_nothing():
    assert lacking_of(no_conditions(3), np.ones((4, 3))).tolist() == [0, 0, 0, 0]


def test_slack_is_a_share_of_the_block():
    condition = Condition(SPREAD, 0.1, np.array([0.5, 0.5]))
    masses = np.array([[0.1, 0.2], [1.0, 2.0]])
    strict, slack = (conditions_of([condition], [np.arange(2)], 2, s) for s in (0.0, 0.01))
    less = lacking_of(strict, masses) - lacking_of(slack, masses)
    np.testing.assert_allclose(less, 0.01 * masses.sum(axis=1))
