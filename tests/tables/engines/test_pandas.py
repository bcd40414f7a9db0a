"""What a pandas frame keeps of itself: its index, where rows keep their order, and its dtypes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift.errors import TableError
from loglift.sklearn import LiftProtector
from loglift.tables import apply, count
from tables.makers import mechanism_of

RECORDS = 60
ODD = np.arange(RECORDS) % 2 == 1
INDEXES = {
    "range": pd.RangeIndex(5, 5 + 3 * RECORDS, 3),
    "texts": pd.Index([f"r{i}" for i in range(RECORDS)], name="who"),
    "repeated": pd.Index([0] * RECORDS),
    "multi": pd.MultiIndex.from_product([range(RECORDS // 2), ["a", "b"]], names=["n", "l"]),
    "times": pd.date_range("2024-01-01", periods=RECORDS, freq="h", tz="Europe/Zurich"),
}
PUBLIC = {
    "bool": pd.Series(ODD),
    "boolean": pd.Series(ODD, dtype="boolean"),
    "boolean with gaps": pd.Series(np.where(ODD, True, None), dtype="boolean"),
    "object": pd.Series(np.where(ODD, "u", "v"), dtype=object),
    "text": pd.Series(np.where(ODD, "u", "v"), dtype="str"),
    "category": pd.Series(pd.Categorical(np.where(ODD, "u", "v"), categories=["v", "u", "w"])),
    "ordered": pd.Series(pd.Categorical(ODD.astype(int), categories=[1, 0], ordered=True)),
    "category with gaps": pd.Series(pd.Categorical(np.where(ODD, "u", None))),
    "int8": pd.Series(ODD, dtype="int8"),
    "Int64": pd.Series(ODD, dtype="Int64"),
    "float32": pd.Series(ODD, dtype="float32"),
    "float with gaps": pd.Series(np.where(ODD, 1.5, np.nan)),
    "zoned": pd.Series(pd.to_datetime(ODD.astype(int), unit="D", utc=True)).dt.tz_convert(
        "Europe/Zurich"
    ),
}
PASSED = PUBLIC | {
    "timedelta": pd.Series(pd.to_timedelta(np.arange(RECORDS), unit="s")),
    "period": pd.Series(pd.period_range("2024-01", periods=RECORDS, freq="M")),
    "nanoseconds": pd.Series(np.arange(RECORDS).astype("datetime64[ns]")),
    "objects": pd.Series([[i] for i in range(RECORDS)]),
}


def frame_of(**columns):
    frame = pd.DataFrame({"x": np.arange(RECORDS) % 3, "s": np.arange(RECORDS) // 3 % 2, **columns})
    return frame.set_axis(INDEXES["texts"])


@pytest.mark.parametrize("method", ["search", "randomized"])
@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES.keys())
def test_rows_that_keep_their_order_keep_their_index(index, method):
    frame = frame_of(other=np.arange(RECORDS)).set_axis(index)
    options = {"public": "x", "sensitive": "s", "eps": 1, "method": method}
    ordered = loglift.protect(frame, **options, keep_order=True)
    pd.testing.assert_index_equal(ordered.table.index, index, exact="equiv")
    again = loglift.apply(ordered, frame, passthrough="other", keep_order=True)
    pd.testing.assert_index_equal(again.index, index, exact="equiv")
    assert again["other"].tolist() == frame["other"].tolist()
    shuffled = loglift.protect(frame, **options).table
    pd.testing.assert_index_equal(shuffled.index, pd.RangeIndex(RECORDS), exact="equiv")


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_column_of_which_nothing_is_merged_is_what_it_was(name, ordered):
    frame = frame_of(p=PUBLIC[name].array)
    released = loglift.protect(frame, public="p", sensitive="s", eps=5, keep_order=ordered).table
    if not ordered and name == "category":  # shuffled: its order may be that of the rows
        frame["p"] = frame["p"].cat.set_categories(["u", "v"])
    assert released["p"].dtype == frame["p"].dtype
    if ordered:
        pd.testing.assert_frame_equal(released, frame[["p"]])
    else:
        counts = [
            column["p"].value_counts(dropna=False).sort_index() for column in (released, frame)
        ]
        pd.testing.assert_series_equal(*counts)


def test_of_several_columns_the_untouched_ones_are_what_they_were():
    frame = frame_of(p=PUBLIC["ordered"].array, b=ODD)
    lookup = {(p, b): int(b) for p in (0, 1) for b in (False, True)}
    shown = {"p": ("text", ["0 | 1", "0 | 1"]), "b": ("boolean", [False, True])}
    mechanism = mechanism_of([("p", "integer"), ("b", "boolean")], lookup, shown)
    released = apply(frame, mechanism, keep_order=True)
    assert released["p"].tolist() == ["0 | 1"] * RECORDS
    pd.testing.assert_series_equal(released["b"], frame["b"])


def test_a_column_in_bins_is_text_though_nothing_is_merged():
    frame = frame_of(p=np.arange(RECORDS) % 40)
    options = {"public": "p", "sensitive": "s", "eps": 5, "bins": {"p": 10}, "keep_order": True}
    released = loglift.protect(frame, **options).table
    assert released["p"].tolist() == [f"[{p // 10 * 10}, {p // 10 * 10 + 10})" for p in frame["p"]]


@pytest.mark.parametrize("name", PASSED)
def test_columns_that_pass_through_are_what_they_were(name):
    frame = frame_of(p=PASSED[name].array)
    mechanism = loglift.protect(frame, public="x", sensitive="s", eps=1)
    released = loglift.apply(mechanism, frame, passthrough="p", keep_order=True)
    pd.testing.assert_frame_equal(released[["p"]], frame[["p"]])


def test_nothing_is_written_of_an_index(tmp_path):
    frame = frame_of()
    result = loglift.protect(frame, public="x", sensitive="s", eps=1, keep_order=True)
    for ending in ("csv", "parquet"):
        loglift.tables.write(result.table, tmp_path / f"out.{ending}")
        assert b"who" not in (tmp_path / f"out.{ending}").read_bytes()
        assert b"r17" not in (tmp_path / f"out.{ending}").read_bytes()


@pytest.mark.parametrize("name", ["x", "s"])
@pytest.mark.parametrize("several", [False, True], ids=["one level", "two levels"])
def test_an_index_of_a_protected_column_is_not_released(name, several):
    frame = pd.DataFrame({"x": list("abcd") * 20, "s": list("yynnynny") * 10, "n": range(80)})
    options = {"public": "x", "sensitive": "s", "eps": 0.5}
    made = loglift.protect(frame, **options)
    indexed = frame.set_index(["n", name] if several else name, drop=False)
    for release in (
        lambda: loglift.protect(indexed, **options, keep_order=True),
        lambda: loglift.apply(made, indexed, keep_order=True),
    ):
        with pytest.raises(TableError, match=f"the index of the table is '{name}'"):
            release()
    assert loglift.protect(indexed, **options).table.index.equals(pd.RangeIndex(80))


def test_the_certificate_names_an_index_that_is_released():
    frame = pd.DataFrame({"x": list("abcd") * 20, "s": list("yynnynny") * 10, "n": range(80)})
    options = {"public": "x", "sensitive": "s", "eps": 0.5, "keep_order": True}
    assert loglift.protect(frame, **options).certificate.beside == ()
    named = loglift.protect(frame.set_index("n"), **options)
    assert named.certificate.beside == ("n",)
    unnamed = loglift.protect(frame.set_axis(frame.n.to_numpy()[::-1]), **options)
    assert unnamed.certificate.beside == ("the index",)


@pytest.mark.parametrize("label", ["x", 3, None, True, ("x", 1), str])
def test_columns_of_pandas_are_found_whatever_they_are_called(label):
    frame = pd.DataFrame([["a", 1], ["b", 2], ["a", 2]])
    frame.columns = pd.Index([label, "s"], dtype=object, tupleize_cols=False)
    counts = count(frame, [label], "s")
    assert counts.tuples == (("a",), ("b",))
    assert counts.weight.tolist() == [2, 1]


@pytest.mark.parametrize("labels", [[0, 0, 1], [np.nan, np.nan, 1]])
def test_columns_of_pandas_that_share_a_label_are_found_by_their_places(labels):
    """A scikit-learn estimator calls them by numbers where they are not all called by texts."""
    items = {"a": ["u", "v"] * 10, "b": ["k", "l", "l", "k"] * 5, "c": ["m"] * 19 + ["n"]}
    public = pd.DataFrame({"x": ["p", "q", "p", "r"] * 5})
    plain = LiftProtector(eps=1.0).fit_transform(public, pd.DataFrame(items))
    alike = pd.DataFrame(items).set_axis(labels, axis=1)
    assert (LiftProtector(eps=1.0).fit_transform(public, alike) == plain).all()
