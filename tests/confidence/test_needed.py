from __future__ import annotations

import math

import numpy as np
import pytest

from loglift import Bound
from loglift.confidence.needed import scaled, times_needed
from loglift.confidence.swings import excess_bound

COUNTS = np.array([[300, 200, 90], [250, 250, 110], [180, 330, 100], [20, 30, 8]])


@pytest.mark.parametrize(
    "bound", [Bound.symmetric(0.5), Bound.symmetric(1), Bound(0.6, math.inf), Bound(math.inf, 0.5)]
)
def test_that_many_records_suffice_and_fewer_do_not(bound):
    times = times_needed([COUNTS], bound, 0.05)
    assert excess_bound([scaled(COUNTS, times)], bound, 0.05).max() <= 0
    assert excess_bound([scaled(COUNTS, times / 2)], bound, 0.05).max() > 0


def test_a_smaller_margin_takes_more_records_quadratically():
    leakage = np.abs(np.log(COUNTS * COUNTS.sum() / np.outer(COUNTS.sum(1), COUNTS.sum(0)))).max()
    times = [
        times_needed([COUNTS], Bound.symmetric(leakage + margin), 0.05) for margin in (0.02, 0.01)
    ]
    assert times[1] / times[0] == pytest.approx(4, rel=0.1)


def test_no_number_of_records_certifies_what_the_counts_break():
    assert times_needed([COUNTS], Bound.symmetric(0.1), 0.05) == math.inf
    zero = np.array([[300, 0], [200, 100]])
    assert times_needed([zero], Bound.symmetric(5), 0.05) == math.inf
    assert times_needed([zero], Bound(math.inf, 1), 0.05) < 1
    assert times_needed([zero], Bound.symmetric(5), 0.05, rows=1) == math.inf
    assert times_needed([COUNTS], Bound.symmetric(1), 0.05, rows=2) < times_needed(
        [COUNTS], Bound.symmetric(1), 0.05
    )
