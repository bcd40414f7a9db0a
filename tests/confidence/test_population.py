"""What counts certify about a population."""

from __future__ import annotations

import math

import numpy as np
import pytest

import loglift
from loglift import Bound, BoundError
from loglift.confidence.population import MAX_CONFIDENCE, alpha_of, population_of
from loglift.confidence.swings import excess_bound, most_swings


def test_sides_move_by_the_same_excess():
    counts = np.array([[300, 200], [250, 250], [180, 330]])
    found = population_of([counts], Bound(0.7, 0.3), 0.95)
    assert found.lower - 0.7 == pytest.approx(found.upper - 0.3)
    swings = most_swings(counts, 0.05)
    worst = max(swings.rise.max() - 0.3, swings.fall.max() - 0.7)
    assert found.upper == pytest.approx(0.3 + worst)
    assert found.holds == (worst <= 0)
    one_side = population_of([counts], Bound(math.inf, 0.3), 0.95)
    assert one_side.lower == math.inf
    assert one_side.upper == pytest.approx(swings.rise.max())


def test_it_holds_if_and_only_if_no_log_lift_may_exceed_the_bound():
    counts, found = np.array([[300, 200], [250, 250], [180, 330]]), []
    for eps in (0.2, 0.4, 0.6):
        bound = Bound.symmetric(eps)
        population = population_of([counts], bound, 0.95)
        assert population.holds == (excess_bound([counts], bound, alpha_of(0.95)).max() <= 0)
        assert population.upper == pytest.approx(loglift.leakage_bound(counts, 0.95))
        assert (population.records, population.choice) == (counts.sum(), None)
        found.append(population.holds)
    assert found == [False, False, True]


@pytest.mark.parametrize("confidence", [0, 0.3, 1, 1.5, "high", None, True, math.nan])
def test_what_is_no_confidence_is_refused(confidence):
    with pytest.raises(BoundError, match="confidence must be"):
        loglift.leakage_bound([[3, 4], [5, 6]], confidence)


def test_alpha_is_what_a_confidence_leaves():
    assert alpha_of(0.95) == 1 - 0.95
    assert alpha_of(0.5) == 0.5
    assert alpha_of(MAX_CONFIDENCE) == pytest.approx(1e-9, rel=1e-6)
