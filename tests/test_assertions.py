"""Every test can fail: it asserts something, for sure, and not the wrong thing.

A test of a proposition that holds in some cases only counts the cases, and asserts the count at its
end (sure.py says what "for sure" means).
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sure import Sure, asserts, functions_of

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("test_*.py"))


def cases_of(tree):
    return [node for name, node in functions_of(tree).items() if name.startswith("test_")]


def parsed(file):
    return ast.parse(file.read_text("utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_test_asserts_something(file):
    tree = parsed(file)
    functions = functions_of(tree)
    assert [node.name for node in cases_of(tree) if not asserts(node, functions)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_assertion_is_a_choice_of_two_values(file):
    """`assert a == b if c else d` asserts d where c is false, and d is mostly true."""
    doubtful = [
        ast.unparse(node)
        for node in ast.walk(parsed(file))
        if isinstance(node, ast.Assert) and isinstance(node.test, (ast.IfExp, ast.Tuple))
    ]
    assert doubtful == []


def unsure(file):
    """Return the tests of a file that may end without having asserted anything."""
    tree = parsed(file)
    sure = Sure(tree)
    place = file.relative_to(FOLDER)
    return [
        f"{place}:{node.lineno} {node.name}" for node in cases_of(tree) if not sure.function(node)
    ]


SURE = """
def test_plain(): assert 1
def test_both(x):
    if x: assert 1
    else: assert 2
def test_loop():
    for x in (1, 2): assert x
def test_constant():
    for name, x in CASES.items(): assert x
def test_counted(xs):
    for x in xs: assert x
    assert len(xs) == 3
def test_raises():
    with pytest.raises(ValueError): int("x")
def test_refused_or_right(x):
    if x:
        with pytest.raises(ValueError): int(x)
        return
    assert x is None
def test_helper(): helper()
def helper(): assert 1
CASES = {"a": 1}
"""
UNSURE = """
def test_if(x):
    if x: assert 1
def test_loop(xs):
    for x in xs: assert x
def test_filtered():
    for x in [x for x in range(9) if x > 9]: assert x
def test_returns(x):
    if x: return
    assert 1
def test_continues():
    for x in range(3):
        if x: continue
        assert 1
def test_empty():
    for x in CASES: assert x
def test_helper(): helper([])
def helper(xs):
    for x in xs: assert x
def test_caught():
    try: assert int("1")
    except ValueError: pass
def test_never_called():
    def inner(): assert 1
CASES = []
"""


@pytest.mark.parametrize(("text", "sure"), [(SURE, True), (UNSURE, False)])
def test_what_is_sure_is_told_from_what_is_not(text, sure):
    tree = ast.parse(text)
    tests = cases_of(tree)
    assert len(tests) > 7
    reader = Sure(tree)
    assert [node.name for node in tests if reader.function(node) is not sure] == []


def test_every_test_asserts_something_for_sure():
    assert [test for file in FILES for test in unsure(file)] == []
