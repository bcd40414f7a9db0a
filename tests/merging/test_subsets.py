"""A few values: the best of all partitions, without anything compiled."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given

from loglift import merge
from loglift.merging.problem import Problem
from loglift.merging.subsets import MAX_VALUES, best_of_all
from loglift.sparse import block_sums
from naive import best_of_all as best_of_naive, best_utility
from random_joints import random_bound, random_problem
from strategies import bounds, joints

pytestmark = pytest.mark.few_values


@given(joints(), bounds())
def test_no_partition_keeps_more(joint, bound):
    found = merge(joint, bound=bound)
    assert found.safe
    assert found.optimal
    assert found.utility == pytest.approx(best_utility(joint, bound.lower, bound.upper), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_no_partition_keeps_more_of_targets(seed):
    rng, solved = np.random.default_rng(seed), 0
    for _ in range(5):
        (joint, goal, kept), bound = random_problem(rng, 8), random_bound(rng)
        mass = joint.mass.astype(float)
        problem = Problem.of(mass, bound, worth=goal.worth(joint), least=0.2 * mass.sum())
        labels = best_of_all(problem)
        best = best_of_naive(mass, bound.lower, bound.upper, kept, 0.2 * mass.sum())
        assert kept(labels) == pytest.approx(best, abs=1e-12)
        assert problem.utility_of(labels) == pytest.approx(best, abs=1e-12)
        solved += labels.max() > 0
    assert solved > 0


@pytest.mark.parametrize("least", [0.1, 0.3, 0.6])
def test_blocks_have_the_least_mass(least):
    joint = np.random.default_rng(0).random((7, 3))
    found = merge(joint / joint.sum(), 0.4, min_count=least)
    assert block_sums(joint, found.labels).sum(axis=1).min() >= least * joint.sum() * (1 - 1e-9)
    assert found.utility == pytest.approx(best_utility(joint, 0.4, 0.4, least * joint.sum()))


@pytest.mark.parametrize("n", [MAX_VALUES, MAX_VALUES + 1])
def test_the_way_does_not_show_in_the_result(n):
    joint = np.random.default_rng(n).random((n, 4))
    assert merge(joint, 0.3).utility == pytest.approx(merge(joint, 0.3, "exact").utility)


def test_nothing_is_compiled_for_a_few_values():
    code = (
        "import sys, numpy as np, loglift;"
        f"loglift.merge(np.random.default_rng(0).random(({MAX_VALUES}, 3)), 0.3);"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
