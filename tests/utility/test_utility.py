"""Utilities as users state them: which targets they have on a joint, and what they refuse."""

from __future__ import annotations

import gc
import math
import pickle
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from loglift import Joint, Target, Utility, UtilityError
from loglift.utility.information import Information
from loglift.utility.utility import JOINT_WEIGHT, MIN_JOINT_WEIGHT, default_utility
from naive import kept_of_targets
from random_joints import one_hot, random_goal, random_joint_of_table


def a_table(rows=400, seed=0):
    """Ages 18 to 89, five places, a postal code that is a number, a column that is constant."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    return pd.DataFrame(
        {
            "age": age,
            "place": rng.choice(list("abcde"), rows),
            "code": rng.integers(1000, 1030, rows),
            "same": "same",
            "ill": rng.random(rows) < age / 120,
        }
    )


TABLE = a_table()
JOINT = Joint.from_table(TABLE, sensitive="ill", public=["age", "place", "code", "same"])
PLAIN = Joint([[3, 1], [1, 3], [2, 2]])


def names_and_weights(goal, joint=JOINT):
    return {target.name: target.weight for target in goal.on(joint)}


def test_by_default_ordered_columns_have_bands():
    assert names_and_weights(Utility.columns()) == {
        "age": 1 / 3,
        "age in 4 bands": 1 / 3,
        "age in 16 bands": 1 / 3,
        "place": 1,
        "code": 1 / 3,
        "code in 4 bands": 1 / 3,
        "code in 16 bands": 1 / 3,
        "same": 1,
    }


def test_a_column_has_fewer_bands_than_values():
    table = pd.DataFrame({"few": [1, 2, 3, 4, 5] * 4, "s": [0, 1] * 10})
    joint = Joint.from_table(table, sensitive="s", public="few")
    assert names_and_weights(Utility.columns(), joint) == {"few": 0.5, "few in 4 bands": 0.5}


def test_options_say_what_matters():
    groups = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2}
    goal = Utility.columns(
        {"age": 2, "code": 0},
        coarser={"age": [8], "place": groups},
        unordered="code",
        targets=[Target.given("bill", np.ones((len(JOINT.public), 2)), 5)],
    )
    assert names_and_weights(goal) == {
        "age": 1,
        "age in 8 bands": 1,
        "place": 0.5,
        "place in groups": 0.5,
        "same": 1,
        "bill": 5,
    }
    assert names_and_weights(Utility.columns(unordered=["code"]))["code"] == 1
    assert "age in 8 bands" in names_and_weights(Utility.columns(coarser={"age": np.int64(8)}))
    none = Utility.columns(coarser={"age": ()})
    assert names_and_weights(none)["age"] == 1


def test_bands_are_worth_what_the_definition_says():
    """The bands of the numbers, cut by hand at the middle of the mass of each value."""
    goal = Utility.columns(unordered=["code"], joint_weight=2)
    weight = np.asarray(JOINT.weight, dtype=float)
    ages = np.array([age for age, *_ in JOINT.public])
    defined = [(np.eye(weight.size), 2.0)]
    for bands in (None, 4, 16):
        shown = ages.tolist()
        if bands:
            below = np.array([weight[ages < age].sum() for age in ages])
            at = np.array([weight[ages == age].sum() for age in ages])
            shown = ((below + at / 2) / weight.sum() * bands).astype(int).tolist()
        defined.append((one_hot(shown), 1 / 3))
    defined += [(one_hot([value[place] for value in JOINT.public]), 1.0) for place in (1, 2, 3)]
    labels = np.random.default_rng(0).integers(0, 9, weight.size)
    expected = kept_of_targets(weight, defined, np.eye(9)[labels])
    assert goal.kept(JOINT, labels) == pytest.approx(expected, abs=1e-12)


def test_constant_columns_and_weights_of_zero_change_nothing():
    labels = np.random.default_rng(1).integers(0, 9, len(JOINT.public))
    goal = Utility.columns({"code": 0})
    fewer = Utility.of([target for target in goal.on(JOINT) if target.name != "same"])
    assert goal.kept(JOINT, labels) == pytest.approx(fewer.kept(JOINT, labels), abs=1e-12)
    weightless = Utility.of([*fewer.targets, Target.column("code", 0)])
    assert goal.kept(JOINT, labels) == pytest.approx(weightless.kept(JOINT, labels), abs=1e-12)


def test_a_single_value_has_nothing_to_keep():
    joint = Joint.from_table(TABLE, sensitive="ill", public="same")
    goal = Utility.columns()
    assert isinstance(goal.worth(joint), Information)
    assert goal.kept(joint, np.zeros(1, dtype=np.int64)) == 0
    assert goal.most(joint) == 0


def test_a_single_column_is_x_itself():
    joint = Joint.from_table(TABLE, sensitive="ill", public="place")
    goal, labels = Utility.columns({"place": 7}), np.array([0, 1, 0, 1, 2])
    share = Utility.joint().kept(joint, labels) / Utility.joint().most(joint)
    assert goal.kept(joint, labels) == pytest.approx(share)
    assert goal.worth(joint).nat_weights.size == 0


def test_the_table_as_it_is_keeps_the_most():
    rng = np.random.default_rng(2)
    for _ in range(20):
        joint = random_joint_of_table(rng)
        goal, _ = random_goal(rng, joint)
        apart = np.arange(len(joint.public))
        assert goal.most(joint) == pytest.approx(1)
        assert goal.kept(joint, apart) == pytest.approx(1)
        channel = rng.dirichlet(np.ones(3), apart.size)
        assert goal.kept(joint, channel) <= 1 + 1e-12
    weight = JOINT.weight / JOINT.total
    assert Utility.joint().most(JOINT) == pytest.approx(-(weight * np.log(weight)).sum())


def test_a_single_target_needs_no_list():
    labels, target = np.arange(len(JOINT.public)) % 5, Target.column("age")
    assert Utility.of(target).kept(JOINT, labels) == Utility.of([target]).kept(JOINT, labels)


def test_by_default_a_table_keeps_its_columns():
    def by_default(public):
        return default_utility(Joint.from_table(TABLE, sensitive="ill", public=public))

    assert by_default(["place", "same"]).by_column  # several columns
    assert by_default("age").by_column  # an ordered one
    assert by_default("place").is_joint
    assert default_utility(PLAIN).is_joint


def test_worths_are_worked_out_once_for_each_joint_and_forgotten_with_it():
    goal, joint = Utility.columns(), Joint.from_table(TABLE, sensitive="ill", public=["age"])
    assert goal.worth(joint) is goal.worth(joint)
    assert goal.worth(JOINT) is not goal.worth(joint)
    forgotten = weakref.ref(joint), weakref.ref(goal.worth(joint))
    del joint
    gc.collect()
    assert [reference() for reference in forgotten] == [None, None]


def test_another_weight_is_another_utility():
    """A copy with other weights does not remember what the original is worth."""
    goal, labels = Utility.columns(), np.arange(len(JOINT.public)) % 7
    before, other = goal.kept(JOINT, labels), replace(goal, joint_weight=50.0)
    assert other.kept(JOINT, labels) == pytest.approx(
        Utility.columns(joint_weight=50.0).kept(JOINT, labels)
    )
    assert other.kept(JOINT, labels) != pytest.approx(before)


@pytest.mark.parametrize(
    "goal",
    [
        Utility.joint(),
        Utility.columns({"age": 2}, coarser={"place": {x: x < "c" for x in "abcde"}}),
        Utility.of([Target.given("u", np.eye(2)[np.arange(len(JOINT.public)) % 2], 3)]),
        Utility.of([Target.given("u", JOINT)], joint_weight=0.1),
    ],
    ids=["joint", "columns", "array", "table"],
)
def test_a_utility_is_pickled(goal):
    labels = np.arange(len(JOINT.public)) % 9
    kept = goal.kept(JOINT, labels)
    again = pickle.loads(pickle.dumps(goal))
    assert again.kept(JOINT, labels) == kept
    assert repr(again) == repr(goal)


def test_a_utility_says_what_it_keeps():
    assert repr(Utility.joint()) == "Utility.joint()"
    goal = Utility.columns(targets=[Target.column("age")], joint_weight=0.5)
    assert repr(goal) == "Utility(every public column, age; X with weight 0.5)"
    usual = Utility.of([Target.column("age")])
    assert repr(usual) == f"Utility(age; X with weight {JOINT_WEIGHT:g})"


MADE = {
    "no target": (lambda: Utility.of([]), r"give one, or use Utility.joint\(\)"),
    "a name": (lambda: Utility.of("age"), r"give \[Target.column"),
    "names": (lambda: Utility.of(["age"]), r"give \[Target.column"),
    "a number": (lambda: Utility.of(3), r"give \[Target.column"),
    "names among columns": (lambda: Utility.columns(targets=["age"]), r"give \[Target.column"),
    "no weight of X": (lambda: Utility.columns(joint_weight=0), "joint_weight must be at least"),
    "hardly a weight of X": (
        lambda: Utility.of([Target.column("age")], joint_weight=MIN_JOINT_WEIGHT / 2),
        "joint_weight must be at least",
    ),
    "infinite weight of X": (lambda: Utility.columns(joint_weight=math.inf), "at most 1000000"),
    "text": (lambda: Utility.columns(joint_weight="1"), "joint_weight must be a number"),
    "a list of importances": (lambda: Utility.columns(["age"]), "give {'age': 1.5}"),
    "a list of versions": (lambda: Utility.columns(coarser=[4]), r"give {'age': \[4, 16\]}"),
    "half a band": (lambda: Utility.columns(coarser={"age": 4.5}), "must be a number of bands, or"),
    "a text": (lambda: Utility.columns(coarser={"age": "groups"}), "a mapping of its values to"),
    "a list with a text": (lambda: Utility.columns(coarser={"age": [4, "x"]}), "a mapping of its"),
}


@pytest.mark.parametrize("name", MADE)
def test_a_utility_that_cannot_be_is_refused(name):
    make, fix = MADE[name]
    with pytest.raises(UtilityError, match=fix):
        make()


USED = {
    "no columns": (Utility.columns(), PLAIN, r"use Utility.joint\(\), or name targets"),
    "no column of a target": (Utility.of([Target.column("x")]), PLAIN, "with Target.given"),
    "importance": (
        Utility.columns({"size": 2}),
        JOINT,
        r"importance \(--importance\) names 'size', .* name one of age, place, code, same",
    ),
    "coarser": (
        Utility.columns(coarser={"size": 2}),
        JOINT,
        r"coarser \(--taxonomy\) names 'size'",
    ),
    "unordered": (Utility.columns(unordered="size"), JOINT, r"unordered \(--unordered\) names"),
    "negative": (Utility.columns({"age": -1}), JOINT, "the importance of 'age' must be at least 0"),
    "infinite": (Utility.columns({"age": math.inf}), JOINT, "at most 1000000"),
    "text": (Utility.columns({"age": "x"}), JOINT, "the importance of 'age' must be a number"),
    "one band": (Utility.columns(coarser={"age": 1}), JOINT, "must be at least 2"),
    "true": (Utility.columns(coarser={"age": True}), JOINT, "bands must be a whole number"),
    "bands of texts": (
        Utility.columns(coarser={"place": 4}),
        JOINT,
        "give a mapping of its values to groups",
    ),
    "no group": (
        Utility.columns(coarser={"place": {"a": 1}}),
        JOINT,
        "no group is named for 'b', 'c', 'd', 'e' of column 'place'",
    ),
    "rows": (Utility.of([Target.given("u", np.eye(2))]), JOINT, "give one row per public value"),
}


@pytest.mark.parametrize("name", USED)
def test_a_utility_that_does_not_fit_the_joint_is_refused(name):
    goal, joint, fix = USED[name]
    with pytest.raises(UtilityError, match=fix):
        goal.worth(joint)
