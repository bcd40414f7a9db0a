"""The command line on other formats and on databases: what it writes, refuses and never says."""

from __future__ import annotations

import json
import re
from urllib.parse import quote
from uuid import uuid4

import pyreadstat
import pytest

import servers
from cli.running import run
from tables import survey

COLUMNS = ("-s", "health", "-p", "education", "-p", "age", "--eps", "1")
SHOWN = (servers.PASSWORD, quote(servers.PASSWORD), quote(servers.PASSWORD, safe=""))


@pytest.fixture
def address(postgres):
    return postgres.load(f"survey {uuid4()}", survey.arrow())


def texts_of(directory):
    return {path.name: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_stata_comes_in_and_goes_out_with_labels(tmp_path):
    done = run("protect", survey.stata(tmp_path), *COLUMNS, "-o", tmp_path / "out", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["released"].endswith("released.dta")
    _, meta = pyreadstat.read_dta(tmp_path / "out" / "released.dta")
    assert meta.column_names_to_labels["education"] == survey.TITLES["education"]
    labels = set(meta.variable_value_labels["education"].values())
    members = {member for label in labels for member in label.split(" | ")}
    assert {"degree", "none", "NULL"} <= members
    assert any(" | " in label for label in labels)
    mechanism = tmp_path / "out" / "mechanism.json"
    for ending in ("dta", "sav", "xlsx", "arrow", "feather", "csv", "parquet"):
        output = tmp_path / f"new.{ending}"
        done = run("apply", mechanism, survey.stata(tmp_path), "-o", output)
        assert done.exit_code == 0, done.output
        assert output.stat().st_size > 0
    done = run("apply", mechanism, survey.stata(tmp_path), "-o", tmp_path / "new.txt")
    assert done.exit_code == 2
    assert ".parquet, .csv, .dta, .sav, .xlsx or .arrow" in done.stderr


def test_a_format_that_is_asked_for_wins(tmp_path):
    options = ("-o", tmp_path / "out", "--format", "csv")
    done = run("protect", survey.spss(tmp_path), *COLUMNS, *options)
    assert done.exit_code == 0, done.output
    assert "released.csv" in {path.name for path in (tmp_path / "out").iterdir()}


def test_the_file_of_a_sheet_or_table_is_not_replaced(tmp_path):
    for table in (survey.excel(tmp_path), survey.warehouse(tmp_path)):
        file = table.partition("::")[0]
        mechanism = tmp_path / "out" / "mechanism.json"
        if not mechanism.exists():
            assert run("protect", table, *COLUMNS, "-o", tmp_path / "out").exit_code == 0
        for command in (
            ("protect", table, *COLUMNS, "-o", tmp_path, "--force"),
            ("apply", mechanism, table, "-o", file, "--force"),
        ):
            done = run(*command)
            assert done.exit_code == 2
            assert "is or holds the table itself" in done.stderr


def test_no_password_is_printed_or_written(address, tmp_path):
    folder = tmp_path / "out"
    mechanism = folder / "mechanism.json"
    commands = [
        ("protect", address, *COLUMNS, "-o", folder, "--public-report", "--passthrough", "town"),
        ("protect", address, *COLUMNS, "-o", tmp_path / "json", "--json"),
        ("audit", address, *COLUMNS[:-2], "--report", tmp_path / "audit.html"),
        ("audit", address, *COLUMNS[:-2], "--json"),
        ("verify", mechanism, address),
        ("verify", mechanism, mechanism, address),
        ("apply", mechanism, address, "-o", tmp_path / "new.parquet", "--unseen", "suppress"),
        ("frontier", address, *COLUMNS[:-2], "--eps", "1", "-o", tmp_path / "frontier"),
        ("evaluate", address, folder, "--report", tmp_path / "evaluation.html"),
    ]
    for command in commands:
        done = run(*command)
        assert done.exit_code == 0, (command, done.output)
        assert not any(secret in done.output for secret in SHOWN), command
    for name, data in texts_of(tmp_path).items():
        assert not any(secret.encode() in data for secret in SHOWN), name
    page = (folder / "report.html").read_text("utf-8")
    shown = re.sub(r":[^:@]*@", "@", address, count=1).replace('"', "&#34;")
    assert f"loglift protect &#39;{shown}&#39;" in page
    assert "the file changed" not in page


@pytest.mark.parametrize("broken", ["password", "host", "table", "address"])
def test_a_database_that_cannot_be_read_is_one_line_and_nothing_is_written(
    postgres, address, tmp_path, broken
):
    table = {
        "password": postgres.address("x", password="not-the-word"),  # noqa: S106
        "host": "postgresql://reader:not-the-word@127.0.0.1:1/survey::x",
        "table": postgres.address("nothing", password=servers.PASSWORD),
        "address": "postgresql://reader:not/the-word@host/survey::x",
    }[broken]
    before = set(tmp_path.iterdir())
    for command in (("protect", "-o", tmp_path / "out"), ("audit",)):
        done = run(command[0], table, *COLUMNS, *command[1:])
        assert done.exit_code == 2
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        assert "not-the" not in done.output
        assert "the-word" not in done.output
        assert not any(secret in done.output for secret in SHOWN)
    assert set(tmp_path.iterdir()) == before
    assert address


def test_the_order_of_a_database_cannot_be_kept(address, tmp_path):
    done = run("protect", address, *COLUMNS, "-o", tmp_path / "out", "--keep-order")
    assert done.exit_code == 2
    assert "have no order: leave keep_order (--keep-order) out" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_first_plan_of_a_database_has_no_password(address, tmp_path):
    done = run("plan", address, "--yes", "-o", tmp_path / "first.toml")
    assert done.exit_code == 0, done.output
    plan = (tmp_path / "first.toml").read_text("utf-8")
    assert not any(secret in text for secret in SHOWN for text in (done.output, plan))
    assert "postgresql://reader@" in done.output
    assert "protect --config first.toml" in plan
