from __future__ import annotations

import io
import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from rich.console import Console

from loglift import Bound
from loglift.audit.audit import MAX_PAIRED_COLUMNS, audit_counts
from loglift.certify.certificate import SensitiveTable
from loglift.report.html import render_audit
from loglift.report.terminal import print_audit
from naive import leakage
from strategies import bounds, count_joints


def expand(values, counts, labels):
    """Records (value, label) with the given counts."""
    for value, row in zip(values, counts, strict=True):
        for label, n in zip(labels, row, strict=True):
            yield from [(value, label)] * int(n)


def coded(values):
    return [np.array(column) - min(column) for column in zip(*values, strict=True)]


def audited(counts, **options):
    values = [(x // 2, x % 2) for x in range(len(counts))]
    labels = tuple((s,) for s in range(counts.shape[1]))
    table = SensitiveTable(("s",), labels, counts)
    return values, labels, audit_counts(("a", "b"), values, [table], coded(values), **options)


@given(count_joints(min_public=2), bounds())
def test_figures_equal_a_count_over_records(counts, bound):
    values, labels, audit = audited(counts, bound=bound)
    records = list(expand(values, counts, labels))
    assert audit.records == len(records)
    assert audit.leakage == pytest.approx(leakage(records))
    for i, column in enumerate(audit.columns):
        assert column.leakage == pytest.approx(leakage([(v[i], s) for v, s in records]))
    n, xs, ss = len(records), Counter(v for v, _ in records), Counter(s for _, s in records)
    joint = Counter(records)
    information = sum(c / n * math.log(c * n / (xs[v] * ss[s])) for (v, s), c in joint.items())
    assert audit.information == pytest.approx(information, abs=1e-9)
    assert audit.entropy_public == pytest.approx(-sum(c / n * math.log(c / n) for c in xs.values()))
    at_risk = sum(
        xs[v]
        for v in xs
        if any(
            joint[v, s] * n > math.exp(bound.upper) * xs[v] * ss[s] * (1 + 1e-12)
            or joint[v, s] * n < math.exp(-bound.lower) * xs[v] * ss[s] * (1 - 1e-12)
            for s in ss
        )
    )
    clear = bound.lower not in (0, math.log(2)) and bound.upper not in (0, math.log(2))
    if clear:  # at exactly the bound the exact check is stricter than floats
        assert audit.records_at_risk == at_risk
        assert audit.holds == (at_risk == 0)


@settings(max_examples=50)
@given(count_joints(min_public=2))
def test_the_riskiest_come_first_and_say_what_they_do(counts):
    values, _, audit = audited(counts, top=3)
    assert len(audit.riskiest) == min(3, len(values))
    omegas = [risk.omega for risk in audit.riskiest]
    assert omegas == sorted(omegas, reverse=True)
    assert audit.riskiest[0].omega == audit.leakage
    for risk in audit.riskiest:
        x = values.index(tuple(risk.value.values()))
        s = risk.sensitive["s"]
        assert risk.records == counts[x].sum()
        assert risk.records_with == counts[x, s]
        assert risk.expected == pytest.approx(counts[x].sum() * counts[:, s].sum() / counts.sum())
        does = {0: "rules out", int(counts[x].sum()): "gives away"}.get(int(counts[x, s]))
        if does == "gives away" and risk.log_lift <= 0:
            does = "lowers"
        assert risk.does == (does or ("raises" if risk.log_lift > 0 else "lowers"))


def test_drivers_are_the_sensitive_values_behind_the_risk():
    counts = np.array([[10, 0, 10], [10, 10, 10], [10, 11, 10], [10, 0, 10]])
    _, _, audit = audited(counts, bound=Bound.symmetric(0.8))
    assert [driver.sensitive for driver in audit.drivers] == [{"s": 1}]
    assert (audit.drivers[0].values, audit.drivers[0].records, audit.drivers[0].records_with) == (
        2,
        40,
        21,
    )


def test_infinite_leakage_is_valid_json():
    _, _, audit = audited(np.array([[5, 0], [5, 10]]))
    text = json.dumps(audit.as_dict(), allow_nan=False)
    assert json.loads(text)["leakage"] == "inf"
    assert json.loads(text)["riskiest"][0]["log_lift"] == "-inf"


def test_one_column_has_no_columns_of_its_own_and_three_have_pairs():
    counts = np.array([[5, 1], [5, 10], [2, 3]])
    table = SensitiveTable(("s",), ((0,), (1,)), counts)
    one = audit_counts(("a",), [(1,), (2,), (3,)], [table], [np.arange(3)])
    assert one.columns == ()
    values = [(1, 1, 1), (2, 1, 1), (2, 2, 1)]
    three = audit_counts(("a", "b", "c"), values, [table], coded(values))
    assert [c.columns for c in three.columns] == [
        ("a",),
        ("b",),
        ("c",),
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert three.columns[2].leakage == 0


def wide(columns, leaky=()):
    """An audit of columns that say nothing of s but for the leaky ones, each in 64 records."""
    s = np.arange(64) % 2
    values = [tuple(i + int(s[x]) * (i in leaky) for i in range(columns)) for x in range(64)]
    values = [(*value[:-1], x) for x, value in enumerate(values)]  # 64 public values
    table = SensitiveTable(("s",), ((0,), (1,)), np.eye(2, dtype=np.int64)[s])
    names = tuple(f"c{i}" for i in range(columns))
    return audit_counts(names, values, [table], coded(values), bound=Bound.symmetric(1))


def test_all_pairs_of_a_few_columns_are_tried():
    found = wide(MAX_PAIRED_COLUMNS)
    names = [f"c{i}" for i in range(MAX_PAIRED_COLUMNS)]
    assert [c.columns for c in found.columns] == [
        *((name,) for name in names),
        *combinations(names, 2),
    ]
    assert found.pairs_left_out == 0


def test_of_many_columns_those_that_leak_most_are_paired_and_the_rest_is_told():
    columns, leaky = MAX_PAIRED_COLUMNS + 20, {3, 30, 45}
    found = wide(columns, leaky)
    tried = [c.columns for c in found.columns if len(c.columns) == 2]
    assert len(found.columns) == columns + len(tried)
    assert len(tried) == len(set(tried)) == math.comb(MAX_PAIRED_COLUMNS, 2)
    assert found.pairs_left_out == math.comb(columns, 2) - len(tried)
    assert {f"c{i}" for i in leaky} <= {name for pair in tried for name in pair}
    assert json.loads(json.dumps(found.as_dict()))["pairs_left_out"] == found.pairs_left_out
    said = f"{found.pairs_left_out:,} other pairs were not tried"
    out = io.StringIO()
    print_audit(found, Console(file=out, width=200), "table")
    assert said in out.getvalue()
    assert out.getvalue().count(" x ") < 300  # a part of the pairs, the rest is in JSON
    assert said in render_audit(found, command="loglift audit")
