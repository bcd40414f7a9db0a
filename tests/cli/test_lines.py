"""Messages: one line in a pipe, wrapped between words on a terminal."""

from __future__ import annotations

import io

import pytest

from loglift.cli._lines import say

TEXT = "Written to a-very-long-name/of-a-directory: released.parquet, mechanism.json."


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_message_is_one_line_in_a_pipe(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    say(TEXT)
    assert capsys.readouterr() == (f"{TEXT}\n", "")
    say(TEXT, err=True)
    assert capsys.readouterr() == ("", f"{TEXT}\n")


@pytest.mark.parametrize(("name", "err"), [("stdout", False), ("stderr", True)])
def test_on_a_terminal_words_stay_whole(monkeypatch, name, err):
    terminal = Terminal()
    monkeypatch.setattr(f"sys.{name}", terminal)
    monkeypatch.setenv("COLUMNS", "30")
    say(TEXT, err=err)
    lines = terminal.getvalue().splitlines()
    assert len(lines) == 4
    assert " ".join(lines) == TEXT
    assert "a-very-long-name/of-a-directory:" in lines  # longer than the line, and whole


def test_without_a_stdout_nothing_is_printed(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout", None)
    say(TEXT)
    assert capsys.readouterr().err == ""
