"""Tables on disk, and a release of one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli.running import COUNTRIES, JOBS, PEOPLE, PERSONS, PROTECT, run, sample_of


def _written(path, text):
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def table(tmp_path):
    return _written(tmp_path / "people.csv", PEOPLE)


@pytest.fixture(scope="session")
def made_release(tmp_path_factory):
    """A release of the table, made once: tests get copies."""
    folder = tmp_path_factory.mktemp("made")
    result = run("protect", _written(folder / "people.csv", PEOPLE), *PROTECT, "-o", folder / "out")
    assert result.exit_code == 0, result.output
    return folder / "out"


@pytest.fixture
def release(table, made_release):
    return Path(shutil.copytree(made_release, table.parent / "out"))


@pytest.fixture
def countries(tmp_path):
    return _written(tmp_path / "people.csv", COUNTRIES)


@pytest.fixture
def persons(tmp_path):
    return _written(tmp_path / "people.csv", PERSONS)


@pytest.fixture
def jobs(tmp_path):
    return _written(tmp_path / "people[b].csv", JOBS)


@pytest.fixture
def sample(tmp_path):
    return _written(tmp_path / "people.csv", sample_of(4000, 0))


@pytest.fixture
def formulas(tmp_path):
    """A table with texts that spreadsheets run, and numbers that they do not."""
    lines = "".join(f"{x},{i * 7 % 2},-5\n" for i in range(40) for x in ("=1+1", "b"))
    return _written(tmp_path / "formulas.csv", "x,s,n\n" + lines)
