"""The sides of grouped rows: distinct values in order, and the joint of both sides."""

from __future__ import annotations

import numpy as np

from loglift.sparse import dense
from loglift.tables.codes import Coded
from loglift.tables.sides import joint_of, side_of

TOWN = Coded(["a", "b"], np.array([0, 1, 1, 0]))
SEX = Coded(["f", "m"], np.array([0, 0, 1, 0]))
ILL = Coded([False, True], np.array([0, 0, 1, 1]))


def test_one_column_has_bare_labels_and_several_have_tuples():
    one = side_of(["town"], ["text"], [TOWN], [None])
    assert one.labels == ("a", "b")
    several = side_of(["town", "sex"], ["text", "text"], [TOWN, SEX], [None, None])
    assert several.labels == (("a", "f"), ("b", "f"), ("b", "m"))
    assert several.places.tolist() == [0, 1, 2, 0]


def test_records_are_added_up_where_rows_meet():
    x = side_of(["town", "sex"], ["text", "text"], [TOWN, SEX], [None, None])
    s = side_of(["ill"], ["boolean"], [ILL], [None])
    joint = joint_of(x, s, x.places, s.places, np.array([5, 2, 3, 7]))
    assert dense(joint.mass).tolist() == [[5, 7], [2, 0], [0, 3]]
    assert joint.column_names == ("town", "sex")
    assert [variable.name for variable in joint.variables] == ["ill"]
    again = joint_of(x, s, np.array([0, 0]), np.array([1, 1]), np.array([1, 2]))
    assert dense(again.mass).tolist() == [[0, 3], [0, 0], [0, 0]]
