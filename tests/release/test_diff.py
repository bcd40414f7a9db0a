"""Mechanisms are compared in every form they have: releases, objects, files."""

from __future__ import annotations

import polars as pl
import pytest

import loglift
from loglift import InputError, MechanismError


def month(shift):
    rows = [(f"T{(i + shift) % 7}", "y" if (i * i + i % 7) % 5 < 2 else "n") for i in range(700)]
    return pl.DataFrame(rows, schema=["town", "ill"], orient="row")


def protected(shift=0):
    return loglift.protect(month(shift), sensitive="ill", public="town", eps=0.1)


def test_a_release_a_mechanism_and_a_file_are_the_same(tmp_path):
    release = protected()
    release.mechanism.save(tmp_path / "m.json")
    forms = (release, release.mechanism, str(tmp_path / "m.json"), tmp_path / "m.json")
    for form in forms:
        found = loglift.diff(release, form)
        assert isinstance(found, loglift.Difference)
        assert (found.blocks.relation, found.settings, found.common) == ("same", (), 7)
        assert loglift.diff(form, release) == found


def test_two_months_are_compared():
    first, second = protected(), protected(1)
    assert first.mechanism.blocks != second.mechanism.blocks
    found = loglift.diff(first, second)
    assert isinstance(found.blocks, loglift.BlockChanges)
    assert found.blocks.relation != "same"
    assert loglift.refines(first.mechanism.labels, second.mechanism.labels) == (
        found.blocks.relation in ("same", "coarser")
    )


def test_what_is_no_mechanism_of_a_table_is_refused():
    alone = loglift.merge(loglift.Joint([[6, 2], [1, 3], [2, 2]]), 0.4)
    with pytest.raises(MechanismError, match="knows no columns"):
        loglift.diff(alone, alone)
    with pytest.raises(InputError, match="not a mechanism"):
        loglift.diff(protected(), 3)
