"""Every code block of the README and the documentation is executed."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from loglift.cli import main
from tables.makers import need_spark

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
DEMO = "$ loglift demo --force -o demo"  # reads nothing: every page may have the files of one run


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """What the first command of most pages writes."""
    folder = tmp_path_factory.mktemp("pages")
    with contextlib.chdir(folder):
        run_command(DEMO)
    return folder / "demo"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page, demo, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, in one folder."""
    monkeypatch.chdir(tmp_path)
    printed, text_of_page = "", page.read_text("utf-8")
    blocks = BLOCK.findall(text_of_page)
    assert len(blocks) == len(re.findall(r"^```\w", text_of_page, re.MULTILINE))
    for language, text in blocks:
        if language == "python":
            printed = run_python(text)
        elif language == "console":
            for line in text.splitlines():
                if line == DEMO:
                    shutil.copytree(demo, "demo", dirs_exist_ok=True)
                else:
                    run_command(line)
        else:  # what the block before it prints
            assert language == "text"
            assert printed == text


def run_python(text):
    if "pyspark" in text:  # in a process of its own: a running Java has its own working directory
        need_spark()
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", text],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "block", "exec"), {})  # noqa: S102, our own documentation
    return printed.getvalue()


def run_command(line):
    if not line.startswith("$ "):
        return
    program, *arguments = shlex.split(line.removeprefix("$ "), comments=True)
    if program == "make":  # make runs these tests: that its target exists is all to check here
        targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert set(arguments) <= set(targets)
        return
    assert program == "loglift"
    result = CliRunner().invoke(main, arguments)
    said = re.search(r"# exit code (\d)$", line)
    assert result.exit_code == (int(said[1]) if said else 0), result.output


def test_every_make_target_of_the_readme_exists():
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"`make (\w[\w-]*)`", (ROOT / "README.md").read_text())
    assert named
    assert set(named) <= set(targets)


def test_the_readme_fits_a_screen_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 50
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []
