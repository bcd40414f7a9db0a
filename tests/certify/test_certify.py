"""What the certificate says about belief and about the goal: true of every release and value."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import loglift
import naive
from loglift.certify.certify import certify_written


def table(records=3000, secrets=4, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 12, records)
    secret = np.minimum(rng.geometric(0.25 + 0.03 * town), secrets)
    return pd.DataFrame(
        {"town": town, "ill": [f"ill {s}" for s in secret], "smokes": rng.random(records) < 0.3}
    )


BOUNDS = [
    {"eps": 0.3},
    {"eps": 0.3, "method": "randomized"},
    {"bound": loglift.Bound(math.inf, 0.25)},
    {"bound": loglift.Bound(0.5, math.inf)},
    {"bound": loglift.Bound(0.2, 0.6)},
]


@pytest.mark.parametrize("bound", BOUNDS)
def test_beliefs_after_every_released_value_are_within_what_is_certified(bound):
    frame = table()
    result = loglift.protect(frame, sensitive="ill", public="town", keep_order=True, **bound)
    beliefs = {belief.sensitive["ill"]: belief for belief in result.certificate.beliefs}
    shares = Counter(frame["ill"])
    assert {name: belief.before for name, belief in beliefs.items()} == {
        name: n / len(frame) for name, n in shares.items()
    }
    if "method" in bound:  # the draws fluctuate: what the mechanism says is in its channel
        channel = result.mechanism.channel
        joint = loglift.Joint.from_table(frame, sensitive="ill", public="town")
        released = (channel.T @ np.asarray(joint.mass)).astype(float)
        after = dict(
            zip(joint.sensitive, (released / released.sum(1, keepdims=True)).T, strict=True)
        )
    else:
        found = defaultdict(Counter)
        for y, s in zip(result.table["town"], frame["ill"], strict=True):
            found[y][s] += 1
        after = {s: [row[s] / row.total() for row in found.values()] for s in beliefs}
    assert len(after) == len(beliefs)
    for name, belief in beliefs.items():
        assert belief.least - 1e-9 <= min(after[name])
        assert max(after[name]) <= belief.most + 1e-9


def test_limits_on_the_other_values_count():
    """A half that may double stays below certainty, for the other half must keep a part."""
    frame = pd.DataFrame({"x": [0] * 50 + [1] * 50, "s": ["a", "b"] * 50})
    [a, _] = loglift.protect(frame, sensitive="s", public="x", eps=1).certificate.beliefs
    assert (a.before, a.least, a.most) == pytest.approx((0.5, np.exp(-1) / 2, 1 - np.exp(-1) / 2))
    [a, _] = loglift.protect(
        frame, sensitive="s", public="x", bound=loglift.Bound(math.inf, 0.25)
    ).certificate.beliefs
    assert a.least == pytest.approx(1 - np.exp(0.25) / 2)


def test_every_variable_is_told_on_its_own_and_every_value_is_written():
    frame = table(secrets=7)
    result = loglift.protect(frame, sensitive=["ill", "smokes"], public="town", eps=0.4, each=True)
    written = json.loads("".join(result.certificate.written()))["beliefs"]
    assert Counter(tuple(belief["sensitive"]) for belief in written) == {
        ("ill",): 7,
        ("smokes",): 2,
    }
    for name in ("ill", "smokes"):
        shares = [belief["before"] for belief in written if name in belief["sensitive"]]
        assert sum(shares) == pytest.approx(1)


def test_what_does_not_hold_promises_no_beliefs(tmp_path):
    frame = table()
    result = loglift.protect(frame, sensitive="ill", public="town", eps=0.3)
    (tmp_path / "mechanism.json").write_text(result.mechanism.to_json())
    other = frame.assign(ill=["ill 1" if town < 6 else "ill 2" for town in frame["town"]])
    assert result.certificate.beliefs
    found = loglift.verify(tmp_path / "mechanism.json", other)
    assert not found.holds
    assert found.beliefs == ()


def small(seed):
    """A table of 2 x 3 public values in columns without an order."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, 400), rng.integers(0, 3, 400)
    ill = rng.random(400) < 0.15 + 0.3 * a + rng.random() * 0.2 * b
    return pd.DataFrame({"a": np.array(list("uv"))[a], "b": np.array(list("xyz"))[b], "ill": ill})


def best_share(frame, weights, eps):
    """The largest weighted mean of what columns and rows keep, over all safe partitions."""
    records = Counter(zip(frame["a"], frame["b"], strict=True))
    values = list(records)
    counts = np.array(
        [
            [((frame["a"] == a) & (frame["b"] == b) & (frame["ill"] == s)).sum() for s in (0, 1)]
            for a, b in values
        ]
    )
    best = 0.0
    for labels in naive.partitions(len(values)):
        blocks = np.zeros((max(labels) + 1, 2))
        np.add.at(blocks, labels, counts)
        if naive.omega(blocks, counts).max() <= eps:
            place = dict(zip(values, labels, strict=True))
            means = {y: {x for x in values if place[x] == y} for y in labels}
            kept = naive.columns_kept(means, [(x, place[x], n) for x, n in records.items()])
            best = max(best, sum(w * share for w, (_, share) in zip(weights, kept, strict=True)))
    return best


@pytest.mark.parametrize("method", ["search", "exact", "greedy"])
def test_no_safe_partition_keeps_more_of_the_goal_than_the_certificate_says(method):
    proven = 0
    for seed in range(4):
        frame = small(seed)
        found = loglift.protect(
            frame, sensitive="ill", public=["a", "b"], eps=0.3, method=method
        ).certificate
        assert (found.goal, found.goal_words) == ("columns", "each column and whole rows")
        assert [target.name for target in found.targets] == ["a", "b", "whole rows"]
        best = best_share(frame, [target.weight for target in found.targets], 0.3)
        assert found.goal_share <= best + 1e-9 <= found.at_most + 2e-9
        kept = sum(target.weight * target.kept for target in found.targets)
        assert kept == pytest.approx(found.goal_share, abs=1e-9)
        proven += found.at_most < 1 - 1e-6
    assert proven > 0


def test_the_joint_goal_has_the_unit_of_the_information():
    found = loglift.protect(
        small(0), sensitive="ill", public=["a", "b"], eps=0.3, utility="joint"
    ).certificate
    assert (found.goal, found.goal_words, found.keeps_rows) == ("joint", "whole rows", True)
    assert (found.goal_kept, found.goal_most) == pytest.approx((found.utility, found.entropy))
    assert found.goal_share == 1 - found.nmil
    assert found.at_most == found.upper_bound / found.entropy
    [rows] = found.targets
    assert (rows.weight, rows.kept) == pytest.approx((1.0, 1 - found.nmil))


def test_a_table_that_stays_as_it_is_keeps_exactly_all_of_its_goal():
    found = loglift.protect(small(0), sensitive="ill", public=["a", "b"], eps=9).certificate
    assert found.goal_share == 1.0
    assert {column.unchanged for column in found.columns} == {1.0}
    assert {column.information for column in found.columns} == {1.0}


def test_a_mechanism_from_a_file_has_columns_and_no_goal(tmp_path):
    frame = small(0)
    result = loglift.protect(frame, sensitive="ill", public=["a", "b"], eps=0.3)
    result.mechanism.save(tmp_path / "mechanism.json")
    found = loglift.verify(tmp_path / "mechanism.json", frame)
    assert found.columns == result.certificate.columns == result.columns
    assert found.rows_unchanged == result.certificate.rows_unchanged
    assert (found.goal, found.goal_words, found.goal_kept, found.goal_most) == (None,) * 4
    assert (found.targets, found.upper_bound, found.at_most) == ((), None, 1.0)
    assert found.goal_share == 1 - found.nmil
    written = json.loads("".join(result.certificate.written()))
    assert written["columns"] == [vars(column) for column in result.columns]
    asked = loglift.protect(
        frame, sensitive="ill", public=["a", "b"], eps=0.3, importance={"a": 3}
    ).certificate
    assert json.loads("".join(asked.written()))["importance"] == {"a": 3}
    first, second, _ = asked.targets
    assert first.weight == pytest.approx(3 * second.weight)


def test_a_channel_that_leaves_its_intact_groups_is_not_released():
    rows = [
        (x, s) for x, ones in zip("abcd", (5, 2, 6, 3), strict=True) for s in [1] * ones + [0] * 4
    ]
    frame = pd.DataFrame(rows * 9, columns=["x", "s"])
    joint = loglift.Joint.from_table(frame, sensitive="s", public="x")
    apart = loglift.randomize(joint, 0.1, intact=[0, 0, 1, 1])
    assert certify_written(apart, joint).holds
    with pytest.raises(loglift.UnsafeError, match="failed its exact check"):
        certify_written(replace(apart, groups=np.array([0, 1, 1, 0])), joint)
