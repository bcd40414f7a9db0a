"""Groups, why and suggestions as a custodian meets them."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from loglift.cli import main


def illness(i, k):
    if i % 97 == 5:
        return "gout"
    return "flu" if (i * 7 + k) % 5 < 2 else "cold"


CSV = "country,age,illness\n" + "".join(
    f"{country},{20 + i % 12},{illness(i, k)}\n"
    for i in range(240)
    for k, country in enumerate(("CH", "DE", "AT"))
)
COLUMNS = ["-s", "illness", "-p", "country", "-p", "age", "--eps", "1"]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(CSV, "utf-8")
    return path


def test_groups_are_kept_apart_recorded_and_verified(table, tmp_path):
    out = tmp_path / "out"
    done = run("protect", table, *COLUMNS, "--groups", "country", "-o", out, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["groups"] == ["country"]
    released = pq.read_table(out / "released.parquet")
    assert set(released["country"].to_pylist()) == {"AT", "CH", "DE"}
    assert json.loads((out / "mechanism.json").read_text())["groups"] == ["country"]
    assert json.loads((out / "certificate.json").read_text())["groups"] == ["country"]
    assert "never merged across" in (out / "report.html").read_text()
    assert run("verify", out / "mechanism.json", table).exit_code == 0


def test_a_group_that_is_no_public_column_is_refused_with_a_hint(table, tmp_path):
    done = run("protect", table, *COLUMNS, "--groups", "illness", "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "one of country, age" in done.stderr
    assert not (tmp_path / "out").exists()


def test_groups_without_a_safe_release_exit_3_and_are_named(table, tmp_path):
    done = run("protect", table, *COLUMNS, "--groups", "age", "-o", tmp_path / "out")
    assert done.exit_code == 3
    assert "(omega inf)" in done.stderr
    assert "no groups (--groups)" in done.stderr
    assert not (tmp_path / "out").exists()


def test_protect_says_why_and_what_would_help(table, tmp_path):
    out = tmp_path / "out"
    done = run("protect", table, *COLUMNS, "-o", out)
    assert done.exit_code == 0, done.output
    for text in (
        "Why it keeps no more",
        "binds below",
        "Every released value must contain illness = gout",
        "What would keep more:",
        "--upper 1 alone",
        "one sensitive value for illness = ",
    ):
        assert text in done.stdout
    report = (out / "report.html").read_text()
    assert "Every released value must contain illness = gout" in report
    assert "gout" not in (out / "mechanism.json").read_text()
    why = json.loads(run("protect", table, *COLUMNS, "-o", out, "--force", "--json").stdout)["why"]
    assert why["limits"][0]["sensitive"] == {"illness": "gout"}
    assert why["limits"][0]["records_with"] == CSV.count("gout")
    assert {remedy["change"] for remedy in why["remedies"]} >= {"upper", "sensitive"}


def test_nothing_is_said_when_nothing_is_lost(table, tmp_path):
    done = run(
        "protect", table, "-s", "illness", "-p", "country", "--eps", "5", "-o", tmp_path / "out"
    )
    assert "Why" not in done.stdout
    assert "Nothing is lost" in (tmp_path / "out" / "report.html").read_text()


def test_audit_tells_the_cap_and_suggests(table):
    told = run("audit", table, *COLUMNS)
    assert told.exit_code == 1
    assert "Every released value must contain illness = gout" in told.stdout
    assert "Sensitive values to group" not in told.stdout
    done = run("audit", table, *COLUMNS, "--suggest")
    assert done.exit_code == 1
    assert "Sensitive values to group" in done.stdout
    assert "as they are" in done.stdout
    assert "no longer for its members" in done.stdout
    document = json.loads(run("audit", table, *COLUMNS, "--suggest", "--json").stdout)
    assert document["caps"][0]["sensitive"] == {"illness": "gout"}
    assert document["suggestion"]["steps"][0]["kept"] > document["suggestion"]["kept"]


def test_audit_says_when_there_is_nothing_to_suggest(table):
    two = run("audit", table, "-s", "country", "-p", "age", "--eps", "3", "--suggest")
    assert "would not keep more" in two.stdout
    refused = run("audit", table, "-s", "illness", "-p", "age", "--suggest")
    assert refused.exit_code == 2
    assert "--eps" in refused.stderr


def test_several_sensitive_columns_are_named_in_full(table, tmp_path):
    both = ["-s", "illness", "-s", "country", "-p", "age", "--eps", "1"]
    each = run("protect", table, *both, "--each", "-o", tmp_path / "each")
    assert "sensitive value" in each.stdout
    assert "illness = gout" in each.stdout
    joint = run("protect", table, *both, "-o", tmp_path / "joint")
    assert "illness = gout, country = " in joint.stdout
