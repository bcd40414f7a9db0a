"""--confidence on the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from loglift.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def rows(n, seed):
    rng = np.random.default_rng(seed)
    jobs = rng.integers(0, 8, n)
    ill = rng.random(n) < 0.2 + 0.05 * jobs
    return "job,ill\n" + "".join(f"{j},{int(i)}\n" for j, i in zip(jobs, ill, strict=True))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(rows(4000, 0), "utf-8")
    return path


def test_protect_certifies_and_says_so(table, tmp_path):
    options = ["-s", "ill", "-p", "job", "--eps", 0.4, "--confidence", 0.95, "--choose-share", 0.4]
    said = run("protect", table, *options, "-o", tmp_path / "out")
    assert said.exit_code == 0, said.output
    assert "With 95 % confidence" in said.output
    certificate = json.loads((tmp_path / "out/certificate.json").read_text())
    assert certificate["population"]["choice"]["share"] == 0.4
    assert "With 95 % confidence" in (tmp_path / "out/report.html").read_text()
    summary = run("protect", table, *options, "-o", tmp_path / "out2", "--json")
    assert json.loads(summary.output)["population"] == certificate["population"]
    fresh = tmp_path / "fresh.csv"
    fresh.write_text(rows(4000, 1), "utf-8")
    mechanism = tmp_path / "out/mechanism.json"
    verified = run("verify", mechanism, fresh, "--confidence", 0.95)
    assert verified.exit_code == 0
    assert "With 95 % confidence" in verified.output
    fresh.write_text(rows(60, 2), "utf-8")
    few = json.loads(run("verify", mechanism, fresh, "--confidence", 0.95, "--json").output)
    assert few["population"]["holds"] is False
    assert run("verify", mechanism, fresh, "--confidence", 0.95).exit_code == 1
    new = tmp_path / "new.csv"
    new.write_text("job\n3\n99\n", "utf-8")
    done = run("apply", mechanism, new, "-o", tmp_path / "new.parquet", "--unseen", "merge")
    assert done.exit_code == 0, done.output


def test_protect_exits_with_three_and_what_would_help(table, tmp_path):
    options = ["-s", "ill", "-p", "job", "--eps", 0.01, "--confidence", 0.95]
    said = run("protect", table, *options, "-o", tmp_path / "out")
    assert said.exit_code == 3
    assert "records would do" in said.output
    assert not (tmp_path / "out").exists()


def test_audit_shows_intervals_and_its_exit_code_is_about_the_population(table):
    held = run("audit", table, "-s", "ill", "-p", "job", "--eps", 1, "--confidence", 0.95)
    assert held.exit_code == 0, held.output
    assert "in the population" in held.output
    assert "is certified" in held.output
    table.write_text(rows(300, 0), "utf-8")
    short = run("audit", table, "-s", "ill", "-p", "job", "--eps", 0.8, "--confidence", 0.95)
    assert short.exit_code == 1
    assert "records" in short.output
    assert run("audit", table, "-s", "ill", "-p", "job", "--confidence", 2).exit_code == 2


@pytest.mark.parametrize("level", ["0.01", "0.49", "0", "1", "-1", "nan", "inf", "0.9999999999"])
def test_a_level_that_is_none_is_refused_in_one_line(table, tmp_path, level):
    options = ["-s", "ill", "-p", "job", "--eps", 0.4, "--confidence", level]
    for said in (
        run("protect", table, *options, "-o", tmp_path / "out"),
        run("audit", table, *options),
    ):
        assert said.exit_code == 2
        assert said.output.startswith("Error: confidence must be from 0.5 to")
        assert said.output.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("level", [0.5, 0.501, 0.999999])
def test_the_least_and_large_levels_work(table, tmp_path, level):
    options = ["-s", "ill", "-p", "job", "--eps", 0.6, "--confidence", level]
    said = run("protect", table, *options, "-o", tmp_path / "out")
    assert said.exit_code == 0, said.output
    assert f"With {100 * level:g} % confidence" in said.output
    assert run("audit", table, *options).exit_code in {0, 1}
