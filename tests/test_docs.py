"""Every code block of the README and the documentation is executed."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from loglift.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks():
    for page in PAGES:
        found = BLOCK.findall(page.read_text("utf-8"))
        for i, (language, text) in enumerate(found):
            follower = found[i + 1] if i + 1 < len(found) else ("", "")
            output = follower[1] if follower[0] == "text" else None
            yield pytest.param(language, text, output, id=f"{page.name}-{i}-{language}")


@pytest.mark.parametrize(("language", "text", "output"), list(blocks()))
def test_block(language, text, output, tmp_path, monkeypatch):
    if language == "python":
        monkeypatch.chdir(tmp_path)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "block", "exec"), {})  # noqa: S102, our own documentation
        assert output is None or printed.getvalue() == output
    elif language == "console":
        monkeypatch.chdir(tmp_path)
        for line in text.splitlines():
            run_command(line)
    else:
        assert language == "text"  # what the block before it prints


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
    assert result.exit_code == 0, result.output


def test_every_make_target_of_the_readme_exists():
    targets = re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"`make (\w[\w-]*)`", (ROOT / "README.md").read_text())
    assert named
    assert set(named) <= set(targets)
