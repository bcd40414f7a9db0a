"""The JSON form of a summary: valid JSON, with the sentences of terminal and page."""

from __future__ import annotations

import json
from html import unescape

import pytest

from loglift.report.document import check_document, document
from loglift.report.page import render
from loglift.report.summary import Summary


def test_a_release_says_the_same_as_its_page(summary):
    told = json.loads(json.dumps(document(summary), allow_nan=False))
    assert told["holds"] is True
    assert told["released_values"] == summary.after.values
    assert told["information_kept"] == pytest.approx(summary.after.kept)
    assert told["leakage_before"] == "inf" or told["leakage_before"] == summary.before.leakage
    assert told["intact"] is told["passthrough_audit"] is None
    assert told["explanation"]["kept"] == pytest.approx(summary.kept)
    assert told["goal"] == "columns"
    assert told["goal_words"] == summary.goal
    assert told["goal_kept"] / told["goal_most"] == pytest.approx(summary.kept)
    assert told["upper_bound"] / told["goal_most"] == pytest.approx(summary.upper_bound)
    assert told["columns"] == [vars(column) for column in summary.certificate.columns]
    assert [column["name"] for column in told["columns"]] == ["town", "age"]
    assert told["rows_unchanged"] == summary.certificate.rows_unchanged
    shares = [target["weight"] * target["kept"] for target in told["targets"]]
    assert sum(shares) == pytest.approx(summary.kept)
    page = unescape(render(summary))
    assert len(told["statements"]) == len(summary.statements) > 0
    for statement in told["statements"]:
        assert set(statement) == {"tone", "headline", "text"}
        assert f"<strong>{statement['headline']}</strong> {statement['text']}</p>" in page


def test_an_audit_has_its_figures_and_its_sentences(summary):
    audit = Summary.of_audit(summary.audit)
    told = json.loads(json.dumps(document(audit), allow_nan=False))
    assert told.pop("statements")[0]["headline"] == "Does not hold."
    assert told == json.loads(json.dumps(summary.audit.as_dict()))


def test_a_mechanism_has_a_file_of_its_own(summary):
    with pytest.raises(TypeError, match="its file says what it does"):
        document(Summary.of_mechanism(summary.mechanism))


def test_a_check_is_its_certificate_and_its_sentences(summary):
    told = json.loads(json.dumps(check_document(summary.certificate), allow_nan=False))
    assert told.pop("statements")[0]["headline"].startswith("Holds: belief in any value moves")
    assert told == json.loads(json.dumps(summary.certificate.as_dict()))
