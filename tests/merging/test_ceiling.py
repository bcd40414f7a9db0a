"""The ceiling: no safe partition keeps more, no safe block exceeds its prices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, Target, Utility, entropy
from loglift.merging.ceiling import ceiling, least_target_loss, prices, with_targets
from loglift.merging.intact import Groups
from loglift.merging.problem import Problem
from naive import best_of_all, best_utility, information, partitions, safe_blocks
from random_joints import random_bound, random_problem
from strategies import bounds, joints


@settings(max_examples=60)
@given(joints(), bounds())
def test_no_safe_partition_keeps_more(joint, bound):
    mass = Joint(joint[:6], empty_sensitive="drop").scaled
    assert best_utility(mass, bound.lower, bound.upper) <= ceiling(Problem.of(mass, bound)) + 1e-12


def test_nothing_is_lost_when_every_value_is_low_risk():
    joint = np.outer([0.2, 0.3, 0.5], [0.4, 0.6])
    problem = Problem.of(Joint(joint).scaled, Bound.symmetric(1))
    assert ceiling(problem) == pytest.approx(entropy(joint.sum(axis=1)))
    assert prices(problem).sum() == pytest.approx(ceiling(problem))


def test_the_number_of_blocks_of_each_group_limits_what_is_kept():
    """Two values have the rare sensitive value, both in the same group."""
    counts = np.array([[5, 5, 1], [5, 5, 1], [5, 5, 0], [5, 5, 0], [5, 5, 1], [5, 5, 0]])
    groups = Groups.of(np.array([0, 0, 0, 0, 1, 1]))
    problem = Problem.of(counts.astype(float), Bound.symmetric(2), groups=groups)
    shares = np.array([22 + 20, 21])[:, np.newaxis] / counts.sum()
    most = float((shares * np.log(np.array([[2], [1]]) / shares)).sum())
    assert ceiling(problem) == pytest.approx(most)


def test_no_safe_block_exceeds_its_prices():
    rng, safe = np.random.default_rng(5), 0
    for _ in range(30):
        mass, bound = rng.random((8, 3)) ** 3, random_bound(rng)
        p, price = mass.sum(axis=1) / mass.sum(), prices(Problem.of(mass, bound))
        for mask in range(1, 1 << 8):
            block = [x for x in range(8) if mask >> x & 1]
            shown = mass[block].sum(axis=0) * mass.sum()
            if bound.is_safe(shown, mass[block].sum() * mass.sum(axis=0)):
                safe += 1
                assert -p[block].sum() * np.log(p[block].sum()) <= price[block].sum() + 1e-12
    assert safe > 100


@pytest.mark.parametrize("seed", range(6))
def test_no_safe_partition_keeps_more_of_targets(seed):
    rng, close = np.random.default_rng(seed), 0
    for _ in range(15):
        (joint, goal, kept), bound = random_problem(rng), random_bound(rng)
        mass = joint.mass.astype(float)
        most = ceiling(Problem.of(mass, bound, worth=goal.worth(joint)))
        best = best_of_all(mass, bound.lower, bound.upper, kept)
        assert best <= most + 1e-12
        assert most <= 1 + 1e-12
        close += most < 1 - 1e-6
    assert close > 0


@pytest.mark.parametrize("seed", range(3))
def test_targets_lose_at_least_what_is_charged(seed):
    """For every safe partition of all values, and of some of them among themselves."""
    rng, safe, charged = np.random.default_rng(seed), 0, 0
    for _ in range(12):
        (joint, goal, _), bound = random_problem(rng, 6), random_bound(rng)
        mass, worth = joint.mass.astype(float), goal.worth(joint)
        n = len(mass)
        for rows in (None, np.sort(rng.permutation(n)[: max(1, n - 1)])):
            problem = Problem(Problem.of(mass, bound).promise, worth, rows=rows)
            least, chosen = least_target_loss(problem), problem.chosen
            part = worth.only(chosen)
            for labels in map(np.array, partitions(chosen.size)):
                of = np.full(n, labels.max() + 1)  # the others are a block that need not be safe
                of[chosen] = labels
                if safe_blocks(mass, of, bound.lower, bound.upper)[: labels.max() + 1].all():
                    safe += 1
                    merged = part.blocks(labels)
                    assert part.apart().sum() - merged.apart().sum() >= least - 1e-12
                    p = merged.weight / merged.total
                    told = -(p * np.log(p)).sum()
                    assert merged.values().sum() <= with_targets(problem, told) + 1e-12
            charged += least > 1e-9
    assert safe > 20
    assert charged > 2


@pytest.mark.parametrize("seed", range(5))
def test_no_safe_block_exceeds_its_prices_with_targets(seed):
    rng, safe = np.random.default_rng(seed), 0
    for _ in range(10):
        (joint, goal, _), bound = random_problem(rng), random_bound(rng)
        mass, worth = joint.mass.astype(float), goal.worth(joint)
        n, price = len(mass), prices(Problem.of(mass, bound, worth=worth))
        for mask in range(1, 1 << n):
            block = np.array([mask >> x & 1 for x in range(n)])
            if safe_blocks(mass, 1 - block, bound.lower, bound.upper)[0]:
                safe += 1
                value = worth.blocks(1 - block).values()[0]
                assert value <= price[block == 1].sum() + 1e-12
    assert safe > 20


def test_rounding_is_no_loss():
    """Independent of s, all values are safe under a bound of 0; their gains are rounding."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(2, 9))
        joint = Joint(np.outer(rng.random(n) + 0.01, rng.random(3) + 0.1))
        target = Target.given("u", np.eye(2)[np.arange(n) % 2])
        problem = Problem.of(
            joint.scaled, Bound.symmetric(0), worth=Utility.of([target]).worth(joint)
        )
        assert problem.promise.safe().all()
        assert least_target_loss(problem) == 0
        assert ceiling(problem) == pytest.approx(1)


def test_one_sided_groups_must_lose_their_column():
    """Men have s, women do not: whoever shares a block gives the column away."""
    counts = np.array([[9.0, 1], [9, 1], [1, 9], [1, 9]])
    sex = np.eye(2)[[0, 0, 1, 1]]
    joint = Joint(counts.astype(int))
    worth = Utility.of([Target.given("sex", sex)], joint_weight=1e-6).worth(joint)
    tight, loose = (Problem.of(counts, Bound.symmetric(eps), worth=worth) for eps in (0.01, 3))
    told = information(sex * counts.sum(axis=1, keepdims=True))
    assert least_target_loss(tight) > 0.5 * told * worth.nat_weights[0]
    assert least_target_loss(loose) == 0
