"""Columns of sets and empty releases are warned of, with what may help."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import loglift
from certificates import BY_COLUMN, CERTIFICATE, SEX, TOWN, VALUE
from loglift.confidence.population import Population
from loglift.cuts import Cut
from loglift.explain.caps import Cap
from loglift.promise.bound import Bound
from loglift.report.sentences.losses import mostly_sets, nothing_left
from loglift.report.sentences.release import release_statements


def test_a_column_of_sets_is_warned_of_with_what_may_help(audit):
    [_, warning] = release_statements(BY_COLUMN, audit, None)
    assert warning.tone == "bad"
    assert str(warning) == (
        "Most cells of town stand for several values (60.0 %). What may help: a larger eps, "
        "leaving town out, bands of town (--bin town=WIDTH) or --importance town=3."
    )
    assert len(release_statements(CERTIFICATE, audit, None)) == 1
    half = replace(BY_COLUMN, columns=(replace(TOWN, unchanged=0.5), SEX))
    assert len(release_statements(half, audit, None)) == 1


def test_what_may_help_fits_the_release(audit):
    """No remedy that the command would refuse, and none that cannot help."""
    [joint] = mostly_sets(replace(BY_COLUMN, goal="joint"), audit)
    assert joint.text.endswith("or --utility columns, which keeps what each column says.")
    population = Population(0.95, holds=True, lower=1, upper=1, records=9)
    [certified] = mostly_sets(replace(BY_COLUMN, goal="joint", population=population), audit)
    assert certified.text.endswith("or leaving --confidence out, and its promise with it.")
    assert "--utility" not in certified.text
    [given] = mostly_sets(replace(BY_COLUMN, goal="targets"), audit)
    assert "--importance" not in given.text
    assert "--utility" not in given.text
    rare = replace(audit, caps=(Cap("flu", 1, 1, 0.0, 0.0),))
    [capped] = mostly_sets(BY_COLUMN, rare)
    assert capped.text.startswith("What may help: leaving town out,")
    [upper] = mostly_sets(replace(BY_COLUMN, bound=Bound(math.inf, 1)), audit)
    assert upper.text.startswith("What may help: a looser bound, leaving")
    spaced = replace(TOWN, name="the town")
    named = replace(audit.joint.columns[0], name="the town")
    renamed = replace(audit, joint=audit.joint.with_columns((named, audit.joint.columns[1])))
    [quoted] = mostly_sets(replace(BY_COLUMN, columns=(spaced, SEX)), renamed)
    assert "(--bin 'the town=WIDTH') or --importance 'the town=3'." in quoted.text
    [binned] = mostly_sets(replace(BY_COLUMN, bins={"town": Cut.steps(10)}), audit)
    assert "wider bands of town (--bin town=WIDTH)" in binned.text
    [alone] = mostly_sets(replace(CERTIFICATE, columns=(TOWN,)), audit)
    assert alone.text == "What may help: a larger eps or bands of town (--bin town=WIDTH)."
    ordered = replace(CERTIFICATE, columns=(TOWN,), method="ordered")
    assert mostly_sets(ordered, audit) == []
    nothing = replace(BY_COLUMN, utility=0.0, nmil=1.0, values=(VALUE,))
    assert [s.headline for s in release_statements(nothing, audit, None)][1:] == [
        "Nothing is left to analyse."
    ]


@pytest.mark.parametrize("as_text", [False, True])
def test_numbers_that_nearly_every_record_has_alone_are_told_to_be_banded(as_text):
    rng = np.random.default_rng(3)
    weights = [f"{number:.3f}" for number in rng.uniform(0, 100, 200)]
    table = pl.DataFrame(
        {
            "w": weights if as_text else [float(text) for text in weights],
            "ill": rng.choice(["flu", "cold"], 200).tolist(),
        }
    )
    about_w = replace(CERTIFICATE, columns=(replace(TOWN, name="w"),), public=("w",))
    [warning] = mostly_sets(about_w, loglift.audit(table, sensitive="ill", public="w", eps=1))
    assert warning.text == "What may help: a larger eps or bands of w (--bin w=quantiles:10)."
    nothing = replace(CERTIFICATE, values=(VALUE,))
    words = nothing_left(nothing, loglift.audit(table, sensitive="w", public="ill", eps=1))
    assert "What may keep more: bands of w (--bin w=quantiles:10)" in words
    assert "coarser" not in words


def test_several_columns_of_sets_are_warned_of_at_once(audit):
    text = replace(audit.joint.columns[1], type="text")
    words = replace(audit, joint=audit.joint.with_columns((audit.joint.columns[0], text)))
    both = replace(BY_COLUMN, columns=(TOWN, replace(SEX, unchanged=0.0)))
    [warning] = mostly_sets(both, words)
    assert str(warning) == (
        "Most cells of town (60.0 %) and sex (100.0 %) stand for several values. What may help: a "
        "larger eps, leaving some of them out, bands of town (--bin town=WIDTH), coarser values of "
        "sex or --importance for the one that matters most, such as town=3."
    )
    many = replace(BY_COLUMN, columns=tuple(replace(TOWN, name=f"c{n}") for n in range(14)))
    [warning] = mostly_sets(many, audit)
    assert warning.headline.endswith(
        "c10 (60.0 %), c11 (60.0 %) and 2 more stand for several values."
    )


@pytest.mark.parametrize(("now", "higher"), [(1, 3), (3, 9), (1.5, 4.5), (0.1, 3), (0, 3)])
def test_the_suggested_importance_is_higher_than_the_present_one(audit, now, higher):
    [warning] = mostly_sets(replace(BY_COLUMN, importance={"town": now}), audit)
    assert warning.text.endswith(f"--importance town={higher}.")


def test_a_release_without_information_says_what_may_help(audit):
    nothing = replace(CERTIFICATE, utility=0.0, nmil=1.0, values=(VALUE,))
    [_, left] = release_statements(nothing, audit, None)
    assert left.headline == "Nothing is left to analyse."
    assert left.text.startswith("All 8 public values are released as one.")
    assert left.text.endswith(
        "fewer or coarser sensitive values, a bound upwards only (--upper) or a looser bound."
    )
    rare = replace(audit, caps=(Cap("flu", 1, 1, 0.0, 0.0),))
    assert "looser" not in nothing_left(nothing, rare)
    upper = replace(nothing, bound=Bound(math.inf, 1), values=(VALUE, VALUE))
    assert nothing_left(upper, rare) == (
        "A released value tells nothing about which of 8 values it was. What may keep more: fewer "
        "or coarser sensitive values."
    )
