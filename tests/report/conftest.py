"""Releases that several tests of reports read."""

from __future__ import annotations

import pytest

import loglift
from report.making import run, write_table


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A table and the directory of its release, with both reports."""
    folder = tmp_path_factory.mktemp("report")
    table = write_table(folder / "people.csv")
    columns = ["-s", "illness", "-p", "town", "-p", "age", "--eps", "0.4"]
    done = run("protect", table, *columns, "-o", folder / "out", "--public-report")
    assert done.exit_code == 0, done.output
    return table, folder / "out"


@pytest.fixture(scope="session")
def summary(made):
    """The summary of the same release."""
    table, _ = made
    columns = {"sensitive": "illness", "public": ["town", "age"]}
    return loglift.protect(str(table), **columns, eps=0.4, explain=True).summary


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory):
    """The evaluation of a release."""
    table = write_table(tmp_path_factory.mktemp("evaluation") / "people.csv", records=1200)
    mechanism = loglift.protect(
        str(table), sensitive="illness", public=["town", "age"], eps=0.4
    ).mechanism
    return loglift.evaluate(table, mechanism)
