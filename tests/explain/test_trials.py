"""Trials: a column left out, in bands, or intact, against a table that is changed by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import naive
from loglift import Joint, merge
from loglift.explain.trials import banded, kept_intact, left_out
from loglift.mechanism.kept import kept_of
from loglift.mechanism.making import partition_mechanism
from loglift.utility.bands import bands_of
from loglift.utility.target import Target
from loglift.utility.utility import Utility

COLUMNS = Utility.columns()


def table_of(seed, widths=(9, 3, 2)):
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, width, 400) for name, width in zip("abc", widths, strict=True)}
    risk = 0.2 + 0.05 * columns["a"] + 0.1 * columns["b"]
    return pd.DataFrame({**columns, "s": rng.random(400) < risk}).astype({"b": str, "c": str})


def counted(table):
    public = [name for name in table.columns if name != "s"]
    return Joint.from_table(table, sensitive="s", public=public)


def column_of(joint, name):
    return joint.columns[joint.column_names.index(name)]


def counts_of(joint):
    """The counts of each public value, whatever the order of the rows."""
    return dict(zip(joint.tuples, joint.mass.tolist(), strict=True))


def test_a_column_left_out_is_the_table_without_it():
    table = table_of(0)
    joint = counted(table)
    found = merge(joint, 0.5, utility=COLUMNS, iterations=100)
    trial = left_out(joint, found, column_of(joint, "a"), found.partition)
    assert counts_of(trial.joint) == counts_of(counted(table.drop(columns="a")))
    assert all(
        trial.joint.tuples[row] == value[1:]
        for value, row in zip(joint.tuples, trial.rows, strict=True)
    )


def test_a_banded_column_is_the_table_with_bands():
    table = table_of(1)
    joint = counted(table)
    found = merge(joint, 0.5, utility=COLUMNS, iterations=100)
    column = column_of(joint, "a")
    trial = banded(joint, found, column, 4, found.partition)
    band = dict(zip(column.values, bands_of(column, joint.weight, 4).tolist(), strict=True))
    assert counts_of(trial.joint) == counts_of(counted(table.assign(a=table["a"].map(band))))
    ends = {}
    for value, number in band.items():
        ends[number] = (min(value, ends.get(number, (value,))[0]), value)
    assert trial.bands == tuple(ends[number] for number in sorted(ends))


def test_missing_values_are_a_band_of_their_own():
    table = table_of(2)
    table["a"] = table["a"].astype("Int64").mask(table["a"] == 3)
    joint = counted(table)
    found = merge(joint, 0.5, utility=COLUMNS, iterations=100)
    trial = banded(joint, found, column_of(joint, "a"), 4, found.partition)
    assert None in column_of(trial.joint, "a").values  # noqa: PD011, not a frame
    assert len(trial.bands) == 4
    assert all(end is not None for band in trial.bands for end in band)
    assert "4 bands" in trial.change


def test_an_intact_column_is_not_merged():
    joint = counted(table_of(3))
    found = merge(joint, 0.8, utility=COLUMNS, iterations=100)
    column = column_of(joint, "b")
    trial = kept_intact(joint, found, column, found.partition).solved(1000)
    assert trial.change == "--intact b"
    assert len(set(zip(trial.partition, column.codes, strict=True))) == trial.labels.max() + 1
    assert trial.is_safe


def test_a_column_that_cannot_be_safe_is_not_kept_intact():
    joint = counted(table_of(3))
    found = merge(joint, 0.1, utility=COLUMNS, iterations=100)
    assert kept_intact(joint, found, column_of(joint, "a"), found.partition) is None
    few = merge(joint, 2, utility=COLUMNS, iterations=100, min_count=150)
    assert kept_intact(joint, few, column_of(joint, "b"), few.partition) is None
    assert kept_intact(joint, few, column_of(joint, "c"), few.partition) is not None


def test_limits_stay():
    """Groups that stay apart are not mixed, and every block has the least mass."""
    joint = counted(table_of(4))
    groups = [value[1] for value in joint.tuples]
    found = merge(joint, 1, utility=COLUMNS, iterations=100, intact=groups, min_count=20)
    assert left_out(joint, found, column_of(joint, "b"), found.partition) is None
    assert kept_intact(joint, found, column_of(joint, "b"), found.partition) is None
    more = kept_intact(joint, found, column_of(joint, "c"), found.partition)
    assert more.change == "--intact c too"
    others = left_out(joint, found, column_of(joint, "c"), found.partition)
    bands = banded(joint, found, column_of(joint, "a"), 4, found.partition)
    for trial in (others, bands, more):
        solved = trial.solved(1000)
        assert solved.is_safe
        records = Counter()
        for block, weight in zip(solved.partition.tolist(), joint.weight.tolist(), strict=True):
            records[block] += weight
        assert min(records.values()) >= 20
        assert len(set(zip(solved.partition.tolist(), groups, strict=True))) == len(records)


@pytest.mark.parametrize("seed", range(4))
def test_a_solved_trial_is_safe_and_keeps_at_most_what_is_proven(seed):
    table = table_of(seed, (5, 3, 2))
    joint = counted(table)
    found = merge(joint, 0.3, utility=COLUMNS, iterations=100)
    for name in "abc":
        trial = left_out(joint, found, column_of(joint, name), found.partition).solved(10_000)
        assert naive.safe_blocks(joint.mass, trial.partition, 0.3, 0.3).all()
        most = merge(trial.joint, 0.3, "exact", utility=COLUMNS).upper_bound
        assert trial.mechanism.goal.kept(trial.joint, trial.labels) <= most + 1e-9


def test_the_goal_stays_the_same_on_what_is_left():
    """Purposes keep their p(u|y), weights their columns, and versions of a left column are gone."""
    table = table_of(5)
    joint = counted(table)
    rng = np.random.default_rng(0)
    purpose = rng.random((len(joint.public), 3))
    goal = Utility.columns(
        {"a": 2.0, "b": 3.0},
        coarser={"a": [3]},
        unordered=["b"],
        targets=[Target.given("u", purpose, 4.0), Target.column("c", 5.0)],
        joint_weight=0.5,
    )
    found = merge(joint, 0.5, utility=goal, iterations=100)
    trial = left_out(joint, found, column_of(joint, "a"), found.partition)
    made = {
        on.name: (on.weight, on.kept)
        for on in kept_of(
            trial.joint,
            partition_mechanism(
                trial.joint,
                trial.labels,
                found.bound,
                method="search",
                upper_bound=1.0,
                scope="",
                goal=trial.mechanism.goal,
            ),
            with_goal=True,
        ).targets
    }
    assert set(made) == {"b", "c", "u", "whole rows"}
    whole = 3 + 1 + 5 + 4 + 0.5  # c is a column and a purpose
    assert made["b"][0] == pytest.approx(3 / whole)
    assert made["u"][0] == pytest.approx(4 / whole)
    assert made["whole rows"][0] == pytest.approx(0.5 / whole)
    # p(u|x) of the changed table is the mean over the records that become one.
    p = purpose / purpose.sum(axis=1, keepdims=True) * joint.weight[:, np.newaxis]
    rows = np.array([p[trial.rows == row].sum(axis=0) for row in range(trial.rows.max() + 1)])
    blocks = np.array([p[trial.partition == b].sum(axis=0) for b in range(trial.labels.max() + 1)])
    kept = naive.information(blocks) / naive.information(rows)
    assert made["u"][1] == pytest.approx(kept)
