"""Sums of survey weights, against fractions added up record by record."""

from __future__ import annotations

import math
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, strategies as st

import loglift
from loglift import TableError
from loglift.tables.codes import Coded
from loglift.tables.weighing import MAX_EXACT_FLOAT, compact, weights_of

NAMES, KINDS = ["job", "ill", "w"], [str, str, float]


def rows_with(weights, seed=0):
    rng = np.random.default_rng(seed)
    size = len(weights)
    jobs = [("a", "b", None)[i] for i in rng.integers(0, 3, size)]
    ill = [("y", "n")[i] for i in rng.integers(0, 2, size)]
    return list(zip(jobs, ill, weights, strict=True))


def added_up(rows):
    """Return the exact sum of weights, and the number of records, of each pair of values."""
    sums, counts = defaultdict(Fraction), defaultdict(int)
    for job, ill, weight in rows:
        sums[job, ill] += Fraction(weight)
        counts[job, ill] += 1
    return sums, counts


def test_sums_are_exact_on_every_engine(maker, tmp_path):
    rows = rows_with(np.random.default_rng(1).uniform(0.1, 900, 300).tolist())
    table = maker.make(NAMES, KINDS, rows, tmp_path)
    joint = loglift.Joint.from_table(table, sensitive="ill", public="job", weights="w")
    sums, counts = added_up(rows)
    cells = [
        (x, s, i, j) for i, x in enumerate(joint.public) for j, s in enumerate(joint.sensitive)
    ]
    assert len(cells) == 6
    for x, s, i, j in cells:
        assert joint.mass[i, j] * joint.survey.unit == sums[x, s]
        assert joint.counts[i, j] == counts[x, s]
    assert joint.survey.column == "w"
    assert joint.records.sum() == 300
    assert not joint.is_counts


@given(
    st.lists(
        st.one_of(
            st.integers(1, 10**9),
            st.floats(1e-9, 1e9),
            st.decimals("0.000001", "100000", places=6),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_every_number_is_the_rational_number_it_is(values):
    found = weights_of(Coded.of(values), "w", np.full(len(values), 3))
    assert [number * found.unit for number in found.numbers] == [3 * Fraction(v) for v in values]
    assert math.gcd(*found.numbers) % 3 == 0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, None, 2.0], "are missing in 1 record: fill them in, or leave these records out"),
        ([1.0, -2.0, -2.0], "are negative in 2 records: give positive weights"),
        ([1.0, 0.0, 2.0], "are zero in 1 record: leave such records out"),
        ([1.0, math.inf, 2.0], "are not finite numbers in 1 record"),
        ([1.0, math.nan, 2.0], "are not finite numbers in 1 record"),
        (["1", "two", "3"], "are not finite numbers in 1 record"),
        ([True, True, True], "are not finite numbers in 3 records"),
        ([1e300, 1e-300, 1.0], "differ too much in size: round them"),
    ],
)
def test_what_is_not_a_weight_is_refused_without_naming_it(weights, message):
    table = pl.DataFrame({"job": ["a", "a", "b"], "ill": ["y", "n", "n"], "w": weights})
    with pytest.raises(TableError, match=message) as refused:
        loglift.Joint.from_table(table, sensitive="ill", public="job", weights="w")
    assert "-2" not in str(refused.value)
    assert "two" not in str(refused.value)


def test_texts_of_a_file_are_the_floats_that_they_write(tmp_path):
    (tmp_path / "t.csv").write_text("job,ill,w\na,y,1.50\na,n,2\nb,y,0.10\nb,n,3.25\n")
    joint = loglift.Joint.from_table(tmp_path / "t.csv", sensitive="ill", public="job", weights="w")
    mass = dict(zip(joint.public, joint.mass.tolist(), strict=True))
    assert [cell * joint.survey.unit for cell in mass["b"]] == [Fraction(3.25), Fraction(0.10)]


def test_decimals_are_exact_tenths():
    weights = [Decimal("0.1"), Decimal("0.2"), Decimal("0.3"), Decimal("0.4")]
    table = pl.DataFrame({"job": list("aabb"), "ill": list("ynyn"), "w": weights})
    joint = loglift.Joint.from_table(table, sensitive="ill", public="job", weights="w")
    assert joint.survey.unit == Fraction(1, 10)
    assert joint.mass.tolist() == [[2, 1], [4, 3]]
    assert joint.mass.dtype == np.int64


def test_sums_that_floats_cannot_hold_stay_python_integers():
    small = np.array([[1, 2]], dtype=object)
    large = np.array([[1, MAX_EXACT_FLOAT]], dtype=object)
    assert compact(small).dtype == np.int64
    assert compact(large).dtype == object
    assert compact(large)[0, 1] == MAX_EXACT_FLOAT


def test_the_weights_may_be_banded_as_a_public_column_but_not_be_sensitive():
    table = pl.DataFrame({"ill": list("ynyn"), "w": [1.0, 2.0, 11.0, 12.0]})
    joint = loglift.Joint.from_table(
        table, sensitive="ill", public="w", bins={"w": 10}, weights="w"
    )
    assert joint.public == ("[0, 10)", "[10, 20)")
    assert joint.mass.tolist() == [[2, 1], [12, 11]]
    with pytest.raises(TableError, match="as sensitive and as weights"):
        loglift.Joint.from_table(table, sensitive="w", public="ill", weights="w")
