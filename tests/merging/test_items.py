"""Items: equal values counted, put together, kept apart."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound
from loglift.merging.items import items_of
from loglift.merging.problem import Problem

COUNTS = np.array([[1, 2], [3, 4], [1, 2], [2, 4], [1, 2]], dtype=float)


@pytest.fixture
def items():
    return items_of(Problem.of(COUNTS, Bound.symmetric(1)))


def test_equal_rows_are_copies_and_proportional_ones_are_not(items):
    assert sorted(items.rows) == [((0,), (2,), (4,)), ((1,),), ((3,),)]
    assert sorted(items.copies.tolist()) == [1, 1, 3]


def test_the_value_of_a_block_is_minus_p_log_p(items):
    block = np.array([2 if len(rows) == 3 else 0 for rows in items.rows])
    p = 6 / COUNTS.sum()
    assert items.value(block) == pytest.approx(-p * np.log(p))


def test_two_items_as_one(items):
    singles = items.singles()
    assert singles.copies.tolist() == [1] * 5
    joined = singles.together(0, 3)
    assert joined.p.sum() == pytest.approx(1)
    assert joined.p[0] == pytest.approx(singles.p[0] + singles.p[3])
    assert sorted(sum((copies[0] for copies in joined.rows), ())) == [0, 1, 2, 3, 4]


def test_items_that_must_stay_apart(items):
    apart = items.singles().kept_apart(1, 2)
    assert not apart.allow(np.array([0, 1, 1, 0, 0]))
    assert apart.allow(np.array([1, 1, 0, 0, 0]))
    assert not apart.together(0, 1).allow(np.array([1, 1, 0, 0]))  # 1 is in the first item now
