"""`loglift demo`: a real table, audited and protected."""

from __future__ import annotations

import json
import shlex

from cli.running import run


def test_demo_is_a_release_of_adult(tmp_path):
    result = run("demo", "-o", tmp_path / "demo")
    assert result.exit_code == 0, result.output
    assert "32,561 records" in result.stdout
    assert "report.html" in result.stdout
    assert "CC BY 4.0" in (tmp_path / "demo" / "ADULT.md").read_text()
    mechanism = tmp_path / "demo" / "release" / "mechanism.json"
    assert run("verify", mechanism, tmp_path / "demo" / "adult.parquet").exit_code == 0
    assert run("demo", "-o", tmp_path / "demo").exit_code == 2
    assert run("demo", "-o", tmp_path / "demo", "--force").exit_code == 0


def test_the_commands_shown_can_be_run_as_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = run("demo", "-o", "two words").stdout
    commands = [line.removeprefix("$ ") for line in shown.splitlines() if line.startswith("$ ")]
    audit, protect = map(shlex.split, commands)
    assert run(*audit[1:]).exit_code == 0
    again = run(*protect[1:], "--force")
    assert again.exit_code == 0, again.output
    assert "Kept " in again.stdout


def test_json_is_what_protect_prints_and_the_table_is_written_too(tmp_path):
    done = run("demo", "-o", tmp_path / "demo", "--json")
    document = json.loads(done.stdout)
    assert document["holds"] is True
    assert document["output"] == str(tmp_path / "demo" / "release")
    assert (tmp_path / "demo" / "adult.parquet").exists()


def test_quiet_leaves_out_where_files_were_written(tmp_path):
    done = run("demo", "-o", tmp_path / "demo", "--quiet")
    assert done.exit_code == 0
    assert "Written to" not in done.stdout
    assert "The report: " not in done.stdout
