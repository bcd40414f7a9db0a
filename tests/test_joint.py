from __future__ import annotations

from datetime import datetime
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given

import loglift
from loglift import InputError, Joint, JointError, merge
from loglift.joint import as_distribution
from loglift.sparse import dense
from strategies import channelled, joints

BAD_MASS = {
    "negative": [[1, -1], [1, 1]],
    "nan": [[1.0, np.nan]],
    "infinite": [[1.0, np.inf]],
    "empty": [],
    "no columns": np.zeros((3, 0)),
    "one-dimensional": [1, 2, 3],
    "three-dimensional": np.ones((2, 2, 2)),
    "ragged": [[1, 2], [3]],
    "text": [["a", "b"]],
    "numbers as text": [["1", "2"]],
    "missing": [[1, None]],
    "boolean": [[True, False]],
    "complex": [[1j, 2]],
    "no mass": [[0, 0], [0, 0]],
    "empty row": [[1, 2], [0, 0]],
    "empty column": [[1, 0], [2, 0]],
    "counts beyond 2^63": np.full((2, 2), 2**62),
    "python integers beyond 2^63": [[2**70, 1]],
    "total overflows": [[1e308, 1e308]],
    "cell underflows": [[1.0, 1e-200]],
    "scalar": 3,
    "nothing": None,
    "masked": np.ma.masked_array([[1, 2], [3, 4]], mask=[[True, False], [False, False]]),
    "a joint": Joint([[1, 2]]),
    "beyond float64": np.array([[1.0, 2.0]], dtype=np.longdouble) * np.longdouble("1e4000"),
}


@pytest.mark.parametrize("mass", BAD_MASS.values(), ids=BAD_MASS.keys())
def test_bad_mass_is_refused(mass):
    with pytest.raises(JointError):
        Joint(mass)


@pytest.mark.parametrize(
    "labels",
    [
        ["a"],
        ["a", "b", "c"],
        ["a", "a"],
        "ab",
        [["a"], ["b"]],
        7,
        {"a", "b"},
        [np.nan, float("nan")],
    ],
    ids=["few", "many", "repeated", "a string", "unhashable", "not a list", "a set", "two NaN"],
)
@pytest.mark.parametrize("side", ["public", "sensitive"])
def test_bad_labels_are_refused(side, labels):
    with pytest.raises(JointError, match=side):
        Joint([[1, 2], [3, 4]], **{side: labels})


def test_errors_say_what_to_fix():
    with pytest.raises(JointError, match="empty_public='drop'"):
        Joint([[1, 2], [0, 0]])
    with pytest.raises(JointError, match="empty_sensitive='drop'"):
        Joint([[1, 0], [2, 0]])
    with pytest.raises(JointError, match="'b' is repeated"):
        Joint([[1], [2], [3]], public=["a", "b", "b"])
    with pytest.raises(JointError, match="'refuse' or 'drop'"):
        Joint([[1]], empty_public="ignore")


def test_every_input_error_is_a_value_error():
    with pytest.raises(ValueError, match="negative"):
        Joint([[-1, 2]])
    assert issubclass(JointError, InputError)


def test_counts_stay_integers_and_labels_stay_with_them():
    joint = Joint([[3, 1], [0, 2]], public=["a", "b"], sensitive=[True, None])
    assert joint.mass.dtype == np.int64
    assert joint.is_counts
    assert joint.total == 6
    assert isinstance(joint.total, int)
    assert joint.public == ("a", "b")
    assert joint.sensitive == (True, None)


def test_python_integers_in_an_object_array_stay_integers():
    assert Joint(np.array([[3, 1], [2, 2]], dtype=object)).is_counts
    assert Joint(np.array([[np.int64(3), 1], [2, 2]], dtype=object)).is_counts
    assert not Joint(np.array([[Fraction(1, 2), Fraction(1, 2)]], dtype=object)).is_counts


def test_times_as_labels_stay_times():
    times = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]")
    assert Joint([[1, 2], [3, 4]], public=times).public == (
        datetime(2020, 1, 1),
        datetime(2020, 1, 2),
    )


def test_empty_values_are_dropped_with_their_labels_when_asked():
    joint = Joint(
        [[1, 0, 2], [0, 0, 0], [3, 0, 4]],
        public=["a", "b", "c"],
        sensitive=["s", "t", "u"],
        empty_public="drop",
        empty_sensitive="drop",
    )
    assert joint.public == ("a", "c")
    assert joint.sensitive == ("s", "u")
    assert joint.mass.tolist() == [[1, 2], [3, 4]]


def test_the_caller_keeps_no_hand_on_the_mass():
    given_mass = np.array([[1, 2], [3, 4]])
    joint = Joint(given_mass)
    given_mass[0, 0] = 99
    assert joint.mass[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        joint.mass[0, 0] = 5


@given(joints())
def test_probabilities_are_consistent(mass):
    joint = Joint(mass)
    assert joint.probabilities.sum() == pytest.approx(1)
    np.testing.assert_allclose(joint.probabilities.sum(axis=1), joint.p_public)
    np.testing.assert_allclose(joint.probabilities.sum(axis=0), joint.p_sensitive)


@given(joints())
def test_scaling_changes_no_ratio(mass):
    """Powers of two round nothing, so the scaled mass is the mass up to one common factor."""
    scaled = Joint(mass * 2.0**40).scaled
    np.testing.assert_array_equal(
        scaled / scaled.sum(), Joint(mass / 1.0).scaled / Joint(mass / 1.0).scaled.sum()
    )


@pytest.mark.parametrize("mass", [[], [0, 0], [-1, 2], [np.nan], [[1, 2]], "ab", [1e308, 1e308]])
def test_bad_distributions_are_refused(mass):
    with pytest.raises(JointError):
        as_distribution(mass)


FRAME = pd.DataFrame(
    {
        "x": ["a", "b", "c", "a", "b", "c"] * 4,
        "y": [1, 2] * 12,
        "s": ["u", "v", "u", "u", "v", "v"] * 4,
        "t": [True, False, True] * 8,
    }
)


@pytest.mark.parametrize("public", ["x", ["x", "y"]])
@pytest.mark.parametrize("sensitive", ["s", ["s", "t"], "t"])
def test_a_crosstab_gives_its_labels(public, sensitive):
    columns = [
        [FRAME[name] for name in ([n] if isinstance(n, str) else n)] for n in (public, sensitive)
    ]
    crosstab = pd.crosstab(*columns)
    joint = Joint(crosstab)
    counted = Joint.from_table(FRAME, public=public, sensitive=sensitive)
    assert joint.public == counted.public
    assert joint.sensitive == counted.sensitive
    np.testing.assert_array_equal(joint.mass, dense(counted.mass))
    assert merge(crosstab, 0.5).public == joint.public


def test_given_labels_go_before_those_of_a_frame():
    crosstab = pd.crosstab(FRAME.x, FRAME.s)
    assert Joint(crosstab, public=[1, 2, 3]).public == (1, 2, 3)
    assert Joint(crosstab, public=[1, 2, 3]).sensitive == ("u", "v")
    assert Joint(crosstab.to_numpy()).public == (0, 1, 2)
    assert Joint([[1, 2], [3, 4]]).public == (0, 1)


def test_dropped_rows_of_a_frame_take_their_labels_along():
    crosstab = pd.DataFrame([[1, 2], [0, 0], [3, 4]], index=list("abc"), columns=list("uv"))
    assert Joint(crosstab, empty_public="drop").public == ("a", "c")


@pytest.mark.parametrize("options", [{}, {"normalize": True}])
@pytest.mark.parametrize("rows", [FRAME.x, [FRAME.x, FRAME.y]], ids=["one", "two"])
def test_margins_of_a_crosstab_are_refused(rows, options):
    with pytest.raises(JointError, match=r"the row .*'All'.* is the sum of the others"):
        Joint(pd.crosstab(rows, FRAME.s, margins=True, **options))
    with pytest.raises(JointError, match="the column 'All' is the sum of the others"):
        Joint(pd.crosstab(FRAME.x, FRAME.s, margins=True, **options).iloc[:-1])


def test_a_value_that_is_called_all_is_a_value():
    crosstab = pd.DataFrame([[1, 2], [3, 5]], index=["some", "All"], columns=["u", "All"])
    assert Joint(crosstab).public == ("some", "All")
    assert Joint(crosstab.iloc[1:]).public == ("All",)


def test_a_frame_without_an_index_names_the_sensitive_values():
    counts = {"well": [8, 2, 5], "ill": [2, 8, 5]}
    for frame in (pl.DataFrame(counts), pa.table(counts)):
        joint = Joint(frame)
        assert joint.sensitive == ("well", "ill")
        assert joint.public == (0, 1, 2)
        assert Joint(frame, sensitive=["a", "b"]).sensitive == ("a", "b")


def test_margins_are_refused_whatever_they_are_called():
    table = pd.DataFrame({"x": list("aabbcc") * 3, "s": list("uvwuuv") * 3})
    sums = pd.crosstab(table.x, table.s, margins=True, margins_name="Total")
    with pytest.raises(JointError, match="the row 'Total' is the sum of the others"):
        Joint(sums)
    by_chance = pd.DataFrame([[3, 3], [3, 3]], index=["a", "b"], columns=["u", "v"])
    assert Joint(by_chance).public == ("a", "b")
    one_side = pd.DataFrame([[1, 2], [3, 4], [4, 6]], index=list("abc"), columns=["u", "v"])
    assert Joint(one_side).public == ("a", "b", "c")


def test_each_variable_has_a_joint_with_every_record_once():
    counts = np.array([[3, 1, 2, 2], [5, 5, 4, 6]])
    joint = Joint(counts, ["a", "b"], variables=["s", "s", "t", "t"])
    one, other = joint.by_variable()
    assert (one.mass.tolist(), other.mass.tolist()) == ([[3, 1], [5, 5]], [[2, 2], [4, 6]])
    assert one.total == other.total == joint.total == 14
    assert [part.variables[0].name for part in (one, other)] == ["s", "t"]
    assert (one.public, other.sensitive) == (("a", "b"), (2, 3))
    assert one.by_variable() == (one,)


@pytest.mark.parametrize(
    "variables", [3, "aabb", [[1], [1], "b", "b"], ["a", "b", "a", "b"], ["a"]]
)
def test_variables_that_name_no_columns_are_refused(variables):
    with pytest.raises(JointError, match="variable"):
        Joint([[1, 2, 2, 1], [3, 4, 5, 2]], variables=variables)


def test_every_variable_has_every_record_once():
    joint = Joint([[1, 2, 2, 1], [3, 4, 5, 2]], variables=list("aabb"))
    assert joint.weight.tolist() == [3, 7]
    assert joint.total == 10
    assert joint.p_sensitive.tolist() == [0.4, 0.6, 0.7, 0.3]
    with pytest.raises(JointError, match="do not add up"):
        Joint([[10**15, 1, 10**15 + 2, 1], [1, 5, 1, 5]], variables=list("aabb"))


def test_lifts_of_several_variables_are_those_of_each():
    left, right = np.array([[9, 1], [2, 8]]), np.array([[3, 7], [6, 4]])
    joint = Joint(np.hstack([left, right]), variables=list("aabb"))
    both = np.hstack([loglift.lift(left), loglift.lift(right)])
    np.testing.assert_allclose(loglift.lift(joint), both)


@given(channelled())
def test_drawn_values_have_the_expected_mass(case):
    mass, channel = case
    drawn = Joint(mass).drawn(channel)
    used = channel.any(axis=0)
    assert drawn.public == tuple(range(used.sum()))
    np.testing.assert_allclose(drawn.mass, channel[:, used].T @ mass)
    np.testing.assert_allclose(drawn.p_sensitive, mass.sum(axis=0) / mass.sum())


def test_drawn_values_keep_the_sensitive_columns_and_the_expected_records():
    frame = pd.DataFrame({"a": list("xxyy"), "s": [1, 2, 1, 2], "w": [1, 1, 2, 5]})
    joint = Joint.from_table(frame, sensitive="s", public="a", weights="w")
    drawn = joint.drawn(np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]))
    assert [column.name for column in drawn.sensitive_columns] == ["s"]
    np.testing.assert_allclose(drawn.records, [1, 3])
    np.testing.assert_allclose(drawn.p_public, [1 / 9, 8 / 9])


def test_combined_categories_have_no_order():
    levels = pd.Categorical(["low", "high", "middle"] * 2, ["low", "middle", "high"], ordered=True)
    joint = Joint.from_table(
        pd.DataFrame({"a": list("xxxyyy"), "s": levels}), sensitive="s", public="a"
    )
    assert joint.sensitive_columns[0].ranks == (2, 0, 1)
    assert joint.combined("s", [["low", "middle"]]).sensitive_columns[0].ranks == ()
