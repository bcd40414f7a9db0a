"""`loglift plan`: it writes a plan, asks on a terminal, and never overwrites."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
import tomllib

import pytest

from cli.running import run

TABLE = "person_id,town,age,illness\n" + "".join(
    f"{i + 1000},{'Bern' if i % 3 else 'Zug'},{20 + i % 5},{'flu' if i * 7 % 5 < 2 else 'cold'}\n"
    for i in range(200)
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "people.csv").write_text(TABLE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(path):
    return tomllib.loads(path.read_text("utf-8"))


def test_a_plan_is_written_and_runs(folder):
    done = run("plan", "people.csv")
    assert done.exit_code == 0, done.output
    assert "loglift protect --config release.toml" in done.stdout
    plan = read(folder / "release.toml")
    assert (plan["table"], plan["sensitive"]) == ("people.csv", ["illness"])
    assert plan["public"] == ["town", "age"]
    assert run("protect", "--config", "release.toml").exit_code == 0
    assert (folder / "release" / "mechanism.json").exists()


def test_a_plan_in_another_folder_finds_the_table(folder):
    assert run("plan", "people.csv", "-o", "plans/a.toml", "--quiet").stdout == ""
    assert read(folder / "plans" / "a.toml")["table"] == "../people.csv"
    assert run("protect", "--config", "plans/a.toml").exit_code == 0
    assert (folder / "plans" / "release").is_dir()


def test_what_is_given_wins(folder):
    done = run("plan", "people.csv", "-s", "town", "-p", "age", "--eps", "0.5")
    assert done.exit_code == 0
    plan = read(folder / "release.toml")
    assert (plan["sensitive"], plan["public"], plan["eps"]) == (["town"], ["age"], 0.5)


BAD = {
    "exists": (("people.csv", "-o", "taken.toml"), "exists already"),
    "the table": (("people.csv", "-o", "people.csv", "--force"), "is or holds the table itself"),
    "no such column": (("people.csv", "-s", "ilness"), "did you mean 'illness'?"),
    "both": (("people.csv", "-s", "age", "-p", "age"), "it can only be one"),
    "no table": (("nowhere.csv",), "there is no file"),
    "negative eps": (("people.csv", "--eps", "-1"), "must be at least 0"),
    "nan": (("people.csv", "--eps", "nan"), "must be a number"),
}


@pytest.mark.parametrize(("options", "said"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_nothing_is_written(options, said, folder):
    (folder / "taken.toml").write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    done = run("plan", *options)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_force_replaces_a_plan(folder):
    (folder / "release.toml").write_text("mine")
    assert run("plan", "people.csv", "--force").exit_code == 0
    assert read(folder / "release.toml")["eps"] == 1.0


def answered(folder, *answers):
    """Run the command on a terminal, and type an answer to each question."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from loglift.cli import main; main()", "plan", "people.csv"]
    running = subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    )
    os.close(theirs)
    shown, left, until = "", list(answers), time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                part = os.read(ours, 65536).decode("utf-8", "replace")
            except OSError:  # the terminal is closed
                break
            if not part:
                break
            shown += part
            if left and shown.rstrip(" ").endswith(":"):
                os.write(ours, left.pop(0).encode() + b"\n")
        elif running.poll() is not None:
            break
    running.wait(10)
    os.close(ours)
    return running.returncode, shown


def test_on_a_terminal_it_asks(folder):
    code, shown = answered(folder, "town, ilness", "town", "", "0.7")
    assert code == 0, shown
    assert "did you mean 'illness'?" in shown
    plan = read(folder / "release.toml")
    assert (plan["sensitive"], plan["public"], plan["eps"]) == (["town"], ["age"], 0.7)


def test_on_a_terminal_the_guess_is_the_default(folder):
    code, shown = answered(folder, "", "", "")
    assert code == 0, shown
    plan = read(folder / "release.toml")
    assert (plan["sensitive"], plan["public"]) == (["illness"], ["town", "age"])


def test_names_with_spaces_and_commas_can_be_answered(folder):
    header = '" person_id ", town ," age, now",illness\n'
    (folder / "people.csv").write_text(header + TABLE.partition("\n")[2], "utf-8")
    code, shown = answered(folder, "", 'town, "age, now"', "")
    assert code == 0, shown
    plan = read(folder / "release.toml")
    assert (plan["sensitive"], plan["public"]) == (["illness"], [" town ", " age, now"])
