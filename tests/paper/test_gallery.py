"""The paper's figures with curves of one's own."""

from __future__ import annotations

import numpy as np
import pytest

from loglift import Bound, InputError, merge
from loglift.paper import draw_joints, figure, read_data
from loglift.paper.experiment import run

DRAWS = 60
EPS = read_data("figures")["eps"]


def rows(shown, name):
    return [row for row in shown.spec["data"]["values"] if row["method"] == name]


@pytest.mark.parametrize("name", ["privacy", "nmil", "put"])
def test_a_stack_merged_by_algorithm_1_lies_on_the_papers_curve(name):
    own = merge(draw_joints(DRAWS, seed=0), EPS, "greedy")
    shown = figure(name, draws=DRAWS).with_curve("mine", own)
    for mine, theirs in zip(rows(shown, "mine"), rows(shown, "Algorithm 1"), strict=True):
        for key in ("eps", "ours", "nmil", *(() if name == "put" else ("low", "high"))):
            assert mine[key] == pytest.approx(theirs[key], abs=1e-12)
    scale = shown.spec["encoding"]["color"]["scale"]
    assert scale["domain"] == ["Algorithm 1", "Complete merging", "mine"]
    assert len(set(scale["range"])) == 3
    assert shown._repr_mimebundle_(include={"image/svg+xml"})["image/svg+xml"].startswith("<svg")


def test_numbers_are_points_too_and_curves_add_up():
    first = figure("nmil", draws=DRAWS).with_curve("a", [(1.0, 0.2, 0.05), (2.0, 0.1)])
    shown = first.with_curve("b", [(1.0, 0.3)])
    assert [(row["eps"], row["ours"], row["low"]) for row in rows(shown, "a")] == [
        (1.0, 0.2, pytest.approx(0.15)),
        (2.0, 0.1, 0.1),
    ]
    assert len(rows(shown, "b")) == 1
    assert rows(first, "b") == []
    put = figure("put", draws=DRAWS).with_curve("a", [(1.0, 0.4, 0.9)])
    assert [(row["nmil"], row["ours"]) for row in rows(put, "a")] == [(0.4, 0.9)]


def test_the_statistics_are_those_of_the_experiment():
    joints = draw_joints(DRAWS, seed=2)
    own = merge(joints, [0.5], "complete")
    [point] = rows(figure("privacy", draws=DRAWS).with_curve("mine", own), "mine")
    expected = run([joints], [0.5])["complete", 0.5].max_omega_high_risk
    assert point["ours"] == pytest.approx(np.nanmean(expected))


def test_what_is_refused():
    shown, stack = figure("nmil", draws=DRAWS), draw_joints(3, seed=0)
    with pytest.raises(InputError, match="no figure 'leakage'"):
        figure("leakage")
    with pytest.raises(InputError, match="already"):
        shown.with_curve("Algorithm 1", [(1, 0.5)])
    with pytest.raises(InputError, match="eps, mean"):
        shown.with_curve("a", [(1,)])
    with pytest.raises(InputError, match="finite"):
        shown.with_curve("a", [(1, float("inf"))])
    with pytest.raises(InputError, match="eps, NMIL, leakage"):
        figure("put", draws=DRAWS).with_curve("a", [(1, 0.5)])
    merged = merge(stack, [0.5, 1], "greedy")
    for points, got in (
        (merged[0, 0], "Mechanism"),
        ([], r"\[\]"),
        (stack, "of shape"),
        (3, "int"),
    ):
        with pytest.raises(InputError, match=f"is a MergedStack, .*, got .*{got}"):
            shown.with_curve("a", points)
    for points in ([(2, 0.1), (1, 0.2)], [(0, 0.1)], [(1, 0.1), (1, 0.2)]):
        with pytest.raises(InputError, match="eps positive and increasing"):
            shown.with_curve("a", points)
    with pytest.raises(InputError, match="against eps"):
        shown.with_curve("a", merge(stack, bound=[Bound(1, 2)], method="greedy"))
    with pytest.raises(InputError, match="no joint has a high-risk value"):
        figure("privacy", draws=DRAWS).with_curve("a", merge(stack, [50.0], "greedy"))
