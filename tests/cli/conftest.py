"""Tables on disk, and a release of one."""

from __future__ import annotations

import pytest

from cli.running import COUNTRIES, JOBS, PEOPLE, PERSONS, PROTECT, run, sample_of


def _written(path, text):
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def table(tmp_path):
    return _written(tmp_path / "people.csv", PEOPLE)


@pytest.fixture
def release(table, tmp_path):
    result = run("protect", table, *PROTECT, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


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
