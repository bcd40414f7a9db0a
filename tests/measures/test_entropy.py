from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from loglift import InputError, MechanismError, entropy, nmil
from loglift.measures import (
    information_of_complete_merging,
    information_of_subset_merging,
    mutual_information,
)
from loglift.measures.entropy import drawn_information
from loglift.measures.partition import canonical
from loglift.sparse import as_cells, block_sums
from strategies import channelled, labelled


def test_entropy_of_known_distributions():
    assert entropy([1, 1, 1, 1]) == pytest.approx(math.log(4))
    assert entropy([7, 0]) == 0
    assert math.copysign(1, entropy([3])) == 1


@given(channelled())
def test_mutual_information_equals_a_sum_over_cells(case):
    joint, channel = case
    p = joint.sum(axis=1) / joint.sum()
    out = p @ channel
    total = 0.0
    for x in range(len(p)):
        for y in range(len(out)):
            if channel[x, y] > 0:
                total += p[x] * channel[x, y] * math.log(channel[x, y] / out[y])
    assert mutual_information(p, channel) == pytest.approx(total, abs=1e-12)


@given(labelled())
def test_closed_forms_equal_the_general_channel(case):
    """Equations 6 and 7, and H(Y), are I(X;Y) of the partition's channel."""
    joint, labels = case
    labels, p = canonical(labels), joint.sum(axis=1) / joint.sum()
    general = mutual_information(p, np.eye(labels.max() + 1)[labels])
    blocks = [np.flatnonzero(labels == block) for block in range(labels.max() + 1)]
    assert information_of_subset_merging(p, blocks) == pytest.approx(general, abs=1e-12)
    assert entropy(block_sums(p, labels)) == pytest.approx(general, abs=1e-12)
    first = canonical(np.where(labels == 0, -1, np.arange(len(p))))
    complete = mutual_information(p, np.eye(first.max() + 1)[first])
    assert information_of_complete_merging(p, blocks[0]) == pytest.approx(complete, abs=1e-12)


def test_merging_nothing_loses_nothing():
    assert information_of_complete_merging([1, 2, 3], []) == pytest.approx(entropy([1, 2, 3]))


def test_nmil_is_the_share_lost():
    assert nmil(0.5, 2.0) == 0.75
    assert nmil(0.0, 0.0) == 0.0


@pytest.mark.parametrize(
    "numbers",
    [(math.nan, 1), (1, math.nan), (1, -1), (5, 1), (-1, 1), (None, 1), ("a", 1), (1, math.inf)],
)
def test_bad_information_is_refused(numbers):
    with pytest.raises(InputError):
        nmil(*numbers)


@pytest.mark.parametrize(
    "channel",
    [
        [[1, 0]],
        [[0.5, 0.4], [1, 0]],
        [[-1, 2], [1, 0]],
        [1, 0],
        [["a"], ["b"]],
        [[np.nan, 1], [1, 0]],
    ],
    ids=["too few rows", "not summing to 1", "negative", "flat", "text", "nan"],
)
def test_bad_channels_are_refused(channel):
    with pytest.raises(MechanismError):
        mutual_information([1, 1], channel)


def test_a_channel_that_overflows_is_refused():
    with pytest.raises(MechanismError):
        mutual_information([1, 1], [[1e308, 1e308], [1, 0]])


@pytest.mark.parametrize("subsets", [[[0, 1], [1]], [[9]], [[]], None, 5, "ab", [[[1], [1, 2]]]])
def test_bad_subsets_are_refused(subsets):
    with pytest.raises(InputError):
        information_of_subset_merging([1, 2, 3], subsets)


@given(channelled())
def test_information_of_a_sparse_channel_is_that_of_the_dense_one(case):
    p, channel = case[0], np.asarray(case[1])
    mass = np.asarray(p) if np.ndim(p) == 1 else np.asarray(p).sum(axis=1)
    expected = mutual_information(mass, channel)
    assert drawn_information(mass, as_cells(channel)) == pytest.approx(expected, abs=1e-9)
