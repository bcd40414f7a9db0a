"""What belongs to the project beside its code: licence, citation, map, workflow."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import loglift
from test_arrows import RANKS

ROOT = Path(__file__).parents[1]
SOURCE = Path(loglift.__file__).parent
TARGET = re.compile(r"^(\w[\w-]*):", re.MULTILINE)


def read(name):
    return (ROOT / name).read_text("utf-8")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads(read("pyproject.toml"))["project"]


@pytest.fixture(scope="module")
def citation():
    return yaml.safe_load(read("CITATION.cff"))


def test_the_licence_is_apache_2_everywhere(project, citation):
    text = read("LICENSE")
    assert "Apache License\n" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert project["license"] == citation["license"] == "Apache-2.0"
    # A classifier beside the expression would be a second place to keep.
    assert [name for name in project["classifiers"] if name.startswith("License")] == []
    assert project["license-files"]
    assert all((ROOT / name).is_file() for name in project["license-files"])


def test_the_citation_has_what_the_format_asks_for(citation):
    assert citation["cff-version"] == "1.2.0"
    assert citation["title"] == "loglift"
    assert citation["message"]
    assert citation["authors"]
    [paper] = citation["references"]
    assert paper["type"] == "article"
    assert paper["title"] == "Enhancing Utility in the Watchdog Privacy Mechanism"
    names = [author["family-names"] for author in paper["authors"]]
    assert names == ["Zarrabian", "Ding", "Sadeghi", "Rakotoarivelo"]


def test_the_version_is_one(citation):
    assert citation["version"] == loglift.__version__ == "0.2.0"


def rooms_of_the_map():
    block = read("CONTRIBUTING.md").partition("## The map")[2].partition("\n## ")[0]
    return re.findall(r"^    (\w+) +\S", block, re.MULTILINE)


def test_the_map_names_every_room_once():
    named = rooms_of_the_map()
    modules = {path.stem for path in SOURCE.glob("*.py")}
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert len(named) == len(set(named))
    assert set(named) == modules | folders


def test_the_map_is_in_the_order_of_the_arrows():
    rank = {room: i for i, rooms in enumerate(RANKS) for room in rooms}
    ranks = [rank[room] for room in rooms_of_the_map() if room not in ("__init__", "tables")]
    assert len(ranks) == len(rank)
    assert ranks == sorted(ranks)


def test_contributing_names_files_and_targets_that_exist():
    text = read("CONTRIBUTING.md")
    named = [path for path in re.findall(r"`([\w.]+/[\w./]+)`", text) if "a/" not in path]
    assert len(named) > 8
    places = (ROOT, SOURCE)
    assert [path for path in named if not any((at / path).exists() for at in places)] == []
    targets = re.findall(r"make ([a-z-]+)", text)
    assert {"demo", "test"} <= set(targets) <= set(TARGET.findall(read("Makefile")))


def test_the_workflow_runs_the_same_script_as_a_developer():
    workflow = yaml.safe_load(read(".github/workflows/ci.yml"))
    [job] = workflow["jobs"].values()
    assert job["steps"][-1]["run"] == "bash .ci/run"
    given = {key: value for step in job["steps"] for key, value in step.get("with", {}).items()}
    assert given["python-version"] == "3.11"
    assert given["java-version"] == "17"


def test_ci_runs_targets_that_exist():
    [line] = re.findall(r"make ([a-z -]+)$", read(".ci/run"), re.MULTILINE)
    assert {"lint", "test", "demo", "docs"} <= set(line.split())
    assert set(line.split()) <= set(TARGET.findall(read("Makefile")))
