"""A release that tests of applying and verifying read."""

from __future__ import annotations

import pytest

from release.people_with_jobs import people, run


@pytest.fixture
def made(tmp_path):
    """Return the paths of a table and of its mechanism."""
    table, release = tmp_path / "people.parquet", tmp_path / "out"
    people().write_parquet(table)
    done = run("protect", table, "-s", "ill", "-p", "job", "--eps", 0.5, "-o", release)
    assert done.exit_code == 0, done.output
    return table, release / "mechanism.json"
