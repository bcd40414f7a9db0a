"""`loglift apply`: new rows, values never seen, draws for persons."""

from __future__ import annotations

import json

import pyarrow.parquet as pq

from cli.running import JOBS_COLUMNS, PERSONS, RANDOMIZED, run


def test_apply_writes_new_rows_and_counts_suppressed_ones(release, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("city,age\nBern,20\nRom,20\nRom,21\n")
    refused = run("apply", release / "mechanism.json", new, "-o", tmp_path / "new.parquet")
    assert refused.exit_code == 2
    assert "Rom" in refused.stderr
    assert not (tmp_path / "new.parquet").exists()
    done = run(
        "apply",
        release / "mechanism.json",
        new,
        "-o",
        tmp_path / "new.parquet",
        "--unseen",
        "suppress",
        "--keep-order",
    )
    assert done.exit_code == 0, done.output
    assert "2 records suppressed" in done.stdout
    rows = pq.read_table(tmp_path / "new.parquet").to_pylist()
    assert [row["city"] == "(suppressed)" for row in rows] == [False, True, True]
    again = run("apply", release / "mechanism.json", new, "-o", tmp_path / "new.parquet")
    assert again.exit_code == 2


def test_a_key_gives_one_answer_per_person(persons, tmp_path):
    run("protect", persons, *RANDOMIZED, "-o", tmp_path / "out")
    options = ["--key", "person", "--passthrough", "person", "--keep-order"]
    mechanism, output = tmp_path / "out" / "mechanism.json", tmp_path / "keyed.csv"
    assert run("apply", mechanism, persons, *options, "-o", output).exit_code == 0
    shown = [line.rsplit(",", 1) for line in output.read_text().splitlines()[1:]]
    ages = [line.split(",")[1] for line in PERSONS.splitlines()[1:]]
    answers = {}
    for age, (value, person) in zip(ages, shown, strict=True):
        assert answers.setdefault((age, person), value) == value
    assert len(answers) == 180
    assert len(shown) == 720


def test_json_is_one_object_with_the_output_and_the_unseen_records(jobs, tmp_path):
    made = run("protect", jobs, *JOBS_COLUMNS, "--eps", "1", "-o", tmp_path / "o", "--json")
    assert made.exit_code == 0
    done = run("apply", tmp_path / "o" / "mechanism.json", jobs, "-o", tmp_path / "a.csv", "--json")
    document = {"output": str(tmp_path / "a.csv"), "unseen": "refuse", "unseen_records": 0}
    assert json.loads(done.stdout) == document


def test_one_record_is_told_in_the_singular(release, tmp_path):
    new = tmp_path / "new.csv"
    new.write_text("city,age\nBern,20\nRom,20\n")
    output = tmp_path / "out.csv"
    done = run("apply", release / "mechanism.json", new, "-o", output, "--unseen", "suppress")
    assert done.stdout == f"Written to {output}: 1 record suppressed.\n"


def test_quiet_prints_nothing(release, table, tmp_path):
    done = run("apply", release / "mechanism.json", table, "-o", tmp_path / "a.csv", "--quiet")
    assert (done.exit_code, done.output) == (0, "")
