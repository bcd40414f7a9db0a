"""`merge`: its options, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

from loglift import (
    Bound,
    BoundError,
    InputError,
    Joint,
    MechanismError,
    Target,
    UnsafeError,
    Utility,
    UtilityError,
    merge,
)
from loglift.sparse import block_sums
from naive import kept_of_targets, partitions, safe_blocks
from random_joints import random_bound, random_goal, random_joint_of_table
from strategies import bounds, joints

JOINT = [[3, 1], [1, 3]]
COLUMNS = Joint.from_table(
    pd.DataFrame({"a": [1, 2, 3, 4] * 5, "b": list("xyxz") * 5, "s": [0, 1, 1, 0, 1] * 4}),
    sensitive="s",
    public=["a", "b"],
)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"over": "some"}, MechanismError),
        ({"method": "best"}, MechanismError),
        ({"iterations": -1}, MechanismError),
        ({"iterations": 1.5}, MechanismError),
        ({"seed": "a"}, MechanismError),
        ({"time_limit": "a"}, MechanismError),
        ({"time_limit": -1}, MechanismError),
        ({"min_count": 0}, MechanismError),
        ({"min_count": "a"}, MechanismError),
        ({"min_count": math.nan}, MechanismError),
        ({"min_count": 100}, UnsafeError),
        ({"start": [0]}, ValueError),
        ({"method": "ordered", "over": "high-risk"}, MechanismError),
        ({"method": "greedy", "start": [0, 0]}, MechanismError),
        ({"method": "complete", "iterations": 5}, MechanismError),
        ({"method": "ordered", "time_limit": 5}, MechanismError),
        ({"utility": "columns"}, UtilityError),
        ({"utility": Target.column("a")}, UtilityError),
        ({"utility": Utility}, UtilityError),
        ({"utility": Utility.columns()}, UtilityError),  # there are no columns
        ({"utility": Utility.columns(), "method": "greedy"}, UtilityError),
        ({"utility": Utility.of([Target.column("a")])}, UtilityError),
        ({"utility": Utility.of([Target.given("u", [[1], [1], [1]])])}, UtilityError),
    ],
)
def test_bad_options_are_refused(options, error):
    with pytest.raises(error):
        merge(JOINT, 1, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"over": "some"},
        {"method": "ordered", "over": "high-risk"},
        {"method": "greedy", "start": [0] * 4},
        {"method": "complete", "iterations": 5},
        {"method": "ordered", "time_limit": 5},
        {"start": [0]},
    ],
)
def test_combinations_are_refused_with_targets_too(options):
    with pytest.raises(InputError):
        merge(COLUMNS, 1, utility=Utility.columns(), **options)


def test_the_bound_is_given_once():
    with pytest.raises(BoundError, match="either eps or bound"):
        merge(JOINT)
    with pytest.raises(BoundError, match="either eps or bound"):
        merge(JOINT, 1, bound=Bound(1, 1))
    with pytest.raises(BoundError, match="must be a number"):
        merge(JOINT, Bound(1, 1))
    with pytest.raises(BoundError, match="must be a Bound"):
        merge(JOINT, bound=1)
    assert merge(JOINT, 1).bound == merge(JOINT, bound=Bound(1, 1)).bound


@given(joints(), bounds(), st.sampled_from(["greedy", "complete"]))
def test_over_all_absorbs_and_is_always_safe(joint, bound, method):
    everything = merge(joint, bound=bound, method=method, over="all")
    default, high_risk = (
        merge(joint, bound=bound, method=method, over=o) for o in (None, "high-risk")
    )
    assert everything.safe
    assert default.labels.tolist() == high_risk.labels.tolist()
    assume(default.safe)
    assert everything.labels.tolist() == default.labels.tolist()


def test_a_mechanism_knows_its_limits():
    made = merge([[5, 5], [4, 6], [6, 4], [5, 5]], 0.5, min_count=12, intact=["a", "a", "b", "b"])
    assert made.min_count == 12
    assert made.groups.tolist() == [0, 0, 1, 1]
    assert merge(JOINT, 1).groups is None


def test_each_of_several_variables_is_bounded():
    """Every record is in the mass of two variables twice; a least count is in records."""
    rng = np.random.default_rng(0)
    left = rng.integers(1, 9, (10, 2))
    sizes = left.sum(axis=1)
    right = np.stack([rng.binomial(sizes, 0.5), sizes], axis=1)
    right[:, 1] -= right[:, 0]
    joint = Joint(np.hstack([left, right]), variables=["l", "l", "r", "r"], empty_sensitive="drop")
    found = merge(joint, 0.3, min_count=20)
    assert found.safe
    assert block_sums(sizes, found.labels).min() >= 20
    for part in (left, right):
        blocks = block_sums(part, found.labels)
        lifts = blocks * part.sum() / np.outer(blocks.sum(axis=1), part.sum(axis=0))
        assert np.abs(np.log(lifts)).max() <= 0.3 + 1e-9
    assert found.utility < merge(joint, 0.3).utility


@pytest.mark.parametrize("method", ["search", "exact", "ordered", "greedy", "complete"])
def test_the_joint_utility_is_the_default(method):
    rng = np.random.default_rng(3)
    for _ in range(10):
        joint, bound = random_joint_of_table(rng, 12), random_bound(rng)
        default = merge(joint, bound=bound, method=method)
        stated = merge(joint, bound=bound, method=method, utility=Utility.joint())
        assert stated.labels.tolist() == default.labels.tolist()
        assert stated.utility == default.utility == default.information
        assert stated.upper_bound == default.upper_bound
        assert default.goal.is_joint


@pytest.mark.parametrize("method", ["search", "exact", "ordered", "greedy", "complete"])
@pytest.mark.parametrize("seed", range(3))
def test_with_x_as_the_only_target_the_share_of_its_information_is_kept(method, seed):
    """I(X;Y)/H(X), in nats per nat, and as good a partition."""
    rng = np.random.default_rng(seed)
    for _ in range(5):
        column = rng.integers(0, 40, 600)
        table = pd.DataFrame({"x": column, "s": (column + rng.integers(0, 25, 600)) % 3})
        joint = Joint.from_table(table, sensitive="s", public="x")
        goal = Utility.of([Target.column("x", 3)], joint_weight=0.5)
        plain, made = merge(joint, 0.3, method), merge(joint, 0.3, method, utility=goal)
        assert made.utility == pytest.approx(1 - made.nmil)
        assert made.safe == plain.safe
        assert made.information >= plain.information - 1e-9
        most = plain.utility / (1 - plain.nmil)  # H(X)
        assert made.upper_bound * most >= made.information - 1e-9
        assert made.upper_bound <= 1 + 1e-12


FEW = pytest.param(True, marks=pytest.mark.few_values)


def in_scope(labels, method, over, groups, low_risk):
    """Whether a partition is one of those that the upper bound of a method is about."""
    if groups is not None and any(len(set(groups[labels == b])) > 1 for b in set(labels)):
        return False
    if method == "ordered":
        return bool((np.diff(labels) >= 0).all())
    if method in ("search", "exact") and over == "high-risk":
        return bool((np.bincount(labels)[labels[low_risk]] == 1).all())
    return True


@pytest.mark.parametrize("few", [False, FEW])
@pytest.mark.parametrize("seed", range(8))
def test_no_partition_in_its_scope_is_worth_more_than_the_upper_bound(seed, few):
    """Against all partitions of up to 7 values: every method, bound, limit and utility."""
    rng, proven, unproven = np.random.default_rng([seed, few]), 0, 0
    for _ in range(5):
        joint = random_joint_of_table(rng, 7)
        goal, defined = random_goal(rng, joint)
        mass, weight = joint.mass.astype(float), np.asarray(joint.weight, dtype=float)
        n = weight.size
        every = [
            (labels, kept_of_targets(weight, defined, np.eye(n)[labels]))
            for labels in map(np.array, partitions(n))
        ]
        for method in ("search", "exact", "ordered", "greedy", "complete"):
            bound, least = random_bound(rng), float(rng.choice([0, 0, 0.2, 0.4]))
            over = "all" if method == "ordered" else str(rng.choice(["all", "high-risk"]))
            groups = rng.integers(0, 2, n) if rng.random() < 0.4 else None
            low_risk = safe_blocks(mass, range(n), bound.lower, bound.upper)
            scope = [
                (labels, value)
                for labels, value in every
                if in_scope(labels, method, over, groups, low_risk)
                and safe_blocks(mass, labels, bound.lower, bound.upper).all()
            ]
            enough = [
                (labels, value)
                for labels, value in scope
                if np.bincount(labels, weight).min() >= least * weight.sum() * (1 - 1e-12)
            ]
            options = {"over": over, "min_count": least * weight.sum() or None, "intact": groups}
            if method in ("search", "exact"):
                options["iterations"] = int(rng.choice([0, 30, 600]))
                options["time_limit"] = 0 if rng.random() < 0.3 else None
            try:
                made = merge(joint, bound=bound, method=method, utility=goal, **options)
            except UnsafeError:
                assert enough == []
                continue
            # Small values are merged afterwards where the methods do not know of the least count.
            afterwards = method in ("greedy", "complete") or over == "high-risk"
            best = max((v for _, v in (scope if afterwards else enough)), default=-math.inf)
            value = kept_of_targets(weight, defined, np.eye(n)[made.labels])
            assert made.utility == pytest.approx(value, abs=1e-12)
            assert best <= made.upper_bound + 1e-9
            if made.safe:
                assert made.utility <= made.upper_bound + 1e-9
            if made.optimal:
                assert best <= made.utility + 1e-8
            proven, unproven = proven + made.optimal, unproven + (not made.optimal)
    assert proven > 3
    assert unproven > 0
