"""Every test can fail: none asserts nothing, or the wrong thing."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.rglob("test_*.py"))


def functions_of(file):
    tree = ast.parse(file.read_text("utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {node.name: node for node in found}


def asserts(node, functions, seen=()):
    """Whether a function asserts something, itself or through others of its file."""
    for part in ast.walk(node):
        if isinstance(part, ast.Assert):
            return True
        if isinstance(part, ast.Call):
            name = ast.unparse(part.func).split(".")[-1]
            if name in ("raises", "warns", "fail", "check") or name.startswith(
                ("assert_", "check_")
            ):
                return True
            other = functions.get(name)
            if other is not None and name not in seen and asserts(other, functions, (*seen, name)):
                return True
    return False


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_test_asserts_something(file):
    functions = functions_of(file)
    silent = [
        name
        for name, node in functions.items()
        if name.startswith("test_") and not asserts(node, functions)
    ]
    assert silent == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_assertion_is_a_choice_of_two_values(file):
    """`assert a == b if c else d` asserts d where c is false, and d is mostly true."""
    doubtful = [
        ast.unparse(node)
        for function in functions_of(file).values()
        for node in ast.walk(function)
        if isinstance(node, ast.Assert) and isinstance(node.test, (ast.IfExp, ast.Tuple))
    ]
    assert doubtful == []
