"""What a notebook shows of an audit."""

from __future__ import annotations

import pytest

from loglift import audit
from loglift.audit.card import card_of
from report.making import write_table


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return str(write_table(tmp_path_factory.mktemp("audit") / "people.csv"))


def test_the_riskiest_values_are_shown_with_what_they_do(table):
    found = audit(table, sensitive="illness", public=["town", "age"], eps=0.4)
    card = card_of(found)
    first, risk = card.tables[0].rows[0], found.riskiest[0]
    assert first[0] == ", ".join(map(str, risk.value.values()))
    assert str(next(iter(risk.sensitive.values()))) in first[1]
    assert [row[0] for row in card.tables[1].rows] == ["town", "age"]
    html = found._repr_html_()
    assert "DOES NOT HOLD" in html
    assert "For the custodian" in html


def test_one_column_reveals_and_has_no_table_of_columns(table):
    found = audit(table, sensitive="illness", public="town")
    card = card_of(found)
    assert card.title == "Audit: what town reveals about illness"
    assert len(card.tables) == 1
    assert "bound" not in dict(card.figures)


def test_an_audit_is_short_in_a_terminal_and_a_frame_where_it_is_wanted(table):
    found = audit(table, sensitive="illness", public=["town", "age"], eps=0.4)
    assert len(repr(found)) < 200
    assert repr(found).startswith("Audit(town, age about illness: ")
    frame = found.to_frame()
    assert list(frame["omega"]) == [risk.omega for risk in found.riskiest]
    assert list(frame["town"]) == [risk.value["town"] for risk in found.riskiest]
