"""Paths and addresses in a plan."""

from __future__ import annotations

import os

import pytest

from loglift.release.places import absolute, located, relative


def test_an_address_is_noted_without_its_password():
    address = "postgresql://ann:s3cret@db.org:5432/shop::people"
    noted = relative(absolute(address), "anywhere")
    assert noted == "postgresql://ann@db.org:5432/shop::people"
    assert "s3cret" not in relative(absolute("mysql://ann:s3cret@db.org/shop"), "anywhere")


@pytest.mark.parametrize("name", ["people.csv", "parts/*.csv", "wide.duckdb::people", "a b/ü.csv"])
def test_a_path_that_was_noted_is_found_again(name, tmp_path, monkeypatch):
    (tmp_path / "data" / "out").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "data")
    noted = relative(absolute(name), tmp_path / "data" / "out")
    assert noted == f"../{name}"
    assert located(noted, "out") == name
    monkeypatch.chdir(tmp_path)
    assert located(noted, "data/out") == f"data/{name}"
    monkeypatch.chdir(tmp_path / "data" / "out")
    assert located(noted, ".") == f"{os.path.realpath(tmp_path)}/data/{name}"


def test_a_folder_that_is_a_link_is_followed_and_a_file_that_is_one_is_not(tmp_path, monkeypatch):
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "short").symlink_to(tmp_path / "real" / "deep")
    (tmp_path / "may.csv").write_text("x")
    (tmp_path / "latest.csv").symlink_to(tmp_path / "may.csv")
    monkeypatch.chdir(tmp_path)
    noted = relative(absolute("latest.csv"), "short")
    assert noted == "../../latest.csv"
    assert located(noted, "short") == located(noted, "real/deep") == "latest.csv"


def test_an_absolute_path_in_a_plan_stays(tmp_path):
    assert located(str(tmp_path / "x.csv"), "anywhere") == str(tmp_path / "x.csv")
    assert located("postgresql://db.org/shop::people", "x") == "postgresql://db.org/shop::people"
