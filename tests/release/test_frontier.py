"""A sweep of eps: what is kept rises with the bound, and every point is safe."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings

import naive
from loglift import Joint, Utility, frontier, randomize
from loglift.errors import BoundError, MechanismError, UnsafeError
from loglift.release.frontier import limit_grid
from strategies import count_joints

GRID = (0.1, 0.3, 0.5, 1.0, 2.0)


@settings(max_examples=25)
@given(count_joints(min_public=2))
def test_a_looser_bound_never_keeps_less_and_every_point_is_safe(counts):
    found = frontier(counts, GRID[::-1], ["search", "greedy"], iterations=50)
    search = found.series("search")
    assert [point.limit for point in search] == list(GRID)
    assert [point.kept for point in search] == sorted(point.kept for point in search)
    assert all(point.safe and point.leakage <= point.limit + 1e-9 for point in found.points)
    for best, other in zip(search, found.series("greedy"), strict=True):
        assert best.kept >= other.kept - 1e-9
        assert best.kept <= best.at_most + 1e-9


@settings(max_examples=15)
@given(count_joints(min_public=2, max_public=6))
def test_small_frontiers_reach_the_optimum(counts):
    found = frontier(counts, (0.3, 1.0)).points
    assert [point.limit for point in found] == [0.3, 1.0]
    for point in found:
        assert point.utility == pytest.approx(
            naive.best_utility(counts.astype(float), point.limit, point.limit), abs=1e-9
        )


def test_a_bound_too_tight_for_a_group_has_no_point():
    counts = [[30, 10], [28, 12], [10, 30], [12, 29]]
    found = frontier(counts, (0.1, 0.7, 1.0), intact=["a", "a", "b", "b"])
    assert [point.limit for point in found.points] == [0.7, 1.0]
    with pytest.raises(UnsafeError):
        frontier(counts, [0.1], intact=["a", "a", "b", "b"])


def test_exact_is_a_method_like_the_others():
    counts = [[30, 10], [10, 30], [25, 20], [12, 14], [40, 37]]
    found = frontier(counts, (0.2, 0.5), ["exact", "search"])
    assert len(found.points) == 4
    for exact, search in zip(found.series("exact"), found.series("search"), strict=True):
        assert exact.kept == pytest.approx(exact.at_most)
        assert exact.kept >= search.kept - 1e-12


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1:0.5:0.1", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("1", (1.0,)),
        ("0.5,1,2", (0.5, 1.0, 2.0)),
        ("0:1:0.4", (0.0, 0.4, 0.8)),
    ],
)
def test_limit_grids(text, expected):
    assert limit_grid(text) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "1:2", "2:1:0.1", "1:2:0", "1:2:-1", "0:1:1e-9", "1:x:1"]
)
def test_bad_limit_grids_are_refused_with_the_form(text):
    with pytest.raises(BoundError, match=r"0\.1:3:0\.1"):
        limit_grid(text)


def test_a_grid_from_above_to_below_says_so():
    with pytest.raises(BoundError, match=r"'1:0\.5:0\.1' is empty, FROM is above TO"):
        limit_grid("1:0.5:0.1")


def test_bad_options_are_refused():
    counts = [[3, 1], [1, 3]]
    for eps in ([], [-1.0], [float("inf")], [float("nan")]):
        with pytest.raises(BoundError):
            frontier(counts, eps)
    with pytest.raises(MechanismError, match="no method"):
        frontier(counts, [1], ["best"])


@settings(max_examples=10, deadline=None)
@given(count_joints(min_public=2, max_public=6))
def test_random_draws_keep_at_least_what_merging_keeps(counts):
    found = frontier(counts, (0.3, 1.0), ["randomized", "exact"])
    assert found.methods == ("randomized", "exact")
    for drawn, merged in zip(found.series("randomized"), found.series("exact"), strict=True):
        assert drawn.kept >= merged.kept - 1e-6
        assert drawn.safe
        assert drawn.leakage <= drawn.limit + 1e-9


def test_random_draws_of_a_table_and_what_they_do_not_take():
    table = pd.DataFrame({"x": list("aabbccdd") * 6, "z": [1, 2] * 24, "s": [0, 1, 1] * 16})
    columns = {"sensitive": "s", "public": ["x", "z"]}
    found = frontier(table, (0.2, 0.5), ["randomized", "search"], **columns)
    [first, _] = found.series("randomized")
    alone = randomize(Joint.from_table(table, **columns), 0.2, utility=Utility.columns())
    assert first.utility == pytest.approx(alone.utility, rel=1e-6)
    assert first.at_most_scope == alone.upper_bound_scope
    [apart] = frontier(table, (0.5,), ["randomized"], **columns, intact=["z"]).points
    assert "intact groups apart" in apart.at_most_scope
    assert apart.safe
    with pytest.raises(MechanismError, match="iterations"):
        frontier(table, (0.5,), ["randomized"], **columns, iterations=5)
