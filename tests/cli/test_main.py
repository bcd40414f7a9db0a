"""The command itself: exit codes, errors in one line, help, version, for every subcommand."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from cli.running import COLUMNS, COMMAND, PEOPLE, PROTECT, run
from loglift import __version__
from loglift._compute.threads import Begun, StoppedError, spread
from loglift.cli._interrupt import MESSAGE
from loglift.cli._main import COMMANDS, main
from loglift.errors import InputError, UnsafeError
from loglift.paper import reproduction
from loglift.release import apply as apply_recipe, audit as audit_recipe, frontier, protect

BAD = {
    "escape in parquet": (
        *("protect", "people.csv", *PROTECT, "--as", "values"),
        *("--escape-formulas", "-o", "out"),
    ),
    "escape in new parquet": (
        "apply",
        "nowhere.json",
        "people.csv",
        "--escape-formulas",
        "-o",
        "new.parquet",
    ),
    "missing file": ("protect", "nowhere.csv", *PROTECT, "-o", "out"),
    "directory": ("protect", ".", *PROTECT, "-o", "out"),
    "no such column": (
        "protect",
        "people.csv",
        "-s",
        "ilness",
        "-p",
        "age",
        "--eps",
        "1",
        "-o",
        "out",
    ),
    "public and sensitive": (
        "protect",
        "people.csv",
        "-s",
        "age",
        "-p",
        "age",
        "--eps",
        "1",
        "-o",
        "out",
    ),
    "no bound": ("protect", "people.csv", "-s", "illness", "-p", "age", "-o", "out"),
    "two bounds": ("protect", "people.csv", *PROTECT, "--upper", "1", "-o", "out"),
    "negative eps": (
        "protect",
        "people.csv",
        "-s",
        "illness",
        "-p",
        "age",
        "--eps",
        "-1",
        "-o",
        "out",
    ),
    "nan eps": ("protect", "people.csv", "-s", "illness", "-p", "age", "--eps", "nan", "-o", "out"),
    "text eps": ("protect", "people.csv", "-s", "illness", "-p", "age", "--eps", "x", "-o", "out"),
    "bin of text": ("protect", "people.csv", *PROTECT, "--bin", "city=10", "-o", "out"),
    "bin without width": ("protect", "people.csv", *PROTECT, "--bin", "age", "-o", "out"),
    "bin of nothing": ("protect", "people.csv", *PROTECT, "--bin", "illness=3", "-o", "out"),
    "output exists": ("protect", "people.csv", *PROTECT, "-o", "taken"),
    "output of another": ("protect", "people.csv", *PROTECT, "-o", "taken", "--force"),
    "output in a file": ("protect", "people.csv", *PROTECT, "-o", "people.csv/out"),
    "passthrough unknown": (
        "protect",
        "people.csv",
        *PROTECT,
        "--passthrough",
        "town",
        "-o",
        "out",
    ),
    "passthrough sensitive": (
        "protect",
        "people.csv",
        *PROTECT,
        "--passthrough",
        "illness",
        "-o",
        "out",
    ),
    "header only": ("audit", "header.csv", "-s", "illness", "-p", "city"),
    "empty": ("audit", "empty.csv", "-s", "illness", "-p", "city"),
    "ragged": ("audit", "ragged.csv", "-s", "illness", "-p", "city"),
    "latin": ("audit", "latin.csv", "-s", "illness", "-p", "city"),
    "twice": ("audit", "twice.csv", "-s", "illness", "-p", "city"),
    "constant": ("audit", "constant.csv", "-s", "illness", "-p", "city"),
    "damaged mechanism": ("verify", "people.csv", "people.csv"),
    "no mechanism": ("apply", "nowhere.json", "people.csv", "-o", "new.csv"),
    "unknown ending": ("apply", "nowhere.json", "people.csv", "-o", "new.xlsx"),
    "unknown command": ("protekt",),
    "utf-16": ("audit", "utf16.csv", "-s", "illness", "-p", "city"),
    "empty key": ("audit", "key.jsonl", "-s", "illness", "-p", "city"),
    **{
        f"bin {width}": ("protect", "people.csv", *PROTECT, "--bin", f"age={width}", "-o", "out")
        for width in ("1e400", "inf", "-inf", "nan", "1e308", "1e-320", "0", "1" + "0" * 5000)
    },
    "bin of huge": ("audit", "huge.csv", "-s", "illness", "-p", "age", "--bin", "age=10"),
    "bin of infinite": ("audit", "infinite.csv", "-s", "illness", "-p", "age", "--bin", "age=10"),
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_exit_2_and_nothing_written(arguments, table, monkeypatch):
    folder = table.parent
    monkeypatch.chdir(folder)
    (folder / "header.csv").write_text("city,illness\n")
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text("city,illness\na,b\na,b,c,d\n")
    (folder / "latin.csv").write_bytes("city,illness\nZürich,flu\nBern,cold\n".encode("latin-1"))
    (folder / "twice.csv").write_text("city,city,illness\na,b,c\nd,e,f\n")
    (folder / "constant.csv").write_text("city,illness\na,x\nb,x\n")
    (folder / "utf16.csv").write_text(PEOPLE, "utf-16")
    (folder / "key.jsonl").write_text('{"": 1, "city": "a", "illness": 0}\n')
    (folder / "huge.csv").write_text(f"age,illness\n{-(2**63)},a\n1,b\n")
    (folder / "infinite.csv").write_text("age,illness\n1e999,a\n1,b\n")
    (folder / "taken").mkdir()
    (folder / "taken" / "thesis.txt").write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    [line] = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(line) > 20
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


NOWHERE = {
    "table of audit": ("audit", "loop.csv", *COLUMNS),
    "table of protect": ("protect", "loop.csv", *PROTECT, "-o", "new"),
    "table of frontier": ("frontier", "loop.csv", *COLUMNS, "-o", "new"),
    "table of apply": ("apply", "out/mechanism.json", "loop.csv", "-o", "new.csv"),
    "table of verify": ("verify", "out/mechanism.json", "loop.csv"),
    "mechanism of apply": ("apply", "loop.csv", "people.csv", "-o", "new.csv"),
    "mechanism of verify": ("verify", "loop.csv", "people.csv"),
    "output of protect": ("protect", "people.csv", *PROTECT, "-o", "loop"),
    "output inside": ("protect", "people.csv", *PROTECT, "-o", "loop/out"),
    "output of frontier": ("frontier", "people.csv", *COLUMNS, "-o", "loop"),
    "output of apply": ("apply", "out/mechanism.json", "people.csv", "-o", "loop.csv"),
    "output of audit": ("audit", "people.csv", *COLUMNS, "--report", "loop.csv"),
    "output of reproduce": ("reproduce", "--draws", "2", "-o", "loop"),
    "output of demo": ("demo", "-o", "loop"),
}


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
@pytest.mark.parametrize("command", NOWHERE.values(), ids=NOWHERE.keys())
def test_a_loop_of_links_is_one_line_and_exit_2(command, force, release, monkeypatch):
    folder = release.parent
    monkeypatch.chdir(folder)
    for name in ("loop", "loop.csv"):
        (folder / name).symlink_to(folder / name)
    before = sorted(folder.rglob("*"))
    result = run(*command, *(() if command[0] == "verify" else force))
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: loop")
    assert sorted(folder.rglob("*")) == before
    assert (folder / "loop").is_symlink()
    assert (folder / "loop.csv").is_symlink()


@pytest.mark.parametrize("name", ["/dev/stdin", "pipe.csv"])
@pytest.mark.parametrize("command", ["audit", "protect"])
def test_a_pipe_as_table_is_one_line_that_says_to_save_it(command, name, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    options = ("-o", "out", "--eps", "1") if command == "protect" else ()
    done = subprocess.run(
        [*COMMAND, command, name, *COLUMNS, *options],
        input=PEOPLE,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"Error: {name} is a pipe or a device, which cannot be read twice: save")


BUSY = {
    "protect": (protect, "protect", ("protect", "people.csv", *PROTECT, "-o", "mine")),
    "frontier": (frontier, "sweep", ("frontier", "people.csv", *COLUMNS, "-o", "mine")),
    "reproduce": (reproduction, "reproduce", ("reproduce", "--draws", "2", "-o", "mine")),
    "audit": (audit_recipe, "audit", ("audit", "people.csv", *COLUMNS, "--report", "mine.html")),
    "apply": (
        apply_recipe,
        "apply_to_file",
        ("apply", "out/mechanism.json", "people.csv", "-o", "mine.csv"),
    ),
}


@pytest.mark.parametrize(("module", "name", "command"), BUSY.values(), ids=BUSY.keys())
def test_an_output_that_appears_during_the_work_is_not_replaced(
    module, name, command, release, monkeypatch
):
    monkeypatch.chdir(release.parent)
    works, target = getattr(module, name), Path(command[-1])

    def meanwhile(*arguments, **options):
        target.touch() if target.suffix else target.mkdir()
        return works(*arguments, **options)

    monkeypatch.setattr(module, name, meanwhile)
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert (
        f"Error: {target} exists already: choose another place, or use force (--force)\n"
        in result.stderr
    )
    left = [path.read_bytes() for path in (target.iterdir() if target.is_dir() else [target])]
    assert left == ([] if target.is_dir() else [b""])


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_examples_to_copy_whole(command):
    text = run(command, "--help", COLUMNS="80").stdout
    examples = text[text.index("Examples:\n") :].splitlines()[1:]
    assert examples
    assert all(line.startswith(f"    loglift {command}") for line in examples)
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_has_a_help_text(command):
    parameters = main.get_command(None, command).params
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
    assert options
    assert [option.name for option in options if not option.help] == []


def test_the_command_lists_its_subcommands_with_one_line_each():
    text = run("--help", COLUMNS="80").stdout
    listed = re.findall(r"^  (\w+) +(\S.*)$", text[text.index("Commands:") :], re.MULTILINE)
    assert dict(listed) == COMMANDS


@pytest.mark.parametrize(
    "arguments",
    [
        ("reproduce", "--draws", "1"),
        ("reproduce", "--draws", "many"),
        ("reproduce", "--seed", "-3"),
        ("reproduce", "--draws", "5", "-o", "/dev/null/nowhere"),
        ("reproduce", "surplus"),
        ("reproduse",),
    ],
)
def test_bad_usage_exits_2_with_one_error_and_no_traceback(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error: " in result.stderr
    assert "Traceback" not in result.stderr


def test_version_is_the_version_of_the_package():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"loglift, version {__version__}\n")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_exits_0(option):
    result = run(option)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Usage: ")


def test_an_unknown_command_exits_2_and_is_named():
    result = run("protekt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "No such command 'protekt'" in result.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InputError("a fault"), 2),
        (UnsafeError("a fault"), 3),
        (PermissionError("a fault"), 2),
        (KeyboardInterrupt(), 2),
    ],
    ids=["input", "unsafe", "file", "interrupt"],
)
def test_an_error_of_the_work_is_one_line_and_its_exit_code(error, code, table, monkeypatch):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(audit_recipe, "audit", fails)
    result = run("audit", table, *COLUMNS)
    assert (result.exit_code, result.stdout) == (code, "")
    words = MESSAGE if isinstance(error, KeyboardInterrupt) else "a fault"
    assert result.stderr == f"Error: {words}\n"


def test_an_error_of_the_program_is_not_hidden(table, monkeypatch):
    def fails(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(audit_recipe, "audit", fails)
    result = run("audit", table, *COLUMNS)
    assert isinstance(result.exception, ZeroDivisionError)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_full_disk_behind_stdout_is_one_error(form):
    with open("/dev/full", "w") as full:  # noqa: PTH123, a device
        done = subprocess.run(
            [*COMMAND, "reproduce", "--draws", "5", *form],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_reader_that_leaves_is_no_error(form):
    command = shlex.join([*COMMAND, "reproduce", "--draws", "5", *form])
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} | head -c 10"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_after_an_error_work_in_threads_is_stopped(monkeypatch):
    never, begun = threading.Event(), []

    def audited(*_, **__):
        begun.append(Begun(lambda: spread(lambda _: never.wait(0.01), range(10**6))))
        raise InputError("as it is")

    monkeypatch.setattr(audit_recipe, "audit", audited)
    other = Begun(lambda: spread(lambda _: never.wait(0.01), range(100)))
    found = CliRunner().invoke(main, ["audit", "nowhere.csv", "-s", "a", "-p", "b"])
    assert (found.exit_code, len(begun)) == (2, 1)
    with pytest.raises(StoppedError):
        begun[0].result()
    assert len(other.result()) == 100
