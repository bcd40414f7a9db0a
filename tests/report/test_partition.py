"""The partition view: every public value once, with the released value it becomes."""

from __future__ import annotations

import numpy as np
import pytest

from loglift.certify.released_values import ReleasedValue
from loglift.mechanism.naming import ReleasedColumn
from loglift.report.partition import Known, partition_of

VALUES = [("a",), ("b",), ("c",), ("d",)]
LABELS = np.array([0, 1, 0, 2])
RELEASED = [ReleasedColumn("town", "text", ("a | c", "b", "d"))]
CHECKED = tuple(
    ReleasedValue({"town": name}, records, 0.1 * records, {"ill": "flu"}, "raises", safe=True)
    for name, records in (("a | c", 7), ("b", 2), ("d", 1))
)


def test_without_the_custodians_knowledge_it_says_what_the_mechanism_says():
    found = partition_of(["town"], VALUES, LABELS, RELEASED)
    assert [(row.texts, row.block) for row in found.values] == list(
        zip(VALUES, LABELS.tolist(), strict=True)
    )
    assert [(row.texts, row.values) for row in found.blocks] == [
        (("a | c",), 2),
        (("b",), 1),
        (("d",), 1),
    ]
    assert (found.public_values, found.released_values, found.merged_values) == (4, 3, 2)
    for row in found.values:
        assert row.records is row.omega is None
    for row in found.blocks:
        assert row.records is row.leakage is row.moves is None


def test_the_custodian_sees_records_and_risks_in_order_of_risk():
    order, records = np.array([3, 1, 0, 2]), np.array([3, 2, 4, 1])
    known = Known(order, records, np.array([0.3, 0.7, 0.1, 0.9]), CHECKED)
    found = partition_of(["town"], VALUES, LABELS, RELEASED, known)
    assert [(row.texts[0], row.records, row.omega) for row in found.values] == [
        ("d", 1, 0.9),
        ("b", 2, 0.7),
        ("a", 3, 0.3),
        ("c", 4, 0.1),
    ]
    assert [found.blocks[row.block].texts[0] for row in found.values] == [
        "d",
        "b",
        "a | c",
        "a | c",
    ]
    assert found.blocks[0].moves == "raises ill = flu"
    assert found.blocks[0].leakage == pytest.approx(0.7)


def test_a_channel_and_an_audit_have_no_blocks():
    drawn = partition_of(["town"], VALUES, None, RELEASED)
    assert (drawn.blocks, drawn.released, drawn.released_values) == ((), (), 3)
    audit = partition_of(["town"], VALUES, None, ())
    assert (audit.blocks, audit.released_values, audit.public_values) == ((), 0, 4)


def test_a_page_holds_the_first_values_and_counts_all(monkeypatch):
    monkeypatch.setattr("loglift.report.partition.MAX_VALUES", 2)
    found = partition_of(["town"], VALUES, LABELS, RELEASED)
    assert len(found.values) == len(found.blocks) == 2
    assert found.left_out == 2
    assert (found.public_values, found.released_values, found.merged_values) == (4, 3, 2)
