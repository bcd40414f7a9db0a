"""Search, by objective value against exhaustive enumeration and Algorithm 1."""

from __future__ import annotations

import math
import time

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, Utility, entropy, merge
from loglift._compute import threads as _threads
from loglift._compute.kernels import kernels
from loglift.measures.partition import canonical
from loglift.merging import building, improving
from loglift.merging.problem import Problem
from loglift.merging.search import Options, go_on, search
from loglift.paper.experiment import draw_joints
from loglift.promise.bipartition import safe_rows
from loglift.sparse import block_sums
from naive import best_utility, partitions
from random_joints import random_bound, random_goal, random_joint_of_table
from strategies import bounds, joints

QUICK = Options(iterations=200)


def utility(mass, labels):
    return entropy(block_sums(mass, labels).sum(axis=1))


@settings(max_examples=300)
@given(joints(), bounds())
def test_always_safe_and_never_worse_than_algorithm_1_with_absorb(joint, bound):
    found = merge(joint, bound=bound, iterations=50)
    greedy = merge(joint, bound=bound, method="greedy", over="all")
    assert found.safe
    assert found.utility >= greedy.utility - 1e-9
    assert found.upper_bound >= found.utility - 1e-9


@settings(max_examples=150)
@given(joints(), bounds())
def test_small_alphabets_reach_the_optimum(joint, bound):
    """Nine values at most: all partitions can be tried."""
    mass = Joint(joint).scaled
    best = best_utility(mass, bound.lower, bound.upper)
    assert utility(mass, search(Problem.of(mass, bound), QUICK)) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("eps", [0.25, 0.5, 1.0, 2.0])
def test_blocks_that_are_regrouped_cannot_be_regrouped_better(eps):
    """The dynamic program finds what trying all partitions of the pool finds."""
    bound, solved = Bound.symmetric(eps), 0
    loops = kernels("merging._regroup_kernels", plain=True)
    for joint in draw_joints(5, seed=9):
        problem, pool = Problem.of(joint, bound).arrays(), np.arange(8)
        labels = np.empty_like(pool)
        work = loops.workspace(problem, 8, seed=0)
        found = loops.regroup(
            pool, np.arange(8), 8, problem, None, 0.0, work.sets, labels, work.state
        )
        best = -math.inf
        for trial in partitions(8):
            blocks = block_sums(problem.gain[:8], np.array(trial))
            if (blocks >= 0).all():
                p = block_sums(problem.sums[:8, 0], np.array(trial))
                best = max(best, float(-(p * np.log(p)).sum()))
        if best > -math.inf:
            solved += 1
            assert found == pytest.approx(best)
            p = block_sums(problem.sums[:8, 0], canonical(labels))
            assert -(p * np.log(p)).sum() == pytest.approx(best)
    assert solved > 0


def test_the_papers_size_is_solved_to_within_one_percent_of_the_optimum():
    """Optima by a dynamic program over all subsets of the 20 values, made once."""
    optima = {0.25: 0.49812899, 0.5: 0.32725758, 1.0: 0.22390848, 1.5: 0.18141049, 2.0: 0.12153731}
    draws = np.random.default_rng(0).random((6, 20, 13))
    for eps, optimum in optima.items():
        found = np.mean([merge(joint, eps).nmil for joint in draws])
        assert optimum * (1 - 1e-6) <= found <= optimum * 1.01


@settings(max_examples=30)
@given(joints(), bounds())
def test_more_iterations_never_give_less(joint, bound):
    mass = Joint(joint).scaled
    kept = [
        utility(mass, search(Problem.of(mass, bound), Options(iterations=n)))
        for n in (0, 3, 30, 90)
    ]
    assert kept == sorted(kept)


@pytest.mark.parametrize("kind", ["probabilities", "counts"])
def test_shard_by_shard_nothing_is_lost_either(kind, monkeypatch):
    """Small limits stand for many values: several groups, shards and costly pools."""
    limits = {
        "MAX_BUILD_VALUES": 50,
        "MAX_SHARD_VALUES": 20,
        "MIN_SHARD_BLOCKS": 3,
        "POOL_VALUES": 5,
        "ROUND_ITERATIONS": 70,
    }
    for limit, size in limits.items():
        monkeypatch.setattr(building if limit == "MAX_BUILD_VALUES" else improving, limit, size)
    rng, bound = np.random.default_rng(1), Bound.symmetric(0.7)
    for _ in range(5):
        joint = rng.random((120, 4)) if kind == "probabilities" else rng.poisson(1, (120, 4)) + 1
        mass = Joint(joint).scaled
        found = [search(Problem.of(mass, bound), Options(iterations=n)) for n in (0, 30, 300, 3000)]
        assert all(safe_rows(block_sums(mass, labels), bound).all() for labels in found)
        kept = [utility(mass, labels) for labels in found]
        assert kept == sorted(kept)
        assert kept[0] < kept[-1]
        again = search(Problem.of(mass, bound), Options(iterations=0), start=found[-1])
        assert utility(mass, again) == pytest.approx(kept[-1])


def test_the_answer_does_not_depend_on_the_cores(monkeypatch):
    joint = np.random.default_rng(5).random((300, 4))
    found = []
    for cores in (1, 2, 5):
        monkeypatch.setattr(_threads, "cores", lambda cores=cores: cores)
        found.append(merge(joint, 0.5, iterations=6000))
    assert found[0].optimal is False
    for other in found[1:]:
        assert other.labels.tolist() == found[0].labels.tolist()
        assert other.upper_bound == found[0].upper_bound


def test_a_seed_gives_one_answer():
    joint = draw_joints(1, seed=4)[0]
    first, again = (merge(joint, 0.5, iterations=100, seed=3) for _ in range(2))
    assert first.labels.tolist() == again.labels.tolist()


@settings(max_examples=50)
@given(joints(), st.floats(0.05, 1))
def test_a_tighter_partition_to_start_from_is_never_lost(joint, eps):
    tight = merge(joint, eps / 2, iterations=50)
    loose = merge(joint, eps, start=tight.labels, iterations=0)
    assert loose.utility >= tight.utility - 1e-9


@pytest.mark.parametrize("few", [False, pytest.param(True, marks=pytest.mark.few_values)])
@pytest.mark.parametrize("iterations", [0, 40])
@pytest.mark.parametrize("seed", range(3))
def test_targets_are_kept_as_well_as_by_the_start_and_by_algorithm_1(seed, iterations, few):
    rng = np.random.default_rng([seed, iterations, few])
    for _ in range(6):
        joint, bound = random_joint_of_table(rng, 22), random_bound(rng)
        goal, _ = random_goal(rng, joint)
        n = len(joint.public)
        worth = goal.worth(joint)
        problem = Problem.of(joint.scaled, bound, worth=worth)
        greedy = merge(joint, bound=bound, method="greedy", over="all", utility=goal)
        begin = search(problem, Options(iterations=30, seed=9))
        options = Options(iterations=iterations)
        for start in (None, begin, greedy.labels, canonical(rng.integers(0, n, n))):
            found = search(problem, options, start=start)
            assert problem.promise.blocks(found).safe().all()
            assert problem.utility_of(found) >= greedy.utility - 1e-12
            if start is not None and problem.promise.blocks(start).safe().all():
                assert problem.utility_of(found) >= problem.utility_of(start) - 1e-12


def test_what_is_kept_of_targets_grows_along_a_frontier():
    """Each bound starts from the partition of the tighter one before it."""
    rng = np.random.default_rng(2)
    for _ in range(3):
        joint = random_joint_of_table(rng, 24)
        goal, labels, kept = random_goal(rng, joint)[0], None, []
        for eps in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6):
            made = merge(joint, eps, utility=goal, start=labels, iterations=5)
            labels = made.labels
            kept.append(made.utility)
            assert made.safe
            assert made.utility <= made.upper_bound + 1e-9
        assert (np.diff(kept) >= -1e-12).all()
        assert kept[-1] > kept[0]


def test_a_seed_gives_one_answer_with_targets():
    joint = random_joint_of_table(np.random.default_rng(5), 24)
    first, again = (
        merge(joint, 0.4, utility=Utility.columns(), iterations=40, seed=3) for _ in range(2)
    )
    assert first.labels.tolist() == again.labels.tolist()
    assert first.upper_bound == again.upper_bound


def test_a_time_limit_lets_annealing_go_on():
    joint = random_joint_of_table(np.random.default_rng(6), 24)
    problem = Problem.of(joint.scaled, Bound.symmetric(0.3), worth=Utility.columns().worth(joint))
    short = search(problem, Options(iterations=1))
    longer = go_on(problem, short, Options(iterations=1), time.monotonic() + 0.2)
    assert problem.utility_of(longer) >= problem.utility_of(short)
    assert problem.promise.blocks(longer).safe().all()


def test_shortfalls_need_no_memory_for_targets(monkeypatch):
    """Gains are written out for some values at a time; the sums of targets never for all."""
    joint = random_joint_of_table(np.random.default_rng(7), 24)
    problem = Problem.of(joint.scaled, Bound.symmetric(0.3), worth=Utility.columns().worth(joint))
    written = []
    monkeypatch.setattr(type(problem.worth), "sums", lambda *_: written.append("sums of targets"))
    search(problem, Options(iterations=10))
    assert written == []


@settings(max_examples=60)
@given(joints(), bounds(), st.floats(0.05, 1))
def test_min_count_is_a_constraint_like_the_others(joint, bound, share):
    least = share * joint.sum()
    found = merge(joint, bound=bound, min_count=least, iterations=100)
    assert block_sums(joint.sum(axis=1), found.labels).min() >= least * (1 - 1e-9)
    assert found.safe
    best = best_utility(
        Joint(joint).scaled, bound.lower, bound.upper, share * Joint(joint).scaled.sum()
    )
    assert found.utility <= best + 1e-9
    plain = merge(joint, bound=bound, method="greedy", over="all", min_count=least)
    assert block_sums(joint.sum(axis=1), plain.labels).min() >= least * (1 - 1e-9)


def test_high_risk_values_alone_leave_low_risk_ones_alone():
    for joint in draw_joints(5, seed=2):
        low_risk = safe_rows(joint, Bound.symmetric(1))
        found = merge(joint, 1, over="high-risk", iterations=200)
        sizes = np.bincount(found.labels)
        assert (sizes[found.labels[low_risk]] == 1).all()
        assert found.utility >= merge(joint, 1, "greedy").utility - 1e-9


@settings(max_examples=60)
@given(joints(), bounds(), st.floats(0.05, 1), st.sampled_from(["search", "greedy", "complete"]))
def test_min_count_holds_among_high_risk_values_too(joint, bound, share, method):
    least = share * joint.sum()
    brief = {"iterations": 20} if method == "search" else {}
    found = merge(joint, bound=bound, method=method, over="high-risk", min_count=least, **brief)
    assert block_sums(joint.sum(axis=1), found.labels).min() >= least * (1 - 1e-9)


def test_thousands_of_values_with_a_rare_sensitive_one_fill_its_blocks():
    """Eight records of the rare value allow eight blocks; nearly equal ones keep nearly log 8."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, (4000, 2)) + 1
    counts = np.hstack([counts, np.zeros((4000, 1), dtype=np.int64)])
    counts[rng.choice(4000, 8, replace=False), 2] = 1
    found = merge(counts, 1)
    assert found.safe
    assert 0.98 * math.log(8) <= found.utility <= math.log(8)
