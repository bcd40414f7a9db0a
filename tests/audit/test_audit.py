"""The audit of a joint against counts over its records, and its JSON form."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from rich.console import Console

from known import table_joint
from loglift.audit.audit import Audit, audit_joint
from loglift.report.page import render
from loglift.report.summary import Summary
from loglift.report.terminal_audit import print_audit
from naive import leakage, records_of
from strategies import bounds, count_joints


def audited(counts, **options):
    """The audit of a table with two public columns and one sensitive column."""
    values = [(x // 2, x % 2) for x in range(len(counts))]
    return values, audit_joint(table_joint(counts, values), **options)


@given(count_joints(min_public=2))
def test_figures_equal_a_count_over_records(counts):
    values, audit = audited(counts)
    records = records_of(counts, values)
    n, xs, ss = len(records), Counter(v for v, _ in records), Counter(s for _, s in records)
    information = sum(
        c / n * math.log(c * n / (xs[v] * ss[s])) for (v, s), c in Counter(records).items()
    )
    assert audit.records == n
    assert (audit.public_values, audit.sensitive_values) == (len(xs), len(ss))
    assert audit.leakage == pytest.approx(leakage(records))
    assert audit.information == pytest.approx(information, abs=1e-9)
    for found, values_of in ((audit.entropy_public, xs), (audit.entropy_sensitive, ss)):
        assert found == pytest.approx(-sum(c / n * math.log(c / n) for c in values_of.values()))
    assert audit.holds is audit.values_at_risk is audit.records_at_risk is None
    assert audit.share_at_risk is audit.population is audit.suggestion is None


def test_the_values_at_risk_are_those_outside_the_bound():
    decided = Counter()

    @given(count_joints(min_public=2), bounds())
    def check(counts, bound):
        if {bound.lower, bound.upper} & {0, math.log(2)}:
            return  # exactly at the bound the check in integers is stricter than floats
        _, audit = audited(counts, bound=bound)
        with np.errstate(divide="ignore"):
            logs = np.log(
                counts * counts.sum() / (counts.sum(axis=1, keepdims=True) * counts.sum(axis=0))
            )
        at_risk = ((logs > bound.upper) | (logs < -bound.lower)).any(axis=1)
        assert audit.values_at_risk == at_risk.sum()
        assert audit.records_at_risk == counts[at_risk].sum()
        assert audit.share_at_risk == counts[at_risk].sum() / counts.sum()
        assert audit.holds == (not at_risk.any())
        decided[audit.holds] += 1

    check()
    assert min(decided[True], decided[False]) > 3


@given(count_joints(min_public=2, max_sensitive=3), count_joints(min_public=2, max_sensitive=3))
def test_several_variables_have_the_figures_of_the_worst(one, other):
    """Each sensitive column on its own: figures are the largest over the columns."""
    size = min(len(one), len(other))
    pairs = [(s, t) for s in range(one.shape[1]) for t in range(other.shape[1])]
    counts = np.stack([one[:size, s] + other[:size, t] for s, t in pairs], axis=1)
    counts[:, 0] += 1  # lest a value be empty
    events = [pair for pair, n in zip(pairs, counts.sum(axis=0), strict=True) if n]
    counts = counts[:, counts.sum(axis=0) > 0]
    joint = table_joint(counts, events=events).apart()
    found = audit_joint(joint)
    alone = []
    for i in (0, 1):
        sums = [
            counts[:, [event[i] == value for event in events]].sum(axis=1)
            for value in {event[i] for event in events}
        ]
        alone.append(audit_joint(table_joint(np.stack(sums, axis=1))))
    assert found.records == counts.sum()
    assert found.each == (len(joint.variables) > 1)
    for name in ("leakage", "information", "entropy_sensitive"):
        expected = max(getattr(audit, name) for audit in alone)
        assert getattr(found, name) == pytest.approx(expected, abs=1e-12)
    assert found.sensitive_values == sum(audit.sensitive_values for audit in alone)
    assert found.riskiest[0].omega == found.leakage
    assert len(found.riskiest[0].sensitive) == 1


def test_infinite_leakage_is_valid_json():
    _, audit = audited(np.array([[5, 0], [5, 10]]))
    text = json.dumps(audit.as_dict(), allow_nan=False)
    assert json.loads(text)["leakage"] == "inf"
    assert json.loads(text)["riskiest"][0]["log_lift"] == "-inf"


def test_the_json_form_has_every_figure_and_no_counts():
    _, audit = audited(np.array([[5, 1], [5, 10]]))
    assert list(audit.as_dict()) == [item.name for item in fields(Audit) if item.name != "joint"]
    assert audit.joint.total == 21


def test_pairs_that_were_not_measured_are_told():
    columns = 40
    values = [(*range(columns - 1), x) for x in range(64)]
    found = audit_joint(table_joint(np.eye(2, dtype=np.int64)[np.arange(64) % 2], values))
    said = f"{found.pairs_left_out:,} other pairs were not tried"
    assert json.loads(json.dumps(found.as_dict()))["pairs_left_out"] == found.pairs_left_out > 0
    out = io.StringIO()
    print_audit(Summary.of_audit(found), Console(file=out, width=200), "table")
    assert said in out.getvalue()
    assert out.getvalue().count(" x ") < 300  # a part of the pairs, the rest is in JSON
    assert said in render(Summary.of_audit(found), command="loglift audit")
