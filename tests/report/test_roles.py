"""Columns and what they are taken for, as lines."""

from __future__ import annotations

import pytest
from rich.console import Console

from loglift.report.roles import RoleLine, aligned, print_roles

LINES = [
    RoleLine("age", "integer", "73", "0.0 %", "public", "ordered"),
    RoleLine("diagnosis", "text", "1,203", "10.5 %", "sensitive", "its name says so " * 6),
    RoleLine("[bold]x[/bold]", "text", "3", "0.0 %", "left out", ""),
]


def test_lines_are_aligned():
    head, first, second, third = aligned(LINES).split("\n")
    assert head == "column          type     values    NULL  taken for  why"
    assert first == "age             integer      73   0.0 %  public     ordered"
    assert second.index("sensitive") == head.index("taken for")
    assert third.endswith("left out")


def test_a_long_name_moves_its_own_line_only():
    lines = [*LINES, RoleLine("x" * 80, "text", "3", "0.0 %", "public", "")]
    assert aligned(lines).split("\n")[1].startswith("age" + " " * 29)


@pytest.mark.parametrize("width", [80, 200])
def test_a_terminal_shows_all_of_it(width, capsys):
    print_roles(LINES, Console(width=width), "t.csv", "12 records")
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= width
    assert "[bold]x" in shown.replace("\n", "")
    assert "t.csv: 12 records" in shown
