"""Every public name says what it takes, returns and raises, and has an example that runs."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib import import_module

import pytest

MODULES = ["loglift", "loglift.measures", "loglift.paper", "loglift.sklearn"]
PUBLIC = {
    f"{module}.{name}": getattr(import_module(module), name)
    for module in MODULES
    for name in import_module(module).__all__
    if name != "__version__"
}
# The same function under two names is looked at once.
THINGS = {id(thing): (name, thing) for name, thing in reversed(PUBLIC.items())}.values()
FUNCTIONS = [(name, thing) for name, thing in THINGS if not inspect.isclass(thing)]
CLASSES = [(name, thing) for name, thing in THINGS if inspect.isclass(thing)]
NO_ERRORS = [(name, thing) for name, thing in CLASSES if not issubclass(thing, Exception)]
NO_INPUT = {
    "loglift.paper.example1",
    "loglift.paper.table1",
}  # nothing to document, nothing to refuse
# Generators and functions of the paper's own data refuse nothing of their own.
NOT_RAISING = {f"loglift.paper.{name}" for name in import_module("loglift.paper").__all__}


def names(things):
    """Return the names of public things, as the ids of tests."""
    return [name for name, _ in things]


def sections(thing):
    """Return title -> text of the numpy sections of a docstring."""
    text = inspect.getdoc(thing) or ""
    parts = re.split(r"^([A-Z]\w+)\n-{3,}$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described(text):
    """Return the names that a section describes: lines that are not indented, split at commas."""
    heads = re.findall(r"^(\S.*)$", text, re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.split(" : ")[0].split(",")}


def test_public_names_are_many():
    assert len(PUBLIC) > 100
    assert len(FUNCTIONS) > 50
    assert len(NO_ERRORS) > 30


@pytest.mark.parametrize(("name", "thing"), FUNCTIONS, ids=names(FUNCTIONS))
def test_a_function_has_all_its_sections(name, thing):
    found = sections(thing)
    if name not in NO_INPUT:
        taken = set(inspect.signature(thing).parameters)
        assert taken == described(found["Parameters"]), name
    returned = inspect.signature(thing).return_annotation
    assert "Returns" in found or "Yields" in found or returned in {None, "None"}
    assert "Raises" in found or name in NOT_RAISING


@pytest.mark.parametrize(("name", "thing"), NO_ERRORS, ids=names(NO_ERRORS))
def test_a_class_describes_its_arguments(name, thing):
    found = sections(thing)
    told = described(found.get("Parameters", "") + found.get("Attributes", ""))
    taken = {each for each in inspect.signature(thing).parameters if not each.startswith("_")}
    assert taken - told <= {"figures"}, name  # of a mechanism: told one by one, from `leakage` on


@pytest.mark.parametrize(("name", "thing"), THINGS, ids=names(THINGS))
def test_the_example_runs(name, thing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = sections(thing)["Examples"]
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    assert example.examples, name
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)
