from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from loglift import __version__
from loglift.cli import main


def run(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_json_is_one_object_and_nothing_else():
    result = run("reproduce", "--draws", "20", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["draws"] == 20
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_the_tables_name_every_figure_and_the_contradiction():
    result = run("reproduce", "--draws", "20")
    assert result.exit_code == 0
    for text in (
        "Example 1",
        "Table 1",
        "Privacy",
        "NMIL",
        "PUT",
        "contradicts itself",
        "points within",
    ):
        assert text in result.stdout


def test_output_is_written_whole_and_not_replaced_unasked(tmp_path):
    output = tmp_path / "figures"
    first = run("reproduce", "--draws", "20", "-o", str(output))
    assert first.exit_code == 0
    assert str(output) in first.stderr
    assert len(list(output.iterdir())) == 8
    assert json.loads((output / "points.json").read_text())["draws"] == 20
    again = run("reproduce", "--draws", "21", "-o", str(output))
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert json.loads((output / "points.json").read_text())["draws"] == 20
    forced = run("reproduce", "--draws", "21", "-o", str(output), "--force")
    assert forced.exit_code == 0
    assert json.loads((output / "points.json").read_text())["draws"] == 21
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]


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


def test_help_shows_examples_and_version_is_ours():
    assert "loglift reproduce --draws 200 -o figures" in " ".join(
        run("reproduce", "--help").stdout.split()
    )
    assert "Reproduce the paper" in run("--help").stdout
    assert __version__ in run("--version").stdout


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_full_disk_behind_stdout_is_one_error(form):
    with open("/dev/full", "w") as full:  # noqa: PTH123, a device
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from loglift.cli import main; main()",
                "reproduce",
                "--draws",
                "5",
                *form,
            ],
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
    command = f"{sys.executable} -c 'from loglift.cli import main; main()' reproduce --draws 5"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command} {' '.join(form)} | head -c 10"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_no_colours_in_a_pipe():
    done = subprocess.run(
        [sys.executable, "-c", "from loglift.cli import main; main()", "reproduce", "--draws", "5"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
