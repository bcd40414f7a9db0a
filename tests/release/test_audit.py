"""The recipe of an audit: counting, measuring, suggesting."""

from __future__ import annotations

import math

import polars as pl
import pytest

import loglift
from loglift import Bound, BoundError
from naive import leakage

FRAME = pl.DataFrame(
    {
        "job": ["nurse", "cook", "clerk", "smith"] * 50,
        "ill": ["yes" if i % (2 + i % 3) == 0 else "no" for i in range(200)],
        "old": [i % 7 < 3 for i in range(200)],
    }
)


def test_an_audit_tells_the_leakage_of_the_records():
    found = loglift.audit(FRAME, sensitive="ill", public="job")
    assert found.leakage == pytest.approx(leakage(FRAME.select("job", "ill").rows()))
    assert (found.bound, found.holds) == (None, None)


def test_a_bound_is_an_eps_or_two_sides_and_not_both():
    options = {"sensitive": "ill", "public": "job"}
    assert not loglift.audit(FRAME, eps=5, **options).holds  # two jobs rule illness out
    assert loglift.audit(FRAME, bound=Bound(math.inf, 5), **options).holds
    with pytest.raises(BoundError, match="not both"):
        loglift.audit(FRAME, eps=1, bound=Bound(1, 1), **options)


def test_each_sensitive_column_may_stand_alone():
    together = loglift.audit(FRAME, sensitive=["ill", "old"], public="job")
    apart = loglift.audit(FRAME, sensitive=["ill", "old"], public="job", each=True)
    assert (together.each, apart.each) == (False, True)
    assert apart.sensitive_values == 4
    assert apart.leakage <= together.leakage


def test_the_stages_are_told_as_they_begin():
    told = []
    loglift.audit(
        FRAME, sensitive="ill", public="job", eps=0.1, suggest=True, on_progress=told.append
    )
    assert [stage.stage for stage in told] == ["counting", "measuring", "grouping sensitive values"]
