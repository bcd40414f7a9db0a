"""The notebooks of the documentation run, and are stored with their outputs."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def tool():
    path = ROOT / "tools" / "run_notebooks.py"
    spec = importlib.util.spec_from_file_location("run_notebooks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_is_one_for_each_door():
    assert [path.stem for path in NOTEBOOKS] == ["custodian", "data-scientist", "researcher"]


@pytest.mark.filterwarnings("default")  # those of the kernel's own libraries
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_the_same_kinds_of_outputs(path):
    """Rows and draws are random, so the outputs themselves differ from run to run."""
    stored, fresh = nbformat.read(path, as_version=4), tool().executed(path)
    assert [shapes(cell) for cell in fresh.cells] == [shapes(cell) for cell in stored.cells]


def shapes(cell):
    """Return the kinds of outputs of a cell, and the forms of what is displayed."""
    outputs = cell.get("outputs", ())
    return {(each.output_type, tuple(sorted(each.get("data", ())))) for each in outputs}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_short_complete_and_says_nothing_about_a_machine(path):
    text = path.read_text("utf-8")
    notebook = json.loads(text)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert 10 <= len(notebook["cells"]) <= 16
    assert all(cell["outputs"] for cell in code)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert set(notebook["metadata"]["kernelspec"].values()) == {"Python 3", "python", "python3"}
    assert not re.search(r"/(tmp|root|home)/", text)
    assert len(text) < 300_000
