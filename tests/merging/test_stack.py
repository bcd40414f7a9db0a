"""`merge` of a stack of joints is `merge` of each, at the speed of the reproduction."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, BoundError, InputError, Joint, JointError, MechanismError, merge
from loglift.merging import stack as module
from loglift.merging.stack import Stack
from loglift.paper.experiment import draw_joints
from random_joints import random_joint_of_table
from strategies import bounds, count_joints

FIGURES = ("leakage", "utility", "nmil", "safe")


def compare(stack, found):
    """Each mechanism of a stack is the one of its joint alone, by an ordinary `merge`."""
    for i, joint in enumerate(stack):
        for j, bound in enumerate(found.bounds):
            alone = merge(joint, bound=bound, method=found.method)
            assert found.labels[i, j].tolist() == alone.labels.tolist()
            for name in FIGURES:
                expected = pytest.approx(getattr(alone, name), rel=1e-12, abs=1e-12)
                assert getattr(found, name)[i, j] == expected
            assert found[i, j].labels.tolist() == alone.labels.tolist()
            assert found[i, j].upper_bound == alone.upper_bound


@pytest.mark.parametrize("method", ["greedy", "complete"])
@settings(max_examples=40, deadline=None)
@given(counts=count_joints(), bound=bounds())
def test_a_stack_with_zeros_and_ties_gives_what_each_joint_gives(method, counts, bound):
    shifted = np.roll(np.roll(counts, 1, axis=0), 1, axis=1)
    stack = np.array([counts, counts + 1, shifted])
    found = merge(stack, bound=[bound, Bound.symmetric(0.5)], method=method)
    assert found.labels.shape == (3, 2, len(counts))
    compare(stack, found)


@pytest.mark.parametrize("method", ["greedy", "complete", "ordered", "search"])
def test_a_stack_of_the_papers_joints(method, monkeypatch):
    monkeypatch.setattr(module, "MAX_CELLS", 600)  # two joints at a time
    stack = draw_joints(5, seed=4, public=8, sensitive=4)
    found = merge(stack, [0.3, 1.0], method)
    assert found.labels.shape == (5, 2, 8)
    assert all(getattr(found, name).shape == (5, 2) for name in FIGURES)
    compare(stack, found)
    again = merge([Joint(joint) for joint in stack], np.array([0.3, 1.0]), method)
    assert again.labels.tolist() == found.labels.tolist()
    assert merge(stack, 0.3, method).labels.tolist() == found.labels[:, :1].tolist()


def test_joints_keep_their_labels_and_options_are_those_of_merge():
    rng = np.random.default_rng(1)
    joint = random_joint_of_table(rng)
    found = merge([joint, joint], 0.5, "greedy", over="all", min_count=2)
    alone = merge(joint, 0.5, "greedy", over="all", min_count=2)
    assert found[1, 0].public == joint.public
    assert found.labels[1, 0].tolist() == alone.labels.tolist()
    assert found[-1, -1] is found[1, 0]
    with pytest.raises(IndexError):
        found[2, 0]


def test_several_sensitive_variables_are_merged_one_by_one():
    joint = Joint([[3, 1, 2, 2], [1, 3, 1, 3], [2, 2, 4, 0]], variables=["a", "a", "b", "b"])
    found = merge([joint, joint], 0.2, "complete")
    assert found.nmil[1, 0] == merge(joint, 0.2, "complete").nmil


def test_the_result_is_read_only_short_and_is_pickled():
    stack = draw_joints(3, seed=0, public=4, sensitive=3)
    found = merge(stack, [0.5, 1], "greedy")
    with pytest.raises(ValueError, match="read-only"):
        found.nmil[0, 0] = 1
    assert repr(found).startswith("MergedStack(greedy: 3 joints of 4 public values, 2 bounds, ")
    assert len(found) == 3
    frame = found.to_frame()
    assert list(frame["nmil"]) == found.nmil.ravel().tolist()
    assert list(frame["upper"]) == [0.5, 1] * 3
    assert list(frame["joint"]) == [0, 0, 1, 1, 2, 2]
    again = pickle.loads(pickle.dumps(found))
    assert again[2, 1].labels.tolist() == found[2, 1].labels.tolist()


@pytest.mark.parametrize(
    ("stack", "options", "error"),
    [
        (np.ones((2, 2, 2, 2)), {"eps": 1, "method": "greedy"}, JointError),
        (np.ones((2, 2, 2)), {"method": "greedy"}, BoundError),
        (np.ones((2, 2, 2)), {"eps": [1, -1], "method": "greedy"}, BoundError),
        (np.ones((2, 2, 2)), {"eps": [], "method": "greedy"}, BoundError),
        (np.ones((2, 2, 2)), {"eps": [1], "bound": [Bound(1, 1)], "method": "greedy"}, BoundError),
        (np.ones((2, 2, 2)), {"eps": 1, "method": "best"}, MechanismError),
        (np.ones((2, 2, 2)), {"eps": 1, "method": "greedy", "iterations": 3}, MechanismError),
        (np.ones((2, 2)), {"eps": [1, 2], "method": "greedy"}, BoundError),
    ],
)
def test_what_is_refused(stack, options, error):
    with pytest.raises(error):
        merge(stack, **options)


def test_one_joint_and_one_bound_are_told_from_stacks():
    joint = Joint([[3, 1], [1, 3]])
    for several in ({"eps": [0.5, 1]}, {"eps": np.array([0.5])}, {"bound": [Bound(1, 1)]}):
        with pytest.raises(BoundError, match=r"several bounds need a stack: .* \(k, n, m\)"):
            merge(joint, **several)
    merged = merge([joint], [0.5, 1])
    assert merged.safe.shape == (1, 2)
    for place in (0, (0,), (0, 0, 0)):
        with pytest.raises(InputError, match=r"merged\[i, j\], joint i and bound j"):
            merged[place]
    with pytest.raises(IndexError):
        merged[0, 2]


def test_a_joint_of_one_value_has_nothing_to_lose():
    stack = Stack.of(np.array([[[1.0, 2.0]]]))
    assert stack.nmil(stack.values.information()).tolist() == [0]
