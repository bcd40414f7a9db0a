"""Counts of each sensitive variable: every record once in each."""

from __future__ import annotations

import numpy as np
import pytest

import loglift
from known import table_joint
from loglift import Joint, JointError
from loglift.confidence.variables import counts_of


def test_each_variable_has_every_record_once():
    counts = np.array([[6, 4, 3, 7], [5, 5, 5, 5]])
    joint = table_joint(counts, events=[(0, 0), (0, 1), (1, 0), (1, 1)])
    assert [array.tolist() for array in counts_of(joint)] == [counts.tolist()]
    of_s, of_t = counts_of(joint.apart())
    assert of_s.tolist() == [[10, 10], [10, 10]]
    assert of_t.tolist() == [[9, 11], [10, 10]]


def test_an_array_is_one_variable_and_may_have_zeros():
    [found] = counts_of([[3, 0], [0, 0]])
    assert found.tolist() == [[3, 0], [0, 0]]
    assert found.dtype == np.int64


@pytest.mark.parametrize("counts", [[[0.5, 0.5]], [[1, -1], [2, 3]], [1, 2], []])
def test_what_is_no_count_is_refused(counts):
    with pytest.raises(JointError):
        loglift.leakage_bound(counts)


def test_probabilities_are_no_counts():
    with pytest.raises(JointError, match="whole counts"):
        counts_of(Joint([[0.2, 0.3], [0.1, 0.4]]))
