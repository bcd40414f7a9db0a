"""Refinement of partitions and channels, by propositions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from loglift import Joint, Mechanism, MechanismError, merge, merge_subsets, randomize, refines
from loglift.measures import maximal_leakage, partition, shannon_information
from strategies import channelled

JOINT = np.random.default_rng(5).random((6, 3))


def of_labels(labels):
    subsets = [np.flatnonzero(labels == block) for block in np.unique(labels)]
    return merge_subsets(np.ones((len(labels), 2)), 1, subsets)


def as_channel(mechanism, joint=JOINT):
    return Mechanism.from_channel(joint, mechanism.channel, 1)


LABELS = st.integers(0, 3)


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=6))
def test_partitions_are_compared_alike_as_numbers_mechanisms_and_channels(pairs):
    fine, coarse = np.array(pairs).T
    expected = partition.refines(fine, coarse)
    assert refines(fine, coarse) is expected
    one, other = of_labels(fine), of_labels(coarse)
    joint = np.ones((len(fine), 2))
    assert refines(one, other) is expected
    assert refines(as_channel(one, joint), other) is expected
    assert refines(one, as_channel(other, joint)) is expected
    assert refines(as_channel(one, joint), as_channel(other, joint)) is expected


@settings(max_examples=40, deadline=None)
@given(channelled(), st.integers(0, 2**32 - 1))
def test_a_garbling_is_refined_and_tells_no_more(given_pair, seed):
    joint, channel = given_pair
    rng = np.random.default_rng(seed)
    fine = Mechanism.from_channel(joint, channel, 1)
    garbling = rng.dirichlet(np.ones(3), channel.shape[1])
    coarse = Mechanism.from_channel(joint, channel @ garbling, 1)
    assert refines(fine, coarse)
    assert refines(fine, fine)
    for measure in (maximal_leakage, shannon_information):
        assert measure(fine.release(joint)) >= measure(coarse.release(joint)) - 1e-9
    assert fine.information >= coarse.information - 1e-9


def test_what_tells_more_is_no_garbling():
    fine = np.array([[0.9, 0.1], [0.1, 0.9], [0.5, 0.5]])
    coarse = fine @ [[0.8, 0.2], [0.2, 0.8]]
    first, second = (Mechanism.from_channel(JOINT[:3], rows, 1) for rows in (fine, coarse))
    assert refines(first, second)
    assert not refines(second, first)
    crossing = Mechanism.from_channel(JOINT[:3], [[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]], 1)
    assert not refines(first, crossing)
    assert not refines(crossing, first)


def test_the_rows_may_stand_in_another_order():
    names = list("abcdef")
    merged = merge_subsets(Joint(JOINT, public=names), 1, [[0, 1], [2, 3, 4]])
    turned = merge_subsets(Joint(JOINT, public=names[::-1]), 1, [[4, 5], [1, 2]])  # a b, d e
    assert refines(turned, merged)
    assert not refines(merged, turned)


def test_every_release_is_refined_by_the_table_and_refines_one_value():
    apart, whole = of_labels(np.arange(6)), of_labels(np.zeros(6, int))
    for made in (merge(JOINT, 0.3), randomize(JOINT, 0.3)):
        assert refines(apart, made)
        assert refines(made, whole)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(MechanismError, match="other public values"):
        refines(merge(JOINT, 1, "greedy"), merge(JOINT[:4], 1, "greedy"))
    with pytest.raises(MechanismError, match="block numbers with block numbers"):
        refines(merge(JOINT, 1, "greedy"), [0] * 6)
