"""The public surface: explicit, importable, and instant."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import loglift
import loglift.measures
from loglift import _api, errors

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


@pytest.mark.parametrize("module", [_api, loglift.measures])
def test_all_lists_every_public_name(module):
    defined = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "").startswith("loglift")
    }
    assert sorted(module.__all__) == module.__all__
    assert defined <= set(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def test_the_package_offers_the_public_names_and_its_version():
    assert loglift.__all__ == sorted([*_api.__all__, "__version__"])
    for name in _api.__all__:
        assert getattr(loglift, name) is getattr(_api, name)
    assert set(loglift.__all__) <= set(dir(loglift))
    with pytest.raises(AttributeError, match="no attribute 'merges'"):
        loglift.merges  # noqa: B018, to see what it says


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


CORE = [SOURCE / "cells.py", SOURCE / "joint.py", *sorted((SOURCE / "measures").glob("*.py"))]


@pytest.mark.parametrize("path", CORE)
def test_the_core_imports_numpy_only(path):
    allowed = {"loglift", "numpy", *sys.stdlib_module_names}
    assert {name.partition(".")[0] for name in imports_of(path)} <= allowed


# The arrows of the design: a room may import only from rooms before it.
ROOMS = [
    {"errors", "_version", "types", "scope"},
    {"cells", "encoding", "_output"},
    {"joint"},
    {"measures"},
    {"bound"},
    {"merging", "exact"},
    {"randomizing"},
    {"mechanism", "naming", "channel"},
    {"solve", "recoding"},
    {"confidence", "recode"},
    {"certificate", "randomized"},
    {"why", "sweep"},
    {"tables"},
    {"report.audit", "report.words"},
    {"learning"},
    {"splitting", "choosing", "randomized_learning"},
    {"certified", "drawn", "counted"},
    {"reuse", "together"},
    {"pipeline"},
    {"estimating"},
    {"_api"},
    {"report", "paper", "demo", "sklearn"},
    {"cli"},
]


def test_arrows_point_one_way():
    for path in SOURCE.rglob("*.py"):
        if path.name == "__init__.py" and path.parent == SOURCE:
            continue
        own = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for name in imports_of(path):
            package, _, module = name.partition(".")
            if package == "loglift" and module and module.split(".")[0] != own.split(".")[0]:
                assert rank_of(module) < rank_of(own), f"{path.name} imports {name}"


def rank_of(module):
    """Return the place of the room a module is in; a room within a room comes first."""
    inner, outer = ".".join(module.split(".")[:2]), module.split(".")[0]
    found = {room: i for i, rooms in enumerate(ROOMS) for room in rooms}
    return found[inner] if inner in found else found[outer]


def test_every_error_is_one_of_ours_and_documented():
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    assert all(issubclass(error, loglift.LogliftError) for error in classes)
    assert all(error.__name__ in errors.__doc__ for error in classes)
