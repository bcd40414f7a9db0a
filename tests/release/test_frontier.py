from __future__ import annotations

import csv
import io
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings

import loglift
import naive
from loglift import frontier, least_eps
from loglift.errors import BoundError, InputError, MechanismError, UnsafeError
from loglift.release.frontier import eps_grid
from strategies import count_joints

GRID = (0.1, 0.3, 0.5, 1.0, 2.0)


@settings(max_examples=25)
@given(count_joints(min_public=2))
def test_a_looser_bound_never_keeps_less_and_every_point_is_safe(counts):
    found = frontier(counts, GRID[::-1], ["search", "greedy"], iterations=50)
    search = found.series("search")
    assert [point.eps for point in search] == list(GRID)
    assert [point.kept for point in search] == sorted(point.kept for point in search)
    assert all(point.safe and point.leakage <= point.eps + 1e-9 for point in found.points)
    for best, other in zip(search, found.series("greedy"), strict=True):
        assert best.kept >= other.kept - 1e-9
        assert best.kept <= best.at_most + 1e-9


@settings(max_examples=15)
@given(count_joints(min_public=2, max_public=6))
def test_small_frontiers_reach_the_optimum(counts):
    found = frontier(counts, (0.3, 1.0)).points
    assert [point.eps for point in found] == [0.3, 1.0]
    for point in found:
        assert point.utility == pytest.approx(
            naive.best_utility(counts.astype(float), point.eps, point.eps), abs=1e-9
        )


@settings(max_examples=25)
@given(count_joints(min_public=2))
def test_the_least_eps_keeps_what_was_asked_and_a_smaller_one_was_not_found_to(counts):
    top = frontier(counts, [50.0]).points[0].kept
    share = 0.8 * top
    assume(share > 0)
    found = least_eps(counts, share)
    assert found.kept >= share
    assert found.mechanism.leakage <= found.eps
    assert loglift.merge(counts, found.eps, start=found.mechanism.labels).nmil <= 1 - share + 1e-12
    assert round(found.eps * 1000) == pytest.approx(found.eps * 1000)


def test_the_least_eps_of_a_small_joint_is_the_true_one():
    counts = np.array([[30, 10], [10, 30], [25, 20], [12, 14], [40, 37]])
    share = 0.9
    # The utility of every partition and the eps it needs, by brute force.
    needs = []
    total = -sum(p * np.log(p) for p in counts.sum(axis=1) / counts.sum())
    for labels in naive.partitions(len(counts)):
        blocks = np.zeros((max(labels) + 1, 2))
        np.add.at(blocks, labels, counts)
        mass = blocks.sum(axis=1) / counts.sum()
        if -(mass * np.log(mass)).sum() >= share * total:
            needs.append(naive.omega(blocks, counts).max())
    assert min(needs) <= least_eps(counts, share).eps <= min(needs) + 0.006


def test_all_of_it_needs_the_leakage_there_is_and_zeros_rule_it_out():
    counts = np.array([[30, 10], [10, 30], [20, 21]])
    assert least_eps(counts, 1).eps == pytest.approx(loglift.omega(counts).max(), abs=0.002)
    with pytest.raises(UnsafeError, match="at most"):
        least_eps([[10, 0], [10, 5], [3, 9]], 1)


def test_a_bound_too_tight_for_a_group_has_no_point():
    counts = [[30, 10], [28, 12], [10, 30], [12, 29]]
    found = frontier(counts, (0.1, 0.7, 1.0), intact=["a", "a", "b", "b"])
    assert [point.eps for point in found.points] == [0.7, 1.0]
    assert least_eps(counts, 0.9, intact=["a", "a", "b", "b"]).eps > 0.1
    with pytest.raises(UnsafeError):
        frontier(counts, [0.1], intact=["a", "a", "b", "b"])


def test_a_table_needs_the_names_of_its_columns():
    table = pl.DataFrame({"x": ["a", "b"] * 9, "s": ["y", "n", "n"] * 6})
    with pytest.raises(InputError, match="name its sensitive and public columns"):
        frontier(table)
    with pytest.raises(InputError, match="name both"):
        frontier(table, sensitive="s")
    with pytest.raises(InputError, match="bins are for tables"):
        frontier([[3, 1], [1, 3]], bins={"x": 5})


def test_exact_is_a_method_like_the_others():
    counts = [[30, 10], [10, 30], [25, 20], [12, 14], [40, 37]]
    found = frontier(counts, (0.2, 0.5), ["exact", "search"])
    assert len(found.points) == 4
    for exact, search in zip(found.series("exact"), found.series("search"), strict=True):
        assert exact.kept == pytest.approx(exact.at_most)
        assert exact.kept >= search.kept - 1e-12


def test_forms_say_the_same():
    found = frontier([[30, 10], [10, 30], [20, 20]], (0.2, 1.0), ["search", "complete"])
    document = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == len(document["points"]) == 4
    for row, point in zip(rows, document["points"], strict=True):
        assert float(row["kept"]) == point["kept"]
        assert row["method"] == point["method"]
    assert found.methods == ("search", "complete")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1:0.5:0.1", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("1", (1.0,)),
        ("0.5,1,2", (0.5, 1.0, 2.0)),
        ("0:1:0.4", (0.0, 0.4, 0.8)),
    ],
)
def test_eps_grids(text, expected):
    assert eps_grid(text) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "1:2", "2:1:0.1", "1:2:0", "1:2:-1", "0:1:1e-9", "1:x:1"]
)
def test_bad_eps_grids_are_refused_with_the_form(text):
    with pytest.raises(BoundError, match=r"0\.1:3:0\.1"):
        eps_grid(text)


@pytest.mark.parametrize("method", ["greedy", "complete", "ordered", "exact"])
def test_every_method_keeps_at_the_least_eps_what_was_asked(method):
    """Algorithm 1 may keep less at a bound that its own partition is inside of."""
    less = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        counts = rng.integers(1, 40, (int(rng.integers(5, 14)), 3))
        found = least_eps(counts, 0.5, method)
        options = {} if method == "ordered" else {"over": "all"}
        assert 1 - loglift.merge(counts, found.eps, method, **options).nmil >= 0.5
        rows = np.repeat(np.arange(counts.size), counts.ravel())
        table = pl.DataFrame({"x": rows // 3, "s": rows % 3})
        made = loglift.protect(
            table,
            sensitive="s",
            public="x",
            method=method,
            utility="joint",
            min_information=0.5,
        )
        assert 1 - made.certificate.nmil >= 0.5
        enough = found.mechanism.leakage + 1e-3  # for the same partition
        less += 1 - loglift.merge(counts, enough, method, **options).nmil < 0.5
    assert (less > 0) == (method == "greedy")


def test_bad_options_are_refused():
    counts = [[3, 1], [1, 3]]
    for eps in ([], [-1.0], [float("inf")], [float("nan")]):
        with pytest.raises(BoundError):
            frontier(counts, eps)
    with pytest.raises(MechanismError, match="no method"):
        frontier(counts, [1], ["best"])
    for share in (0, 1.1, -1, "0.9", True, float("nan")):
        with pytest.raises(InputError, match="min_information"):
            least_eps(counts, share)
