"""Bins: the same half-open intervals from every engine, and widths that are refused."""

# ruff: noqa: PLC0415 - a dataframe library is imported by the tests that use it

from fractions import Fraction

import duckdb
import numpy as np
import pytest

from loglift.errors import TableError
from loglift.tables import apply, count
from tables.makers import mechanism_of

GOOD = b"a,b\n1,x\n2,y\n"


@pytest.mark.parametrize(
    "width",
    [0, -1, float("nan"), "10", None, True, -(10**400)],
    ids=lambda width: repr(width)[:12],
)
def test_a_width_must_be_a_positive_number(tmp_path, width):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(
        TableError, match=r"the width of the bins of 'a' must be (a number|above 0)"
    ):
        count(tmp_path / "t.csv", "a", "b", bins={"a": width})
    with pytest.raises(TableError, match="neither public nor sensitive"):
        count(tmp_path / "t.csv", "a", "b", bins={"c": 1})


@pytest.mark.parametrize(
    "width",
    [
        float("inf"),
        np.float32("inf"),
        1e308,
        1e-320,
        10**400,
        2**54,
        1.2345678901234567e-9,
        Fraction(1, 10**400),
    ],
    ids=lambda width: repr(width)[:12],
)
def test_a_width_must_be_one_that_doubles_can_count_with(tmp_path, width):
    (tmp_path / "t.csv").write_bytes(GOOD)
    with pytest.raises(TableError, match="too large, too small, or has too many digits") as caught:
        count(tmp_path / "t.csv", "a", "b", bins={"a": width})
    assert len(str(caught.value)) < 200


def test_a_width_may_be_of_numpy(tmp_path):
    (tmp_path / "t.csv").write_bytes(GOOD)
    for width in (np.float32(0.5), np.float64(0.5), np.int8(2), np.uint64(2)):
        found = count(tmp_path / "t.csv", "a", "b", bins={"a": width}).tuples
        assert found == count(tmp_path / "t.csv", "a", "b", bins={"a": width.item()}).tuples


def test_integers_at_the_end_of_64_bits_are_in_their_bins_or_refused(maker, tmp_path):
    """An edge below -2^63 must not come around as one near 2^63."""
    rows = [(-(2**63), "x"), (2**63 - 1, "y"), (5, "x")]
    table = maker.make(["a", "b"], [int, str], rows, tmp_path)
    with pytest.raises(TableError, match=r"too large for bins|cannot be read") as caught:
        count(table, "a", "b", bins={"a": 10})
    assert "\n" not in str(caught.value)
    assert count(table, "a", "b", bins={"a": 2**40}).tuples == (
        (f"[{-(2**63)}, {-(2**63) + 2**40})",),
        (f"[0, {2**40})",),
        (f"[{2**63 - 2**40}, {2**63})",),
    )


def test_infinite_values_cannot_be_binned():
    import polars as pl

    frame = pl.DataFrame({"a": [1.0, float("inf")], "b": ["x", "y"]})
    with pytest.raises(TableError, match="infinite or too large"):
        count(frame, "a", "b", bins={"a": 1})


def test_bins_are_the_same_half_open_intervals(maker, tmp_path):
    values = [
        (-21, "a"),
        (-20, "b"),
        (-1, "a"),
        (0, "a"),
        (9, "b"),
        (10, "a"),
        (None, "b"),
        (2**60, "a"),
    ]
    table = maker.make(["age", "s"], [int, str], values, tmp_path)
    counts = count(table, "age", "s", bins={"age": 10})
    assert [label for (label,) in counts.tuples] == [
        None, "[-30, -20)", "[-20, -10)", "[-10, 0)", "[0, 10)", "[10, 20)",
        f"[{2**60 // 10 * 10}, {2**60 // 10 * 10 + 10})",
    ]  # fmt: skip
    lookup = {value: i for i, value in enumerate(counts.tuples)}
    mechanism = mechanism_of([("age", "text", 10)], lookup, {"age": ("text", counts.public)})
    result = apply(table, mechanism, passthrough=["s"], keep_order=True)
    assert maker.back(result)[:3] == [("[-30, -20)", "a"), ("[-20, -10)", "b"), ("[-10, 0)", "a")]


def test_float_bins_follow_the_decimal_edges(maker, tmp_path):
    values = [(0.3, "a"), (0.29, "b"), (-0.1, "a"), (-0.0, "b"), (0.0, "a"), (7.0, "b")]
    table = maker.make(["w", "s"], [float, str], values, tmp_path)
    counts = count(table, "w", "s", bins={"w": 0.1})
    assert [label for (label,) in counts.tuples] == [
        "[-0.1, 0)", "[0, 0.1)", "[0.2, 0.3)", "[0.3, 0.4)", "[7, 7.1)",
    ]  # fmt: skip
    assert counts.mass.sum() == 6


@pytest.mark.parametrize("width", [0.3, 0.9, 0.7])
def test_every_engine_cuts_at_the_same_places(width):
    """Polars divides by a literal by multiplying with its inverse, which is rounded."""
    rng = np.random.default_rng(0)
    numbers = np.append(rng.uniform(-2000, 2000, 5000).round(1), [-0.1 - 0.2, -1592.1000000000001])
    import polars as pl

    table = pl.DataFrame({"x": numbers, "s": rng.integers(0, 2, numbers.size)})
    frames = (table, table.lazy(), table.to_pandas(), table.to_arrow())
    counts = [count(frame, "x", "s", bins={"x": width}) for frame in frames]
    first = counts[0]
    for other in (
        *counts[1:],
        count(duckdb.from_arrow(table.to_arrow()), "x", "s", bins={"x": width}),
    ):
        assert other.tuples == first.tuples
        assert other.weight.tolist() == first.weight.tolist()
