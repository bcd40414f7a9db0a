"""Why a release keeps no more, and what would help."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from loglift import Bound, Joint, MechanismError, explain, merge, watchdog
from loglift.explain import again
from loglift.joint import Column
from loglift.promise.known import Known
from loglift.utility.utility import Utility
from strategies import bounds, joints


def test_dropping_a_limit_never_loses():
    cases = Counter()

    @settings(max_examples=60)
    @given(joints(), bounds())
    def check(joint, bound):
        found = merge(joint, bound=bound, iterations=20)
        why = explain(joint, found)
        assert why.kept == pytest.approx(1 - found.nmil)
        cases[why.compared_with is not None] += 1
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

    check()
    assert min(cases[True], cases[False]) > 3


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


def test_other_limits_are_told_too():
    joint = np.array([[11, 20], [20, 41], [32, 60], [25, 53]])
    groups = ["x", "x", "y", "y"]
    found = merge(joint, 1, intact=groups, min_count=60)
    why = explain(joint, found)
    assert {remedy.change for remedy in why.remedies} == {"min_count"}
    found = merge(joint, 0.02, intact=groups)
    helps = {r.change for r in explain(joint, found).remedies}
    assert "intact" in helps


def test_a_poor_method_is_told_to_search():
    joint = np.random.default_rng(0).integers(1, 30, (12, 3))
    found = merge(joint, 0.3, "complete", over="all")
    assert "search" in {remedy.change for remedy in explain(joint, found).remedies}


def test_shares_are_of_the_goal():
    """What the explanation of a release for its columns says is in units of that goal."""
    rng = np.random.default_rng(3)
    codes = np.arange(40)
    columns = (
        Column("a", "text", None, tuple("abcdefgh"), codes // 5),
        Column("b", "text", None, tuple("vwxyz"), codes % 5),
    )
    joint = Joint(rng.integers(1, 30, (40, 3))).with_columns(columns)
    found = merge(joint, 0.2, utility=Utility.columns(), iterations=500)
    why = explain(joint, found)
    assert why.kept == pytest.approx(found.utility)
    assert why.kept != pytest.approx(1 - found.nmil, abs=0.01)
    assert why.kept - 1e-9 <= why.compared_with <= found.upper_bound + 1e-9
    helps = {remedy.change: remedy.kept for remedy in why.remedies}
    wider = merge(joint, 0.4, utility=Utility.columns(), iterations=500)
    assert helps["eps"] <= wider.upper_bound + 1e-9
    assert helps["eps"] == pytest.approx(wider.utility, abs=0.02)
    for limit in why.limits:
        assert limit.kept_without is None or limit.kept_without >= why.compared_with - 1e-9


def test_an_ordered_release_stays_ordered():
    joint = np.random.default_rng(1).integers(0, 5, (15, 3)) + np.eye(15, 3, dtype=int)
    found = merge(joint, 0.5, "ordered")
    why = explain(joint, found)
    assert why.compared_with == pytest.approx(why.kept)


def test_several_variables_are_bounded_each():
    """Twice the same variable is the same problem: the same limits bind, twice."""
    once = Joint(RARE)
    twice = Joint(np.hstack([RARE, RARE]), sensitive=list("abcdef"), variables=list("xxxyyy"))
    plain, why = (explain(joint, merge(joint, 2, min_count=3)) for joint in (once, twice))
    assert [limit.sensitive for limit in why.limits] == ["c", "f"]
    assert why.kept == pytest.approx(plain.kept)
    assert why.compared_with == pytest.approx(plain.compared_with)
    assert [limit.records_with for limit in why.limits] == [2, 2]
    assert [limit.kept_without for limit in why.limits] == [pytest.approx(plain.kept)] * 2
    groups = next(remedy.sensitive for remedy in plain.remedies if remedy.change == "sensitive")
    assert groups == ((0, 2),)


def test_nothing_lost_nothing_to_explain():
    joint = np.outer([1, 2, 3], [2, 2])
    why = explain(joint, merge(joint, 0.1))
    assert (why.kept, why.limits, why.remedies, why.compared_with) == (1, (), (), None)


def test_huge_joints_are_not_solved_again(monkeypatch):
    monkeypatch.setattr(again, "MAX_GAINS", RARE.size)
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


def test_only_plain_problems_are_explained():
    counts = np.stack([RARE // 2, RARE - RARE // 2], axis=1)
    refused = {
        "kept to readers who know more": {"eps": 3, "promises": [Known(counts)]},
        "single sensitive values have bounds": {"bound": Bound.symmetric(2).with_values({2: None})},
        "only whole blocks of an earlier": {"eps": 2, "coarser_than": [0, 0, 1, 1, 2, 2]},
    }
    for reason, options in refused.items():
        with pytest.raises(MechanismError, match=reason):
            explain(RARE, merge(RARE, **options))
    assert len(refused) == 3


def test_the_value_that_costs_most_without_its_bound_is_a_remedy():
    joint = Joint(RARE, sensitive=["a", "b", "rare"])
    [remedy] = [r for r in explain(joint, merge(joint, 2)).remedies if r.change == "unbounded"]
    assert remedy.sensitive == (("rare",),)
    assert remedy.option is None  # there is no table to name a column of
    reached = merge(joint, bound=Bound.symmetric(2).with_values({"rare": None}))
    assert remedy.kept == pytest.approx(1 - reached.nmil)


def test_the_bound_of_a_common_value_is_not_offered_to_be_taken_off():
    common = np.array([[9, 1, 20], [1, 9, 20], [5, 4, 30], [2, 6, 3], [4, 4, 20]])
    two = RARE[:, 1:] + [[0, 1]]
    for joint in (common, two):
        why = explain(joint, merge(joint, 0.2))
        assert any(limit.kept_without for limit in why.limits)
        assert "unbounded" not in {remedy.change for remedy in why.remedies}
