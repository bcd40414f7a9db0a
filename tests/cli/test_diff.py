"""`loglift diff`: what is printed, what is refused, and that it reads two files only."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from cli.running import PEOPLE, PROTECT, RANDOMIZED, run


@pytest.fixture
def later(tmp_path):
    """The release of another month: a city is new, some ages are gone, the bound is tighter."""
    head, *lines = PEOPLE.splitlines()
    kept = [line for line in lines if int(line.split(",")[1]) < 45]
    more = [f"Chur,{20 + i % 5},{'flu' if i % 3 else 'cold'}" for i in range(60)]
    (tmp_path / "later.csv").write_text("\n".join([head, *kept, *more]) + "\n")
    columns = (*PROTECT[:-1], "0.5")
    done = run("protect", tmp_path / "later.csv", *columns, "-o", tmp_path / "later")
    assert done.exit_code == 0, done.output
    return tmp_path / "later"


def test_it_prints_what_changed_within_80_columns(release, later):
    done = run("diff", release / "mechanism.json", later / "mechanism.json", COLUMNS="80")
    assert (done.exit_code, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    assert "Blocks with new values" in said
    assert "Other settings. Bound: eps 0.8 in the first, eps 0.5 in the second." in said
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80


def test_json_is_one_object_with_everything(release, later):
    done = run("diff", release / "mechanism.json", later / "mechanism.json", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["public"] == ["city", "age"]
    assert ["Chur", 20] in document["new"]
    assert ["Bern", 49] in document["gone"]
    assert document["before"]["public_values"] == document["common"] + len(document["gone"])
    assert document["blocks"]["relation"] in ("coarser", "finer", "neither")
    assert [part["headline"] for part in document["statements"]][-1] == "Other settings."


def test_a_file_is_the_same_as_itself(release):
    done = run("diff", release / "mechanism.json", release / "mechanism.json")
    assert done.exit_code == 0
    assert "The same blocks." in done.stdout


def test_a_randomized_mechanism_is_described(persons, tmp_path):
    run("protect", persons, *RANDOMIZED, "-o", tmp_path / "random")
    run("protect", persons, *RANDOMIZED[:-2], "-o", tmp_path / "merged")
    random, merged = (tmp_path / name / "mechanism.json" for name in ("random", "merged"))
    same = run("diff", random, random)
    assert same.exit_code == 0
    assert "The same channel." in same.stdout
    mixed = run("diff", merged, random, "--json")
    assert mixed.exit_code == 0
    assert json.loads(mixed.stdout)["blocks"] is None


def test_what_cannot_be_compared_is_one_line_and_exit_2(table, release, tmp_path):
    run("protect", table, "-s", "illness", "-p", "age", "--eps", "1", "-o", tmp_path / "age")
    other = tmp_path / "age" / "mechanism.json"
    cases = {
        "only the first has 'city'": (release / "mechanism.json", other),
        "nowhere.json: give the folder": (release / "mechanism.json", tmp_path / "nowhere.json"),
        "is not JSON": (table, other),
        "has no mechanism.json: give the folder that protect wrote": (tmp_path, other),
    }
    for words, (first, second) in cases.items():
        for form in ([], ["--json"]):
            done = run("diff", first, second, *form)
            assert (done.exit_code, done.stdout) == (2, "")
            [line] = done.stderr.splitlines()
            assert line.startswith("Error: ")
            assert words in line
    assert run("diff", other).exit_code == 2


def test_it_loads_neither_compilers_nor_engines(release):
    file = str(release / "mechanism.json")
    code = (
        "import sys\nfrom loglift.cli import main\n"
        f"main(['diff', {file!r}, {file!r}], standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "The same blocks." in done.stdout
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "numpy" in loaded
    assert not loaded & {"numba", "llvmlite", "duckdb", "highspy", "vl_convert", "pandas", "polars"}


def test_help_has_an_example():
    text = run("diff", "--help").stdout
    assert "loglift diff january/mechanism.json february/mechanism.json" in text
    assert "The exit code is 0 whatever changed." in " ".join(text.split())
