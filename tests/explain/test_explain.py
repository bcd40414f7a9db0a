"""Why a release keeps no more, against slow, obvious counts."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, MechanismError, entropy, explain, merge, watchdog
from loglift.explain import case as effort
from loglift.explain.binding import limits_of
from loglift.explain.caps import caps_of
from loglift.explain.case import Case
from loglift.explain.explain import explained
from loglift.merging.intact import Groups
from naive import partitions
from strategies import bounds, count_joints, joints


def breaks(rows, joint, s, lower, upper):
    """Which sides of the bound on sensitive value s the rows together break."""
    block = joint[rows].sum(axis=0) * joint.sum()
    expected = joint[rows].sum() * joint.sum(axis=0)
    low = not math.isinf(lower) and block[s] < math.exp(-lower) * expected[s] * (1 - 1e-9)
    high = not math.isinf(upper) and block[s] > math.exp(upper) * expected[s] * (1 + 1e-9)
    return low, high


@settings(max_examples=60)
@given(count_joints(), bounds())
def test_a_limit_binds_where_a_member_cannot_leave(joint, bound):
    if min(bound.lower, bound.upper) < 0.2:
        return  # sides may then be equal, which floats here and there round differently
    labels = merge(joint, bound, iterations=20).labels
    limits = limits_of(Case.of_joint(Joint(joint), bound), labels)
    for s, limit in enumerate(limits):
        sides = np.zeros((labels.max() + 1, 2), dtype=bool)
        for block in range(labels.max() + 1):
            rows = np.flatnonzero(labels == block)
            for x in rows if rows.size > 1 else []:
                sides[block] |= breaks(rows[rows != x], joint, s, bound.lower, bound.upper)
        records = np.array([joint[labels == b].sum() for b in range(labels.max() + 1)])
        assert (limit.lower_blocks, limit.upper_blocks) == tuple(sides.sum(axis=0))
        assert (limit.lower_records, limit.upper_records) == tuple(records @ sides)
        assert limit.records_with == joint[:, s].sum()


@settings(max_examples=60)
@given(count_joints(max_public=6))
def test_caps_are_the_most_blocks_that_all_hold_a_sensitive_value(joint):
    caps = caps_of(joint, range(joint.shape[1]), Bound.symmetric(1), 100.0)
    assert [cap.blocks for cap in caps] == sorted(cap.blocks for cap in caps)
    for cap in caps:
        most = 0
        for labels in map(np.array, partitions(len(joint))):
            blocks = [joint[labels == block, cap.sensitive].sum() for block in set(labels)]
            most = max(most, len(blocks) if min(blocks) > 0 else 0)
        assert cap.blocks == most <= cap.records_with
        assert cap.utility == pytest.approx(math.log(most))


def test_caps_need_a_lower_bound_and_are_below_what_there_is():
    joint = np.array([[5, 1], [4, 0], [6, 0]])
    assert caps_of(joint, "ab", Bound(math.inf, 1), 1.0) == ()
    [cap] = caps_of(joint, "ab", Bound.symmetric(1), entropy(joint.sum(axis=1)))
    assert (cap.sensitive, cap.records_with, cap.blocks, cap.kept) == ("b", 1, 1, 0)


@settings(max_examples=60)
@given(joints(), bounds())
def test_dropping_a_limit_never_loses(joint, bound):
    found = merge(joint, bound, iterations=20)
    why = explain(joint, found)
    assert why.kept == pytest.approx(1 - found.nmil)
    if why.compared_with is None:
        assert joint.shape[1] == 1 or why.kept == 1
        return
    assert why.compared_with >= why.kept - 1e-9
    for limit in why.limits:
        assert limit.kept_without is None or limit.kept_without >= why.compared_with - 1e-9
        assert limit.lower_blocks == 0 or math.isfinite(bound.lower)
        assert limit.upper_blocks == 0 or math.isfinite(bound.upper)
    kept = [remedy.kept for remedy in why.remedies]
    assert kept == sorted(kept, reverse=True)
    assert all(why.kept < share <= 1 + 1e-9 for share in kept)


RARE = np.array([[20, 20, 1], [30, 20, 0], [20, 30, 0], [25, 20, 0], [20, 25, 1], [19, 22, 0]])


def test_a_rare_sensitive_value_is_named_with_what_it_costs():
    joint = Joint(RARE, sensitive=["a", "b", "rare"])
    why = explain(joint, merge(joint, 2))
    assert [cap.sensitive for cap in why.caps] == ["rare"]
    assert why.caps[0].blocks == 2
    assert why.kept <= why.caps[0].kept
    [limit] = why.limits
    assert (limit.sensitive, limit.lower_blocks, limit.lower_records) == ("rare", 2, RARE.sum())
    assert limit.kept_without == pytest.approx(1)
    helps = {remedy.change: remedy for remedy in why.remedies}
    assert helps["upper"].bound == Bound(math.inf, 2)
    assert helps["upper"].kept == pytest.approx(1)
    assert helps["sensitive"].sensitive == (("a", "rare"),)


def test_without_bounding_a_value_the_others_stay_bounded():
    """The best partitions that mind only the other sensitive values, by trying all."""
    joint = np.array([[9, 1, 1], [1, 9, 0], [5, 4, 0], [2, 6, 3], [4, 4, 0]])
    bound, labels = Bound.symmetric(0.7), merge(joint, 0.7).labels
    case = Case.of_joint(Joint(joint), bound)
    for dropped in range(3):
        best, kept = -math.inf, [s for s in range(3) if s != dropped]
        for trial in map(np.array, partitions(5)):
            rows = [np.flatnonzero(trial == block) for block in set(trial.tolist())]
            if not any(any(breaks(r, joint, s, 0.7, 0.7)) for r in rows for s in kept):
                best = max(best, entropy([joint[r].sum() for r in rows]))
        events = np.where(np.arange(3) == dropped, -1, np.arange(3))
        found = case.solved(case.problem(events=events), labels)
        assert case.utility(found) == pytest.approx(best)


def test_other_limits_are_told_too():
    joint = np.array([[11, 20], [20, 41], [32, 60], [25, 53]])
    groups = ["x", "x", "y", "y"]
    found = merge(joint, 1, groups=groups, min_count=60)
    why = explain(joint, found, groups=groups, min_count=60)
    assert {remedy.change for remedy in why.remedies} == {"min_count"}
    found = merge(joint, 0.02, groups=groups)
    helps = {r.change for r in explain(joint, found, groups=groups).remedies}
    assert "groups" in helps


def test_a_poor_method_is_told_to_search():
    joint = np.random.default_rng(0).integers(1, 30, (12, 3))
    found = merge(joint, 0.3, "complete", absorb=True)
    assert "search" in {remedy.change for remedy in explain(joint, found).remedies}


def test_an_ordered_release_stays_ordered():
    joint = np.random.default_rng(1).integers(0, 5, (15, 3)) + np.eye(15, 3, dtype=int)
    found = merge(joint, 0.5, "ordered")
    why = explain(joint, found)
    assert why.compared_with == pytest.approx(why.kept)
    case = Case.of_joint(Joint(joint), Bound.symmetric(1), runs=True)
    labels = case.solved(case.problem(), found.labels)
    assert labels.tolist() == merge(joint, 1, "ordered").labels.tolist()


def test_several_variables_side_by_side_are_bounded_each():
    """Twice the same variable is the same problem: the same limits bind, twice."""
    bound, labels = Bound.symmetric(2), merge(RARE, 2).labels
    twice = Case(
        mass=np.hstack([RARE, RARE]).astype(float),
        weight=RARE.sum(axis=1),
        names=tuple("abcdef"),
        variables=np.array([0, 0, 0, 1, 1, 1]),
        bound=bound,
        least=3,
        groups=Groups.one(len(RARE)),
    )
    once = Case.of_joint(Joint(RARE), bound, least=3)
    why, plain = explained(twice, labels), explained(once, labels)
    assert [limit.sensitive for limit in why.limits] == ["c", "f"]
    assert why.kept == plain.kept
    assert why.compared_with == pytest.approx(plain.compared_with)
    assert [limit.kept_without for limit in why.limits] == [pytest.approx(plain.kept)] * 2
    groups = next(remedy.sensitive for remedy in plain.remedies if remedy.change == "sensitive")
    assert groups == ((0, 2),)


def test_nothing_lost_nothing_to_explain():
    joint = np.outer([1, 2, 3], [2, 2])
    why = explain(joint, merge(joint, 0.1))
    assert (why.kept, why.limits, why.remedies, why.compared_with) == (1, (), (), None)


def test_huge_joints_are_not_solved_again(monkeypatch):
    monkeypatch.setattr(effort, "MOST_CELLS", RARE.size)
    why = explain(RARE, merge(RARE, 2))
    assert why.compared_with is None
    assert why.limits[0].kept_without is None
    assert why.remedies == ()
    assert why.caps


def test_json_has_no_infinite_numbers():
    why = explain(RARE, merge(RARE, 2))
    document = json.loads(json.dumps(why.as_dict(), allow_nan=False))
    assert document["kept"] == why.kept


def test_only_mergings_of_this_joint_are_explained():
    channel = watchdog(RARE, 0.5, [0.5, 0.5, 0, 0, 0, 0])
    with pytest.raises(MechanismError, match="randomized"):
        explain(RARE, channel)
    with pytest.raises(MechanismError, match="other public values"):
        explain(RARE[:4], merge(RARE, 0.5))
