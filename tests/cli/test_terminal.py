"""What commands print with: plain text in a pipe, colours and progress on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from contextlib import suppress

import pytest

from cli.running import COMMAND
from loglift._compute.progress import Progress, silent
from loglift.cli._terminal import console, progress


def test_no_colours_in_a_pipe():
    done = subprocess.run(
        [*COMMAND, "reproduce", "--draws", "5"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def on_terminal(code):
    """Run code with stdout and stderr on a terminal of its own; return what the terminal gets."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 80, 0, 0))
    names = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    environment = {name: value for name, value in os.environ.items() if name not in names}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        env={**environment, "TERM": "xterm-256color"},
    ) as process:
        os.close(follower)
        shown = b""
        with suppress(OSError):  # the terminal closes when the process ends
            while part := os.read(leader, 4096):
                shown += part
    os.close(leader)
    assert process.returncode == 0, shown
    return shown.decode()


STAGES = """
from time import sleep
from loglift._compute.progress import Progress
from loglift.cli._terminal import progress
with progress(quiet={quiet}) as on_progress:
    for told in (Progress("merging [b]", 3, 1000), Progress("certifying")):
        on_progress(told)
        sleep(0.4)
print("done")
"""


def test_progress_shows_stages_on_a_terminal_and_clears_them():
    shown = on_terminal(STAGES.format(quiet=False))
    assert "merging [b] ... 3 of 1,000" in shown
    assert "certifying ..." in shown
    assert "certifying ... 3" not in shown
    *_, last = shown.split("certifying ...")
    assert "\x1b[2K" in last  # the line is erased
    assert last.endswith("done\r\n")


COMPILING = """
from time import sleep
from loglift._compute.progress import Progress, tell_compiling
from loglift.cli._terminal import progress
with progress() as on_progress:
    on_progress(Progress("merging"))
    for change in (1, -1):
        tell_compiling(change)
        sleep(0.4)
"""


def test_progress_says_when_loops_are_compiled():
    shown = on_terminal(COMPILING)
    note = "merging ..., compiling loops once for this machine ..."
    assert note in shown
    *_, last = shown.split(note)
    assert "merging ..." in last  # compiling is over, the stage is not


def test_progress_is_silent_when_quiet():
    assert on_terminal(STAGES.format(quiet=True)) == "done\r\n"


def test_progress_is_silent_without_a_terminal(capsys):
    with progress() as on_progress:
        on_progress(Progress("counting"))
    assert on_progress is silent
    assert capsys.readouterr() == ("", "")


def test_a_table_is_as_wide_as_the_terminal():
    code = "from loglift.cli._terminal import console; print(console().width)"
    assert on_terminal(code) == "80\r\n"


def test_in_a_pipe_a_table_is_as_wide_as_columns_says_or_100(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    assert console().width == 100
    monkeypatch.setenv("COLUMNS", "60")
    assert console().width == 60


def test_a_reader_that_left_is_told_to_the_caller():
    with pytest.raises(BrokenPipeError):
        console().on_broken_pipe()
