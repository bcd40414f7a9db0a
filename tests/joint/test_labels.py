"""Labels: given ones, those of a frame, and what is refused."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from loglift import Joint, JointError, merge
from loglift.sparse import dense


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


def test_times_as_labels_stay_times():
    times = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[ns]")
    assert Joint([[1, 2], [3, 4]], public=times).public == (
        datetime(2020, 1, 1),
        datetime(2020, 1, 2),
    )
    days = times.astype("datetime64[D]")
    assert Joint([[1, 2], [3, 4]], public=days).public == (date(2020, 1, 1), date(2020, 1, 2))


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
