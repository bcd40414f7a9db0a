"""The heat map: log-lifts, their colours, and how many values it shows."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from loglift.joint import Joint
from loglift.promise.bound import Bound
from loglift.report.heat import heat_of, legend_of

COUNTS = np.array([[50, 10, 0], [30, 30, 30], [5, 60, 20], [15, 14, 16]])
ORDER = np.array([0, 2, 1, 3])


def test_cells_are_counts_and_log_lifts_before_and_after():
    heat = heat_of(Joint(COUNTS), ORDER, Bound.symmetric(0.4), np.array([0, 1, 0, 2]))
    p = COUNTS / COUNTS.sum()
    assert heat.before.counts == tuple(map(tuple, COUNTS[ORDER].tolist()))
    assert heat.before.records == (60, 85, 90, 45)
    merged = COUNTS[0] + COUNTS[2]
    after = [merged, merged, COUNTS[1], COUNTS[3]]
    assert heat.members == ((0,), (1,), (2,), (3,))
    assert heat.after.counts == tuple(tuple(row.tolist()) for row in after)
    with np.errstate(divide="ignore"):
        logs = np.log(p / np.outer(p.sum(axis=1), p.sum(axis=0)))[ORDER]
    np.testing.assert_allclose(heat.before.logs, logs, atol=1e-12)
    assert heat.before.marks[0][2] == "z"
    assert [event.records for event in heat.events] == COUNTS.sum(axis=0).tolist()


def test_several_variables_have_the_log_lifts_of_each_on_its_own():
    other = np.array([[20, 40], [45, 45], [40, 45], [25, 20]])
    both = Joint(np.hstack([COUNTS, other]), variables=["s", "s", "s", "t", "t"])
    heat = heat_of(both, ORDER, None)
    alone = [heat_of(Joint(counts), ORDER, None) for counts in (COUNTS, other)]
    np.testing.assert_allclose(
        heat.before.logs, np.hstack([side.before.logs for side in alone]), atol=1e-12
    )
    assert heat.records == COUNTS.sum()
    assert heat.before.records == alone[0].before.records


ALIKE = np.array([[4, 2], [9, 3], [2, 1], [8, 4], [3, 9]])


def test_values_with_the_same_cells_share_a_row():
    heat = heat_of(Joint(ALIKE), np.arange(5), None)
    assert heat.members == ((0, 2, 3), (1,), (4,))
    assert heat.before.counts == ((14, 7), (9, 3), (3, 9))
    assert heat.before.records == (21, 12, 12)
    assert heat.values == 5


def test_values_that_become_something_else_do_not_share_a_row():
    # 0 and 2 stay alone, in blocks that look alike; 3 is merged with 4.
    heat = heat_of(Joint(ALIKE), np.arange(5), None, np.array([0, 1, 2, 3, 3]))
    assert heat.members == ((0, 2), (1,), (3,), (4,))
    assert heat.after.counts == ((6, 3), (9, 3), (11, 13), (11, 13))
    assert heat.after.records == (9, 12, 24, 24)
    # 0 and 2 in one block: its records count once
    heat = heat_of(Joint(ALIKE), np.arange(5), None, np.array([0, 1, 0, 2, 2]))
    assert heat.members[0] == (0, 2)
    assert heat.after.records[0] == 9


@given(st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=3), min_size=2, max_size=9))
def test_every_value_is_in_one_row_of_its_own_cells(rows):
    width = min(map(len, rows))
    counts = np.array([row[:width] for row in rows]) + np.eye(1, width, dtype=np.int64)
    counts[0] += 1
    heat = heat_of(Joint(counts), np.arange(len(rows)), None)
    assert sorted(x for row in heat.members for x in row) == list(range(len(rows)))
    shares = counts / counts.sum(axis=1, keepdims=True)
    looks = [tuple(np.round(shares[row[0]], 9)) for row in heat.members]
    assert len(set(looks)) == len(looks)
    for row, look in zip(heat.members, looks, strict=True):
        assert list(row) == sorted(row)
        assert {tuple(np.round(shares[x], 9)) for x in row} == {look}


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=6),
    st.sampled_from([Bound.symmetric(0.3), Bound(math.inf, 0.3), Bound(0.3, math.inf)]),
)
def test_marks_say_the_side_and_whether_it_is_outside(rows, bound):
    heat = heat_of(Joint(np.array(rows)), np.arange(len(rows)), bound)
    assert len(heat.before.marks) == len(heat.members)
    for logs, marks in zip(heat.before.logs, heat.before.marks, strict=True):
        for log, mark in zip(logs, marks, strict=True):
            assert (mark == ".") == (log == 0)
            assert mark.isupper() == (log > 0)
            if abs(abs(log) - 0.3) > 1e-9:
                limit = bound.upper if log > 0 else bound.lower
                assert (mark.lower() in "dez") == (abs(log) > limit)


def test_a_bound_of_one_side_frames_nothing_on_the_other():
    heat = heat_of(Joint(COUNTS), ORDER, Bound(math.inf, 0.5))
    marks = set("".join(heat.before.marks))
    assert not marks & set("dez")
    assert {"Z", "q"} <= marks
    heat = heat_of(Joint(COUNTS), ORDER, Bound(0.5, math.inf))
    marks = set("".join(heat.before.marks))
    assert not marks & set("DE")
    assert "z" in marks


@pytest.mark.parametrize("bound", [None, Bound(1, 2), Bound(math.inf, 1), Bound(1, math.inf)])
def test_the_legend_has_every_mark_once_and_rising_edges(bound):
    heat = heat_of(Joint(COUNTS), ORDER, bound)
    legend = legend_of(heat, bound)
    marks = "".join(cell.mark for cell in legend)
    assert len(set(marks)) == len(marks) == 11
    assert set("".join(heat.before.marks)) <= {*marks, "."}
    edges = [cell.edge.replace("−", "-").replace("∞", "inf") for cell in legend[:-1]]
    assert all(a < b for a, b in pairwise(map(float, edges)))
    assert [cell.sign for cell in legend] == ["", *["−"] * 5, *["+"] * 5]


def test_a_large_table_shows_the_riskiest_values(monkeypatch):
    monkeypatch.setattr("loglift.report.heat.MAX_CELLS", 7)
    heat = heat_of(Joint(COUNTS), ORDER, None, np.array([0, 1, 2, 2]))
    assert heat.values == 2
    assert heat.members == ((0,), (1,))
    assert heat.before.records == (60, 85)
    assert heat.after.records == (60, 85 + 45)
