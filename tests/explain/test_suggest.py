"""Suggestions to group sensitive values: each step is safe, and none loses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, MechanismError, entropy, merge, suggest
from loglift.explain.suggest import steps_of, suggestion_of
from loglift.joint import Column
from loglift.utility.utility import Utility
from strategies import bounds, joints

RARE = np.array([[20, 20, 1, 0], [30, 20, 0, 1], [20, 30, 0, 1], [25, 20, 0, 0], [20, 25, 1, 1]])


def regrouped(joint, groups):
    """The joint with each group of sensitive values (numbers) as one, from plain sums."""
    alone = [s for s in range(joint.shape[1]) if not any(s in group for group in groups)]
    parts = [*([s] for s in alone), *map(list, groups)]
    return np.stack([joint[:, part].sum(axis=1) for part in parts], axis=1)


@settings(max_examples=40)
@given(joints(), bounds())
def test_steps_never_lose_and_can_be_had(joint, bound):
    found = merge(joint, bound=bound)
    kept = 1 - found.nmil
    steps = list(steps_of(Joint(joint), found, found.labels, partners=2))
    assert len(steps) == max(0, joint.shape[1] - 2)  # two values are always left
    for step in steps:
        assert step.kept >= kept - 1e-9
        kept = step.kept
        assert step.merged in step.groups
        reached = merge(regrouped(joint, step.groups), bound=bound)
        assert reached.safe
        assert step.utility <= reached.upper_bound + 1e-9


def test_the_rarest_are_grouped_first():
    joint = Joint(RARE, sensitive=["a", "b", "rare", "few"])
    steps = suggest(joint, 2)
    assert steps[0].merged == ("rare", "few")
    assert steps[-1].kept > 1 - merge(joint, 2).nmil + 0.01
    after = merge(regrouped(RARE, [(2, 3)]), 2)
    assert steps[0].utility == pytest.approx(after.utility)


def test_steps_keep_more_of_a_goal_with_targets():
    columns = (
        Column("a", "text", None, ("x", "y"), np.array([0, 0, 0, 1, 1])),
        Column("b", "text", None, ("u", "v", "w"), np.array([0, 1, 2, 0, 1])),
    )
    joint = Joint(RARE).with_columns(columns)
    goal = Utility.columns()
    steps = suggest(joint, 2, utility=goal)
    assert steps
    for step in steps:
        grouped = Joint(regrouped(RARE, step.groups)).with_columns(columns)
        reached = merge(grouped, 2, utility=goal)
        assert step.utility == pytest.approx(reached.utility)
        assert step.kept == pytest.approx(reached.utility)  # of 1, which the table as it is keeps
    assert steps[-1].kept > merge(joint, 2, utility=goal).utility + 0.01


def test_values_that_bind_together_are_grouped_together():
    """Four values that only one public value has: grouping some of them gains nothing yet."""
    base = np.outer(np.arange(20, 26), [5, 5])
    rare = np.zeros((6, 4), dtype=int)
    rare[0] = 1
    steps = suggest(np.hstack([base, rare]), 1)
    assert steps
    assert steps[-1].kept > 0.9
    assert {s for group in steps[-1].groups for s in group} >= {2, 3, 4, 5}


def test_two_sensitive_values_are_always_left():
    assert suggest([[3, 1], [1, 3], [2, 2]], 0.5) == []
    joint = np.random.default_rng(0).integers(0, 4, (10, 4)) + np.eye(10, 4, dtype=int)
    found = merge(joint, 0.1)
    *_, last = steps_of(Joint(joint), found, found.labels)
    assert sum(map(len, last.groups)) - len(last.groups) == 2  # four values, two are gone


def test_several_variables_are_not_mixed():
    joint = Joint(np.hstack([RARE, RARE]), sensitive=list("abcdefgh"), variables=list("xxxxyyyy"))
    steps = suggest(joint, 2, min_gain=0)
    assert steps
    for step in steps:
        for group in step.groups:
            assert set(group) <= set("abcd") or set(group) <= set("efgh")


def test_a_suggestion_says_what_is_kept_without_grouping():
    found = suggestion_of(Joint(RARE), Bound.symmetric(2))
    assert found.kept == pytest.approx(1 - merge(RARE, 2).nmil)
    assert list(found.steps) == suggest(RARE, 2)


def test_nothing_to_gain_nothing_to_suggest():
    joint = np.outer([1, 2, 3], [2, 2, 1, 1])
    assert entropy(joint.sum(axis=1)) > 0
    assert suggest(joint, 0.5) == []
    assert suggest(RARE, 2, most_steps=0) == []


@pytest.mark.parametrize("options", [{"min_gain": -1}, {"min_gain": 2}, {"most_steps": -1}])
def test_bad_options_are_refused(options):
    with pytest.raises(MechanismError, match=next(iter(options))):
        suggest(RARE, 1, **options)
