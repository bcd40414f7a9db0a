"""An audit on a terminal: one line for each value, whole in JSON, and short for wide tables."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import loglift
from loglift import Bound
from loglift.audit.audit import audit_joint
from loglift.audit.columns import worst_first
from loglift.report.document import document
from loglift.report.summary import Summary
from loglift.report.terminal_audit import MAX_COLUMNS, MAX_PAIRS, MAX_RISKS, print_audit

NAMES = [f"column {i}" for i in range(11)] + ["列" * 12]


def printed(summary, width=2000, encoding="utf-8", **options):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict")
    print_audit(summary, Console(file=out, width=width), "people.csv", **options)
    out.flush()
    return out.buffer.getvalue().decode(encoding)


@pytest.fixture(scope="module")
def wide():
    """The audit of a table with twelve columns, in which nearly every row is a value of its own."""
    rng = np.random.default_rng(4)
    table = pd.DataFrame(
        {name: [f"value {v} of {i}" for v in rng.integers(0, 2 + i, 3000)]
         for i, name in enumerate(NAMES)}
    )  # fmt: skip
    table["ill"] = np.where(rng.random(3000) < 0.2, "yes, very", "no")
    return loglift.audit(table, sensitive="ill", public=NAMES)


@pytest.mark.parametrize("eps", [None, 1.0])
def test_twelve_columns_take_little_more_than_forty_lines_of_80_cells(wide, eps):
    audit = wide
    if eps is not None:
        audit = audit_joint(wide.joint, bound=Bound.symmetric(eps))
    lines = printed(Summary.of_audit(audit), width=80).splitlines()
    assert len(lines) <= 46
    measure = Console(width=200).measure
    assert max(measure(line).maximum for line in lines) <= 80


def test_each_value_has_one_line_that_is_cut_on_screen_only(wide):
    summary = Summary.of_audit(wide)
    first = " · ".join(map(str, wide.riskiest[0].value.values()))
    narrow = printed(summary, width=80)
    [line] = [line for line in narrow.splitlines() if line.startswith(f"  {first[:12]}")][:1]
    assert first not in narrow
    assert "…" in line
    assert "rules out" in line
    assert f"  {first}  " in printed(summary)
    told = json.loads(json.dumps(document(summary)))
    assert len(told["riskiest"]) == 20
    assert told["riskiest"][0]["value"] == wide.riskiest[0].value
    assert len(told["columns"]) == 12 + 66


def block_of(text, title):
    """Return the lines below a head: those that are indented."""
    lines = text.splitlines()
    [start] = [i for i, line in enumerate(lines) if line.startswith(title)]
    below = lines[start + 1 :]
    ends = [i for i, line in enumerate(below) if not line.startswith("  ")]
    return [line.strip() for line in below[: ends[0]]]


def test_the_worst_columns_and_pairs_come_first(wide):
    text = printed(Summary.of_audit(wide))
    assert np.isinf(wide.leakage)
    single = worst_first(column for column in wide.columns if len(column.columns) == 1)
    pairs = worst_first(column for column in wide.columns if len(column.columns) == 2)
    for title, found, most in (
        ("Public columns on their own (10 of 12)", single, MAX_COLUMNS),
        ("Pairs of them (5 of 66)", pairs, MAX_PAIRS),
    ):
        lines = block_of(text, title)
        assert len(lines) == most
        for line, column in zip(lines, found, strict=False):
            assert line.startswith(f"{' x '.join(column.columns)}  ")
            assert line.endswith(f"  {column.records:,}")


def test_as_many_risky_values_are_shown_as_were_asked_for(wide):
    summary = Summary.of_audit(wide)
    title = f"Riskiest values ({MAX_RISKS} of {wide.public_values:,})"
    assert len(block_of(printed(summary), title)) == MAX_RISKS
    title = f"Riskiest values (3 of {wide.public_values:,})"
    assert len(block_of(printed(summary, top=3), title)) == 3
    assert "Riskiest" not in printed(summary, top=0)


def test_a_terminal_without_unicode_gets_other_signs():
    plain = loglift.audit(
        pd.DataFrame({"a": list("xyz") * 30, "b": ["long " * 30] * 90, "s": list("nnyyy") * 18}),
        sensitive="s",
        public=["a", "b"],
    )
    text = printed(Summary.of_audit(plain), width=80, encoding="ascii")
    assert "x | long" in text
    assert "..." in text


def test_an_audit_shows_figures_riskiest_values_and_verdict(summary):
    audit = Summary.of_audit(summary.audit)
    text = printed(audit)
    for title in ("Riskiest values", "Sensitive values behind it", "Public columns on their own"):
        assert title in text
    assert str(audit.statements[0]) in text
    assert "zqgout" in text
    figures = summary.audit
    assert f"{figures.public_values} x {figures.sensitive_values} values" in text
    for name, size in (("H(X)", figures.entropy_public), ("I(S;X)", figures.information)):
        assert f"{name} {size:.3f}" in text


def test_a_suggestion_is_shown_step_by_step():
    table = pd.DataFrame({"x": list("aabbcc") * 20, "s": list("uvuvww") * 20})
    found = loglift.audit(table, sensitive="s", public="x", eps=0.5, suggest=True)
    assert found.suggestion.steps
    text = printed(Summary.of_audit(found))
    assert "Sensitive values to group" in text
    assert "one value for" in text
    assert f"What to add to protect: {found.suggestion.steps[-1].option}" in text
    [step] = found.suggestion.steps
    twice = replace(found, suggestion=replace(found.suggestion, steps=(step, step)))
    assert f"step 2: {step.option}" in printed(Summary.of_audit(twice))
    nothing = replace(found, suggestion=replace(found.suggestion, steps=()))
    assert "would not keep more" in printed(Summary.of_audit(nothing))


def test_only_an_audit_is_printed(summary):
    alone = Summary.of_mechanism(summary.mechanism)
    with pytest.raises(TypeError, match="only the summary of an audit"):
        printed(alone)
