"""The study of subset size: its figures are those of the methods, measured by plain code."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from loglift.paper import subset_size
from loglift.paper.capped_greedy import capped_algorithm1
from loglift.paper.experiment import draw_joints
from loglift.paper.subset_size import EPS, SETTINGS, Setting


@pytest.fixture(scope="module")
def study():
    told = []
    with pytest.MonkeyPatch.context() as patched:
        small = (
            Setting("cap", 8, 4, (1, 2, 3, 8)),
            Setting("public", 5, 4, (2, None)),
            Setting("sensitive", 8, 3, (2, None)),
        )
        patched.setattr(subset_size, "SETTINGS", small)
        found = subset_size.RECIPE.run(3, 2, told.append)
        assert found == subset_size.RECIPE.run(3, 2, lambda _: None)  # the same seed, the same
    assert [progress.done for progress in told] == [0, 1, 2]
    return found


def points_of(study, method, sweep="cap"):
    return {p.max_block: p for p in study.points if (p.method, p.sweep) == (method, sweep)}


def test_the_cap_of_algorithm_1_trades_leakage_for_information(study):
    found = points_of(study, "greedy")
    joints = draw_joints(3, 2, 8, 4)
    for cap, point in found.items():
        leakages, losses, largest = [], [], []
        for joint in joints:
            blocks = capped_algorithm1(joint, EPS, cap)
            merged = {x for block in blocks for x in block}
            whole = blocks + [[x] for x in range(8) if x not in merged]
            rows = np.array([joint[block].sum(axis=0) for block in whole])
            leakages.append(naive.omega(rows, joint).max())
            p, q = joint.sum(axis=1), rows.sum(axis=1)
            losses.append(1 - (q * np.log(q)).sum() / (p * np.log(p)).sum())
            largest.append(max(map(len, whole)))
        assert point.leakage == pytest.approx(np.mean(leakages), rel=1e-5)
        assert point.nmil == pytest.approx(np.mean(losses), rel=1e-5, abs=1e-12)
        assert point.largest_block == pytest.approx(np.mean(largest), rel=1e-5)
        assert point.safe == pytest.approx(np.mean([each <= EPS + 1e-9 for each in leakages]))
    assert found[1].nmil == 0
    assert found[1].leakage > EPS > found[8].leakage


def test_search_is_within_eps_or_has_no_release(study):
    found = points_of(study, "search")
    assert found[1].safe == 0
    assert found[1].nmil is None
    assert found[8].safe == 1
    assert [found[cap].safe for cap in (1, 2, 3, 8)] == sorted(p.safe for p in found.values())
    for cap, point in found.items():
        if point.safe:
            assert point.leakage <= EPS + 1e-9
            assert point.largest_block <= cap
    assert found[8].nmil <= points_of(study, "greedy")[8].nmil + 1e-9


@pytest.mark.parametrize("sweep", ["cap", "public", "sensitive"])
def test_randomizing_loses_less_than_merging_without_a_cap(study, sweep):
    [randomized] = points_of(study, "randomized", sweep).values()
    merged = points_of(study, "search", sweep)
    assert randomized.nmil < merged[8 if sweep == "cap" else None].nmil
    assert randomized.leakage <= EPS + 1e-9
    assert randomized.largest_block is None


def test_charts_have_a_row_for_every_point_of_their_sweep(study):
    assert tuple(study.charts) == subset_size.CHARTS
    for name, spec in study.charts.items():
        sweep = name.partition("-")[0]
        rows = spec["data"]["values"]
        assert len(rows) == sum(point.sweep == sweep for point in study.points)
    capped = study.charts["public-nmil"]["data"]["values"]
    assert {row["curve"] for row in capped} == {
        "Algorithm 1",
        "Algorithm 1, K = 2",
        "Search",
        "Search, K = 2",
        "Randomized",
    }


def test_charts_show_means_of_search_where_every_draw_has_a_release(study):
    rows = study.charts["cap-nmil"]["data"]["values"]
    shown = {row["max_block"]: row["nmil"] for row in rows if row["method"] == "search"}
    found = points_of(study, "search")
    assert any(0 < point.safe < 1 for point in found.values())
    for cap, point in found.items():
        assert shown[cap] == (point.nmil if point.safe == 1 else None)


def test_the_cap_is_swept_at_the_size_of_the_paper():
    [cap] = [setting for setting in SETTINGS if setting.sweep == "cap"]
    assert (cap.public, cap.sensitive, max(cap.caps)) == (20, 13, 20)
    sizes = {(setting.public, setting.sensitive) for setting in SETTINGS}
    assert {(40, 13), (20, 2), (20, 20)} < sizes
