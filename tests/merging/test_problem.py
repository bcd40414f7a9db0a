"""A problem written out: for parts of it, for blocks, for groups."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound
from loglift.measures.partition import canonical
from loglift.merging.intact import as_groups
from loglift.merging.problem import Problem
from loglift.sparse import as_cells, block_sums

BOUND = Bound(0.5, 0.8)


def some_mass(rng, rows=60, columns=9):
    mass = rng.integers(0, 5, (rows, columns)) * (rng.random((rows, columns)) < 0.5)
    mass[np.arange(rows), np.arange(rows) % columns] += 1
    return mass.astype(float)


@pytest.mark.parametrize("sparse", [False, True])
def test_gains_are_those_of_the_definition(sparse):
    rng = np.random.default_rng(3)
    mass = some_mass(rng)
    weight, prior, n = mass.sum(axis=1), mass.sum(axis=0), mass.sum()
    below = mass * n - np.exp(-0.5) * np.outer(weight, prior)
    above = np.exp(0.8) * np.outer(weight, prior) - mass * n
    expected = np.hstack([below, above, weight[:, np.newaxis]])
    problem = Problem.of(as_cells(mass) if sparse else mass, BOUND, least=5.0)
    rows = rng.permutation(60)[:7]
    arrays = problem.arrays(rows)
    np.testing.assert_allclose(arrays.gain, expected[rows], atol=1e-12 * n**2)
    np.testing.assert_allclose(arrays.scale, [*np.tile(1 / (prior * n), 2), 1 / 5])
    assert arrays.need.tolist() == [0.0] * 18 + [5.0]
    assert arrays.sums[:, 0].tolist() == (weight[rows] / n).tolist()
    assert problem.inequalities == 19


def test_the_blocks_of_a_partition_have_the_sums_of_their_members():
    rng = np.random.default_rng(4)
    problem, labels = Problem.of(some_mass(rng), BOUND), canonical(rng.integers(0, 5, 60))
    merged = problem.blocks(labels)
    np.testing.assert_allclose(
        merged.arrays().gain, block_sums(problem.arrays().gain, labels), atol=1e-6
    )
    p = merged.p
    assert problem.utility_of(labels) == pytest.approx(-(p * np.log(p)).sum())


def test_scaled_inequalities_say_the_same_as_gains():
    rng = np.random.default_rng(5)
    mass = some_mass(rng, 12, 3)
    problem = Problem.of(mass, BOUND, least=0.2 * mass.sum())
    arrays = problem.arrays(tolerant=True)
    gain, need = problem.scaled_inequalities(slice(None))
    safe = 0
    for mask in range(1, 1 << 12):
        block = [x for x in range(12) if mask >> x & 1]
        here = (arrays.gain[block].sum(axis=0) >= arrays.need).all()
        assert here == (gain[block].sum(axis=0) >= need).all()
        safe += here
    assert 0 < safe < (1 << 12) - 1


def test_groups_are_solved_against_the_whole_table():
    mass = np.array([[3.0, 1], [1, 3], [4, 4], [2, 1]])
    groups = as_groups(["a", "b", "a", "b"], (0, 1, 2, 3))
    problem, seen = Problem.of(mass, BOUND, groups=groups), []

    def solver(part, members):
        seen.append(members.tolist())
        assert part.chosen.tolist() == [0, 1]
        assert part.size == 3  # the rest of the table is one more value
        assert part.worth.weight.sum() == mass.sum()
        assert (part.promise.prior == mass.sum(axis=0)).all()
        assert np.array_equal(part.arrays([0, 1]).gain, problem.arrays(members).gain)
        return np.zeros(2, dtype=np.int64)

    assert problem.in_groups(solver).tolist() == [0, 1, 0, 1]
    assert seen == [[0, 2], [1, 3]]


def test_a_safe_partition_meets_the_bound_and_the_limits_of_size():
    mass, pairs = np.array([[3.0, 1.0], [1.0, 3.0], [2.0, 2.0]]), np.array([0, 0, 1])
    problem = Problem.of(mass, Bound.symmetric(0.1), least=4.0, largest=2.0)
    assert problem.is_safe(pairs)
    assert not problem.is_safe(np.arange(3))  # outside the bound
    assert not Problem.of(mass, Bound.symmetric(0.1), least=5.0).is_safe(pairs)
    assert not Problem.of(mass, Bound.symmetric(0.1), largest=2.0).is_safe(np.zeros(3, dtype=int))
