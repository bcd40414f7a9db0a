"""Channels of tables: in whole numbers, and as good as the best one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from loglift import Bound, Joint
from loglift.promise.integers import DENOMINATOR, exactly_safe
from loglift.randomizing.optimum import Options, optimum
from loglift.randomizing.rational import RationalChannel, released_counts
from loglift.randomizing.task import Task
from loglift.randomizing.whole_numbers import in_whole_numbers, is_enough


@pytest.mark.parametrize("least", [None, 40])
def test_rounding_costs_almost_nothing_and_keeps_the_bound(least):
    for seed in range(4):
        counts = np.random.default_rng(seed).integers(1, 50, (12, 3))
        task = Task(Joint(counts), Bound.symmetric(0.2), None, (), least)
        best = optimum(task.problem(task.least), Options())
        found = in_whole_numbers(task, best)
        assert exactly_safe(released_counts(found.numerators, counts), task.bound).all()
        assert (found.numerators.sum(axis=1) == DENOMINATOR).all()
        assert is_enough(found, counts.sum(axis=1), least)
        kept = task.kept_by(found.numerators / DENOMINATOR)
        assert kept == pytest.approx(task.kept_by(best.channel), abs=1e-3)


def test_enough_records_are_decided_exactly():
    half = np.full((2, 2), DENOMINATOR // 2)
    more = half + np.array([[1, -1], [0, 0]])
    weight = np.array([3, 4])
    assert is_enough(RationalChannel(half, 0.0), weight, 3.5)
    assert not is_enough(RationalChannel(more, 0.0), weight, 3.5)
    assert is_enough(RationalChannel(more, 0.0), weight, Fraction(7, 2) - Fraction(3, 2**52))
    assert is_enough(RationalChannel(more, 0.0), weight, None)
