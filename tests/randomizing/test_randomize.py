"""The best channel, against the slow one that tries every vertex, and what must hold of any."""

from __future__ import annotations

import math
import re
from collections import Counter

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings

import naive
from loglift import (
    Bound,
    Joint,
    JointError,
    Known,
    MechanismError,
    PartitionError,
    Target,
    UnsafeError,
    Utility,
    UtilityError,
    entropy,
    merge,
    omega,
    randomize,
)
from loglift.measures import mutual_information
from loglift.paper.experiment import draw_joints
from loglift.promise.integers import exactly_safe
from loglift.promise.lift import LiftPromise
from loglift.randomizing.master import Master
from loglift.randomizing.polytope import Posteriors
from loglift.randomizing.vertices import all_vertices
from strategies import bounds, count_joints, joints, positive_joints


@settings(max_examples=40)
@given(st.one_of(count_joints(5, 3), positive_joints(5, 3)), bounds())
def test_equals_the_optimum_over_all_vertices(joint, bound):
    found = randomize(joint, bound=bound)
    best = naive.best_channel(joint, bound.lower, bound.upper)
    assert found.utility == pytest.approx(best, abs=1e-6)
    assert found.upper_bound >= best - 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("eps", [0.2, 1])
def test_equals_the_optimum_with_four_sensitive_values(seed, eps):
    counts = np.random.default_rng(seed).poisson(3, (7, 4)) + np.eye(7, 4, dtype=np.int64)
    found = randomize(counts, eps)
    assert found.utility == pytest.approx(naive.best_channel(counts, eps, eps), abs=1e-6)
    assert found.optimal


@settings(max_examples=60)
@given(joints(), bounds())
def test_what_holds_of_any_release(joint, bound):
    found = randomize(joint, bound=bound)
    p = joint.sum(axis=1) / joint.sum()
    assert found.safe
    assert found.method == "randomized"
    np.testing.assert_allclose(found.channel.sum(axis=1), 1, atol=1e-12)
    assert found.channel.shape[1] <= len(joint)
    assert (p @ found.channel).min() > 0
    assert found.utility == pytest.approx(mutual_information(p, found.channel), abs=1e-9)
    assert found.utility <= found.upper_bound <= entropy(p) + 1e-9
    assert found.utility >= merge(joint, bound=bound, iterations=50).utility - 1e-9
    released = found.channel.T @ (joint / joint.sum())
    logs = naive.omega(released, joint)
    if bound.lower == bound.upper:
        assert logs.max() <= bound.upper + 1e-9


@pytest.mark.parametrize("eps", [0.25, 0.5, 1, 2])
def test_the_size_of_the_paper_is_solved_and_proven(eps):
    """The proof is by branch and bound, independent of how the channel was found."""
    for joint in draw_joints(2, seed=11):
        found = randomize(joint, eps)
        assert found.optimal
        assert found.leakage <= eps * (1 + 1e-9)
        assert found.utility >= merge(joint, eps, iterations=200).utility
        again = randomize(joint, eps, seed=1)
        assert again.utility == pytest.approx(found.utility, rel=1e-8)


def test_the_same_for_the_same_seed():
    joint = draw_joints(1, seed=3)[0]
    one, two = (randomize(joint, 0.5, seed=7, rounds=3) for _ in range(2))
    np.testing.assert_array_equal(one.channel, two.channel)


@pytest.mark.parametrize("least", [None, 0.03])
def test_more_rounds_never_give_less_and_the_bound_holds_throughout(least):
    joint = np.random.default_rng(5).random((12, 9))
    min_count = None if least is None else least * joint.sum()
    best = randomize(joint, 0.2).utility
    utilities = []
    for rounds in (0, 2, 50):
        found = randomize(joint, 0.2, rounds=rounds, min_count=min_count)
        assert found.safe
        assert found.upper_bound >= best - 1e-9
        utilities.append(found.utility)
    assert (np.diff(utilities) >= -1e-9).all()
    assert utilities[-1] > utilities[0]


@settings(max_examples=40)
@given(joints(), bounds(), st.floats(0.05, 1))
def test_min_count_holds_for_every_released_value(joint, bound, share):
    least = share * joint.sum()
    found = randomize(joint, bound=bound, min_count=least)
    expected = joint.sum(axis=1) @ found.channel
    assert expected.min() >= least * (1 - 1e-9)
    assert found.safe
    merged = merge(joint, bound=bound, min_count=least, iterations=100)
    assert found.utility >= merged.utility - 1e-9


def test_a_start_that_is_safe_is_never_lost():
    joint = np.random.default_rng(0).random((12, 6))
    tight = merge(joint, 0.3)
    loose = randomize(joint, 0.6, start=tight.labels, rounds=0)
    assert loose.utility >= tight.utility
    several = randomize(joint, 0.6, start=[tight.labels, np.arange(12)], rounds=0)
    assert several.safe
    assert several.utility >= tight.utility


def test_progress_is_told_and_grows():
    told = []
    randomize(draw_joints(1, seed=5)[0], 0.25, on_progress=told.append)
    assert [step.done for step in told] == list(range(1, len(told) + 1))
    assert (np.diff([step.utility for step in told]) >= -1e-9).all()


def test_nothing_to_hide_is_released_as_it_is():
    found = randomize([[1, 2], [2, 4], [3, 6]], 0)
    assert found.nmil == pytest.approx(0, abs=1e-12)
    assert found.optimal
    assert omega(found.release(Joint([[1, 2], [2, 4], [3, 6]]))).max() < 1e-9


@pytest.mark.parametrize("counts", [[[5, 3, 2]], [[1], [2], [3]], [[7]]])
def test_one_value_on_either_side(counts):
    found = randomize(counts, 0.1)
    assert found.safe
    assert found.optimal
    assert found.nmil == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("eps", [0, 1e-14, 1e-11, 1e-7])
def test_nearly_flat_polytopes_end_safe(eps):
    counts = np.random.default_rng(2).poisson(3, (6, 3)) + np.eye(6, 3, dtype=np.int64)
    found = randomize(counts, eps)
    assert found.safe
    assert found.upper_bound >= naive.best_channel(counts, eps, eps) - 1e-6


@pytest.mark.parametrize("bound", [Bound(math.inf, 0.3), Bound(0.3, math.inf), Bound(1000, 1)])
def test_zeros_and_sides_that_bind_nothing(bound):
    counts = np.array([[9, 0, 0, 1], [0, 9, 0, 1], [0, 0, 9, 1], [3, 3, 3, 1], [1, 0, 0, 0]])
    found = randomize(counts, bound=bound)
    assert found.safe
    assert found.utility == pytest.approx(
        naive.best_channel(counts, bound.lower, bound.upper), abs=1e-6
    )


def test_a_few_hundred_values_are_solved_well():
    """Too many for vertices to be listed and for the proof to close: still far above merging."""
    rng = np.random.default_rng(4)
    counts = rng.poisson(2, (150, 5)) + rng.poisson(0.3, (150, 1)) + 1
    found, merged = (f(counts, 0.3) for f in (randomize, merge))
    assert found.safe
    assert merged.nmil > 1.4 * found.nmil
    assert found.upper_bound >= found.utility


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"rounds": -1}, MechanismError),
        ({"seed": 1.5}, MechanismError),
        ({"min_count": 0}, MechanismError),
        ({"min_count": 100}, UnsafeError),
        ({"start": [0]}, PartitionError),
        ({"start": [[0, 1], [0]]}, PartitionError),
    ],
)
def test_bad_options_are_refused(options, error):
    with pytest.raises(error):
        randomize([[3, 1], [1, 3]], 1, **options)


def test_a_stack_is_told_where_stacks_are_taken():
    joint = Joint([[3, 1], [1, 3]])
    for stack in (np.ones((2, 2, 2)), [joint, joint]):
        with pytest.raises(JointError, match="stacks are for merge and the measures"):
            randomize(stack, 1)


def test_rare_sensitive_values_lose_nothing_between_the_program_and_the_channel():
    """With lifts in the hundreds rounding is at its worst: nothing may have to be pulled inside."""
    rng = np.random.default_rng(1)
    counts = rng.poisson(rng.gamma(0.3, 20, (140, 1)) * rng.dirichlet(np.full(5, 0.3), 140))
    counts = np.hstack([counts, np.zeros((140, 2), dtype=np.int64)])
    counts[rng.choice(140, 4, replace=False), 5] = 1
    counts[rng.choice(140, 6, replace=False), 6] = 2
    counts[:, 0] += counts.sum(axis=1) == 0
    told = []
    found = randomize(counts, 1, rounds=25, on_progress=told.append)
    assert found.safe
    assert found.utility == pytest.approx(told[-1].utility, abs=1e-6)


@pytest.mark.parametrize(
    ("shape", "seed", "eps"),
    [((30, 7), 0, 1e-9), ((40, 5), 0, 2e-9), ((25, 2), 1, 1e-8), ((16, 14), 1, 1e-8)],
)
def test_posteriors_that_hardly_differ_are_solved(shape, seed, eps):
    """Here HiGHS finds no solution with its least tolerance."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(3000, rng.dirichlet(np.full(math.prod(shape), 0.5))).reshape(shape)
    found = randomize(counts[counts.any(axis=1)], eps)
    assert found.safe
    assert found.utility <= found.upper_bound


@pytest.mark.parametrize(
    "eps", [0, 5e-324, 1e-300, 1e-15, 1e-13, 1e-12, 1e-11, 1e-9, 700, 1e4, 1e308]
)
def test_no_bound_is_too_extreme(eps):
    counts = np.random.default_rng(0).integers(1, 60, (12, 4))
    found = randomize(counts, eps)
    assert found.safe
    assert found.utility >= randomize(counts, 0).utility - 1e-6
    assert found.upper_bound >= found.utility
    assert eps < 1 or found.nmil == 0


def test_without_a_solution_the_release_is_constant(monkeypatch):
    monkeypatch.setattr(Master, "_optimal", False)
    joint = np.random.default_rng(2).random((6, 3))
    found = randomize(joint, 0.3)
    assert found.safe
    assert found.utility >= merge(joint, 0.3).utility - 1e-9
    assert found.upper_bound >= found.utility
    assert randomize(joint, 0.01).safe


def counted(seed, columns=1, rows=2000, values=12):
    """A table in which s depends on x, and the joint counted from it."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, values, rows)
    frame = {"x": x}
    for i in range(columns):
        frame[f"s{i}"] = (rng.random(rows) < 0.2 + 0.5 * x / values).astype(int) + i
    joint = Joint.from_table(
        pl.DataFrame(frame), sensitive=[f"s{i}" for i in range(columns)], public="x"
    )
    return joint.apart()


@pytest.mark.parametrize("eps", [0.0, 1e-9, 0.1, 0.5])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("min_count", [None, 150])
def test_the_channel_of_a_table_is_safe_in_whole_numbers(eps, columns, min_count):
    joint = counted(3, columns)
    found = randomize(joint, eps, min_count=min_count)
    assert found.safe
    table = np.zeros((len(joint.public), found.exact_channel.size), dtype=object)
    for x, row in enumerate(found.exact_channel.rows):
        for y, numerator in row:
            table[x, y] = numerator
    assert (table.sum(axis=1) == 2**52).all()
    for variable in joint.variables:
        shown = table.T @ joint.mass[:, variable.place].astype(object)
        assert exactly_safe(shown, Bound.symmetric(eps)).all()
    if min_count is not None:
        assert (table.T @ joint.weight.astype(object) >= min_count * 2**52).all()
    plain = randomize(Joint(joint.mass), eps, min_count=min_count and min_count * columns)
    assert plain.exact_channel is None
    assert found.utility <= plain.upper_bound + 1e-9
    if eps > 0 or min_count is None:  # else whole numbers that are independent of S must be merged
        assert found.utility == pytest.approx(plain.utility, abs=1e-4)
    assert found.upper_bound == pytest.approx(plain.upper_bound, abs=1e-9)


def aimed(n, seed):
    """Targets p(u|x) of n public values with weights, some of them functions of x; a utility."""
    rng = np.random.default_rng(seed)
    tables = []
    for _ in range(int(rng.integers(1, 4))):
        if rng.random() < 0.5:
            table = np.eye(3)[rng.integers(0, 3, n)]
        else:
            table = rng.dirichlet(np.full(3, rng.choice([0.1, 1.0])), n)
        tables.append((float(rng.uniform(0.1, 1)), table[:, table.any(axis=0)]))
    joint_weight = float(rng.choice([0.001, 0.1, 1.0]))
    targets = [Target.given(f"u{i}", table, w) for i, (w, table) in enumerate(tables)]
    return tables, joint_weight, Utility.of(targets, joint_weight=joint_weight)


@settings(max_examples=60)
@given(
    st.one_of(count_joints(6, 3, min_public=2), positive_joints(6, 3)),
    bounds(),
    st.integers(0, 2**32 - 1),
)
def test_equals_the_optimum_over_all_vertices_for_any_utility(joint, bound, seed):
    tables, joint_weight, utility = aimed(len(joint), seed)
    p = joint.sum(axis=1) / joint.sum()
    parts = naive.nat_weights(p, tables, joint_weight)
    found = randomize(joint, bound=bound, utility=utility)
    best = naive.best_channel_for(joint, bound.lower, bound.upper, parts)
    assert found.safe
    assert found.goal is utility
    assert found.utility == pytest.approx(best, abs=1e-7)
    assert best - 1e-9 <= found.upper_bound <= utility.most(Joint(joint)) + 1e-9
    assert found.utility <= found.upper_bound
    assert found.information == pytest.approx(mutual_information(p, found.channel), abs=1e-9)
    merged = merge(joint, bound=bound, method="exact", utility=utility)
    assert found.utility >= merged.utility - 1e-9
    assert found.upper_bound >= merged.utility - 1e-9


def test_the_joint_utility_is_the_default():
    joint = np.random.default_rng(6).random((9, 4))
    plain, same = randomize(joint, 0.4), randomize(joint, 0.4, utility=Utility.joint())
    np.testing.assert_array_equal(plain.channel, same.channel)
    assert (same.utility, same.upper_bound) == (plain.utility, plain.upper_bound)
    assert same.goal.is_joint


def test_a_target_survives_better_when_it_is_the_goal():
    joint = np.random.default_rng(8).random((12, 4))
    groups = np.eye(3)[np.arange(12) % 3]
    goal = Utility.of([Target.given("group", groups)], joint_weight=0.01)
    for_group, for_rows = randomize(joint, 0.2, utility=goal), randomize(joint, 0.2)
    p = joint.sum(axis=1) / joint.sum()

    def about_group(found):
        shares = groups.T @ (p[:, np.newaxis] * found.channel)
        return mutual_information(shares.sum(axis=1), shares / shares.sum(axis=1, keepdims=True))

    assert about_group(for_group) > 1.2 * about_group(for_rows)
    assert for_rows.information > for_group.information
    assert for_group.optimal


@settings(max_examples=25)
@given(joints(), bounds(), st.floats(0.05, 1), st.integers(0, 2**32 - 1))
def test_min_count_holds_for_any_utility(joint, bound, share, seed):
    assume(len(joint) > 1)
    _, _, utility = aimed(len(joint), seed)
    least = share * joint.sum()
    found = randomize(joint, bound=bound, min_count=least, utility=utility)
    assert (joint.sum(axis=1) @ found.channel).min() >= least * (1 - 1e-9)
    assert found.safe
    merged = merge(joint, bound=bound, min_count=least, utility=utility, iterations=100)
    assert found.utility >= merged.utility - 1e-9
    assert found.utility <= found.upper_bound


@pytest.mark.parametrize("eps", [0.1, 0.3, 1])
def test_too_many_vertices_to_list_with_targets(eps):
    """30 x 5 values: climbing finds the channel, and branch and bound proves that it is best.

    At the tightest bound the proof may end a little above it.
    """
    rng = np.random.default_rng(0)
    joint = rng.random((30, 5))
    assert all_vertices(Posteriors.of(LiftPromise.of(joint, Bound.symmetric(eps)))) is None
    groups = [np.eye(6)[np.arange(30) % 6], np.eye(5)[np.arange(30) // 6]]
    for tables in (groups, [rng.dirichlet(np.ones(4), 30)]):
        targets = [Target.given(f"u{i}", table) for i, table in enumerate(tables)]
        utility = Utility.of(targets, joint_weight=1)
        found = randomize(joint, eps, utility=utility)
        assert found.safe
        assert found.upper_bound < 1.001 * found.utility
        assert found.optimal or eps <= 0.1
        assert found.utility > merge(joint, eps, utility=utility).utility
        again = randomize(joint, eps, utility=utility, seed=1)
        assert again.utility == pytest.approx(found.utility, rel=1e-8)
        searched = merge(joint, eps, utility=utility, seed=0)
        for rounds in (0, 2):
            early = randomize(joint, eps, utility=utility, rounds=rounds)
            assert early.safe
            assert early.utility <= found.utility + 1e-9
            assert early.upper_bound >= found.utility - 1e-9
            assert early.utility >= searched.utility - 1e-9


def test_hundreds_of_values_with_targets_have_a_valid_bound():
    rng = np.random.default_rng(4)
    counts = rng.poisson(2, (150, 5)) + 1
    utility = Utility.of([Target.given("band", np.eye(10)[np.arange(150) // 15])], joint_weight=0.5)
    found = randomize(counts, 0.3, utility=utility, rounds=15)
    merged = merge(counts, 0.3, utility=utility)
    assert found.safe
    assert found.utility > merged.utility + 0.02
    assert found.utility <= found.upper_bound < 1


@pytest.mark.parametrize("spread", [0.1, 1e-3])
def test_a_target_that_x_says_little_about_is_kept_all_the_same(spread):
    """Per nat such a target is worth much, so that costs have to be scaled."""
    rng = np.random.default_rng(2)
    joint = rng.random((6, 3))
    table = 0.5 + spread * np.outer(rng.normal(size=6), [1, -1]) / 4
    utility = Utility.of([Target.given("u", table)], joint_weight=0.01)
    parts = naive.nat_weights(joint.sum(axis=1) / joint.sum(), [(1.0, table)], 0.01)
    found = randomize(joint, 0.2, utility=utility)
    assert found.utility == pytest.approx(naive.best_channel_for(joint, 0.2, 0.2, parts), abs=1e-7)
    assert found.upper_bound >= found.utility > 0.3


@pytest.mark.parametrize("eps", [0.0, 1e-9, 0.1, 0.5])
@pytest.mark.parametrize("min_count", [None, 150])
@pytest.mark.parametrize("sensitive", [["ill"], ["ill", "old"]])
def test_the_channel_for_the_columns_of_a_table_is_safe_in_whole_numbers(eps, min_count, sensitive):
    rng = np.random.default_rng(5)
    first, second = rng.integers(0, 5, 2000), rng.integers(0, 3, 2000)
    ill = (rng.random(2000) < 0.2 + 0.1 * first).astype(int) + (rng.random(2000) < 0.3 * second)
    old = first + rng.integers(0, 3, 2000) > 3
    frame = pl.DataFrame({"age": first, "job": second.astype(str), "ill": ill, "old": old})
    joint = Joint.from_table(frame, sensitive=sensitive, public=["age", "job"]).apart()
    found = randomize(joint, eps, utility=Utility.columns(), min_count=min_count)
    table = np.zeros((len(joint.public), found.exact_channel.size), dtype=object)
    for x, row in enumerate(found.exact_channel.rows):
        for y, numerator in row:
            table[x, y] = numerator
    assert found.safe
    assert (table.sum(axis=1) == 2**52).all()
    for variable in joint.variables:
        shown = table.T @ joint.mass[:, variable.place].astype(object)
        assert exactly_safe(shown, Bound.symmetric(eps)).all()
    if min_count is not None:
        assert (table.T @ joint.weight.astype(object) >= min_count * 2**52).all()
    assert found.utility == pytest.approx(Utility.columns().kept(joint, found.channel), abs=1e-12)
    assert found.utility <= found.upper_bound + 1e-9 <= 1 + 2e-9
    merged = merge(joint, eps, "exact", utility=Utility.columns(), min_count=min_count)
    assert found.utility >= merged.utility - 1e-6
    if eps == 0.1 and min_count is None:
        assert found.utility > merged.utility + 0.1
        assert found.upper_bound == pytest.approx(found.utility, abs=1e-6)


def test_columns_are_asked_for_where_there_are_none():
    with pytest.raises(UtilityError, match="no columns"):
        randomize([[3, 1], [1, 3]], 1, utility=Utility.columns())


@pytest.mark.parametrize("size", [10, 80])
def test_without_time_the_channel_is_safe_and_the_bound_is_one(size):
    mass = np.random.default_rng(size).random((size, 5))
    hasty, patient = (randomize(mass, 0.5, time_limit=limit) for limit in (0, 20))
    assert hasty.safe
    assert hasty.utility <= patient.utility + 1e-9 <= patient.upper_bound + 2e-9
    assert patient.upper_bound <= hasty.upper_bound + 1e-9
    with pytest.raises(MechanismError, match="time_limit"):
        randomize(mass, 0.5, time_limit=-1)


def as_sets(channel, groups):
    """The groups that each released value may come from."""
    return [{groups[x] for x in np.flatnonzero(column)} for column in channel.T]


def test_intact_groups_equal_the_optimum_over_all_vertices_or_are_refused():
    """The same groups that merging refuses, in the same words."""
    cases = Counter()

    @settings(max_examples=80)
    @given(count_joints(6, 3), bounds(), st.lists(st.sampled_from("ab"), min_size=6, max_size=6))
    def check(counts, bound, letters):
        groups = letters[: len(counts)]
        try:
            merge(counts, bound=bound, intact=groups, iterations=1)
        except UnsafeError as error:
            cases["refused"] += 1
            with pytest.raises(UnsafeError, match=re.escape(str(error))):
                randomize(counts, bound=bound, intact=groups)
            return
        found = randomize(counts, bound=bound, intact=groups)
        best = naive.best_channel_in_groups(counts, groups, bound.lower, bound.upper)
        assert found.utility == pytest.approx(best, abs=1e-6)
        assert found.upper_bound >= best - 1e-6
        assert found.safe
        assert all(len(each) == 1 for each in as_sets(found.channel, groups))
        cases[len(set(groups))] += 1

    check()
    assert min(cases["refused"], cases[2]) > 10


@pytest.mark.parametrize("goal", [Utility.joint(), Utility.columns()])
def test_intact_groups_of_a_table_are_exactly_safe_and_proven(goal):
    """What is kept in all is what the groups keep together, targets included."""
    rng = np.random.default_rng(5)
    rows = {"sex": rng.choice(["f", "m"], 900), "town": rng.choice(list("abcde"), 900)}
    ill = (rng.random(900) < 0.3 + 0.1 * (rows["town"] > "b") - 0.1 * (rows["sex"] == "f")) * 1
    table = pl.DataFrame({**rows, "ill": ill})
    joint = Joint.from_table(table, sensitive="ill", public=["sex", "town"])
    sexes = [value[0] for value in joint.tuples]
    found = randomize(joint, 0.1, utility=goal, intact=sexes)
    merged = merge(joint, 0.1, utility=goal, intact=sexes)
    numerators = found.exact_channel.numerators()
    assert exactly_safe(numerators.T.astype(object) @ joint.mass, Bound.symmetric(0.1)).all()
    assert all(len(each) == 1 for each in as_sets(numerators, sexes))
    assert merged.utility < found.utility <= found.upper_bound + 1e-12
    assert found.optimal
    assert "intact groups apart" in found.upper_bound_scope
    assert found.utility < randomize(joint, 0.1, utility=goal).utility
    assert found.released[0].values == tuple(
        next(iter(each)) for each in as_sets(numerators, sexes)
    )


def test_intact_groups_with_readers_and_a_least_count():
    counts = np.random.default_rng(1).integers(5, 60, (3, 8, 2))  # of k, x and s
    joint, groups = Joint(counts.sum(axis=0)), list("ababbaab")
    known = Known(counts.transpose(1, 0, 2))
    found = randomize(joint, 0.6, promises=[known], intact=groups, min_count=30)
    assert found.safe
    assert all(len(each) == 1 for each in as_sets(found.channel, groups))
    assert (joint.weight @ found.channel).min() >= 30 * (1 - 1e-9)
    drawn = np.einsum("kxs,xy->kys", counts, found.channel)
    lifts = drawn / drawn.sum(axis=2, keepdims=True)
    lifts /= (counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, np.newaxis])[:, np.newaxis]
    assert np.abs(np.log(lifts)).max() <= 0.6 + 1e-9
    assert found.utility < randomize(joint, 0.6, intact=groups, min_count=30).utility
    with pytest.raises(UnsafeError, match="intact groups 2 have fewer"):
        randomize(joint, 0.6, intact=groups, min_count=joint.total)


def test_a_start_is_cut_at_the_groups_and_time_is_shared():
    counts, groups = np.random.default_rng(0).integers(1, 30, (80, 9)), ["a", "b"] * 40
    start = merge(counts, 0.4, intact=groups)
    found = randomize(counts, 0.4, intact=groups, start=start.labels, rounds=0, time_limit=1)
    assert found.utility >= start.utility - 1e-9
    assert randomize(counts, 0.4, intact=groups, start=np.zeros(80, int), rounds=0).safe


def test_one_group_is_no_group_and_groups_of_one_value_stay_as_they_are():
    counts = np.array([[30, 28], [20, 24], [11, 9]])
    one = randomize(counts, 0.05, intact=["all"] * 3)
    np.testing.assert_array_equal(one.channel, randomize(counts, 0.05).channel)
    apart = randomize(counts, 0.5, intact=[0, 1, 2])
    np.testing.assert_array_equal(apart.channel, np.eye(3))
    assert apart.optimal
