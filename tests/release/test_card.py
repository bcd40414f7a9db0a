"""What a notebook shows of a release and of a frontier."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Joint, frontier, protect
from loglift.release.card import frontier_card, release_card
from report.making import write_table

JOINT = Joint(np.random.default_rng(0).integers(0, 9, (9, 3)) + np.eye(9, 3, dtype=int))


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    table = write_table(tmp_path_factory.mktemp("release") / "people.csv")
    return protect(str(table), sensitive="illness", public=["town", "age"], eps=0.4)


def test_a_release_shows_what_became_of_each_column_and_whom_it_is_for(release):
    card = release_card(release)
    assert [row[0] for row in card.tables[0].rows] == ["town", "age"]
    assert [row[1].value for row in card.tables[0].rows] == [c.information for c in release.columns]
    assert [row[2].value for row in card.tables[0].rows] == [c.unchanged for c in release.columns]
    assert ("certificate", "holds") in card.figures
    assert ("bound", "eps 0.4") in card.figures
    html = release._repr_html_()
    assert "For the custodian" in html
    assert "Release of town, age that protects illness" in html


def test_a_release_of_values_has_no_labels(tmp_path):
    table = str(write_table(tmp_path / "people.csv"))
    columns = {"sensitive": "illness", "public": ["town", "age"]}
    card = release_card(protect(table, **columns, eps=0.4, show="values"))
    assert card.tables[0].head == ("column", "information kept")
    assert ("shown as", "values") in card.figures


def test_a_frontier_shows_some_limits_and_the_loosest():
    found = frontier(JOINT, methods=["greedy", "complete"])
    card = frontier_card(found)
    assert card.tables[0].head == ("eps (nats)", "greedy", "complete")
    assert len(card.tables[0].rows) <= 8
    assert card.tables[0].rows[-1][1].value in [point.kept for point in found.series("greedy")]
    short = frontier(JOINT, [0.5, 1], ["greedy"])
    assert [row[0] for row in frontier_card(short).tables[0].rows] == ["0.5", "1"]
    assert "0.5" in short._repr_html_()


def test_a_frontier_is_a_chart_a_frame_and_a_short_text():
    found = frontier(JOINT, [0.5, 1, 2], ["greedy", "search"])
    assert repr(found) == "Frontier(greedy, search: 6 points, eps 0.5 to 2, 9 public values)"
    frame = found.to_frame()
    assert list(frame["kept"]) == [point.kept for point in found.points]
    rows = found.plot("mine").spec["data"]["values"]
    assert {row["line"] for row in rows} == {"greedy", "search"}
    assert found.plot("mine").spec["title"]["text"] == "mine"
    assert found.plot().spec["title"]["text"] == "Information kept against eps"
