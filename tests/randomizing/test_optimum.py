"""Column generation on arrays: what it starts from, and what it tells on the way."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound, Joint, Target, Utility
from loglift.measures import mutual_information
from loglift.merging.problem import Problem
from loglift.randomizing.optimum import Options, optimum

MASS = np.random.default_rng(7).random((8, 3))
BOUND = Bound.symmetric(0.3)


def test_a_round_tells_its_number_and_the_utility_so_far():
    told = []
    found = optimum(Problem.of(MASS, BOUND), on_progress=told.append)
    assert [step.done for step in told] == list(range(1, len(told) + 1))
    assert told
    utility = mutual_information(MASS.sum(axis=1), found.channel)
    assert told[-1].utility == pytest.approx(utility, abs=1e-6)
    assert utility <= found.upper_bound + 1e-9


def test_safe_partitions_are_never_lost():
    whole = np.zeros(8, dtype=np.int64)
    found = optimum(Problem.of(MASS, BOUND), Options(rounds=0), partitions=[whole])
    assert mutual_information(MASS.sum(axis=1), found.channel) >= 0
    halves = np.arange(8) % 2
    blocks = np.array([MASS[halves == b].sum(axis=0) for b in (0, 1)])
    lifts = blocks * MASS.sum() / np.outer(blocks.sum(axis=1), MASS.sum(axis=0))
    bound = Bound.symmetric(float(np.abs(np.log(lifts)).max()) + 1e-6)
    found = optimum(Problem.of(MASS, bound), Options(rounds=0), partitions=[halves])
    p = blocks.sum(axis=1) / MASS.sum()
    kept = mutual_information(MASS.sum(axis=1), found.channel)
    assert kept >= -(p * np.log(p)).sum() - 1e-9


def test_the_utility_of_a_worth_is_in_its_units_and_never_below_its_partitions():
    rng = np.random.default_rng(3)
    target = Target.given("u", rng.dirichlet(np.ones(3), 8))
    worth = Utility.of([target], joint_weight=0.1).worth(Joint(MASS))
    told = []
    found = optimum(Problem.of(MASS, BOUND, worth=worth), on_progress=told.append)
    kept = worth.of_channel(found.channel)
    assert told[-1].utility == pytest.approx(kept, abs=1e-6)
    assert kept == pytest.approx(found.upper_bound, abs=1e-8)
    assert kept > worth.of_channel(optimum(Problem.of(MASS, BOUND)).channel) + 1e-3
    start = np.arange(8) // 2
    bound = Bound.symmetric(5.0)
    again = optimum(Problem.of(MASS, bound, worth=worth), Options(rounds=0), partitions=[start])
    assert worth.of_channel(again.channel) >= worth.blocks(start).values().sum() - 1e-12
