"""The table of the paper's equations: every function exists, every call runs and says the same."""

from __future__ import annotations

import re
from importlib import import_module

import numpy as np
import pytest

from docs.stated import Page

PAGE = Page("docs/equations.md")
ROW = re.compile(
    r"^\| (?P<name>[^|]+) \| (?:[^|]*) ?\| \[`(?P<function>[\w.]+)`\]\(reference/\w+\.md\) \| "
    r"`(?P<call>[^`]+)` \|$",
    re.MULTILINE,
)
ROWS = [match.group("name", "function", "call") for match in ROW.finditer(PAGE.text)]


@pytest.fixture(scope="module")
def names():
    return PAGE.run()


def test_every_equation_is_there():
    numbers = {int(number) for name, _, _ in ROWS for number in re.findall(r"\((\d)\)", name)}
    assert numbers == set(range(1, 10))
    assert len(ROWS) == PAGE.text.count("](reference/")
    assert {"Algorithm 1", "Example 1", "Table 1"} <= {name for name, _, _ in ROWS}


@pytest.mark.parametrize(("name", "function", "call"), ROWS, ids=[row[0] for row in ROWS])
def test_a_call_runs_and_calls_the_function_that_is_named(names, name, function, call):
    module, _, last = function.rpartition(".")
    assert getattr(import_module(module), last) is not None
    assert eval(call, names) is not None  # noqa: S307, our own documentation
    assert last in call or call == "mechanism.leakage", name


def test_the_equations_agree_with_each_other(names):
    calls = {name: eval(call, names) for name, _, call in ROWS}  # noqa: S307, as above
    complete = calls["complete merging"]
    assert np.isclose(calls["(6) utility of complete merging"], complete.information)
    assert np.isclose(calls["(6) utility of complete merging"], 0.5269, atol=5e-5)
    assert np.isclose(calls["(4) omega of a subset"], 0.0627, atol=5e-5)
    by_hand = calls["(7) the mechanism itself"]
    assert np.isclose(calls["(7) utility of subset merging"], by_hand.information)
    assert np.isclose(calls["(8) NMIL"], names["mechanism"].nmil)
    assert np.isclose(calls["(5) leakage of a mechanism"], calls["(4) of every block"].max())
    assert calls["(9) a refinement never loses more"]
    assert names["mechanism"].nmil <= complete.nmil
    assert calls["Example 1"].agrees
    assert calls["Table 1"].agrees
