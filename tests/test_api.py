"""The public surface: explicit, importable, and instant."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import loglift
import loglift.measures
from loglift import errors

SOURCE = Path(loglift.__file__).parent
HEAVY = {
    "numba",
    "llvmlite",
    "duckdb",
    "highspy",
    "vl_convert",
    "rich",
    "pandas",
    "polars",
    "pyarrow",
}


def test_measures_lists_every_public_name():
    module = loglift.measures
    defined = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("loglift")
    }
    assert sorted(module.__all__) == module.__all__
    assert defined <= set(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_package_shows_its_public_names_and_no_others():
    assert dir(loglift) == sorted(loglift.__all__) == list(loglift.__all__)
    assert all(getattr(loglift, name) is not None for name in loglift.__all__)
    with pytest.raises(AttributeError, match="no attribute 'merges'"):
        loglift.merges  # noqa: B018, to see what it says


def test_type_checkers_see_the_same_names():
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    checking = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname: node.module.removeprefix("loglift.")
        for node in checking.body
        for alias in node.names
    }
    assert seen == loglift._MODULES  # noqa: SLF001, the table itself is tested


@pytest.mark.parametrize("name", ["audit", "explain"])
def test_a_room_does_not_hide_the_function_of_its_name(name):
    code = f"import loglift.{name}, loglift.sklearn, loglift; print(callable(loglift.{name}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]


@pytest.mark.parametrize("statement", ["import loglift", "from loglift.cli import main"])
def test_start_loads_nothing_heavy(statement):
    code = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & HEAVY


def test_the_bare_import_loads_no_numpy():
    code = "import loglift, sys; print(loglift.__version__, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [loglift.__version__, "False"]


def imports_of(path):
    """Modules imported at the top level of a file."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


CORE = [
    SOURCE / "sparse.py",
    *sorted((SOURCE / "joint").glob("*.py")),
    *sorted((SOURCE / "measures").glob("*.py")),
]


@pytest.mark.parametrize("path", CORE)
def test_the_core_imports_numpy_only(path):
    allowed = {"loglift", "numpy", *sys.stdlib_module_names}
    assert {name.partition(".")[0] for name in imports_of(path)} <= allowed


def test_every_error_is_one_of_ours_and_documented():
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    assert all(issubclass(error, loglift.LogliftError) for error in classes)
    assert all(error.__name__ in errors.__doc__ for error in classes)
