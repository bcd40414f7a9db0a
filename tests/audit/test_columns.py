"""What columns and pairs of columns reveal on their own."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from known import table_joint
from loglift import Bound
from loglift.audit import columns
from loglift.audit.columns import (
    MAX_PAIRED_COLUMNS,
    ColumnLeakage,
    column_leakages,
    pairs_left_out,
    worst_first,
)
from naive import leakage, records_of
from strategies import count_joints


def omega(pairs, value):
    """Return max over s of |log p(s|x)/p(s)| of one value x."""
    own = Counter(s for x, s in pairs if x == value)
    size, total = sum(own.values()), len(pairs)
    lifts = [own[s] * total / (size * n) for s, n in Counter(s for _, s in pairs).items()]
    return max(abs(math.log(lift)) if lift else math.inf for lift in lifts)


@given(count_joints(min_public=2))
def test_each_column_and_pair_has_the_leakage_of_its_records(counts):
    values = [(x // 2, x % 2, x % 3) for x in range(len(counts))]
    records = records_of(counts, values)
    found = column_leakages(table_joint(counts, values), None)
    chosen = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    assert [column.columns for column in found] == [
        tuple("abc"[i] for i in places) for places in chosen
    ]
    for column, places in zip(found, chosen, strict=True):
        alone = [(tuple(v[i] for i in places), s) for v, s in records]
        assert column.leakage == pytest.approx(leakage(alone))
        assert column.values == len({value for value, _ in alone})
        assert column.share_at_risk is None
        most = [v for v, _ in set(alone) if omega(alone, v) == pytest.approx(column.leakage)]
        assert column.records == sum(value in most for value, _ in alone)


def test_one_column_adds_nothing_and_two_have_no_pair():
    counts = np.array([[5, 1], [5, 10], [2, 3]])
    assert column_leakages(table_joint(counts), None) == ()
    two = table_joint(counts, [(1, 1), (2, 1), (2, 2)])
    assert [column.columns for column in column_leakages(two, None)] == [("a",), ("b",)]
    assert pairs_left_out(table_joint(counts)) == pairs_left_out(two) == 0


def test_the_share_at_risk_counts_records_outside_the_bound():
    counts = np.array([[10, 0], [10, 10], [10, 20]])
    joint = table_joint(counts, [(0, 0), (1, 0), (1, 0)])
    first, second = column_leakages(joint, Bound.symmetric(0.5))
    assert first.share_at_risk == 10 / 60
    assert (second.share_at_risk, second.leakage) == (0, 0)


def test_of_equal_leakage_more_records_come_first():
    def column(name, leakage, records, share=None):
        return ColumnLeakage((name,), 5, leakage, records, share)

    unbounded = [
        column("few", math.inf, 3),
        column("finite", 9.0, 500),
        column("many", math.inf, 40),
    ]
    assert [found.columns[0] for found in worst_first(unbounded)] == ["many", "few", "finite"]
    bounded = [column("a", math.inf, 40, 0.1), column("b", math.inf, 3, 0.2)]
    assert [found.columns[0] for found in worst_first(bounded)] == ["b", "a"]


def wide(size, leaky):
    """A joint of columns of which only the leaky ones reveal s, and of 64 public values."""
    s = np.arange(64) % 2
    values = [(*(i + int(s[x]) * (i in leaky) for i in range(size - 1)), x) for x in range(64)]
    return table_joint(np.eye(2, dtype=np.int64)[s], values)


@pytest.fixture(autouse=True)
def _few(monkeypatch):
    monkeypatch.setattr(columns, "MAX_PAIRED_COLUMNS", 6)


def test_all_pairs_of_few_columns_are_measured():
    joint = wide(6, {3})
    names = [column.name for column in joint.columns]
    found = [column.columns for column in column_leakages(joint, Bound.symmetric(1))]
    assert found == [*((name,) for name in names), *combinations(names, 2)]
    assert pairs_left_out(joint) == 0


def test_of_many_columns_those_that_leak_most_are_paired():
    assert MAX_PAIRED_COLUMNS == 32  # what the guide says
    joint, leaky = wide(20, {3, 7, 15}), {"d", "h", "p"}
    found = column_leakages(joint, Bound.symmetric(1))
    pairs = [column.columns for column in found if len(column.columns) == 2]
    assert len(found) == 20 + len(pairs)
    assert len(set(pairs)) == len(pairs) == math.comb(6, 2)
    assert leaky <= {name for pair in pairs for name in pair}
    assert pairs_left_out(joint) == math.comb(20, 2) - len(pairs)
