"""What a notebook shows of a release."""

from __future__ import annotations

import pytest

from loglift import protect
from loglift.release.card import release_card
from report.making import write_table


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
