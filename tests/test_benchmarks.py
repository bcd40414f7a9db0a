"""The benchmarks' own arithmetic: what a ratio is, what is lost, what the page says."""

from __future__ import annotations

import importlib
import json
import math
import sys
from pathlib import Path

import pytest

import naive

ROOT = Path(__file__).parents[1]


@pytest.fixture
def script(monkeypatch):
    """Import scripts of benchmarks/ as they import each other, and forget them afterwards."""
    folder = ROOT / "benchmarks"
    monkeypatch.syspath_prepend(str(folder))
    yield importlib.import_module
    for path in folder.glob("*.py"):
        sys.modules.pop(path.stem, None)


def test_leakage_and_kept_of_a_hand_made_release():
    sensitive = "yyyn" + "ynnn"
    leaks = naive.leakage(zip("aaaabbbb", sensitive, strict=True))
    assert leaks == pytest.approx(math.log(2))  # p(n|a)/p(n) = (1/4)/(1/2)
    assert naive.leakage(zip("aaaabbbb", "yyyyyynn", strict=True)) == math.inf
    assert naive.leakage(zip("cccccccc", sensitive, strict=True)) == 0
    assert naive.kept(zip("abcd", "abcd", strict=True)) == pytest.approx(1)
    assert naive.kept(zip("abcd", "xxyy", strict=True)) == pytest.approx(0.5)
    assert naive.kept(zip("abcd", "xxxx", strict=True)) == pytest.approx(0)


def test_suppressed_rows_are_one_value(script, tmp_path):
    peers = script("peers")
    rows = [{"x": x, "s": s} for x, s in zip("aabbccdd", "ynynyyyn", strict=True)]
    table = peers.Table(tmp_path / "table.csv", rows)
    made = tmp_path / "released.csv"
    made.write_text("row,x\n0,a\n1,a\n2,b\n3,b\n")
    found = peers.measure(table, peers.Case("s", ("x",)), made, 1.0)
    assert found.kept == pytest.approx(1.5 * math.log(2) / math.log(4))  # H(Y)/H(X)
    # c and d together: p(n) = 1/4 against 3/8; a and b: 1/2 against 3/8
    assert found.leakage == pytest.approx(math.log(3 / 2))


@pytest.mark.parametrize(
    ("direction", "kept", "lost"),
    [("at least", 71, 69), ("above", 71, 69), ("at most", 100 / 0.71, 100 / 0.69)],
)
def test_check_allows_29_percent_and_refuses_31(script, direction, kept, lost):
    check = script("check")
    before = {"a: speed": {"ratio": 100, "direction": direction}}
    assert check.losses(before, {"a: speed": {"ratio": kept, "direction": direction}}) == {}
    found = check.losses(before, {"a: speed": {"ratio": lost, "direction": direction}})
    assert list(found) == ["a: speed"]
    assert found["a: speed"].startswith("100 in the baseline")


def test_check_believes_a_loss_that_shows_twice(script):
    check = script("check")
    before = {f"{name}: speed": {"ratio": 100, "direction": "at least"} for name in check.FAST}

    def measuring(first, second):
        asked, ratios = [], [first, second]

        def measure(scripts):
            asked.append(list(scripts))
            ratio = ratios.pop(0)
            return {f"{n}: speed": {"ratio": ratio if n == "exact" else 100} for n in asked[-1]}

        return measure, asked

    once, asked = measuring(50, 90)
    assert check.lost_twice(before, once) == {}
    assert asked == [list(check.FAST), ["exact"]]
    twice, _ = measuring(50, 60)
    assert list(check.lost_twice(before, twice)) == ["exact: speed"]
    never, asked = measuring(100, 0)
    assert check.lost_twice(before, never) == {}
    assert len(asked) == 1


def test_check_misses_a_ratio_that_is_gone_and_one_that_was_infinite(script):
    check = script("check")
    before = {"a: kept": {"ratio": "inf", "direction": "above"}}
    assert check.losses(before, {}) == {"a: kept": "in the baseline, but not measured"}
    assert len(check.losses(before, {"a: kept": {"ratio": 9, "direction": "above"}})) == 1
    assert check.losses(before, {"a: kept": {"ratio": "inf", "direction": "above"}}) == {}


def test_the_baseline_is_about_the_scripts_of_the_fast_part(script):
    check = script("check")
    baseline = json.loads(check.BASELINE.read_text("utf-8"))
    assert {name.partition(":")[0] for name in baseline} == set(check.FAST)


@pytest.mark.parametrize(
    ("ratio", "direction", "reached"),
    [(50, "at least", True), (49, "at least", False), (50, "at most", True), (50, "above", False)],
)
def test_a_bar(script, ratio, direction, reached):
    harness = script("harness")
    assert harness.Ratio("name", 1, ratio, ratio, 50, direction).reached is reached
    assert harness.Ratio("name", 1, ratio, ratio, None, direction).reached is None


def test_sides_run_in_turns_and_medians_are_taken(script):
    harness = script("harness")
    order = []

    def side(name, values):
        return lambda: order.append(name) or values.pop()

    found = harness.interleaved({"a": side("a", [9, 1, 2]), "b": side("b", [3, 4, 8])}, 3)
    assert order == ["a", "b"] * 3
    assert found == {"a": 2, "b": 4}


def test_what_is_written_is_what_the_page_reads(script, tmp_path):
    harness, page = script("harness"), script("page")
    run = harness.Run("other", "About it.", tmp_path)
    run.compare(harness.faster("fast", 1.0, 100.0, 50, "slow code"))
    run.compare(harness.ahead("kept", 0.5, 0.0, "above", "nothing", "of H(X)"))
    run.compare(harness.within("late", 4.0, 2.0, 1.5, "early"))
    run.curves.append(harness.Curve("rows", "rows", [{"x": 10, "seconds": 1.0}], 1.25))
    run.write()
    text = page.page(page.read(tmp_path))
    assert "2 of 3 bars are reached. Not reached:\n\n- other: late: 2, bar at most 1.5" in text
    assert "| fast | slow code | 100 s | 1 s | 100 | at least 50 | reached |" in text
    assert "| kept | nothing | 0 of H(X) | 0.5 of H(X) | infinite | above 1 | reached |" in text
    assert "Time grows with rows as x^1.25" in text
    assert "![Seconds by rows](benchmarks/other-rows-seconds.svg)" in text


def test_the_committed_page_is_made_of_the_committed_results(script):
    page, drawing = script("page"), script("drawing")
    documents = page.read()
    assert documents
    assert (page.DOCS / "benchmarks.md").read_text("utf-8") == page.page(documents)
    named = {f"{d['name']}-{chart.name}.svg" for d in documents for chart in drawing.charts(d)}
    assert {path.name for path in (page.DOCS / "benchmarks").glob("*.svg")} == named


def test_exponents_are_of_the_last_decades(script):
    growth = script("growth")
    points = [{"x": 10.0**k, "seconds": 1.0 if k < 3 else 10.0 ** (2 * (k - 3))} for k in range(6)]
    assert growth.exponent(points) == pytest.approx(2)
    assert growth.exponent(points[:1]) is None
