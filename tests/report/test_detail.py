"""What a page shows value by value: worked out once, and without the explanation."""

from __future__ import annotations

import polars as pl
import pytest

import loglift
from loglift.report import detail
from loglift.report.summary import Summary

ILL = ["yes" if (i % 4 < 2) != (i % 5 == 0) else "no" for i in range(120)]
TABLE = pl.DataFrame({"job": ["a", "b", "c", "d"] * 30, "ill": ILL, "sex": ["f", "m"] * 60})


def released(table=TABLE, **options):
    return loglift.protect(table, sensitive="ill", public=["job", "sex"], eps=0.3, **options)


def test_each_part_is_worked_out_once(monkeypatch):
    release, made = released(), []
    for name in ("partition_of", "heat_of"):
        function = getattr(detail, name)
        monkeypatch.setattr(
            detail, name, lambda *of, f=function, **more: made.append(f) or f(*of, **more)
        )
    for summary in (release.summary, release.previewed(release.table).summary):
        assert len(summary.partition.values) == 4
        assert summary.heat.values == 4
    assert len(made) == 2


def test_a_summary_without_a_detail_makes_the_same_one():
    release = released()
    own = Summary.of_release(
        release.mechanism, release.certificate, release.audit, release.notions
    ).detail
    assert own.partition == release.detail.partition
    assert own.heat == release.detail.heat


def test_values_that_the_table_lacks_are_in_the_partition_and_not_in_the_heat_map():
    few = released(TABLE.filter(pl.col("job") != "d"), update=released().mechanism)
    assert few.detail.heat.values == 3
    assert few.detail.partition.public_values == len(few.mechanism.tuples) == 4


def test_a_mechanism_alone_has_no_log_lifts_and_no_records():
    found = Summary.of_mechanism(released().mechanism).detail
    assert found.heat is None
    assert {value.records for value in found.partition.values} == {None}
    with pytest.raises(TypeError, match="no counts"):
        _ = found._joint  # noqa: SLF001
