"""`--config`: one file repeats a release, and options on the command line win."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from cli.running import PROTECT, run
from loglift.cli._sections import name_of
from loglift.cli.audit import audit
from loglift.cli.frontier import frontier
from loglift.cli.protect import protect
from loglift.release.plan import BY_NAME

# Options that belong to one run, not to the release.
OF_THE_RUN = {"config", "force", "json", "quiet"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table, a taxonomy and the mechanisms of two earlier releases."""
    place = tmp_path_factory.mktemp("plans")
    rng = np.random.default_rng(5)
    n = 1500
    town = rng.choice(["Bern", "Basel", "Genf", "Lausanne"], n)
    age = rng.integers(20, 50, n)
    ill = np.where(rng.random(n) < age / 120, "flu", "cold")
    ill = np.where(rng.random(n) < 0.06, "gout, acute", ill)
    ill = np.where(rng.random(n) < 0.05, "", ill)
    rich = np.where(rng.random(n) < 0.4, "yes", "no")
    rows = zip(town, age, ill, rich, rng.integers(0, 400, n), strict=True)
    lines = "".join(
        f'{t},{a},"{i}",{r},{p}\n' if i else f"{t},{a},,{r},{p}\n" for t, a, i, r, p in rows
    )
    (place / "people.csv").write_text("town,age,ill,rich,person\n" + lines, "utf-8")
    (place / "towns.csv").write_text("Bern;German\nBasel;German\nGenf;French\nLausanne;French\n")
    common = ("-s", "ill", "-p", "town", "--eps", "1.5")
    made = run("protect", place / "people.csv", *common, "-o", place / "first")
    assert made.exit_code == 0, made.output
    finer = ("-s", "ill", "-p", "town", "-p", "age", "--bin", "age=5", "--eps", "2.5")
    made = run("protect", place / "people.csv", *finer, "-o", place / "fine")
    assert made.exit_code == 0, made.output
    return place


BOTH = ("-s", "ill", "-p", "town", "-p", "age", "--bin", "age=10")
AGE = ("-s", "ill", "-p", "age", "--bin", "age=10")
COMBINATIONS = {
    "plain": (*BOTH, "--eps", "1"),
    "exactly a number": (*BOTH, "--eps", "0.8999999999999999"),
    "each": ("-s", "ill", "-s", "rich", "-p", "age", "--eps", "1", "--each"),
    "combine": (*BOTH, "--eps", "1", "--combine", 'ill=NULL,"gout, acute"'),
    "bound": (
        *(*BOTH, "--eps", "1", "--bound", "ill=flu:0.7,none"),
        *("--bound", "ill=gout, acute:none", "--bound", "ill=NULL:2"),
    ),
    "bound of combined": (
        *(*BOTH, "--eps", "1", "--combine", "ill=flu,cold"),
        *("--bound", "ill=flu or cold:0.2"),
    ),
    "asymmetric": (*BOTH, "--lower", "2", "--upper", "0.7"),
    "upper": (*BOTH, "--upper", "0.7"),
    "lower": (*BOTH, "--lower", "1.3"),
    "beta": (*BOTH, "--beta", "1.5"),
    "known": (*AGE, "--eps", "1.5", "--known", "town"),
    "given": (*AGE, "--eps", "2", "--given", "first/mechanism.json"),
    "coarser": (*BOTH[:6], "--bin", "age=5", "--eps", "1", "--coarser-than", "fine/mechanism.json"),
    "update": (*BOTH[:6], "--bin", "age=5", "--eps", "1", "--update", "fine/mechanism.json"),
    "intact": (*BOTH, "--eps", "1.5", "--intact", "town"),
    "weights": ("-s", "ill", "-p", "town", "--eps", "1", "--weights", "age"),
    "weights and records": ("-s", "ill", "-p", "town", "--eps", "1", "--weights", "age", "--both"),
    "weights in bands": (
        *("-s", "ill", "-p", "town", "--eps", "1", "--weights", "age"),
        *("--passthrough", "age"),
    ),
    "quantiles": (*BOTH[:6], "--eps", "1", "--bin", "age=quantiles:4"),
    "edges": (*BOTH[:6], "--eps", "1", "--bin", "age=25,35"),
    "one edge": (*BOTH[:6], "--eps", "1", "--bin", "age=35,"),
    "labels": (*BOTH[:6], "--eps", "1", "--bin", "age=25,35:young,middle,old"),
    "limits": (*BOTH[:6], "--eps", "1", "--bin", "age=25..40"),
    "codes": (*BOTH, "--eps", "1", "--missing", "town=Genf", "--missing", "age=49,48"),
    "ignored": (*BOTH, "--eps", "1", "--missing", "ill=ignore"),
    "importance": (*BOTH, "--eps", "1", "--importance", "age=3", "--importance", "town=0.5"),
    "taxonomy": (*BOTH, "--eps", "1", "--taxonomy", "town=towns.csv", "--unordered", "age"),
    "for": (*BOTH, "--eps", "1", "--for", "rich"),
    "joint": (*BOTH, "--eps", "1", "--utility", "joint"),
    "min-information": (*BOTH, "--min-information", "0.7", "--min-count", "20"),
    "confidence": (*AGE, "--eps", "2", "--confidence", "0.9", "--choose-share", "0.3"),
    "randomized": (
        *(*AGE, "--eps", "1", "--method", "randomized"),
        *("--draw-seed", "3", "--key", "person"),
    ),
    "values": (*BOTH, "--eps", "1", "--as", "values"),
    "ranges": (*BOTH[:6], "--eps", "1", "--ranges", "columns"),
    "ordered": ("-s", "ill", "-p", "age", "--eps", "1", "--ordered", "age"),
    "exact": (*BOTH, "--eps", "1", "--method", "exact", "--time-limit", "30"),
    "high-risk": (
        *(*BOTH, "--lower", "3", "--upper", "1"),
        *("--over", "high-risk", "--method", "greedy"),
    ),
    "beside": (
        *(*BOTH, "--eps", "1", "--passthrough", "rich", "--keep-sensitive", "--keep-order"),
        *("--format", "csv", "--escape-formulas", "--public-report"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("options", COMBINATIONS.values(), ids=COMBINATIONS.keys())
def test_the_plan_of_a_release_repeats_it(options, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    done = run("protect", "people.csv", *options, "-o", tmp_path / "a" / "one")
    assert done.exit_code == 0, done.output
    monkeypatch.chdir(tmp_path)
    again = run("protect", "--config", "a/one/release.toml", "-o", "two")
    assert again.exit_code == 0, again.output
    one, two = tmp_path / "a" / "one", tmp_path / "two"
    assert (one / "mechanism.json").read_bytes() == (two / "mechanism.json").read_bytes()
    assert (one / "certificate.json").read_bytes() == (two / "certificate.json").read_bytes()
    assert {p.name for p in one.iterdir()} == {p.name for p in two.iterdir()}
    # The second plan says the same, of another folder.
    first, second = (tomllib.loads((p / "release.toml").read_text("utf-8")) for p in (one, two))
    assert {name for name, value in first.items() if second[name] != value} <= {
        name for name, key in BY_NAME.items() if key.path
    }
    assert set(first) == set(second)
    text = (one / "release.toml").read_text("utf-8")
    assert str(tmp_path) not in text
    assert not any(path.startswith("/") for path in (first["table"], *first.get("given", ())))
    named = "--bound" in options or "--combine" in options
    assert named == ("flu" in text or "gout" in text)
    assert named == ("names sensitive values" in text)


def test_every_option_of_protect_has_a_place_in_the_plan():
    names = {name_of(parameter) for parameter in protect.params}
    assert names - OF_THE_RUN == set(BY_NAME)


def kind_of(parameter):
    """Return the kind of key that an option needs."""
    if getattr(parameter, "is_flag", False):
        return "flag"
    if getattr(parameter, "multiple", False):
        return "columns" if (parameter.metavar or "").startswith("COL=") else "texts"
    kinds = {"float": "number", "float range": "number", "integer": "whole"}
    return kinds.get(parameter.type.name, "text")


def test_kinds_are_those_of_the_options():
    found = {name_of(parameter): kind_of(parameter) for parameter in protect.params}
    kept = {name: kind for name, kind in found.items() if name not in OF_THE_RUN}
    assert kept == {name: key.kind for name, key in BY_NAME.items()}


@pytest.mark.parametrize("command", [audit, frontier])
def test_other_commands_have_the_same_names_for_the_same_things(command):
    names = {name_of(parameter) for parameter in command.params}
    assert len(names & set(BY_NAME)) > 8
    assert command.ignored <= names


def plan(folder, text):
    (folder / "release.toml").write_text(text, "utf-8")
    return folder / "release.toml"


PLAN = """
table = "people.csv"
sensitive = ["illness"]
public = ["city", "age"]
eps = 0.8
output = "out"
"""


def bound_of(out):
    return tomllib.loads((out / "release.toml").read_text("utf-8"))


def test_a_plan_is_enough(table, monkeypatch):
    path = plan(table.parent, PLAN)
    (table.parent / "else").mkdir()
    monkeypatch.chdir(table.parent / "else")
    assert run("protect", "--config", path).exit_code == 0
    plain = run("protect", table, *PROTECT, "-o", "plain")
    assert plain.exit_code == 0
    made = (table.parent / "out" / "mechanism.json").read_bytes()
    assert made == (table.parent / "else" / "plain" / "mechanism.json").read_bytes()


FULL = (
    PLAN
    + """
method = "greedy"
min-count = 5
update = "old.json"
known = ["a", "b"]
each = true
[bin]
age = 10
[importance]
age = 2
"""
)


def chosen(path, *options):
    """Return what `protect` is called with, by the names of its parameters."""
    words = ["--config", str(path), *map(str, options)]
    return protect.make_context("protect", words, resilient_parsing=False).params


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (("--eps", "1.5"), {"eps": 1.5}),
        (("--upper", "0.7"), {"eps": None, "upper": 0.7}),
        (("--lower", "3"), {"eps": None, "lower": 3.0}),
        (("--beta", "2"), {"eps": None, "beta": 2.0}),
        (("--min-information", "0.5"), {"eps": None, "min_information": 0.5}),
        (("-p", "town"), {"public": ("town",)}),
        (("--ordered", "age"), {"ordered": "age", "method": "search"}),
        (("--coarser-than", "x.json"), {"coarser_than": "x.json", "update": None}),
        (("--known", "c"), {"known": ("c",)}),
        (("--bin", "town=3"), {"bins": {"town": "3"}}),
        (("--importance", "x=1", "--importance", "y=2"), {"importance": {"x": 1, "y": 2}}),
        (("--min-count", "9", "-s", "x", "-s", "y"), {"min_count": 9, "sensitive": ("x", "y")}),
        (("other.csv", "-o", "b"), {"table": "other.csv", "output": Path("b")}),
    ],
)
def test_options_on_the_command_line_win(options, changed, tmp_path):
    path = plan(tmp_path, FULL)
    planned, found = chosen(path), chosen(path, *options)
    assert (planned["eps"], planned["bins"], planned["each"]) == (0.8, {"age": "10"}, True)
    different = {name: value for name, value in found.items() if value != planned[name]}
    assert different == changed


def test_one_side_on_the_command_line_leaves_the_other_side_of_the_plan(table, tmp_path):
    path = plan(table.parent, PLAN.replace("eps = 0.8", "lower = 2\nupper = 1"))
    assert run("protect", "--config", path, "--upper", "0.7", "-o", tmp_path / "n").exit_code == 0
    found = bound_of(tmp_path / "n")
    assert (found["lower"], found["upper"]) == (2.0, 0.7)


def test_what_names_a_sensitive_value_is_never_dropped_silently(table, tmp_path):
    path = plan(table.parent, PLAN + "[bound]\nillness = {flu = 0.3}\n")
    done = run("protect", "--config", path, "--min-information", "0.5", "-o", tmp_path / "new")
    assert done.exit_code == 2
    assert "--bound is for single values" in done.output


REFUSED = {
    "unknown key": (PLAN + "min_count = 5", "unknown key 'min_count': did you mean 'min-count'?"),
    "wrong type": (PLAN.replace("0.8", '"0.8"'), 'eps must be a number, got "0.8"'),
    "wrong choice": (PLAN + "method = 'best'", "release.toml: method: 'best' is not one of"),
    "wrong bin": (PLAN + "[bin]\nage = 'x'", "release.toml: bin: 'x' does n"),
    "negative time": (PLAN + "time-limit = -1", "release.toml: time-limit: -1"),
    "no TABLE": (PLAN.replace("table", "# table"), "or give TABLE on the command line"),
    "two bounds": (PLAN + "upper = 1", "give --eps, or --lower and --upper, or --beta"),
    "two methods": (PLAN + "ordered='age'\nmethod='exact'", "--ordered age is a method of its own"),
    "incomplete": (PLAN + "incomplete = ['intact']", 'is incomplete ("intact"): repeat'),
    "no table": (PLAN.replace("table", "# table"), "does not have table: add it there"),
    "no output": (PLAN.replace("output", "# output"), "or give --output on the command line"),
    "empty sensitive": (PLAN.replace('["illness"]', "[]"), "does not have sensitive: add it there"),
    "missing file": (PLAN.replace("people.csv", "nowhere.csv"), "there is no file"),
    "no such column": (PLAN.replace('"city"', '"citty"'), "did you mean 'city'?"),
    "not TOML": (PLAN + "eps", "is not TOML"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_plan_is_one_line_exit_2_and_nothing_written(text, said, table, tmp_path):
    path = plan(table.parent, text)
    before = sorted(tmp_path.rglob("*"))
    done = run("protect", "--config", path)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    [line] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert said in line
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_bad_option_on_the_command_line_is_not_blamed_on_the_plan(table):
    path = plan(table.parent, PLAN)
    done = run("protect", "--config", path, "--eps", "x")
    assert done.exit_code == 2
    assert "Invalid value for '--eps'" in done.stderr
    assert "the plan" not in done.stderr


def test_a_plan_that_moves_takes_its_paths_along_or_says_what_is_missing(table, tmp_path):
    path = plan(table.parent, PLAN)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(path, moved / "release.toml")
    done = run("protect", "--config", moved / "release.toml")
    assert done.exit_code == 2
    assert "elsewhere/people.csv: check the name" in done.stderr
    shutil.copy(table, moved)
    assert run("protect", "--config", moved / "release.toml").exit_code == 0
    assert (moved / "out" / "mechanism.json").exists()


def test_a_release_is_repeated_in_its_own_folder_with_force(release):
    before = (release / "mechanism.json").read_bytes()
    done = run("protect", "--config", release / "release.toml", "-o", release, "--force")
    assert done.exit_code == 0, done.output
    assert (release / "mechanism.json").read_bytes() == before


def test_a_plan_written_by_hand_is_never_replaced_by_a_release(table, tmp_path):
    (tmp_path / "plans").mkdir()
    path = plan(tmp_path / "plans", PLAN.replace("people.csv", "../people.csv"))
    before = path.read_bytes()
    for words in (("--config", path), (table, *PROTECT)):
        done = run("protect", *words, "-o", tmp_path / "plans", "--force")
        assert done.exit_code == 2
        assert "holds a plan (release.toml) and no release: choose another place" in done.stderr
    assert path.read_bytes() == before
    assert list((tmp_path / "plans").iterdir()) == [path]


def test_the_report_repeats_a_planned_run_without_the_plan(table, monkeypatch):
    path = plan(table.parent, PLAN)
    monkeypatch.chdir(table.parent)
    assert run("protect", "--config", path.name).exit_code == 0
    page = (table.parent / "out" / "report.html").read_text("utf-8")
    assert "loglift protect people.csv --sensitive illness --public city" in page


def test_audit_and_frontier_take_what_they_know(table, monkeypatch):
    monkeypatch.chdir(table.parent)
    path = plan(table.parent, PLAN + "method = 'greedy'\n[bin]\nage = 10\n")
    audited = run("audit", "--config", path, "--json")
    assert audited.exit_code in (0, 1), audited.output
    explicit = run("audit", table, *PROTECT, "--bin", "age=10", "--json")
    assert audited.stdout == explicit.stdout
    swept = run("frontier", "--config", path, "--eps", "0.5,1", "--json")
    assert swept.exit_code == 0, swept.output
    columns = ("-s", "illness", "-p", "city", "-p", "age", "--bin", "age=10")
    assert swept.stdout == run("frontier", table, *columns, "--eps", "0.5,1", "--json").stdout
    assert not (table.parent / "out").exists()
    refused = run("audit", "--config", plan(table.parent, "tabel = 'x'"))
    assert refused.exit_code == 2
    assert "did you mean 'table'?" in refused.stderr


def test_help_needs_no_plan():
    for command in ("protect", "audit", "frontier"):
        shown = run(command, "--config", "nowhere.toml", "--help")
        assert shown.exit_code == 0
        assert "--config FILE" in shown.output
