"""A mechanism: its released values, its file, and what is refused."""

from __future__ import annotations

import pickle

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given

from loglift import (
    Bound,
    BoundError,
    InputError,
    Joint,
    JointError,
    Mechanism,
    MechanismError,
    PartitionError,
    TableError,
    UnsafeError,
    Utility,
    bipartition,
    log_lift,
    merge,
    merge_subsets,
    protect,
    randomize,
    watchdog,
)
from loglift.measures import information_of_complete_merging
from random_joints import random_goal, random_joint_of_table
from strategies import bounds, count_joints, joints, labelled

METHODS = ["complete", "greedy"]
UNSAFE = pl.DataFrame({"x": ["a"] * 50 + ["b"] * 50 + ["c"] * 4, "s": ["y", "n"] * 50 + ["y"] * 4})


@given(joints(), st.floats(0.01, 2))
def test_greedy_keeps_at_least_what_complete_merging_keeps(joint, eps):
    complete, greedy = (merge(joint, eps, method=method) for method in METHODS)
    assert greedy.utility >= complete.utility - 1e-12
    assert greedy.safe or not complete.safe


@given(joints(), bounds(), st.sampled_from(METHODS))
def test_absorb_is_always_safe_and_changes_nothing_that_is(joint, bound, method):
    absorbed, plain = (merge(joint, bound=bound, method=method, over=o) for o in ("all", None))
    assert absorbed.safe
    assume(plain.safe)
    assert absorbed.labels.tolist() == plain.labels.tolist()


def test_where_the_paper_has_no_answer_the_mechanism_says_so():
    counts = [[6, 0], [5, 1], [20, 20]]
    published = merge(counts, 0.3, method="greedy")
    assert not published.safe
    assert published.leakage > 0.3
    assert not published.optimal
    assert "NOT SAFE" in repr(published)
    absorbed = merge(counts, 0.3, method="greedy", over="all")
    assert absorbed.safe
    assert absorbed.leakage <= 0.3


@given(joints(), st.floats(0.01, 1), st.integers(0, 2**32 - 1))
def test_the_watchdog_leaks_and_keeps_the_same_whatever_r_is(joint, eps, seed):
    high_risk = bipartition(joint, eps).high_risk
    assume(high_risk.size > 0)
    rule = np.random.default_rng(seed).random(high_risk.size) + 0.01
    mechanism, plain = watchdog(joint, eps, rule), merge(joint, eps, method="complete")
    logs = log_lift(mechanism.release(joint))
    for y in high_risk:
        np.testing.assert_allclose(logs[y], logs[high_risk[0]], atol=1e-9)
    assert mechanism.utility == pytest.approx(plain.utility, abs=1e-9)
    assert mechanism.leakage == pytest.approx(plain.leakage, abs=1e-9)
    assert mechanism.safe == plain.safe
    assert mechanism.labels is None


@given(joints(), st.floats(0.01, 1))
def test_the_watchdog_has_the_form_of_equation_3(joint, eps):
    parts, mechanism = bipartition(joint, eps), watchdog(joint, eps)
    low, high = parts.low_risk, parts.high_risk
    assert (mechanism.channel[np.ix_(low, low)] == np.eye(low.size)).all()
    assert not mechanism.channel[np.ix_(low, high)].any()
    assert not mechanism.channel[np.ix_(high, low)].any()
    assert (mechanism.channel[high, high[:1]] == 1).all()
    closed_form = information_of_complete_merging(joint.sum(axis=1), high)
    assert mechanism.utility == pytest.approx(closed_form, abs=1e-9)


@given(labelled(), st.integers(0, 2**32 - 1))
def test_subset_merging_leaks_and_keeps_the_same_whatever_the_r_are(case, seed):
    joint, labels = case
    rng = np.random.default_rng(seed)
    subsets = [np.flatnonzero(labels == block) for block in np.unique(labels)]
    rules = [rng.random(subset.size) + 0.01 for subset in subsets]
    plain, random = merge_subsets(joint, 1, subsets), merge_subsets(joint, 1, subsets, rules)
    assert random.utility == pytest.approx(plain.utility, abs=1e-9)
    assert random.leakage == pytest.approx(plain.leakage, abs=1e-9)


@given(count_joints(), st.sampled_from(METHODS))
def test_released_counts_are_sums_of_counts(counts, method):
    joint = Joint(counts, public=[f"v{i}" for i in range(len(counts))])
    mechanism = merge(joint, 0.5, method=method)
    released = mechanism.release(joint)
    assert released.is_counts
    assert released.total == joint.total
    for block, members in enumerate(mechanism.blocks):
        rows = [joint.public.index(member) for member in members]
        assert (released.mass[block] == counts[rows].sum(axis=0)).all()


def test_generators_of_subsets_and_rules_are_taken():
    made = merge_subsets(JOINT, 1, (s for s in [[0, 1]]), (r for r in [[0.5, 0.5]]))
    assert made.utility == pytest.approx(merge_subsets(JOINT, 1, [[0, 1]]).utility)


def test_results_cannot_be_written_to():
    joint = Joint(JOINT)
    mechanism = merge(joint, 1, method="greedy")
    arrays = [joint.p_public, joint.probabilities, mechanism.labels, mechanism.channel]
    for array in [*arrays, pickle.loads(pickle.dumps(joint)).mass]:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


JOINT = [[3, 1], [1, 3], [2, 2]]
RENAMED = Joint(JOINT, public=["a", "b", "c"])
REORDERED = Joint(JOINT, public=["c", "b", "a"])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: merge([[1, -1]], 1, method="greedy"), JointError),
        (lambda: merge(JOINT, -1, method="greedy"), BoundError),
        (lambda: merge(JOINT, "1", method="greedy"), BoundError),
        (lambda: merge(JOINT, float("nan"), method="complete"), BoundError),
        (lambda: merge(JOINT, 1, method="best"), MechanismError),
        (lambda: merge(JOINT, 1, method=np.ones(2)), MechanismError),
        (lambda: merge(JOINT, 1, method="greedy", over=np.zeros(3)), MechanismError),
        (lambda: merge(JOINT, 10**400, method="greedy"), BoundError),
        (lambda: watchdog(JOINT, 0.1, [1e-200, 1]), MechanismError),
        (lambda: merge_subsets(JOINT, 1, None), PartitionError),
        (lambda: merge_subsets(JOINT, 1, [[0, 1]], 5), MechanismError),
        (
            lambda: merge_subsets(JOINT, 1, (s for s in [[0, 1]]), (r for r in [[1]])),
            MechanismError,
        ),
        (lambda: watchdog(np.random.default_rng(0).random((20000, 2)), 0.1), MechanismError),
        (lambda: merge(RENAMED, 1, method="greedy").release(REORDERED), MechanismError),
        (lambda: watchdog(JOINT, 0.1, [1]), MechanismError),
        (lambda: watchdog(JOINT, 0.1, [-1, 2]), MechanismError),
        (lambda: watchdog(JOINT, 0.1, [0, 0]), MechanismError),
        (lambda: watchdog(JOINT, 9, [1]), MechanismError),
        (lambda: merge_subsets(JOINT, 1, [[0, 7]]), PartitionError),
        (lambda: merge_subsets(JOINT, 1, [[0, 1], [1]]), PartitionError),
        (lambda: merge_subsets(JOINT, 1, [[0, 1]], []), MechanismError),
        (lambda: merge_subsets(JOINT, 1, [[0, 1]], [[1]]), MechanismError),
        (lambda: merge(JOINT, 1, method="greedy").release([[1, 2]]), MechanismError),
        (lambda: watchdog(JOINT, 0.1).blocks, MechanismError),
        (lambda: bipartition([[0, 0]], 1), JointError),
    ],
)
def test_bad_input_is_refused_with_the_typed_error(call, error):
    with pytest.raises(error) as raised:
        call()
    assert isinstance(raised.value, InputError)
    assert str(raised.value)


def test_values_never_seen_get_a_block_of_their_own():
    table = pl.DataFrame({"x": ["a", "b", "c"] * 8, "s": ["y", "n", "n", "n", "y", "n"] * 4})
    joint = Joint.from_table(table, sensitive="s", public="x")
    plain = merge(joint, 0.1)
    with pytest.raises(TableError, match="1 value was not seen when the mechanism was made: 'z'"):
        plain.rows_of([("z",)])
    with pytest.raises(TableError, match=r"'z': remove them$"):  # values cannot be suppressed
        plain.shown_as_values(joint).rows_of([("z",)])
    suppressing = plain.with_suppressed()
    assert suppressing.rows_of([("z",), ("a",)]).tolist() == [plain.size, plain.lookup["a",]]
    assert suppressing.released[0].values[-1] == "(suppressed)"


def test_a_mechanism_that_is_not_safe_has_no_file(tmp_path):
    joint = Joint.from_table(UNSAFE, sensitive="s", public="x")
    greedy = merge(joint, 0.5, method="greedy")
    assert not greedy.safe
    for unsafe in (greedy, Mechanism.from_channel(joint, np.eye(3), 0.01)):
        with pytest.raises(UnsafeError, match="not written"):
            unsafe.save(tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()


def test_every_kind_of_mechanism_is_pickled_and_saved(tmp_path):
    joint = Joint.from_table(UNSAFE, sensitive="s", public="x")
    made = [
        merge_subsets(joint, 9, [[0, 1, 2]]),
        merge(joint, 1),
        randomize(joint, 0.5),
        watchdog(joint, bound=Bound(np.inf, 5)),
    ]
    for mechanism in made:
        again = pickle.loads(pickle.dumps(mechanism))
        assert (again.leakage, again.released) == (mechanism.leakage, mechanism.released)
        mechanism.save(tmp_path / "m.json")
        assert Mechanism.load(tmp_path / "m.json").released == mechanism.released
    suppressing = pickle.loads(pickle.dumps(made[1].with_suppressed()))
    assert suppressing.released[0].values[-1] == "(suppressed)"


@pytest.mark.parametrize(
    "public", [[np.nan, None, 1], ["a", ("b", "c"), 3], [np.int64(3), np.str_("x"), 2.5]]
)
def test_labels_of_a_joint_come_back_from_the_file(public, tmp_path):
    joint = Joint([[4, 2], [3, 4], [2, 2]], public=public)
    merge(joint, 1).save(tmp_path / "m.json")
    back = Mechanism.load(tmp_path / "m.json")
    assert back.public == joint.public
    assert back.measured(joint).safe


@pytest.mark.parametrize("public", [["a", ("a",)], ["\ud800", "b"]])
def test_labels_that_no_file_can_hold_are_refused_as_what_they_are(public, tmp_path):
    joint = Joint([[4, 3], [3, 4]], public=public)
    with pytest.raises(MechanismError, match="cannot be written to a file"):
        merge(joint, 1).save(tmp_path / "m.json")


def test_a_file_knows_the_groups_of_its_intact_columns():
    rows = [(a, b, s) for a in "uv" for b in range(4) for s in "ny" for _ in range(2 + b)]
    table = pl.DataFrame(rows, schema=["a", "b", "s"], orient="row")
    release = protect(table, sensitive="s", public=["a", "b"], eps=0.5, intact="a")
    back = Mechanism.from_json(release.mechanism.to_json())
    assert back.groups.tolist() == release.mechanism.groups.tolist() == [0] * 4 + [1] * 4


def test_a_mechanism_with_a_goal_is_pickled():
    rng = np.random.default_rng(0)
    joint = random_joint_of_table(rng)
    goal, _ = random_goal(rng, joint)
    made = merge(joint, 0.5, utility=goal)
    again = pickle.loads(pickle.dumps(made))
    assert again.figures == made.figures
    assert again.labels.tolist() == made.labels.tolist()
    assert again.measured(joint).utility == made.utility
    assert repr(again.goal) == repr(made.goal)


def test_a_mechanism_from_a_file_has_the_joint_goal():
    joint = random_joint_of_table(np.random.default_rng(1))
    made = merge(joint, 0.5, utility=Utility.columns())
    loaded = Mechanism.from_json(made.to_json())
    assert loaded.goal.is_joint
    assert loaded.measured(joint).utility == pytest.approx(made.information)
