"""The generated reference pages: every public name by task, and the help of every command."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from loglift.cli._main import COMMANDS
from tool_modules import load

MODULES = ["loglift", "loglift.measures", "loglift.paper", "loglift.sklearn"]


@pytest.fixture(scope="module")
def reference():
    return load("reference")


def test_the_cli_page_has_every_command_and_its_options(reference):
    page = reference.cli_page()
    assert re.findall(r"^## loglift (\w+)$", page, re.MULTILINE) == list(COMMANDS)
    assert page.count("-h, --help ") == len(COMMANDS) + 1
    assert page.count("--eps") >= 3
    assert "--min-count K" in page
    assert max(map(len, page.splitlines())) <= reference.WIDTH


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_its_task(reference, module):
    public = set(import_module(module).__all__) - {"__version__"}
    if module == "loglift":  # six measures are names of the package, too
        public -= set(import_module("loglift.measures").__all__)
    named = [
        name
        for task in reference.TASKS.values()
        if task.module == module
        for name in task.names.split()
    ]
    assert sorted(named) == sorted(public)


def test_the_measures_that_the_package_has_too_are_named(reference):
    package, measures = (set(import_module(name).__all__) for name in MODULES[:2])
    told = re.findall(r"`(\w+)`", reference.TASKS["measures"].words.partition("itself:")[2])
    assert sorted(told) == sorted(package & measures)


def test_the_list_of_names_has_them_all_with_their_first_lines(reference):
    page = reference.api_page()
    row = re.compile(r"^\| \[`(\w+)`\]\(reference/(\w+)\.md#[\w.]+\) \| \S.* \|$", re.MULTILINE)
    expected = [
        (name, page_of) for page_of, task in reference.TASKS.items() for name in task.names.split()
    ]
    assert row.findall(page) == expected


def test_no_page_has_a_memory_address(reference):
    assert " at 0x" not in reference.api_page() + reference.cli_page()
