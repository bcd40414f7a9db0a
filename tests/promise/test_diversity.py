"""l-diversity: what implies what, and tables that have no safe release."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import naive
from loglift import Bound, DistinctDiversity, EntropyDiversity, UnsafeError, merge
from strategies import count_joints


@given(count_joints())
def test_entropy_diversity_implies_distinct_diversity(joint):
    prior = joint.sum(axis=0).tolist()
    entropy, distinct = (
        [naive.measure(key, row, prior) for row in joint.tolist()]
        for key in ("entropy_l", "distinct_l")
    )
    assert all(less <= more + 1e-9 for less, more in zip(entropy, distinct, strict=True))


@pytest.mark.parametrize("requirement", [DistinctDiversity(3), EntropyDiversity(1.9)])
def test_a_table_that_is_not_varied_enough_has_no_release(requirement):
    with pytest.raises(UnsafeError, match="all records as one released value do not meet"):
        merge([[9, 1], [1, 2]], bound=Bound.requiring(requirement))


def test_every_block_has_enough_values():
    counts = np.array([[5, 0, 0], [0, 5, 0], [0, 0, 5], [2, 2, 2], [1, 3, 0]])
    made = merge(counts, bound=Bound.requiring(DistinctDiversity(2)))
    blocks = [counts[made.labels == b].sum(axis=0) for b in range(made.size)]
    assert min((block > 0).sum() for block in blocks) >= 2
    assert made.safe
