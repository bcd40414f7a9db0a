"""The arithmetic of the benchmarks: ratios, losses against a base, the page."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
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


def test_t_of_a_hand_made_release_is_exact(script, tmp_path):
    closeness, peers = script("closeness"), script("peers")
    rows = [{"a": a, "b": b, "s": s} for a, b, s in zip("112233", "xyxyxy", "ynnnyy", strict=True)]
    table, case = peers.Table(tmp_path / "table.csv", rows), peers.Case("s", ("a", "b"))
    seen = [("1",), ("1",), ("2",), ("2",), None, None]  # the last two rows are suppressed
    found = closeness.measured(table, case, seen, 2.0)
    assert found.t == Fraction(1, 2)
    assert closeness.true_t(zip("aabb", "ynyn", strict=True)) == 0
    assert found.kept == pytest.approx(math.log(3) / math.log(6))
    assert found.columns == pytest.approx(1 / 2)  # all of the first column, none of the second
    assert found.told(0.5) == "kept 0.613, columns 0.500, t 0.5000, 2.00 s"
    assert "NOT MET" in found.told(0.49)


@pytest.fixture
def small(script):
    """A table of two columns with eight records, and its release: all of 1 is one block."""
    readers = script("readers")
    table = readers.Table.of([[1, 1, 1, 1, 2, 2, 2, 2], list("xxxyxxyy")])
    members = table.encoded([(2, "y"), (1, "x"), (1, "y"), (2, "x")])
    labels = np.array([2, 0, 0, 1])
    rows = readers.rows_of(table.codes, members)
    return table, readers.Release(labels[rows], members, labels)


def test_what_readers_get_from_a_hand_made_release(script, small):
    readers, (table, release) = script("readers"), small
    assert table.values == ((1, 2), ("x", "y"))
    assert table.ordered == (True, False)
    assert release.block.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    found = readers.measured(table, release, seed=0)

    def entropy(*shares):
        return -sum(p * math.log(p) for p in shares)

    assert found.blocks == 3
    rows, blocks = entropy(3 / 8, 1 / 8, 1 / 4, 1 / 4), entropy(1 / 2, 1 / 4, 1 / 4)
    assert found.kept == pytest.approx(blocks / rows)  # Y is a function of X
    second = 1 - entropy(3 / 4, 1 / 4) / 2 / entropy(5 / 8, 3 / 8)  # unknown in half of the records
    assert found.columns == pytest.approx((1 + second) / 2)
    assert found.one_value == pytest.approx((1 + 1 / 2) / 2)


def test_shares_kept_of_records(script):
    readers, four = script("readers"), np.arange(4)
    assert readers.share_kept(four, four) == pytest.approx(1)
    assert readers.share_kept(four, np.array([0, 0, 1, 1])) == pytest.approx(0.5)
    assert readers.share_kept(four, np.zeros(4, dtype=int)) == pytest.approx(0)
    assert readers.share_kept(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) == pytest.approx(0)
    assert readers.share_kept(np.zeros(4, dtype=int), four) == 1


def test_a_count_is_estimated_by_spreading_blocks_over_their_members(script, small):
    readers, (table, release) = script("readers"), small
    first, x = np.array([True, False]), np.array([True, False])
    assert readers.query_error({0: first}, table.codes, release) == 0
    # x: 5 records; of the block's 4 records a reader counts half, and both of (2, x)
    assert readers.query_error({1: x}, table.codes, release) == pytest.approx(1 / 5)
    assert readers.query_error({0: first, 1: ~x}, table.codes, release) == pytest.approx(1)
    codes = np.array([[0]] + [[1]] * 3999)
    one_block = readers.Release(np.zeros(4000, dtype=int), np.array([[0], [1]]), np.array([0, 0]))
    found = readers.query_error({0: first}, codes, one_block)
    assert found == pytest.approx(1999 / 4)  # not 1999 / 1: 0.1 % of the records are 4


def test_random_queries(script):
    readers = script("readers")
    sizes, ordered = [70, 16, 2, 40], [True, False, False, False]
    drawn = list(readers.random_queries(sizes, ordered, seed=1))
    again = list(readers.random_queries(sizes, ordered, seed=1))
    assert len(drawn) == 400
    assert all((q[j] == r[j]).all() for q, r in zip(drawn, again, strict=True) for j in q)
    assert {len(query) for query in drawn} == {1, 2, 3}
    assert {j for query in drawn for j in query} == {0, 1, 2, 3}
    for asked in (query[j] for query in drawn for j in query):
        assert asked.sum() == 1 or 0.09 < asked.mean() < 0.51
    runs = [np.flatnonzero(query[0]) for query in drawn if 0 in query]
    assert all((np.diff(run) == 1).all() for run in runs)
    assert any((np.diff(np.flatnonzero(query[3])) > 1).any() for query in drawn if 3 in query)


def test_the_gain_of_a_table_of_frequencies_on_other_records(script):
    readers = script("readers")
    train = np.array([True] * 6 + [False] * 3)
    x = np.array([0, 0, 0, 1, 1, 1, 0, 1, -1])
    u = np.array([0, 0, 0, 1, 1, 1, 0, 1, 0])
    # p(u) is 4/8; p(u|x) is 4/5 for both known records, and the third is predicted by p(u)
    found = readers.log_loss_gain(x, u, np.array([0, 1]), train)
    assert found == pytest.approx(2 / 3 * math.log(8 / 5))
    assert readers.log_loss_gain(x, u, np.array([0, 0]), train) == pytest.approx(0)
    wrong = readers.log_loss_gain(x, np.array([0, 0, 0, 1, 1, 1, 1, 0, 0]), np.arange(2), train)
    assert wrong == pytest.approx(2 / 3 * math.log(2 / 5))


def test_boxes_are_cut_while_both_sides_are_safe(script):
    mondrian = script("mondrian")
    members, counts = np.arange(4)[:, np.newaxis], np.array([[3, 1], [1, 3], [3, 1], [1, 3]])

    def boxes(eps, ordered):
        found = mondrian.boxes(members, counts, [ordered], eps)
        return sorted(np.flatnonzero(found == box).tolist() for box in set(found.tolist()))

    assert boxes(0.7, ordered=True) == [[0], [1], [2], [3]]  # the largest log-lift is log 2
    assert boxes(0.69, ordered=True) == [[0, 1], [2, 3]]
    assert boxes(0, ordered=True) == [[0, 1], [2, 3]]
    assert boxes(0.69, ordered=False) == [[0, 1], [2, 3]]  # equal masses: in the order they have
    zeros = np.array([[4, 0], [4, 0], [0, 4], [0, 4]])
    assert set(mondrian.boxes(members, zeros, [True], 5).tolist()) == {0}


def test_boxes_of_random_counts_are_safe_and_runs_of_ordered_values(script):
    mondrian, random = script("mondrian"), np.random.default_rng(0)
    members = np.array([(a, b) for a in range(8) for b in range(5)])
    counts = random.integers(0, 9, (40, 3))
    labels = mondrian.boxes(members, counts, [True, False], 0.3)
    assert labels.max() > 2
    blocks = np.array([counts[labels == box].sum(axis=0) for box in range(labels.max() + 1)])
    assert naive.omega(blocks, counts).max() <= 0.3 + 1e-12
    for box in range(labels.max() + 1):
        inside = members[labels == box]
        first, second = set(inside[:, 0].tolist()), set(inside[:, 1].tolist())
        assert len(inside) == len(first) * len(second)
        assert first == set(range(min(first), max(first) + 1))


def test_practical_bars(script, tmp_path):
    harness, practical = script("harness"), script("practical")
    apart = practical.Apart
    row = practical.Row(practical.TWO, 1, apart(0.9, 0.05, 0.2), arx=apart(0.8, 0.04, 0.3))

    def side(kept, columns, seconds):
        figures = script("readers").Figures(9, kept, columns, 0.5, 0.0504, 0.21)
        return practical.Side(figures, 1.0, seconds)

    run = harness.Run("practical", "", tmp_path)
    found = {"joint": side(0.96, 0.5, 1.0), "columns": side(0.944, 0.8996, 3.0)}
    practical.compare(run, row, found)
    assert {r.name.partition(", salary")[0]: r.reached for r in run.ratios} == {
        "columns beside ARX": True,
        "query median beside ARX": False,
        "query mean beside ARX": True,
        "columns beside the prototype": True,  # 0.8996 is 0.900 with three decimals
        "query median beside the prototype": True,
        "query mean beside the prototype": False,
        "kept given up": False,  # 1.6 points
        "time": True,
    }


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
