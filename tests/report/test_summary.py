"""The summary: figures of its parts, and nothing that its kind must not know."""

# ruff: noqa: PD011, the values here are not those of a frame

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import loglift
from loglift.mechanism.mechanism import Mechanism
from loglift.report.summary import Summary


def test_the_figures_are_those_of_the_parts(summary):
    certificate, audit = summary.certificate, summary.audit
    assert summary.kind == "release"
    assert summary.before.leakage == audit.leakage
    assert summary.before.information == audit.entropy_public
    assert summary.before.values == len(summary.mechanism.public)
    assert summary.after.leakage == certificate.leakage
    assert summary.after.kept == pytest.approx(certificate.utility / certificate.entropy)
    assert summary.after.fewest_records == min(value.records for value in certificate.values)
    assert summary.goal == "each column and whole rows"
    assert summary.kept == pytest.approx(summary.mechanism.utility)  # of a goal that is a share
    assert summary.upper_bound == pytest.approx(summary.mechanism.upper_bound)
    assert summary.upper_bound >= summary.kept - 1e-9
    assert not summary.keeps_rows
    said = dict(summary.parameters)["what was to be kept"]
    assert said == "town 25 %, age 25 %, whole rows 50 %"
    assert dict(summary.parameters)["bound"] == "eps 0.4"
    assert dict(summary.parameters)["hash of the counts (SHA-256)"] == certificate.counts_sha256


def test_other_bounds_rise_and_pass_the_release(summary):
    kept = [near.kept for near in summary.nearby]
    assert kept == sorted(kept)
    [at] = [near for near in summary.nearby if near.factor == 1]
    assert at.kept >= summary.kept - 1e-12
    assert at.bound == summary.bound


def test_with_the_joint_goal_every_share_is_one_of_whole_rows(made):
    table, _ = made
    columns = {"sensitive": "illness", "public": ["town", "age"], "utility": "joint"}
    found = loglift.protect(str(table), **columns, eps=0.4, explain=True).summary
    certificate = found.certificate
    assert found.keeps_rows
    assert found.kept == found.after.kept == 1 - certificate.nmil
    assert found.upper_bound == certificate.upper_bound / certificate.entropy
    assert (certificate.goal_kept, certificate.goal_most) == pytest.approx(
        (certificate.utility, certificate.entropy)
    )
    [at] = [near for near in found.nearby if near.factor == 1]
    assert at.kept >= found.after.kept - 1e-12
    assert "Kept " in str(found.statements[0])
    assert "asked for" not in " ".join(map(str, found.statements))


def test_the_partition_and_the_heat_map_have_the_same_rows(summary):
    values = summary.partition.values
    assert sorted(x for row in summary.heat.members for x in row) == list(range(len(values)))
    for row, members in enumerate(summary.heat.members):
        assert sum(values[x].records for x in members) == summary.heat.before.records[row]
        blocks = {values[x].block for x in members}
        records = sum(summary.partition.blocks[y].records for y in blocks)
        assert records == summary.heat.after.records[row]


def test_large_tables_show_the_riskiest_and_stay_small(monkeypatch):
    monkeypatch.setattr("loglift.report.heat.MAX_CELLS", 30)
    monkeypatch.setattr("loglift.report.partition.MAX_VALUES", 15)
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"x": rng.integers(0, 20, 900), "s": rng.integers(0, 3, 900)})
    summary = loglift.protect(table, sensitive="s", public="x", eps=0.1).summary
    assert summary.heat.values == 10
    assert len(summary.partition.values) == 15
    assert summary.partition.left_out == 5
    omegas = [value.omega for value in summary.partition.values]
    assert omegas == sorted(omegas, reverse=True)


def test_a_mechanism_alone_knows_nothing_else(summary):
    text = summary.mechanism.to_json()
    alone = Summary.of_mechanism(Mechanism.from_json(text))
    empty = {"before", "after", "explanation", "nearby", "certificate", "audit", "upper_bound"}
    empty |= {"passthrough_audit", "beliefs", "notes", "proven", "goal", "kept"}
    empty |= {"record", "in_plain_words", "preview"}
    assert empty < {field.name for field in fields(Summary)}
    assert not any(getattr(alone, name) for name in empty)
    assert alone.heat is None
    assert alone.partition.public_values == summary.partition.public_values
    assert "sha256" not in str(alone.parameters).lower()


def test_an_audit_has_no_after(summary):
    audit = Summary.of_audit(summary.audit)
    assert (audit.kind, audit.after, audit.mechanism) == ("audit", None, None)
    assert audit.heat.after is None
    assert audit.partition.blocks == ()
    assert audit.heat.before == summary.heat.before


def test_a_randomized_release_has_no_partition_to_explain():
    table = pd.DataFrame({"town": list("aabbccdd") * 30, "ill": list("yyynynnn") * 30})
    options = {"sensitive": "ill", "public": "town", "eps": 0.3}
    drawn = loglift.protect(table, **options, method="randomized").summary
    assert drawn.nearby is None
    assert drawn.explanation is None
    assert drawn.partition.blocks == ()
    assert drawn.partition.released_values > 0
    assert dict(drawn.parameters)["key"] == "none"


@pytest.mark.parametrize("each", [False, True])
def test_several_sensitive_columns_stay_apart_or_together(each):
    rng = np.random.default_rng(5)
    table = pd.DataFrame({name: rng.integers(0, 3, 900) for name in ("x", "s", "t")})
    result = loglift.protect(table, sensitive=["s", "t"], public="x", eps=0.5, each=each)
    summary = result.summary
    names = [event.name for event in summary.heat.events]
    assert len(names) == (6 if each else 9)
    assert names[0] == ("s = 0" if each else "s = 0, t = 0")
    assert summary.heat.records == 900
    assert sum(summary.heat.before.records) == 900
    assert dict(summary.parameters)["bounded"] == (
        "each on its own" if each else "their joint value"
    )
