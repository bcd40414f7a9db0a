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

COUNTS = np.array([[50, 10, 0], [30, 30, 30], [5, 60, 20], [15, 15, 15]])
ORDER = np.array([0, 2, 1, 3])


def test_cells_are_counts_and_log_lifts_before_and_after():
    heat = heat_of(Joint(COUNTS), ORDER, Bound.symmetric(0.4), np.array([0, 1, 0, 1]))
    p = COUNTS / COUNTS.sum()
    assert heat.before.counts == tuple(map(tuple, COUNTS[ORDER].tolist()))
    assert heat.before.records == (60, 85, 90, 45)
    merged = COUNTS[[0, 1]] + COUNTS[[2, 3]]
    assert heat.after.counts == tuple(map(tuple, merged.tolist()))
    assert heat.becomes == (0, 0, 1, 1)
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


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=6),
    st.sampled_from([Bound.symmetric(0.3), Bound(math.inf, 0.3), Bound(0.3, math.inf)]),
)
def test_marks_say_the_side_and_whether_it_is_outside(rows, bound):
    heat = heat_of(Joint(np.array(rows)), np.arange(len(rows)), bound)
    assert len(heat.before.marks) == len(rows)
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
    assert heat.rows == 2
    assert heat.before.records == (60, 85)
    assert heat.after.records == (60, 85 + 45)
    assert heat.becomes == (0, 1)
