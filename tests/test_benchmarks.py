"""The arithmetic of the benchmarks: ratios, losses against a base, the page."""

from __future__ import annotations

import importlib
import math
import subprocess
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


def sides(before, now):
    """Two sides that give the figures listed, one after the other, and the order of their calls."""
    order, given = [], {"base": iter(before), "now": iter(now)}

    def side(name):
        def measure(case):
            order.append((name, case))
            return next(given[name])

        return measure

    return side("base"), side("now"), order


def seconds(*values):
    return [{"seconds": value} for value in values]


@pytest.mark.parametrize("figure", ["seconds", "gigabytes", "lost"])
def test_check_allows_29_percent_more_and_refuses_31(script, figure):
    check = script("check")
    assert check.Pair({figure: 100}, {figure: 129}).lost() == []
    assert check.Pair({figure: 100}, {figure: 131}).lost() == [figure]
    assert check.Pair({figure: 131}, {figure: 100}).lost() == []


def test_check_compares_figures_that_both_sides_have(script):
    check = script("check")
    pair = check.Pair({"seconds": 1, "lost": 0}, {"seconds": 1, "gigabytes": 9, "lost": 0})
    assert pair.ratios() == {"seconds": 1, "lost": 1}
    assert check.Pair({"lost": 0}, {"lost": 0.1}).lost() == ["lost"]


def test_check_runs_both_sides_in_turns_and_takes_the_smallest_figures(script):
    check = script("check")
    rounds = check.MAX_ROUNDS
    times = [5, 4, 3, 4, 5, 6, 7, 8][:rounds]
    before, now, order = sides(seconds(*times), seconds(*(2 * t for t in times)))
    pair = check.interleaved("case", before, now, clock=lambda: 0)
    assert pair == check.Pair({"seconds": 3}, {"seconds": 6})
    assert len(order) == 2 * rounds
    firsts = [order[i][0] for i in range(0, len(order), 2)]
    assert firsts == (["base", "now"] * rounds)[:rounds]


def test_check_stops_when_the_time_of_a_case_is_used_up(script):
    check = script("check")
    before, now, order = sides(seconds(*[1] * 9), seconds(*[1] * 9))
    ticks = iter([0, *[check.CASE_SECONDS + 1] * 9])
    check.interleaved("case", before, now, clock=lambda: next(ticks))
    assert len(order) == 2 * check.MIN_ROUNDS
    long = check.LONG_SECONDS
    before, now, order = sides(seconds(long), seconds(long))
    check.interleaved("case", before, now, clock=lambda: 0)
    assert len(order) == 2


@pytest.mark.parametrize(
    ("times", "lost"), [((150, 100), []), ((150, 140, 110), []), ((150,) * 4, ["seconds"])]
)
def test_check_believes_a_loss_that_shows_every_time(script, times, lost):
    check, told = script("check"), []
    before, now, order = sides(seconds(*[100] * len(times)), seconds(*times))
    pairs = check.compare(["case"], before, now, told.append, lambda: 0)
    assert len(order) == 2 * len(times)
    assert told == [check.row("case", pairs["case"])]
    assert pairs["case"].lost() == lost
    text, code = check.verdict(pairs)
    assert code == len(lost)
    assert ("LOST against the base" in text) is bool(lost)
    assert ("LOST: seconds" in told[0]) is bool(lost)


def test_check_measures_once_what_is_not_lost(script):
    check = script("check")
    before, now, order = sides(seconds(99), seconds(100))
    pairs = check.compare(["case"], before, now, print, lambda: 0)
    assert len(order) == 2
    assert check.verdict(pairs) == ("cases compared: 1; no figure is over 1.3 times the base's", 0)
    assert check.verdict({}) == ("no case to compare", 1)


def test_a_case_that_the_base_cannot_run_is_not_compared(script):
    check, told = script("check"), []

    def broken(case):
        raise check.BrokenCaseError(f"{case} failed:\nno such argument")

    works, also_works, _ = sides(seconds(99), seconds(99))
    assert check.compare(["case"], broken, works, told.append) == {}
    assert told == [f"{'case':36}  not compared: no such argument"]
    with pytest.raises(check.BrokenCaseError):
        check.compare(["case"], also_works, broken, told.append)


def test_check_compares_cases_of_both_sides(script):
    check = script("check")
    assert check.shared(["b", "a", "old"], ["a", "b", "new"], "") == ["a", "b"]
    assert check.shared(["a 1", "b 1"], ["a 1", "b 1"], "b") == ["b 1"]


def test_a_side_runs_its_own_cases_on_its_own_source(script, tmp_path):
    check = script("check")
    (tmp_path / "src" / "loglift").mkdir(parents=True)
    (tmp_path / "src" / "loglift" / "__init__.py").touch()
    without = check.Side.of(tmp_path)
    assert without.cases == ROOT / "benchmarks" / "cases.py"
    assert without.names() == list(script("cases").CASES)
    (tmp_path / "benchmarks").mkdir()
    own = tmp_path / "benchmarks" / "cases.py"
    printing = 'import json, loglift; print(json.dumps({"source": %s, "figures": {"seconds": 1}}))'
    own.write_text(printing % "loglift.__file__")
    assert check.Side.of(tmp_path).measure("any") == {"seconds": 1}
    own.write_text(printing % "'/elsewhere/loglift/__init__.py'")
    with pytest.raises(check.BrokenCaseError, match="measured /elsewhere"):
        check.Side.of(tmp_path).measure("any")
    own.write_text("raise SystemExit('no such function')")
    with pytest.raises(check.BrokenCaseError, match="no such function"):
        check.Side.of(tmp_path).measure("any")


def test_a_case_tells_time_memory_and_loss(script, tmp_path):
    cases = script("cases")
    found = cases.measured(cases.Case(lambda _: lambda: 0.25, repeats=2), tmp_path)
    assert set(found) == {"seconds", "gigabytes", "lost"}
    assert found["lost"] == 0.25
    calls = []
    found = cases.measured(cases.Case(lambda _: lambda: calls.append(1), repeats=2), tmp_path)
    assert set(found) == {"seconds", "gigabytes"}
    assert len(calls) == 3  # one to warm up


def git(folder, *arguments):
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(folder, text):
    (folder / "file").write_text(text)
    git(folder, "add", "file")
    git(folder, "commit", "-qm", text)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def test_the_base_without_a_remote(script, repository):
    base = script("base")
    with pytest.raises(base.NoBaseError, match="run it in a git repository"):
        base.choose_base(repository, None)
    first = commit(repository, "first")
    assert base.choose_base(repository, None).commit == first  # the only one
    second = commit(repository, "second")
    assert base.choose_base(repository, None).commit == first
    (repository / "file").write_text("at work")
    assert base.choose_base(repository, None).commit == second
    assert base.choose_base(repository, first[:8]).commit == first
    with pytest.raises(base.NoBaseError, match="BASE=nowhere is not a revision"):
        base.choose_base(repository, "nowhere")


def test_the_base_is_where_a_branch_left_its_upstream(script, repository, tmp_path):
    base = script("base")
    first, second = commit(repository, "first"), commit(repository, "second")
    git(tmp_path, "clone", "-q", str(repository), "clone")
    clone = tmp_path / "clone"
    assert base.choose_base(clone, None).commit == first  # nothing new: what did HEAD change?
    (clone / "file").write_text("at work")
    assert base.choose_base(clone, None).commit == second
    commit(clone, "mine")
    commit(clone, "mine too")
    assert base.choose_base(clone, None).commit == second
    commit(repository, "theirs")
    git(clone, "fetch", "-q")
    assert base.choose_base(clone, None).commit == second


def test_the_files_of_the_base_are_those_of_its_commit(script, repository, tmp_path):
    base = script("base")
    first = commit(repository, "first")
    commit(repository, "second")
    target = tmp_path / "build" / first
    assert base.extract(repository, first, target) == target
    assert (target / "file").read_text() == "first"
    (target / "compiled").touch()
    assert (base.extract(repository, first, target) / "compiled").exists()
    assert base.title(repository, first).endswith("first")


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
