"""Stacks of joints: what counts as one, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array

from loglift import Joint, JointError, merge, omega
from loglift.joint.stack import as_stack, is_stack, joint_of, masses_of
from strategies import count_joints, joints

COUNTS = np.array([[[3, 1], [1, 3]], [[2, 0], [1, 5]]])


@given(st.lists(joints(), min_size=1, max_size=4))
def test_the_masses_of_a_stack_are_those_of_its_joints(given_joints):
    shape = given_joints[0].shape
    same = [joint for joint in given_joints if joint.shape == shape]
    for stack in (np.array(same), [Joint(joint) for joint in same]):
        masses = as_stack(stack)
        assert masses.shape == (len(same), *shape)
        for i, mass in enumerate(masses):
            joint = joint_of(stack, (i,))
            np.testing.assert_allclose(mass / mass.sum(), joint.scaled / joint.scaled.sum())


@given(count_joints())
def test_counts_stay_counts_and_other_masses_are_scaled_by_a_power_of_two(counts):
    np.testing.assert_array_equal(as_stack(counts[np.newaxis])[0], counts)
    mass = counts * 3e-7
    scaled = as_stack(mass[np.newaxis])[0]
    np.testing.assert_array_equal(scaled, Joint(mass).scaled)


def test_what_is_a_stack_and_what_is_one_joint():
    assert is_stack(COUNTS)
    assert is_stack(COUNTS.tolist())
    assert is_stack([Joint(joint) for joint in COUNTS])
    assert is_stack(COUNTS[np.newaxis])
    for one in (
        COUNTS[0],
        COUNTS[0].tolist(),
        Joint(COUNTS[0]),
        csr_array(COUNTS[0]),
        [],
        [[1], []],
    ):
        assert not is_stack(one)
    np.testing.assert_array_equal(masses_of(COUNTS[0]), COUNTS[0])
    np.testing.assert_array_equal(masses_of(COUNTS), COUNTS)


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, -1.0), (0, np.nan), (0, np.inf), (slice(None), 0.0), (0, 1e-70)],
)
def test_a_joint_that_is_refused_alone_is_refused_in_a_stack_by_its_number(place, value):
    stack = COUNTS.astype(float)
    stack[1, place, 0] = value
    with pytest.raises(JointError) as alone:
        Joint(stack[1])
    with pytest.raises(JointError, match=r"joint 1 of the stack: ") as found:
        as_stack(stack)
    assert str(found.value).endswith(str(alone.value))


@pytest.mark.parametrize(
    "stack",
    [
        np.zeros((0, 2, 2)),
        [Joint(COUNTS[0]), Joint([[1, 2], [3, 4], [5, 6]])],
        np.ma.masked_array(COUNTS, mask=COUNTS == 0),
        np.full((2, 2, 2), 2**61),
        np.full((2, 2, 2), "a"),
    ],
)
def test_other_stacks_are_refused(stack):
    with pytest.raises(JointError):
        as_stack(stack)


def test_a_value_without_mass_is_refused_in_words_that_work():
    array = np.array([[1, 2], [0, 0], [3, 1]])
    for call in (lambda: merge(array, 0.5), lambda: merge(array[None], 0.5), lambda: omega(array)):
        with pytest.raises(JointError, match=r"Joint\(array, empty_public='drop'\) leaves it out"):
            call()
    assert len(merge(Joint(array, empty_public="drop"), 0.5).public) == 2


def test_large_integers_and_fractions_are_numbers():
    objects = COUNTS.astype(object)
    np.testing.assert_array_equal(as_stack(objects), COUNTS)
