"""Verifying a mechanism: what is checked is what is released, and it is named."""

from __future__ import annotations

import json

import polars as pl
import pytest

import loglift
from loglift import InputError, Mechanism, MechanismError, TableError
from naive import leakage
from release.people_with_jobs import people, run, words


def test_verify_names_what_it_verified(made):
    table, mechanism = made
    said = words(run("verify", mechanism, table))
    assert "released values of job moves belief about ill beyond eps 0.5" in said
    assert "checked exactly on 3,000 records" in said
    assert "Not covered. region, sex (the other columns of the table)" in said
    document = json.loads(run("verify", mechanism, table, "--json").output)
    assert document["sensitive"] == ["ill"]
    assert document["public"] == ["job"]
    assert document["beside"] == ["region", "sex"]
    plain = {"lower": 0.5, "upper": 0.5, "values": [], "beta": None, "requirements": []}
    assert document["bound"] == plain
    assert document["records"] == 3000


def test_another_sensitive_column_in_the_file_is_another_sentence(made):
    table, mechanism = made
    mechanism.write_text(mechanism.read_text().replace('"name": "ill"', '"name": "sex"'))
    said = words(run("verify", mechanism, table))
    assert "belief about sex" in said
    assert "belief about ill" not in said
    assert json.loads(run("verify", mechanism, table, "--json").output)["sensitive"] == ["sex"]


def test_a_failed_check_names_the_columns_too(made, tmp_path):
    _, mechanism = made
    ill = pl.when(pl.col("job") == "job 7").then(pl.lit("yes")).otherwise(pl.lit("no"))
    biased = people().with_columns(ill=ill)
    biased.write_parquet(tmp_path / "biased.parquet")
    result = run("verify", mechanism, tmp_path / "biased.parquet")
    assert result.exit_code == 1
    assert "released values of job move belief about ill beyond eps 0.5" in words(result)


def test_bins_and_variables_apart_are_named(tmp_path):
    table = people().with_columns(age=pl.int_range(pl.len()) % 40 + 20)
    table.write_parquet(tmp_path / "t.parquet")
    options = ["-s", "ill", "-s", "sex", "-p", "age", "--bin", "age=10", "--eps", 1]
    said = words(
        run("protect", tmp_path / "t.parquet", *options, "--each", "-o", tmp_path / "each")
    )
    assert "age (in steps of 10) moves belief about ill, sex, each on its own, beyond eps 1" in said
    said = words(run("verify", tmp_path / "each/mechanism.json", tmp_path / "t.parquet"))
    assert "age (in steps of 10) moves belief about ill, sex, each on its own, beyond eps 1" in said
    said = words(run("protect", tmp_path / "t.parquet", *options, "-o", tmp_path / "both"))
    assert "belief about ill, sex, taken together, beyond eps 1" in said


@pytest.mark.parametrize("method", ["search", "randomized"])
def test_verify_checks_what_apply_releases_of_suppressed_values(method):
    made = loglift.protect(people(), sensitive="ill", public="job", eps=0.5, method=method)
    new = people(seed=1).with_columns(
        job=pl.when(pl.col("job") == "job 3").then(pl.lit("diver")).otherwise("job")
    )
    with pytest.raises(TableError, match=r"1 value was .* 'diver': .*unseen"):
        loglift.verify(made, new)
    found = loglift.verify(made, new, unseen="suppress")
    suppressed = [value for value in found.values if value.shows["job"] == "(suppressed)"]
    divers = new.filter(pl.col("job") == "diver")
    assert [value.records for value in suppressed] == [len(divers)]
    pairs = ((row["job"] == "diver", row["ill"]) for row in new.iter_rows(named=True))
    assert suppressed[0].leakage <= leakage(pairs) + 1e-12
    if method == "search":
        applied = loglift.apply(made, new, unseen="suppress", keep_order=True)
        pairs = zip(applied["job"], new["ill"], strict=True)
        assert found.leakage == pytest.approx(leakage(pairs))


def test_suppressed_values_that_give_a_secret_away_do_not_hold():
    made = loglift.protect(people(), sensitive="ill", public="job", eps=0.5)
    strange = people(30, seed=2).with_columns(job=pl.lit("diver"), ill=pl.lit("yes"))
    table = pl.concat([people(), strange])
    assert loglift.verify(made, people()).holds
    found = loglift.verify(made, table, unseen="suppress")
    assert not found.holds
    assert [value.shows["job"] for value in found.values if not value.safe] == ["(suppressed)"]


def test_verify_counts_unseen_values_where_they_are_certified():
    options = {"sensitive": "ill", "public": "job", "eps": 0.5}
    made = loglift.protect(people(20_000), confidence=0.9, **options)
    table = people(seed=1).with_columns(
        job=pl.when(pl.col("job") == "job 3").then(pl.lit("diver")).otherwise("job")
    )
    found = loglift.verify(made, table, unseen="merge", confidence=0.9)
    applied = loglift.apply(made, table, unseen="merge", keep_order=True)
    assert found.leakage == pytest.approx(leakage(zip(applied["job"], table["ill"], strict=True)))
    assert found.population is not None
    with pytest.raises(InputError, match="no block for unseen"):
        loglift.verify(loglift.protect(people(), **options), table, unseen="merge")


def test_the_block_of_unseen_values_is_part_of_what_is_checked(monkeypatch):
    """A file that says something else about unseen values than was chosen is not released."""
    real = Mechanism.from_json.__func__

    def forgetful(cls, text, where="the mechanism"):
        document = json.loads(text)
        document.pop("unseen", None)
        return real(cls, json.dumps(document), where)

    monkeypatch.setattr(Mechanism, "from_json", classmethod(forgetful))
    options = {"sensitive": "ill", "public": "job", "eps": 0.5}
    with pytest.raises(loglift.UnsafeError, match="failed its exact check"):
        loglift.protect(people(20_000), confidence=0.9, **options)
    assert loglift.protect(people(20_000), **options).certificate.holds


def test_verify_says_that_a_release_is_drawn_at_random(tmp_path):
    table = tmp_path / "people.parquet"
    people().write_parquet(table)
    options = ["-s", "ill", "-p", "job", "--eps", 0.5, "--method", "randomized"]
    run("protect", table, *options, "-o", tmp_path / "out")
    mechanism = tmp_path / "out/mechanism.json"
    assert "those of one draw fluctuate" in words(run("verify", mechanism, table))
    text = mechanism.read_text()
    with pytest.raises(MechanismError, match="options"):
        Mechanism.from_json(text.replace('"method": "randomized"', '"method": "search"'))
    assert '"method": "randomized"' in text


def test_verify_says_what_it_took_unseen_values_for(made, tmp_path):
    table, mechanism = made
    new = people().with_columns(
        job=pl.when(pl.col("job") == "job 3").then(pl.lit("diver")).otherwise("job")
    )
    new.write_parquet(tmp_path / "new.parquet")
    divers = (new["job"] == "diver").sum()
    result = run("verify", mechanism, tmp_path / "new.parquet", "--unseen", "suppress", "--json")
    document = json.loads(result.output)
    assert (document["unseen"], document["unseen_records"]) == ("suppress", divers)
    said = run("verify", mechanism, tmp_path / "new.parquet", "--unseen", "suppress")
    assert "checked as 'apply --unseen suppress' releases them" in words(said)
    known = json.loads(run("verify", mechanism, table, "--json").output)
    assert (known["unseen"], known["unseen_records"]) == ("refuse", 0)


def test_verify_refuses_the_types_that_apply_refuses():
    made = loglift.protect(
        people().with_columns(job=(pl.col("job") == "job 1").cast(pl.Int64)),
        sensitive="ill",
        public="job",
        eps=2,
    )
    new = people().with_columns(job=pl.col("job") == "job 1")
    for use in (loglift.apply, loglift.verify):
        with pytest.raises(TableError, match="holds boolean values and the mechanism knows"):
            use(made, new)


def test_a_bound_is_said_without_rounding_it(made):
    table, mechanism = made
    text = mechanism.read_text().replace("0.5}", "0.53024117931}").replace("0.5,", "0.53024117931,")
    mechanism.write_text(text)
    assert "beyond eps 0.53024117931," in words(run("verify", mechanism, table))


def test_too_few_records_are_the_reason_that_is_told(made):
    table, mechanism = made
    mechanism.write_text(mechanism.read_text().replace('"min_count": null', '"min_count": 2900'))
    result = run("verify", mechanism, table)
    assert result.exit_code == 1
    assert "has fewer than 2,900 records" in words(result)
    assert "lowers ill" not in words(result)
    assert "or have fewer than 2,900 records, checked exactly on 3,000 records" in words(result)
    assert "Not covered. region, sex" in words(result)
    mechanism.write_text(mechanism.read_text().replace('"min_count": 2900', '"min_count": 20'))
    assert "Each has at least 20 records." in words(run("verify", mechanism, table))
