"""What a sweep found, as JSON, as CSV, as a frame and as a chart: the same figures."""

from __future__ import annotations

import csv
import io
import json

import numpy as np

from loglift import Joint, frontier

JOINT = Joint(np.random.default_rng(0).integers(0, 9, (9, 3)) + np.eye(9, 3, dtype=int))


def test_forms_say_the_same():
    found = frontier([[30, 10], [10, 30], [20, 20]], (0.2, 1.0), ["search", "complete"])
    document = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == len(document["points"]) == 4
    for row, point in zip(rows, document["points"], strict=True):
        assert float(row["kept"]) == point["kept"]
        assert row["method"] == point["method"]
    assert found.methods == ("search", "complete")


def test_a_frontier_is_a_chart_a_frame_and_a_short_text():
    found = frontier(JOINT, [0.5, 1, 2], ["greedy", "search"])
    assert repr(found) == "Frontier(greedy, search: 6 points, eps 0.5 to 2, 9 public values)"
    frame = found.to_frame()
    assert list(frame["kept"]) == [point.kept for point in found.points]
    rows = found.plot("mine").spec["data"]["values"]
    assert {row["line"] for row in rows} == {"greedy", "search"}
    assert found.plot("mine").spec["title"]["text"] == "mine"
    assert found.plot().spec["title"]["text"] == "Information kept against eps"
