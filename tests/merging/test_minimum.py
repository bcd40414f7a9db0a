from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
from hypothesis import assume, given

from loglift import refines
from loglift.measures.partition import canonical
from loglift.merging.intact import Groups
from loglift.merging.minimum import fill_up
from loglift.sparse import block_sums


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 60), st.randoms())
def test_every_block_reaches_the_least_and_blocks_are_only_merged(weights, least, random):
    weight = np.array(weights)
    labels = canonical([random.randrange(6) for _ in weights])
    assume(weight.sum() >= least)
    filled = fill_up(weight, labels, least)
    assert block_sums(weight, filled).min() >= least
    assert refines(labels, filled)
    assert filled.tolist() == canonical(filled).tolist()


def test_blocks_of_different_groups_are_not_merged():
    weight, groups = np.array([1, 9, 2, 3, 8]), Groups.of(np.array([0, 1, 0, 1, 1]))
    assert fill_up(weight, np.arange(5), 3, groups).tolist() == [0, 1, 0, 2, 3]
    assert fill_up(weight, np.arange(5), 4, groups).tolist() == [0, 1, 0, 2, 2]


def test_blocks_that_are_large_enough_stay():
    labels = np.array([0, 1, 2, 3])
    assert fill_up(np.array([10, 1, 12, 2]), labels, 3).tolist() == [0, 1, 2, 1]
