"""The tree: tests mirror the source, and no two modules have names that differ by an ending.

The tests of src/loglift/a/b.py are in tests/a/test_b.py. Three kinds of files have no test of their
own: `__init__.py` and `_version.py`, which tests of the public names cover; compiled kernels
`_x_kernels.py`, which the tests of their solver compare with the oracles of naive.py; and what is
covered by a test named in COVERED.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

import loglift

TESTS = Path(__file__).parent
SOURCE = Path(loglift.__file__).parent
ENDINGS = ("ing", "ed", "er", "s", "e")
# Modules whose tests are elsewhere, and where. Every line has its reason.
COVERED: dict[str, str] = {
    "confidence/uncertified.py": "confidence/test_tested.py",  # a type without code of its own
    "release/choose_certified.py": "release/test_protect_certified.py",  # what the recipe chooses
    "release/choose_channel.py": "release/test_protect_randomized.py",  # what the recipe chooses
    "certify/together.py": "release/test_verify.py",  # a type; the recipe fills it
    "errors.py": "test_api.py",  # each error is listed and documented: part of the public names
    "joint/arrays.py": "joint/test_joint.py",  # types, and a line that every joint runs
    "mechanism/columns.py": "mechanism/test_file.py",  # types without code of their own
    "readers/compared.py": "readers/test_columns.py",  # a type without code of its own
    "report/sentences/statement.py": "report/sentences/test_release.py",  # a type, in each sentence
    "report/origin.py": "release/test_origin.py",  # types without code; the recipe fills them
}
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))


def needs_tests(module):
    return module.name not in {"__init__.py", "_version.py"} and not re.fullmatch(
        r"_(\w+_)?kernels\.py", module.name
    )


def place_of_tests(module):
    """Return where the tests of a module are; `_x.py` is tested by test_x.py."""
    covered = COVERED.get(module.as_posix())
    return Path(covered) if covered else module.with_name(f"test_{module.name.lstrip('_')}")


def stem_of(name):
    """Return the name without its endings: search and searching, apply and applied are alike."""
    stem = name.lstrip("_")
    while ending := next(
        (end for end in ENDINGS if stem.endswith(end) and len(stem) > len(end) + 2), ""
    ):
        stem = stem.removesuffix(ending)
    stem = stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem
    return f"{stem[:-1]}y" if stem.endswith("i") else stem


def untested():
    wanted = [module for module in MODULES if needs_tests(module)]
    return [str(module) for module in wanted if not (TESTS / place_of_tests(module)).exists()]


def alike():
    """Return pairs of modules or rooms whose names differ by an ending.

    A room and its own module may: merging/merge.py holds `merge`.
    """
    files = [module for module in MODULES if module.name != "__init__.py"]
    rooms = [module.parent for module in MODULES if module.name == "__init__.py"][1:]
    return [
        (str(one), str(other))
        for one, other in combinations([*rooms, *files], 2)
        if one.stem.lstrip("_") != other.stem.lstrip("_")
        and stem_of(one.stem) == stem_of(other.stem)
        and one != other.parent
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("search", "searching"),
        ("apply", "applied"),
        ("apply", "applying"),
        ("price", "pricing"),
        ("table", "tables"),
        ("plan", "planning"),
        ("merge", "merging"),
        ("bound", "bounded"),
    ],
)
def test_names_that_differ_by_an_ending_are_found(one, other):
    assert stem_of(one) == stem_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("exact", "extra"), ("file", "values"), ("bins", "bound")]
)
def test_other_names_are_not(one, other):
    assert stem_of(one) != stem_of(other)


def test_kernels_and_packages_need_no_test_of_their_own():
    assert len(MODULES) > 100
    without = {module.name for module in MODULES if not needs_tests(module)}
    assert {"__init__.py", "_version.py"} < without
    assert {name for name in without if not name.endswith("kernels.py")} == {
        "__init__.py",
        "_version.py",
    }
    assert [name for name in COVERED if not (SOURCE / name).exists()] == []


def test_every_module_has_its_tests():
    assert untested() == []


def test_no_two_modules_have_names_that_differ_by_an_ending():
    assert alike() == []
