"""Applying a mechanism to other tables."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import polars as pl
import pytest

import loglift
from loglift import InputError, Mechanism, MechanismError, TableError
from loglift.release.apply import as_mechanism
from release.people_with_jobs import people, run, words


def test_protect_says_what_is_not_covered(tmp_path):
    table = tmp_path / "people.parquet"
    people().write_parquet(table)
    options = ["-s", "ill", "-p", "job", "--eps", 0.5]
    plain = run("protect", table, *options, "-o", tmp_path / "plain")
    assert "Not protected" not in plain.output
    shown = ["--passthrough", "region", "--keep-sensitive"]
    said = words(run("protect", table, *options, *shown, "-o", tmp_path / "shown"))
    assert "Not protected. ill is released as in the table" in said
    assert "region" in said
    page = (tmp_path / "shown/report.html").read_text()
    assert "ill is released as in the table" in page
    result = run("protect", table, *options, *shown, "-o", tmp_path / "again", "--json")
    assert json.loads(result.output)["beside"] == ["region", "ill"]


@pytest.mark.parametrize(
    ("key", "again"), [('"each": false', '"each": true'), ('"lower": 0.5', '"lower": 9')]
)
def test_a_key_that_stands_twice_is_refused(made, key, again):
    _, mechanism = made
    text = mechanism.read_text()
    broken = text.replace(key, f"{key}, {again}")
    assert broken != text
    with pytest.raises(MechanismError, match="a key is repeated"):
        Mechanism.from_json(broken)


@pytest.mark.parametrize("name", ["ill", "ILL", "Ill"])
def test_apply_does_not_pass_the_sensitive_column_through(made, tmp_path, name):
    _, mechanism = made
    table = people().rename({"ill": name})
    table.write_parquet(tmp_path / "new.parquet")
    result = run(
        "apply",
        mechanism,
        tmp_path / "new.parquet",
        "--passthrough",
        name,
        "-o",
        tmp_path / "new.csv",
    )
    assert result.exit_code == 2
    assert f"column '{name}'" in words(result)
    assert "sensitive" in words(result)
    assert not (tmp_path / "new.csv").exists()
    fault = (
        "is sensitive"
        if name == "ill"
        else "differs from the sensitive column 'ill' only in upper and lower case"
    )
    with pytest.raises(TableError, match=fault):
        loglift.apply(mechanism, table, passthrough=["region", name])


def test_a_column_that_differs_from_the_sensitive_one_in_case_is_another_where_case_counts():
    table = people().with_columns(pl.col("region").alias("ILL"))
    options = {"sensitive": "ill", "public": "job", "eps": 0.5}
    assert "ILL" in loglift.protect(table, **options, passthrough="ILL").table.columns
    assert loglift.protect(table, **options, method="randomized", key="ILL").certificate.holds
    folded = duckdb.from_arrow(people().to_arrow())
    with pytest.raises(TableError, match="only in upper and lower case"):
        loglift.protect(folded, **options, passthrough="ILL")
    with pytest.raises(TableError, match="the key 'ILL' is the public or sensitive column 'ill'"):
        loglift.protect(folded, **options, method="randomized", key="ILL")


def test_a_release_of_one_value_says_that_nothing_is_left(tmp_path):
    table = tmp_path / "people.parquet"
    people().write_parquet(table)
    options = ["-s", "ill", "-p", "job", "--eps", 0.0001]
    said = words(run("protect", table, *options, "-o", tmp_path / "out"))
    assert "Nothing is left to analyse. All 8 public values are released as one" in said
    assert "Nothing is left to analyse." in (tmp_path / "out/report.html").read_text()
    assert "a bound upwards only (--upper) or a looser bound." in said
    one = pl.DataFrame({"job": ["a"] * 9 + ["b"] * 9, "ill": ["y"] + ["n"] * 17})
    one.write_parquet(tmp_path / "one.parquet")
    said = words(run("protect", tmp_path / "one.parquet", *options[:-1], 5, "-o", tmp_path / "one"))
    assert "Nothing is left to analyse." in said
    assert "looser bound" not in said  # at no finite bound can there be two released values
    usual = run("protect", table, *options[:-1], 0.5, "-o", tmp_path / "usual")
    assert "Nothing is left" not in usual.output
    assert "Nothing is left" not in (tmp_path / "usual/report.html").read_text()


@pytest.mark.parametrize("key", ["ill", "job", "ILL"])
def test_a_key_is_neither_sensitive_nor_public(key):
    """Draws that S decides would be one draw for each value of S: far outside the bound."""
    options = {"sensitive": "ill", "public": "job", "eps": 0.1, "method": "randomized"}
    folded = duckdb.from_arrow(people().to_arrow())
    with pytest.raises(TableError, match="is the public or sensitive column"):
        loglift.protect(folded, **options, key=key)
    made = loglift.protect(people(), **options, key="region")
    with pytest.raises(TableError, match="is the public or sensitive column"):
        loglift.apply(made, people(), key=key)


def test_apply_tells_how_many_records_were_merged_with_others(tmp_path):
    people(20_000).write_parquet(tmp_path / "people.parquet")
    options = ["-s", "ill", "-p", "job", "--eps", 0.5, "--confidence", 0.9, "-o", tmp_path / "out"]
    assert run("protect", tmp_path / "people.parquet", *options).exit_code == 0
    pl.DataFrame({"job": ["job 1", "diver", "diver"]}).write_parquet(tmp_path / "new.parquet")
    command = ["apply", tmp_path / "out/mechanism.json", tmp_path / "new.parquet", "-o"]
    said = run(*command, tmp_path / "a.csv", "--unseen", "merge")
    assert "2 records with unseen values merged with others" in words(said)
    told = run(*command, tmp_path / "b.csv", "--unseen", "merge", "--json")
    assert json.loads(told.stdout)["unseen_records"] == 2


def test_a_random_release_without_information_says_so(tmp_path):
    table = tmp_path / "people.parquet"
    people().write_parquet(table)
    options = ["-s", "ill", "-p", "job", "--eps", 0, "--method", "randomized"]
    pl.DataFrame({"job": ["a", "b"] * 50, "ill": ["y", "n"] * 50}).write_parquet(table)
    result = run("protect", table, *options, "-o", tmp_path / "out", "--json")
    assert json.loads(result.stdout)["information_kept"] < 1e-9
    said = run("protect", table, *options, "-o", tmp_path / "again")
    assert "Nothing is left to analyse." in said.output
    assert "Kept 0.0 % of the information" in words(said)


def test_many_columns_are_named_in_short(tmp_path):
    frame = people(200).with_columns(pl.lit("same").alias(f"c{i}") for i in range(40))
    frame.write_parquet(tmp_path / "wide.parquet")
    public = [part for i in range(40) for part in ("-p", f"c{i}")]
    options = ["-s", "ill", "-p", "job", *public, "--eps", 2]
    said = words(run("protect", tmp_path / "wide.parquet", *options, "-o", tmp_path / "out"))
    assert "released values of job, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10 and 29 more" in said
    audit = words(run("audit", tmp_path / "wide.parquet", *options, "--top", 0))
    assert "c30, c31" not in audit


def test_the_folder_of_a_release_stands_for_its_mechanism(tmp_path):
    table = pl.DataFrame({"job": list("aabb") * 5, "ill": list("ynyn") * 5})
    loglift.protect(table, sensitive="ill", public="job", eps=1).save(tmp_path / "out")
    file = tmp_path / "out" / "mechanism.json"
    for folder in (tmp_path / "out", str(tmp_path / "out")):
        assert as_mechanism(folder).to_json() == as_mechanism(file).to_json()
    assert loglift.verify(tmp_path / "out", table).holds
    with pytest.raises(MechanismError, match=r"has no mechanism\.json: give the folder"):
        as_mechanism(tmp_path)
    with pytest.raises(MechanismError, match=r"there is no file .*: give the folder"):
        as_mechanism(tmp_path / "nowhere.json")


def test_a_mechanism_without_a_table_knows_no_columns():
    with pytest.raises(MechanismError, match=r"Joint.from_table"):
        loglift.apply(loglift.merge([[3, 1], [1, 3]], 0.1), people())
    with pytest.raises(InputError, match="a list is not a mechanism"):
        loglift.apply([], people())


def test_a_mechanism_that_is_not_safe_is_not_applied():
    joint = loglift.Joint.from_table(people(), sensitive="ill", public="job")
    unsafe = Mechanism.from_channel(joint, np.eye(8), eps=0.01)
    with pytest.raises(loglift.UnsafeError, match="nothing is released"):
        loglift.apply(unsafe, people())
