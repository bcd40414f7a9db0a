"""What became of each column, and of each target: figures against a slow count of the records."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import loglift
import naive
from loglift.joint import Joint
from loglift.mechanism.kept import (
    WHOLE_ROWS,
    goal_name,
    goal_words,
    kept_columns,
    kept_of,
)
from loglift.mechanism.mechanism import Mechanism
from loglift.merging.merge import merge
from loglift.release.apply import for_unseen
from loglift.utility.target import Target
from loglift.utility.utility import Utility


def table_of(seed, records=400, widths=(5, 4, 1)):
    """Records with a few public columns, the last of them constant, and a sensitive one."""
    rng = np.random.default_rng(seed)
    columns = {f"c{j}": rng.integers(0, width, records) for j, width in enumerate(widths)}
    risk = 0.15 + 0.5 * sum(columns.values()) / sum(widths)
    return pd.DataFrame({**columns, "s": rng.random(records) < risk})


def names_of(table):
    return [name for name in table.columns if name != "s"]


def counted(table):
    return Joint.from_table(table, sensitive="s", public=names_of(table))


def rows_of(table):
    return list(zip(*(table[name].tolist() for name in names_of(table)), strict=True))


def known(mechanism):
    """Return the public values that each released value stands for."""
    means = defaultdict(set)
    for x, row in zip(mechanism.tuples, mechanism.channel, strict=False):
        for y in np.flatnonzero(row):
            means[int(y)].add(x)
    return means


def expected(mechanism, table):
    """Return the figures of the oracle, from the mechanism and the records."""
    means, cells = known(mechanism), []
    for x, records in Counter(rows_of(table)).items():
        row = mechanism.channel[mechanism.tuples.index(x)]
        cells += [(x, int(y), records * row[y]) for y in np.flatnonzero(row)]
    return naive.columns_kept(means, cells)


def figures(found):
    whole = [(column.unchanged, column.information) for column in found.columns]
    return [*whole, found.rows_unchanged]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("utility", [Utility.joint(), Utility.columns()])
def test_a_partition_against_a_slow_count(seed, utility):
    table = table_of(seed, widths=[(5, 4, 1), (3, 3, 3), (9,), (2, 7)][seed % 4])
    joint = counted(table)
    mechanism = merge(joint, 0.1 + 0.1 * (seed % 5), utility=utility)
    *columns, rows = expected(mechanism, table)
    found = kept_of(joint, mechanism)
    assert [name.name for name in found.columns] == names_of(table)
    for column, (unchanged, information) in zip(found.columns, columns, strict=True):
        assert column.unchanged == unchanged  # from counts, exactly
        assert column.information == pytest.approx(information, abs=1e-12)
        values = table[column.name]
        assert column.labels_before == values.nunique()
    assert found.rows_unchanged == rows[0]
    released = loglift.apply(mechanism, table)
    assert [column.labels_after for column in found.columns] == [
        released[name].nunique() for name in names_of(table)
    ]


def test_the_partitions_are_neither_all_intact_nor_all_merged():
    shares = []
    for seed in range(12):
        joint = counted(table_of(seed))
        mechanism = merge(joint, 0.1 + 0.1 * (seed % 5))
        shares += [column.unchanged for column in kept_columns(joint, mechanism)]
    assert min(shares) < 0.2
    assert max(shares) == 1.0
    assert any(0.4 < share < 0.8 for share in shares)


@pytest.mark.parametrize("seed", range(6))
def test_a_channel_against_a_slow_count(seed):
    table = table_of(seed, widths=(4, 3))
    joint = counted(table)
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.full(6, 0.15), len(joint.public))
    chances[chances < 0.05] = 0  # so that some released values stand for one public value
    chances[:, 0] = 0
    chances[0] = np.eye(6)[0]
    chances[1:, 1] += chances[1:].sum(axis=1) == 0
    own = chances / chances.sum(axis=1, keepdims=True)
    mechanism = Mechanism.from_channel(joint, own[:, own.any(axis=0)], 5)
    *columns, rows = expected(mechanism, table)
    found = kept_of(joint, mechanism)
    for column, (unchanged, information) in zip(found.columns, columns, strict=True):
        assert column.unchanged == pytest.approx(unchanged, abs=1e-12)
        assert column.information == pytest.approx(information, abs=1e-9)
    assert found.rows_unchanged == pytest.approx(rows[0], abs=1e-12)
    assert found.rows_unchanged > 0
    for place, column in enumerate(found.columns):
        assert column.labels_after == len(set(mechanism.released[place].values))


def test_a_table_that_stays_as_it_is_keeps_exactly_everything():
    joint = counted(table_of(0, records=4000))
    whole = merge(joint, 20)
    assert whole.size == len(joint.public) == 20
    found = kept_of(joint, whole)
    assert figures(found) == [(1.0, 1.0)] * 3 + [1.0]
    assert [c.labels_before for c in found.columns] == [c.labels_after for c in found.columns]
    one = replace(whole, labels=np.zeros(len(joint.public), dtype=np.int64))
    found = kept_of(joint, one)
    assert figures(found) == [(0.0, 0.0), (0.0, 0.0), (1.0, 1.0), 0.0]
    assert [column.labels_after for column in found.columns] == [1, 1, 1]


def test_an_intact_column_is_unchanged():
    table = table_of(1, widths=(2, 9))
    joint = counted(table)
    mechanism = merge(joint, 0.5, intact=[value[0] for value in joint.public])
    first, second = kept_columns(joint, mechanism)
    assert (first.unchanged, first.information, first.labels_after) == (1.0, 1.0, 2)
    assert second.unchanged < 1


def test_missing_values_are_values():
    nan = float("nan")
    table = pd.DataFrame({"c0": [1.0, nan, 2.0, nan] * 50, "c1": ["a", None, "b", "a"] * 50})
    table["s"] = [record // 4 % 2 == 0 for record in range(200)]
    joint = counted(table)
    first, second = kept_columns(joint, merge(joint, 9))
    assert (first.labels_before, first.labels_after, first.unchanged) == (3, 3, 1.0)
    assert (second.labels_before, second.labels_after, second.unchanged) == (3, 3, 1.0)


def test_another_table_is_released_under_the_labels_of_the_first():
    """A label with two values stands for both, also where the table has only one of them."""
    table = pd.DataFrame({"c0": list("aabbccdd") * 20, "s": [True, False] * 80})
    joint = counted(table)
    mechanism = replace(merge(joint, 1), labels=np.array([0, 0, 1, 2]))
    other = table[table["c0"].isin(["a", "c"])]
    [column] = kept_columns(counted(other), mechanism)
    assert column == kept_columns(counted(other), Mechanism.from_json(mechanism.to_json()))[0]
    assert (column.unchanged, column.information) == (0.5, 1.0)
    assert (column.labels_before, column.labels_after) == (2, 2)


def test_unseen_values_are_not_unchanged():
    table = pd.DataFrame({"c0": list("aabb") * 40, "s": [True, False] * 80})
    mechanism = merge(counted(table), 1)
    assert mechanism.size == 2
    new = pd.DataFrame({"c0": list("aabz") * 40, "s": [True, False] * 80})
    [column] = kept_columns(counted(new), for_unseen(mechanism, "suppress"))
    assert column.unchanged == 0.75
    assert column.labels_after == 3
    [column] = kept_columns(counted(new), replace(mechanism, unseen=0))  # z is released as a
    assert column.unchanged == 0.75
    assert column.labels_after == 2
    assert column.information < 1


def test_a_joint_without_a_table_has_no_columns():
    joint = Joint(np.random.default_rng(0).integers(1, 9, (6, 2)))
    assert kept_columns(joint, merge(joint, 0.3)) == ()


GOALS = {
    "joint": Utility.joint(),
    "columns": Utility.columns({"c0": 3, "c2": 0}, joint_weight=0.5),
    "targets": Utility.of(
        [
            Target.coarser("c0", {value: value > 2 for value in range(5)}, 2),
            Target.column("c2"),  # constant: not part of the goal
        ]
    ),
}


@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("drawn", [False, True])
def test_the_targets_add_up_to_what_the_goal_keeps(name, drawn):
    table = table_of(3, records=1000, widths=(5, 4, 1))
    joint, goal = counted(table), GOALS[name]
    mechanism = merge(joint, 0.2, utility=goal)
    if drawn:
        rng = np.random.default_rng(0)
        mixed = 0.8 * mechanism.channel + 0.2 * rng.dirichlet(
            np.ones(mechanism.size), len(joint.public)
        )
        mechanism = replace(Mechanism.from_channel(joint, mixed, 1), goal=goal).measured(joint)
    found = kept_of(joint, mechanism, with_goal=True).targets
    assert goal_name(goal) == name
    assert sum(target.weight for target in found) == pytest.approx(1)
    kept = sum(target.weight * target.kept for target in found)
    assert kept == pytest.approx(mechanism.utility / goal.most(joint), abs=1e-9)
    assert found[-1].name == WHOLE_ROWS
    assert found[-1].kept == pytest.approx(1 - mechanism.nmil)
    columns = {column.name: column.information for column in kept_columns(joint, mechanism)}
    assert all(target.column in columns for target in found[:-1])
    as_they_are = [target for target in found[:-1] if target.name == target.column]
    assert len(as_they_are) == {"joint": 0, "columns": 2, "targets": 0}[name]
    for target in as_they_are:
        assert target.kept == pytest.approx(columns[target.name])
    expected = {"joint": 0, "columns": 1 + 2, "targets": 1}[name]  # c0 is in four bands, too
    assert len(found) == 1 + expected, [target.name for target in found]


WORDS = [
    (Utility.joint(), (5, 4, 1), "whole rows"),
    (Utility.joint(), (9,), "whole rows"),
    (Utility.columns(), (5, 4, 1), "each column and whole rows"),
    (Utility.columns({"c2": 0}), (5, 4, 1), "each column and whole rows"),  # it is constant
    (Utility.columns({"c1": 0}), (3, 4), "c0 and whole rows"),
    (Utility.columns(), (9,), "c0 and c0 in 4 bands"),
    (Utility.columns(unordered="c0"), (9,), "whole rows"),  # the only column is the row
    (
        Utility.columns(targets=[Target.given("pay", np.ones((20, 2)))]),
        (5, 4),
        "what the release says about pay, each column and whole rows",
    ),
    (
        Utility.of([Target.given("pay", np.ones((9, 2)))]),
        (9,),
        "what the release says about pay and c0",
    ),
    (
        Utility.of([Target.column("c1"), Target.coarser("c0", dict.fromkeys(range(5), 0))]),
        (5, 4),
        "c1, c0 in groups and whole rows",
    ),
    (
        Utility.of([Target.given(f"pay {n}", np.ones((9, 2))) for n in range(12)]),
        (9,),
        f"what the release says about {', '.join(f'pay {n}' for n in range(8))} and 4 more and c0",
    ),
]


@pytest.mark.parametrize(("goal", "widths", "words"), WORDS)
def test_a_goal_is_said_in_words(goal, widths, words):
    assert goal_words(goal, counted(table_of(0, records=2000, widths=widths))) == words


def test_a_joint_without_a_table_has_a_goal_in_words():
    joint = Joint(np.random.default_rng(0).integers(1, 9, (6, 2)))
    goal = Utility.of([Target.given("pay", np.ones((6, 2)))])
    assert goal_words(goal, joint) == "what the release says about pay and whole rows"


def test_a_target_that_x_does_not_decide_is_measured_against_what_x_says():
    """p(u|x) of a noisy variable: the table as it is keeps all that it says."""
    joint = counted(table_of(5, widths=(6,)))
    noisy = Target.given("u", np.random.default_rng(1).integers(1, 20, (6, 3)))
    goal = Utility.of([noisy])
    whole, _ = kept_of(joint, merge(joint, 20, utility=goal), with_goal=True).targets
    assert whole.kept == pytest.approx(1)
    merged = merge(joint, 0.05, utility=goal)
    assert merged.size < 6
    some, rows = kept_of(joint, merged, with_goal=True).targets
    assert 0 <= some.kept < 1
    assert some.weight * some.kept + rows.weight * rows.kept == pytest.approx(merged.utility)
    assert some.column is None


def test_they_are_written_as_json():
    joint = counted(table_of(0))
    column = kept_columns(joint, merge(joint, 0.3))[0]
    assert json.loads(json.dumps(vars(column))) == vars(column)
