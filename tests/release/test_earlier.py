"""Coarser editions and updates: whole blocks of an earlier mechanism, and little else."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from loglift import Joint, MechanismError, diff, merge, protect, refines, verify_together
from loglift.release.earlier import atoms_of
from naive import partitions


def months(seed):
    """A table of one month, with the jobs that were there."""
    rng = np.random.default_rng(seed)
    job = rng.choice(list("abcdefgh"), 3000, p=rng.dirichlet(np.full(8, 4)))
    ill = rng.random(3000) < 0.1 + 0.07 * np.array([ord(j) - ord("a") for j in job])
    return pl.DataFrame({"job": job, "ill": np.where(ill, "yes", "no")})


def made(table, eps, **options):
    return protect(table, sensitive="ill", public="job", eps=eps, **options)


def test_a_coarser_edition_merges_whole_blocks_and_tells_no_more():
    table = months(0)
    fine = made(table, 0.8)
    coarse = made(table, 0.2, coarser_than=fine)
    assert refines(fine.mechanism.labels, coarse.mechanism.labels)
    assert coarse.mechanism.size < fine.mechanism.size
    both = verify_together([fine, coarse], table)
    assert both.promised == (True, False)
    assert both.holds
    assert both.together[0].holds
    assert both.together[0].leakage == pytest.approx(fine.certificate.leakage)
    other = protect(table.with_columns(s=pl.col("ill")), sensitive="s", public="job", eps=0.2)
    assert verify_together([fine, other], table.with_columns(s=pl.col("ill"))).promised == (
        True,
        True,
    )
    assert "whole blocks of the earlier release" in coarse.mechanism.upper_bound_scope


def test_no_coarser_partition_is_better():
    rng = np.random.default_rng(4)
    joint = Joint(rng.integers(1, 30, (7, 2)))
    fine = merge(joint, 1.2)
    for method in ("search", "exact"):
        coarse = merge(joint, 0.3, method, coarser_than=fine.labels)
        best = 0.0
        for blocks in partitions(fine.size):
            labels = np.asarray(blocks)[fine.labels]
            tried = merge(joint, 0.3, coarser_than=labels, iterations=0)
            if tried.size == max(blocks) + 1:
                best = max(best, tried.utility)
        assert coarse.safe
        assert coarse.utility == pytest.approx(best)
        assert coarse.upper_bound >= best - 1e-12


def test_an_update_keeps_blocks_that_are_still_safe():
    first, second = months(1), months(2)
    before = made(first, 0.3)
    after = made(second, 0.3, update=before)
    found = diff(before, after)
    assert found.blocks.relation in ("same", "coarser")
    assert after.certificate.holds
    again = made(first, 0.3, update=before)
    assert diff(before, again).blocks.relation == "same"
    assert set(again.table["job"]) == set(before.table["job"])


def test_new_values_join_and_absent_ones_stay_known():
    first = months(3).filter(pl.col("job") != "h")
    before = made(first, 0.3)
    mates = next(block for block in before.mechanism.blocks if len(block) > 1)
    second = months(4).filter(pl.col("job") != mates[0])
    after = made(second, 0.3, update=before)
    assert "h" in after.mechanism.public
    assert mates[0] in after.mechanism.public  # it has company that is still there
    assert len(diff(before, after).new) == 1
    block = dict(zip(after.mechanism.public, after.mechanism.labels.tolist(), strict=True))
    assert len({block[value] for value in mates}) == 1
    assert after.certificate.holds


def test_updates_of_several_columns_keep_their_names(tmp_path):
    rng = np.random.default_rng(9)
    table = months(5).with_columns(age=pl.Series(rng.choice([20, 30, 40], 3000)))
    options = {"sensitive": "ill", "public": ["job", "age"], "eps": 0.4}
    before = protect(table.filter(~((pl.col("job") == "a") & (pl.col("age") == 40))), **options)
    after = protect(table.filter(pl.col("job") != "c"), **options, update=before)
    after.save(tmp_path / "out")
    after.report(tmp_path / "report.html")
    assert (tmp_path / "out" / "mechanism.json").exists()
    assert diff(before, tmp_path / "out" / "mechanism.json").blocks.relation in ("same", "coarser")


def test_what_does_not_fit_is_refused():
    table = months(6)
    fine = made(table, 0.5)
    with pytest.raises(MechanismError, match="same ones"):
        protect(
            table.with_columns(age=pl.lit(1)),
            sensitive="ill",
            public=["job", "age"],
            eps=1,
            coarser_than=fine,
        )
    few = made(table.filter(pl.col("job") != "h"), 0.5)
    with pytest.raises(MechanismError, match="does not know 1"):
        made(table, 1, coarser_than=few)
    random = protect(table, sensitive="ill", public="job", eps=0.5, method="randomized")
    joint = Joint.from_table(table, sensitive="ill", public="job")
    with pytest.raises(MechanismError, match="randomized"):
        atoms_of(joint, random.mechanism, new_values=True)
