"""`Known` as a promise of `merge`: never outside, and the best there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from known_counts import cubes
from loglift import Joint, JointError, Known, MechanismError, merge
from naive import omega, partitions, told


def best(counts, eps):
    """The most I(X;Y) of any partition that all readers find safe."""
    joint = counts.sum(axis=1)
    p = joint.sum(axis=1) / joint.sum()
    found = 0.0
    for labels in partitions(len(counts)):
        blocks = np.array([joint[np.asarray(labels) == b].sum(axis=0) for b in set(labels)])
        fine = omega(blocks, joint).max() <= eps + 1e-12
        if fine and told(counts, labels, "known") <= eps + 1e-12:
            masses = np.array([p[np.asarray(labels) == b].sum() for b in set(labels)])
            found = max(found, float(-(masses * np.log(masses)).sum()))
    return found


@settings(max_examples=60)
@given(cubes(), st.sampled_from([0.3, 0.6, 1.0]))
def test_merging_is_the_best_for_readers_who_know(counts, eps):
    joint = Joint(counts.sum(axis=1))
    for method in ("search", "exact"):
        made = merge(joint, eps, method, promises=[Known(counts)])
        assert made.safe
        assert told(counts, made.labels, "known") <= eps + 1e-9
        assert made.utility == pytest.approx(best(counts, eps), abs=1e-9)
        assert made.upper_bound >= best(counts, eps) - 1e-9
        assert made.readers[0].leakage == pytest.approx(told(counts, made.labels, "known"))


@settings(max_examples=30)
@given(cubes())
def test_runs_of_an_ordered_column_keep_the_promise(counts):
    made = merge(Joint(counts.sum(axis=1)), 0.7, "ordered", promises=[Known(counts)])
    assert made.safe
    assert told(counts, made.labels, "known") <= 0.7 + 1e-9
    assert (np.diff(made.labels) >= 0).all()


def test_probabilities_are_as_good_as_counts():
    counts = np.random.default_rng(0).integers(1, 9, (6, 2, 3))
    joint, shares = counts.sum(axis=1), counts / counts.sum()
    one = merge(Joint(joint), 0.4, promises=[Known(counts)])
    other = merge(Joint(joint / joint.sum()), 0.4, promises=[Known(shares)])
    assert other.safe
    assert other.utility == pytest.approx(one.utility)


def test_what_cannot_be_is_refused():
    counts = np.ones((3, 2, 2), dtype=np.int64)
    joint = Joint(counts.sum(axis=1))
    with pytest.raises(JointError, match="shape"):
        Known(np.ones((3, 2)))
    with pytest.raises(JointError, match="labels"):
        Known(counts, labels=["a"])
    with pytest.raises(JointError, match="add up"):
        merge(joint, 1, promises=[Known(counts * [[[1, 2]]])])
    with pytest.raises(JointError, match="public and"):
        merge(joint, 1, promises=[Known(np.ones((2, 2, 2)))])
    with pytest.raises(MechanismError, match="published"):
        merge(joint, 1, "greedy", promises=[Known(counts)])
    with pytest.raises(MechanismError, match="Known"):
        merge(joint, 1, promises=Known(counts))
