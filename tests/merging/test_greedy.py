"""Algorithm 1: the compiled loops against two oracles, and the propositions of the paper."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from loglift import Bound, Joint
from loglift.measures.partition import canonical, labels_of
from loglift.merging.complete import complete
from loglift.merging.greedy import greedy, greedy_many
from loglift.merging.problem import Problem
from loglift.paper.experiment import draw_joints
from loglift.promise.bipartition import safe_rows
from loglift.sparse import block_sums
from naive import ExactAlgorithm1, algorithm1
from strategies import bounds, count_joints, joints

EPS = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5]


@settings(max_examples=2000)
@given(count_joints(), bounds())
def test_counts_with_zeros_and_ties_equal_rational_arithmetic(counts, bound):
    exact = ExactAlgorithm1(counts, bound.lower, bound.upper)
    mass = Joint(counts).scaled
    for absorb in (False, True):
        expected = labels_of(exact.subsets(absorb=absorb), len(counts))
        assert greedy(Problem.of(mass, bound), absorb=absorb).tolist() == expected.tolist()


@pytest.mark.parametrize("eps", EPS)
def test_random_joints_equal_the_plain_transcription(eps):
    for joint in draw_joints(100, seed=7):
        expected = labels_of(algorithm1(joint, eps), len(joint))
        assert (
            greedy(Problem.of(Joint(joint).scaled, Bound.symmetric(eps))).tolist()
            == expected.tolist()
        )


@pytest.mark.parametrize("columns", [2, 3, 5, 13])
@pytest.mark.parametrize("mean", [0.2, 1.0, 6.0])
def test_many_candidates_equal_rational_arithmetic(columns, mean):
    """Beyond 64 candidates they wait in a queue: with zeros, ties, and both sides of the bound."""
    rng = np.random.default_rng(columns)
    counts = rng.poisson(mean, (150, columns))
    counts[np.arange(150), rng.integers(columns, size=150)] += 1
    for bound in (Bound.symmetric(0.5), Bound(math.inf, 0.3), Bound(0.7, math.inf), Bound(0.3, 1)):
        exact = ExactAlgorithm1(counts, bound.lower, bound.upper)
        expected = labels_of(exact.subsets(absorb=True), len(counts)).tolist()
        for mass in (counts, counts / counts.sum()):
            assert greedy(Problem.of(Joint(mass).scaled, bound), absorb=True).tolist() == expected


def test_probabilities_are_merged_like_the_counts_they_come_from():
    """Rounding must not break ties that the counts have."""
    rng = np.random.default_rng(5)
    for _ in range(500):
        counts = rng.poisson(2, (10, 3)) + np.eye(10, 3, dtype=np.int64)
        counts[:, 0] += counts.sum(axis=1) == 0
        bound = Bound.symmetric(rng.choice([0.3, 0.5, 1.0]))
        expected = greedy(Problem.of(Joint(counts).scaled, bound)).tolist()
        assert greedy(Problem.of(Joint(counts / counts.sum()).scaled, bound)).tolist() == expected
        assert greedy(Problem.of(Joint(counts * (10**9 + 7)).scaled, bound)).tolist() == expected


@pytest.mark.parametrize("shape", [(2, 2), (3, 7), (40, 3), (90, 5)])
def test_other_shapes_equal_the_plain_transcription(shape):
    rng = np.random.default_rng(3)
    for _ in range(30):
        joint = rng.dirichlet(np.full(shape[0] * shape[1], 0.7)).reshape(shape) + 1e-6
        for eps in (0.3, 1.0):
            expected = labels_of(algorithm1(joint, eps), len(joint))
            assert (
                greedy(Problem.of(Joint(joint).scaled, Bound.symmetric(eps))).tolist()
                == expected.tolist()
            )


@pytest.mark.parametrize("eps", EPS)
def test_a_stack_of_joints_gives_what_each_gives_alone(eps):
    stack, bound = draw_joints(50, seed=1), Bound.symmetric(eps)
    found = stack * stack.sum(axis=(1, 2), keepdims=True)
    expected = stack.sum(axis=2, keepdims=True) * stack.sum(axis=1, keepdims=True)
    many = greedy_many(stack, found, expected, bound)
    for joint, labels in zip(stack, many, strict=True):
        assert canonical(labels).tolist() == greedy(Problem.of(joint, bound)).tolist()


@given(joints(), bounds())
def test_absorbing_always_ends_safe(joint, bound):
    mass = Joint(joint).scaled
    assert safe_rows(block_sums(mass, greedy(Problem.of(mass, bound), absorb=True)), bound).all()


@settings(suppress_health_check=[HealthCheck.filter_too_much])  # few joints are so
@given(joints(), bounds())
def test_low_risk_values_stay_alone_and_every_block_but_one_is_safe(joint, bound):
    mass = Joint(joint).scaled
    labels = greedy(Problem.of(mass, bound))
    for x in np.flatnonzero(safe_rows(mass, bound)):
        assert (labels == labels[x]).sum() == 1
    unsafe = ~safe_rows(block_sums(mass, labels), bound)
    assert unsafe.sum() <= 1
    assume(unsafe.any())  # then all high-risk values are in it: complete merging is unsafe too
    assert labels.tolist() == complete(Problem.of(mass, bound)).tolist()


def test_when_every_candidate_rules_something_out_the_first_is_taken():
    """All unions have omega = inf, so the argmin is a tie: row order decides."""
    counts = np.array([[4, 0, 0], [3, 0, 0], [2, 0, 0], [0, 2, 2]])
    labels = greedy(Problem.of(Joint(counts).scaled, Bound.symmetric(1)))
    assert labels.tolist() == [0, 0, 0, 0]


def test_ties_of_risk_start_at_the_first_value():
    counts = np.array([[9, 1], [1, 9], [9, 1], [1, 9]])
    assert greedy(Problem.of(Joint(counts).scaled, Bound.symmetric(0.1))).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("cache", ["/dev/null/nowhere", None])
def test_kernels_run_where_no_cache_can_be_written(cache, tmp_path):
    """numba refuses cache=True at decoration when its cache directory cannot be made."""
    code = (
        "import numpy as np; from loglift import merge;"
        "print(merge(40 * [[9, 1], [1, 9]], 0.1, method='greedy').labels.tolist()[-2:])"
    )
    cache = str(tmp_path) if cache is None else cache
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == "[39, 39]\n", done.stderr  # too many values for plain Python


def test_an_infinite_side_is_no_constraint():
    counts = np.array([[5, 0], [5, 10]])
    upper_only = Bound(lower=math.inf, upper=0.7)
    assert greedy(Problem.of(Joint(counts).scaled, upper_only)).tolist() == [0, 1]
