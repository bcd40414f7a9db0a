"""Randomized releases as a custodian meets them."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from loglift.cli import main

CSV = "city,age,person,illness\n" + "".join(
    f"{city},{20 + i % 4 * 10},{i % 90},{'flu' if (i * 7 + len(city)) % 5 < i % 4 else 'cold'}\n"
    for i in range(240)
    for city in ("Bern", "Basel", "Zug")
)
PROTECT = ["-s", "illness", "-p", "age", "--eps", "0.3", "--method", "randomized"]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(CSV, "utf-8")
    return path


def test_protect_apply_and_verify(table, tmp_path):
    release = tmp_path / "out"
    result = run("protect", table, *PROTECT, "-o", release)
    assert result.exit_code == 0, result.output
    assert "drawn at random" in result.stdout
    assert "mechanism.json tells more" in " ".join(result.stdout.split())
    assert pq.read_table(release / "released.parquet").num_rows == 720
    certificate = json.loads((release / "certificate.json").read_text())
    assert certificate["holds"] is True
    assert certificate["draws"]["seeded"] is False
    assert "fluctuate" in certificate["note"]
    report = (release / "report.html").read_text("utf-8")
    assert "drawn at random" in report
    assert "operating system" in report
    assert "flu" not in (release / "mechanism.json").read_text()
    assert run("verify", release / "mechanism.json", table).exit_code == 0
    applied = run("apply", release / "mechanism.json", table, "-o", tmp_path / "again.csv")
    assert applied.exit_code == 0, applied.output
    assert len((tmp_path / "again.csv").read_text().splitlines()) == 721


def test_a_mechanism_that_does_not_hold_is_found_out(table, tmp_path):
    run("protect", table, *PROTECT, "-o", tmp_path / "out")
    document = json.loads((tmp_path / "out" / "mechanism.json").read_text())
    document["bound"] = {"lower": 0.01, "upper": 0.01}
    (tmp_path / "tight.json").write_text(json.dumps(document))
    result = run("verify", tmp_path / "tight.json", table)
    assert result.exit_code == 1
    assert "Does not hold" in result.stdout


def test_a_seed_is_flagged_everywhere(table, tmp_path):
    result = run("protect", table, *PROTECT, "--seed", 3, "-o", tmp_path / "out", "--json")
    assert json.loads(result.stdout)["draws"]["seeded"] is True
    assert json.loads(result.stdout)["why"] is None
    assert "not for release" in result.stderr
    assert "not for release" in (tmp_path / "out" / "certificate.json").read_text()
    assert "not for release" in (tmp_path / "out" / "report.html").read_text()
    mechanism = tmp_path / "out" / "mechanism.json"
    applied = run("apply", mechanism, table, "--seed", 3, "-o", tmp_path / "a.csv")
    assert "not for release" in applied.stderr


def test_a_key_gives_one_answer_per_person(table, tmp_path):
    run("protect", table, *PROTECT, "-o", tmp_path / "out")
    options = ["--key", "person", "--keep", "person", "--keep-order"]
    mechanism, output = tmp_path / "out" / "mechanism.json", tmp_path / "keyed.csv"
    assert run("apply", mechanism, table, *options, "-o", output).exit_code == 0
    shown = [line.rsplit(",", 1) for line in output.read_text().splitlines()[1:]]
    ages = [line.split(",")[1] for line in CSV.splitlines()[1:]]
    answers = {}
    for age, (value, person) in zip(ages, shown, strict=True):
        assert answers.setdefault((age, person), value) == value


@pytest.mark.parametrize("extra", [["--keep", "city"], ["--confidence", "0.9"]])
def test_what_does_not_go_with_it_is_refused_and_nothing_written(table, tmp_path, extra):
    result = run("protect", table, *PROTECT, *extra, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert extra[0] in result.stderr
    assert not (tmp_path / "out").exists()


def test_reproduce_adds_curves(tmp_path):
    chosen = ["--methods", "complete,greedy,randomized"]
    result = run("reproduce", "--draws", 2, *chosen, "-o", tmp_path / "figures", "--json")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    means = {
        (p["method"], p["eps"]): p["ours"]
        for p in [*document["others"], *document["points"]]
        if (p["figure"], p["statistic"]) == ("NMIL", "mean")
    }
    assert document["other_draws"] == 2
    assert len(means) == 30
    assert all(means["randomized", eps] < means["greedy", eps] for _, eps in means)
    assert "Randomized" in (tmp_path / "figures" / "nmil.svg").read_text()
    assert run("reproduce", "--draws", 4, "--methods", "magic").exit_code == 2
