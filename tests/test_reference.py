"""The generated reference pages name everything there is."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import loglift
import loglift.measures
from loglift.cli._main import COMMANDS

PATH = Path(__file__).parents[1] / "tools" / "reference.py"


def reference():
    spec = importlib.util.spec_from_file_location("reference", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_cli_page_has_every_command_and_its_options():
    page = reference().cli_page()
    assert re.findall(r"^## loglift (\w+)$", page, re.MULTILINE) == list(COMMANDS)
    assert page.count("--eps") >= 3
    assert "--min-count K" in page


def test_the_api_page_has_every_public_name():
    page = reference().api_page()
    named = {name for name in loglift.__all__ if callable(getattr(loglift, name))}
    assert set(loglift.__all__) - named == {"__version__"}
    assert set(re.findall(r"^## (\w+)$", page, re.MULTILINE)) == named
    assert "merge(joint, eps" in page


def test_the_api_page_has_every_measure():
    page = reference().api_page().partition("## loglift.measures\n")[2]
    assert re.findall(r"^### (\w+)$", page, re.MULTILINE) == loglift.measures.__all__
    assert "total_variation(joint" in page


def test_a_class_shows_its_methods_and_properties():
    page = reference().api_page()
    described = page.partition("## Joint\n")[2].partition("\n## ")[0]
    methods = re.findall(r"^\.(\w+): \S", described, re.MULTILINE)
    assert {"from_table", "merged", "prior"} <= set(methods)  # class method, method, property
    assert [name for name in methods if name.startswith("_")] == []


def test_no_page_has_a_memory_address():
    for page in (reference().api_page(), reference().cli_page()):
        assert [line for line in page.splitlines() if " at 0x" in line] == []


def test_a_default_that_is_a_function_is_written_as_dots():
    module = reference()

    def example(table, *, top=20, on_progress=print):
        """Only its signature is read."""

    signature = module._signature("example", example)  # noqa: SLF001, the rule itself
    assert signature == "example(table, *, top=20, on_progress=...)"
    assert "`...` is a function that does nothing" in module.api_page()


def test_no_line_of_a_signature_is_wider_than_the_help_texts():
    module = reference()
    heads = re.findall(r"^```\n(.*?)\n\n", module.api_page(), re.DOTALL | re.MULTILINE)
    assert heads
    assert max(len(line) for head in heads for line in head.splitlines()) <= module.WIDTH
