"""Values of different groups are never merged; each group is solved against the whole p(s)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

from loglift import Bound, Joint, PartitionError, UnsafeError, entropy, merge, refines
from loglift.measures.partition import canonical
from loglift.merging.merge import SEARCHING
from loglift.merging.problem import Problem
from loglift.merging.search import Options, search
from loglift.promise.bipartition import safe_rows
from loglift.sparse import block_sums
from naive import partitions
from strategies import bounds, joints

METHODS = ["search", "greedy", "complete", "ordered"]


@st.composite
def grouped(draw):
    """A joint and a group for each of its rows, in a few groups."""
    joint = draw(joints())
    n = joint.shape[0]
    groups = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    return joint, groups


def can_be_safe(joint, bound, groups):
    return bool(safe_rows(block_sums(Joint(joint).scaled, as_numbers(groups)), bound).all())


def as_numbers(groups):
    return canonical([ord(str(group)) for group in groups])


def test_safe_within_groups_or_refused():
    cases = Counter()

    @settings(max_examples=300)
    @given(grouped(), bounds(), st.sampled_from(METHODS))
    def check(case, bound, method):
        joint, groups = case
        runs = np.cumsum([a != b for a, b in zip(groups, [None, *groups[:-1]], strict=True)])
        apart = runs - 1 if method == "ordered" else as_numbers(groups)
        possible = bool(safe_rows(block_sums(Joint(joint).scaled, apart), bound).all())
        over = None if method == "ordered" else "all"
        cases[possible] += 1
        if not possible:
            with pytest.raises(UnsafeError, match="intact groups"):
                merge(joint, bound=bound, method=method, intact=groups, over=over)
            return
        brief = {"iterations": 30} if method in SEARCHING else {}
        found = merge(joint, bound=bound, method=method, intact=groups, over=over, **brief)
        assert found.safe
        assert refines(found.labels, apart)
        assert found.utility <= found.upper_bound + 1e-9

    check()
    assert min(cases[True], cases[False]) > 20


@settings(max_examples=100)
@given(grouped(), bounds(), st.sampled_from([0, 0.1]))
def test_small_alphabets_reach_the_optimum_within_groups(case, bound, share):
    joint, groups = case
    assume(len(joint) <= 7 and can_be_safe(joint, bound, groups))
    scaled, numbers, best = Joint(joint).scaled, as_numbers(groups), -math.inf
    least = share * scaled.sum()
    assume((block_sums(scaled.sum(axis=1), numbers) >= least).all())
    for labels in map(np.array, partitions(len(joint))):
        blocks = block_sums(scaled, labels)
        whole = refines(labels, numbers) and blocks.sum(axis=1).min() >= least
        if whole and safe_rows(blocks, bound).all():
            best = max(best, entropy(blocks.sum(axis=1)))
    count = share * joint.sum() or None
    found = merge(joint, bound=bound, intact=groups, iterations=300, min_count=count)
    assert found.utility == pytest.approx(best, abs=1e-9)
    assert best <= found.upper_bound + 1e-9


@settings(max_examples=50)
@given(grouped(), bounds())
def test_groups_are_solved_as_if_apart(case, bound):
    """Each group alone, with the rest of the table for its prior only, gives the same blocks."""
    joint, groups = case
    assume(can_be_safe(joint, bound, groups))
    mass, numbers, utility = Joint(joint).scaled, as_numbers(groups), 0.0
    for group in range(numbers.max() + 1):
        rows = np.flatnonzero(numbers == group)
        problem = replace(Problem.of(mass, bound), rows=rows)
        labels = search(problem, Options(iterations=300))
        p = block_sums(mass[rows].sum(axis=1), labels) / mass.sum()
        utility -= float((p * np.log(p)).sum())
    found = merge(joint, bound=bound, intact=groups, iterations=300 * len(joint))
    assert found.utility == pytest.approx(utility, abs=1e-9)


@settings(max_examples=60)
@given(grouped())
def test_one_group_for_all_is_no_group(case):
    joint, _ = case
    plain = merge(joint, 0.5, iterations=20)
    assert merge(joint, 0.5, intact=["all"] * len(joint), iterations=20).labels.tolist() == (
        plain.labels.tolist()
    )


@settings(max_examples=60)
@given(grouped(), bounds())
def test_a_start_is_cut_at_the_groups(case, bound):
    joint, groups = case
    assume(can_be_safe(joint, bound, groups))
    first = merge(joint, bound=bound, intact=groups, iterations=30)
    again = merge(joint, bound=bound, intact=groups, iterations=0, start=first.labels)
    assert again.utility >= first.utility - 1e-9
    whole = merge(joint, bound=bound, intact=groups, iterations=0, start=np.zeros(len(joint), int))
    assert whole.safe


def test_only_runs_that_no_other_group_interrupts_are_merged():
    joint = np.array([[2, 1], [1, 2], [1, 1], [2, 1], [1, 2]])
    found = merge(joint, 0.1, "ordered", intact=["a", "a", "b", "a", "a"])
    assert found.labels.tolist() == [0, 0, 1, 2, 2]


def test_a_mapping_says_the_same_as_a_list():
    joint = Joint([[3, 1], [1, 3], [2, 2], [2, 3]], public=["x", "y", "z", "w"])
    listed = merge(joint, 0.6, intact=["a", "a", "b", "b"])
    mapped = merge(joint, 0.6, intact={"w": 2, "x": 1, "y": 1, "z": 2})
    assert mapped.labels.tolist() == listed.labels.tolist()
    array = merge(joint, 0.6, intact=np.array([1, 1, 2, 2]))
    assert array.labels.tolist() == listed.labels.tolist()


def test_hopeless_groups_are_named_with_their_omega():
    joint = Joint([[3, 1], [1, 3], [9, 0], [2, 2]])
    with pytest.raises(
        UnsafeError, match=r"of 2 intact groups 1 .*'far' \(omega inf\).*no wider bound helps"
    ):
        merge(joint, 1, intact=["near", "near", "far", "near"])
    joint = Joint([[3, 1], [1, 3], [9, 1], [2, 9]])
    with pytest.raises(
        UnsafeError, match=r"'far' \(omega 1.574\), 'near' .*, or use a bound of 1.575"
    ):
        merge(joint, 0.1, intact=["near", "near", "far", "near"])


def test_an_upper_bound_minds_no_zeros():
    joint = [[3, 1], [1, 3], [9, 1], [0, 2]]
    bound = Bound(math.inf, 0.2)
    with pytest.raises(UnsafeError, match=r"1 \(omega 0.5108\)"):
        merge([[2, 1], [1, 2], [1, 2], [0, 1]], bound=bound, intact=[0, 0, 0, 1])
    assert merge(joint, bound=Bound(math.inf, 2), intact=[0, 0, 0, 1]).safe


def test_groups_with_too_few_records_are_named():
    joint = [[3, 3], [2, 2], [4, 4], [2, 2]]
    with pytest.raises(UnsafeError, match=r"of 2 intact groups 1 .*'b' \(8\)"):
        merge(joint, 1, intact=["a", "a", "b", "a"], min_count=9)


@pytest.mark.parametrize(
    ("groups", "match"),
    [
        (["a"], "1 groups for 2"),
        ("ab", "must be a list"),
        (3, "must be a list"),
        ({0: "a"}, "no group for 1 public values: 1"),
        ([["a"], ["b"]], "hashable"),
    ],
)
def test_bad_groups_are_refused(groups, match):
    with pytest.raises(PartitionError, match=match):
        merge([[3, 1], [1, 3]], 1, intact=groups)
