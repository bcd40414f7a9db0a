"""The help of commands with many options comes in sections that fit a screen."""

from __future__ import annotations

import re
from collections import Counter

import click
import pytest

from cli.running import run
from loglift.cli import main
from loglift.cli._main import COMMANDS
from loglift.cli._sections import SECTIONS, SectionedCommand, name_of

SCREEN = 24  # lines of a terminal of 80 columns
NAMES = [name for names in SECTIONS.values() for name in names.split()]
SECTIONED = [
    name for name in COMMANDS if isinstance(main.get_command(None, name), SectionedCommand)
]


def parts_of(text):
    """Return title -> lines, of the description, each section and the examples."""
    parts = re.split(r"^(?=[A-Z]|  Examples:)", text, flags=re.MULTILINE)
    return {
        part.splitlines()[0].strip(" :"): part.strip("\n").splitlines() for part in parts if part
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_every_part_fits_a_screen(command):
    parts = parts_of(run(command, "--help", COLUMNS="80").stdout)
    assert {"Output", "Examples"} <= set(parts) or {"Options", "Examples"} <= set(parts)
    assert {title: len(lines) for title, lines in parts.items() if len(lines) > SCREEN} == {}


def test_protect_has_the_sections_in_their_order():
    titles = list(parts_of(run("protect", "--help", COLUMNS="80").stdout))
    assert titles[1:-1] == list(SECTIONS)


@pytest.mark.parametrize("command", SECTIONED)
def test_every_option_is_in_one_section(command):
    options = [
        name_of(parameter)
        for parameter in main.get_command(None, command).params
        if isinstance(parameter, click.Option)
    ]
    assert len(options) > 5
    assert set(options) <= set(NAMES)
    shown = run(command, "--help", COLUMNS="80").stdout
    found = Counter(re.findall(r"^  (?:-\w, )?--([\w-]+)", shown, re.MULTILINE))
    assert found == Counter([*options, "help"])


def test_no_name_of_a_section_is_left_over():
    used = {name_of(found) for name in SECTIONED for found in main.get_command(None, name).params}
    assert sorted(set(NAMES) - used) == ["help"]
    assert len(NAMES) == len(set(NAMES))


def test_an_option_without_a_section_is_shown_last():
    command = SectionedCommand("example", params=[click.Option(["--eps"]), click.Option(["--new"])])
    text = command.get_help(click.Context(command))
    assert text.index("Bound:") < text.index("--eps") < text.index("Options:") < text.index("--new")
