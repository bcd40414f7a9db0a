"""Column generation on arrays: what it starts from, and what it tells on the way."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound
from loglift.measures import mutual_information
from loglift.randomizing.optimum import Options, information, optimum

MASS = np.random.default_rng(7).random((8, 3))
BOUND = Bound.symmetric(0.3)


def test_a_round_tells_its_number_and_the_utility_so_far():
    told = []
    found = optimum(MASS, BOUND, on_progress=told.append)
    assert [step.done for step in told] == list(range(1, len(told) + 1))
    assert told
    utility = mutual_information(MASS.sum(axis=1), found.channel)
    assert told[-1].utility == pytest.approx(utility, abs=1e-6)
    assert utility <= found.upper_bound + 1e-9


def test_safe_partitions_are_never_lost():
    whole = np.zeros(8, dtype=np.int64)
    found = optimum(MASS, BOUND, Options(rounds=0), partitions=[whole])
    assert mutual_information(MASS.sum(axis=1), found.channel) >= 0
    halves = np.arange(8) % 2
    blocks = np.array([MASS[halves == b].sum(axis=0) for b in (0, 1)])
    lifts = blocks * MASS.sum() / np.outer(blocks.sum(axis=1), MASS.sum(axis=0))
    bound = Bound.symmetric(float(np.abs(np.log(lifts)).max()) + 1e-6)
    found = optimum(MASS, bound, Options(rounds=0), partitions=[halves])
    p = blocks.sum(axis=1) / MASS.sum()
    kept = mutual_information(MASS.sum(axis=1), found.channel)
    assert kept >= -(p * np.log(p)).sum() - 1e-9


def test_information_of_joint_masses():
    shares = np.random.default_rng(0).dirichlet(np.ones(12)).reshape(3, 4)
    channel = (shares / shares.sum(axis=0)).T
    assert information(shares) == pytest.approx(mutual_information(shares.sum(axis=0), channel))
