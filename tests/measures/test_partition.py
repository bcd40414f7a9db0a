from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from loglift import PartitionError, entropy, refines
from loglift.measures.partition import as_rows, canonical, labels_of
from loglift.sparse import block_sums, refinement, tallied
from strategies import labelled

block_numbers = st.lists(st.integers(-3, 5), min_size=1, max_size=10)


@given(block_numbers)
def test_canonical_numbers_follow_first_appearance(labels):
    names = list(dict.fromkeys(labels))
    assert canonical(labels).tolist() == [names.index(label) for label in labels]


@given(labelled())
def test_block_sums_equal_a_loop(case):
    joint, labels = case
    labels = canonical(labels)
    sums = [joint[labels == block].sum(axis=0) for block in range(labels.max() + 1)]
    np.testing.assert_allclose(block_sums(joint, labels), sums)
    assert block_sums(joint, labels).dtype == joint.dtype


@given(block_numbers, st.randoms(use_true_random=False))
def test_merging_blocks_gives_a_coarser_partition(labels, random):
    fine = canonical(labels)
    names = [random.randrange(3) for _ in range(fine.max() + 1)]
    coarse = [names[block] for block in fine]
    assert refines(fine, coarse)
    assert refines(fine, fine)
    assert refines(coarse, fine) == (canonical(coarse).tolist() == fine.tolist())


@given(labelled(), st.randoms(use_true_random=False))
def test_a_refinement_never_keeps_less(case, random):
    """Equation 9: H of the finer partition is at least H of the coarser one."""
    joint, labels = case
    fine = canonical(labels)
    names = np.array([random.randrange(3) for _ in range(fine.max() + 1)])
    coarse, p = canonical(names[fine]), joint.sum(axis=1) / joint.sum()
    assert entropy(block_sums(p, fine)) >= entropy(block_sums(p, coarse)) - 1e-12


def test_neither_of_two_crossing_partitions_refines_the_other():
    assert not refines([0, 0, 1, 1], [0, 1, 0, 1])
    assert not refines([0, 1, 0, 1], [0, 0, 1, 1])


def test_subsets_become_blocks_and_the_rest_stays_alone():
    assert labels_of([[3, 1], [4]], 5).tolist() == [0, 1, 2, 1, 3]
    assert labels_of([], 3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("labels", [[], [[0, 1]], [0.5], ["a"], None, [[0], [1, 2]]])
def test_bad_block_numbers_are_refused(labels):
    with pytest.raises(PartitionError):
        canonical(labels)


def test_partitions_of_different_sizes_cannot_be_compared():
    with pytest.raises(PartitionError, match="2 block numbers for 3"):
        refines([0, 1, 2], [0, 1])


@pytest.mark.parametrize("subsets", [[[0], [0]], [[5]], [[-1]], [[]], [[1, 1]], [[0.5]], [["a"]]])
def test_bad_subsets_are_refused(subsets):
    with pytest.raises(PartitionError):
        labels_of(subsets, 3)


def test_rows_must_exist():
    with pytest.raises(PartitionError, match="0 to 2"):
        as_rows([0, 3], 3)


@given(
    st.sampled_from([3, 10**6]).flatmap(
        lambda top: st.lists(st.tuples(*[st.integers(0, top)] * 3), min_size=1, max_size=40)
    )
)
def test_a_refinement_numbers_the_combinations_in_their_order(rows):
    """Few and many possible combinations take different ways."""
    found = refinement([np.array(column) for column in zip(*rows, strict=True)])
    distinct = sorted(set(rows))
    assert found.tolist() == [distinct.index(row) for row in rows]
    some, records = tallied([np.array(column) for column in zip(*rows, strict=True)])
    assert found[some].tolist() == list(range(int(found.max()) + 1))
    assert records.tolist() == np.bincount(found).tolist()
