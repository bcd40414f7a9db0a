"""`loglift audit`: what it tells, and its exit codes."""

from __future__ import annotations

import json

from cli.running import COLUMNS, COUNTRIES_COLUMNS, run, sample_of


def test_audit_tells_and_checks(table):
    result = run("audit", table, "-s", "illness", "-p", "city", "-p", "age", "--top", "3")
    assert result.exit_code == 0
    for text in ("360 records", "Riskiest values", "Public columns on their own", "illness = "):
        assert text in result.stdout
    outside = run("audit", table, "-s", "illness", "-p", "age", "--eps", "0.01")
    assert outside.exit_code == 1
    assert "Does not hold" in outside.stdout
    inside = run("audit", table, "-s", "illness", "-p", "city", "--eps", "5", "--json")
    assert inside.exit_code == 0
    assert json.loads(inside.stdout)["holds"] is True


def test_values_cannot_command_a_terminal(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "\x1b[31mred,a\n[bold]b,b\n" * 5)
    result = run("audit", path, "-s", "s", "-p", "x")
    assert "\x1b" not in result.stdout
    assert "[bold]b" in result.stdout


def test_audit_tells_the_cap_and_suggests(countries):
    told = run("audit", countries, *COUNTRIES_COLUMNS)
    assert told.exit_code == 1
    assert "Every released value must contain illness = gout" in told.stdout
    assert "Sensitive values to group" not in told.stdout
    done = run("audit", countries, *COUNTRIES_COLUMNS, "--suggest")
    assert done.exit_code == 1
    assert "Sensitive values to group" in done.stdout
    assert "as they are" in done.stdout
    assert "not for its members" in done.stdout
    document = json.loads(run("audit", countries, *COUNTRIES_COLUMNS, "--suggest", "--json").stdout)
    assert document["caps"][0]["sensitive"] == {"illness": "gout"}
    assert document["suggestion"]["steps"][0]["kept"] > document["suggestion"]["kept"]


def test_audit_says_when_there_is_nothing_to_suggest(countries):
    two = run("audit", countries, "-s", "country", "-p", "age", "--eps", "3", "--suggest")
    assert "would not keep more" in two.stdout
    refused = run("audit", countries, "-s", "illness", "-p", "age", "--suggest")
    assert refused.exit_code == 2
    assert "--eps" in refused.stderr


def test_audit_shows_intervals_and_its_exit_code_is_about_the_population(sample):
    held = run("audit", sample, "-s", "ill", "-p", "job", "--eps", 1, "--confidence", 0.95)
    assert held.exit_code == 0, held.output
    assert "in the population" in held.output
    assert "is certified" in held.output
    sample.write_text(sample_of(300, 0), "utf-8")
    short = run("audit", sample, "-s", "ill", "-p", "job", "--eps", 0.8, "--confidence", 0.95)
    assert short.exit_code == 1
    assert "records" in short.output
    assert run("audit", sample, "-s", "ill", "-p", "job", "--confidence", 2).exit_code == 2


def test_a_report_is_named_unless_quiet_or_json(table, tmp_path):
    page = tmp_path / "audit.html"
    command = ["audit", table, *COLUMNS, "--report", page]
    assert run(*command).stdout.endswith(f"Written to {page}.\n")
    assert "audit.html" not in run(*command, "--force", "--quiet").stdout
    assert "holds" in json.loads(run(*command, "--force", "--json").stdout)
    assert "<html" in page.read_text("utf-8")
