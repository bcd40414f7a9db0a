"""What a notebook shows of an evaluation."""

from __future__ import annotations

import pytest

from loglift import evaluate, protect
from loglift.readers.card import card_of
from report.making import write_table


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    table = write_table(tmp_path_factory.mktemp("evaluation") / "people.csv", records=600)
    columns = {"sensitive": "illness", "public": ["town", "age"]}
    return evaluate(table, protect(str(table), **columns, eps=0.4).mechanism)


def test_readers_and_attacker_are_shown(found):
    card = card_of(found)
    assert [row[0] for row in card.tables[0].rows] == ["town", "age"]
    assert card.tables[0].rows[0][2].value == found.columns[0].information.released
    moved = found.attacks[0].counting.rise
    assert card.tables[-1].rows[0][2] == f"{moved.released:.3g}"
    assert "For the custodian" in found._repr_html_()


def test_the_figures_as_a_frame(found):
    frame = found.to_frame()
    assert list(frame.columns) == ["kind", "name", "measure", "original", "released", "shuffled"]
    kept = frame[(frame["name"] == "age") & (frame["measure"] == "information")]
    assert list(kept["released"]) == [found.columns[1].information.released]
    assert {"column", "pair", "count query", "attack"} <= set(frame["kind"])
    queries = list(frame[frame["kind"] == "count query"]["name"])
    assert queries == ["all", "1 column", "2 columns"]


def test_the_chart_has_a_point_for_each_column_and_table(found):
    rows = found.plot().spec["data"]["values"]
    assert len(rows) == 6
    assert {row["kept"] for row in rows if row["of"] == "original"} == {1.0}


def test_an_evaluation_is_short_in_a_terminal(found):
    assert repr(found).startswith("Evaluation(town, age about illness: 600 records")
    assert len(repr(found)) < 200
