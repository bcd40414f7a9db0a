"""What the script of a page reads: rounded once, and valid JSON."""

from __future__ import annotations

import json

import pandas as pd

import loglift
from loglift.report.data import page_data
from loglift.report.summary import Summary


def test_numbers_are_rounded_and_infinities_are_texts():
    table = pd.DataFrame({"town": list("aaaabbbbbb"), "ill": list("yyyyynnnnn")})
    audit = loglift.audit(table, sensitive="ill", public="town")
    data = page_data(Summary.of_audit(audit))
    assert json.loads(json.dumps(data, allow_nan=False))["heat"]["records"] == 10
    [first, second] = data["partition"]["values"]
    assert first == [("a",), None, 4, "∞"]
    assert second[2:] == [6, "1.099"]  # log (1/6)/(1/2) = -1.0986
    assert data["heat"]["before"]["logs"] == [[None, 0.693], [0.511, -1.099]]
    assert data["heat"]["after"] is None


def test_a_mechanism_alone_has_no_heat_map(summary):
    data = page_data(Summary.of_mechanism(summary.mechanism))
    assert data["heat"] is None
    assert len(data["partition"]["blocks"]) == summary.mechanism.size
    assert all(row[2:] == [None, None] for row in data["partition"]["values"])
    assert all(row[2:] == [None, None, None] for row in data["partition"]["blocks"])
