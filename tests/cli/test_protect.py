"""`loglift protect`: files, words and exit codes, for each kind of release."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from cli.running import (
    COMMAND,
    COUNTRIES,
    COUNTRIES_COLUMNS,
    JOBS_COLUMNS,
    PEOPLE,
    PROTECT,
    RANDOMIZED,
    run,
    sample_of,
)


def test_protect_writes_six_files_and_says_what_changed(table, release):
    assert sorted(path.name for path in release.iterdir()) == [
        "certificate.json",
        "codebook.csv",
        "mechanism.json",
        "release.toml",
        "released.parquet",
        "report.html",
    ]
    released = pq.read_table(release / "released.parquet")
    assert released.num_rows == 360
    assert released.column_names == ["city", "age", "loglift_block"]
    assert not pq.read_metadata(release / "released.parquet").metadata
    certificate = json.loads((release / "certificate.json").read_text())
    assert certificate["holds"] is True
    assert certificate["leakage"] <= 0.8
    assert "custodian" in certificate["note"]
    assert table.read_text("utf-8") == PEOPLE


def test_protect_as_values_shows_plain_values_and_needs_no_codebook(table, tmp_path):
    result = run("protect", table, *PROTECT, "-o", tmp_path / "o", "--as", "values")
    assert result.exit_code == 0
    assert not (tmp_path / "o" / "codebook.csv").exists()
    before, shown = pd.read_csv(table), pd.read_parquet(tmp_path / "o" / "released.parquet")
    assert list(shown.columns) == ["city", "age"]
    assert shown.value_counts().to_dict() == before[["city", "age"]].value_counts().to_dict()
    assert run("verify", tmp_path / "o" / "mechanism.json", table).exit_code == 0
    refused = run("protect", table, *PROTECT, "-o", tmp_path / "p", "--key", "city")
    assert refused.exit_code == 2
    assert "releases that are drawn" in refused.stderr
    assert not (tmp_path / "p").exists()


def test_protect_with_ranges_as_columns(table, tmp_path):
    result = run("protect", table, *PROTECT, "-o", tmp_path / "o", "--ranges", "columns")
    assert result.exit_code == 0
    names = pq.read_schema(tmp_path / "o" / "released.parquet").names
    assert names == ["city", "age_low", "age_high", "loglift_block"]


def test_protect_as_csv_and_json(table, tmp_path):
    result = run("protect", table, *PROTECT, "-o", tmp_path / "o", "--format", "csv", "--json")
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert summary["holds"] is True
    assert summary["information_kept"] == pytest.approx(1 - summary["nmil"])
    assert (tmp_path / "o" / "released.csv").read_text().startswith("city,age,loglift_block\n")
    assert [column["name"] for column in summary["columns"]] == ["city", "age"]
    assert (summary["goal"], summary["goal_words"]) == ("columns", "each column and whole rows")


def test_a_column_of_sets_is_warned_of_in_the_same_words_everywhere(tmp_path):
    rng = np.random.default_rng(0)
    ages = rng.integers(20, 60, 900)
    ill = rng.random(900) < (ages - 15) / 60
    table = tmp_path / "t.csv"
    lines = [f"{age},{i % 2},{int(s)}\n" for i, (age, s) in enumerate(zip(ages, ill, strict=True))]
    table.write_text("age,sex,ill\n" + "".join(lines), "utf-8")
    options = ("-s", "ill", "-p", "age", "-p", "sex", "--eps", "0.3", "-o", tmp_path / "o")
    printed = run("protect", table, *options, COLUMNS="80").stdout
    told = json.loads(run("protect", table, *options, "--force", "--json").stdout)
    [age, sex] = told["columns"]
    assert age["unchanged"] < 0.5 < sex["unchanged"]
    [warning] = [s for s in told["statements"] if s["headline"].startswith("Most cells")]
    assert warning["headline"] == (
        f"Most cells of age stand for several values ({100 * (1 - age['unchanged']):.1f} %)."
    )
    assert warning["text"] == (
        "What may help: a larger eps, leaving age out, bands of age (--bin age=WIDTH) or "
        "--importance age=3."
    )
    said = f"{warning['headline']} {warning['text']}"
    assert said in " ".join(printed.split())
    page = (tmp_path / "o" / "report.html").read_text("utf-8")
    assert f"<strong>{warning['headline']}</strong> {warning['text']}</p>" in page
    for remedy in (["--importance", "age=3"], ["--bin", "age=10"]):  # each is an option that works
        done = run("protect", table, *options, "--force", *remedy)
        assert done.exit_code == 0, done.output


def test_twelve_columns_fit_into_80_cells(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"a long name of a column, number {number}" for number in range(12)]
    rows = rng.integers(0, 2, (400, 13))
    table = tmp_path / "t.csv"
    head = ",".join(f'"{name}"' for name in names)
    lines = [",".join(map(str, row)) for row in rows.tolist()]
    table.write_text(f"{head},ill\n" + "\n".join(lines) + "\n", "utf-8")
    public = [part for name in names for part in ("-p", name)]
    options = ("-s", "ill", *public, "--eps", "1", "-o", "o")
    done = run("protect", table, *options[:-1], tmp_path / "o", COLUMNS="80")
    assert done.exit_code == 0, done.output
    first = done.stdout.index("What happened to each column")
    shown = done.stdout[first : done.stdout.index("Safe:")].splitlines()
    assert max(map(len, shown)) <= 80
    assert sum("number" in line for line in shown) == 12
    for column in json.loads((tmp_path / "o" / "certificate.json").read_text())["columns"]:
        figures = (f"{100 * column['unchanged']:.1f} %", f"{100 * column['information']:.1f} %")
        assert any(all(figure in line for figure in figures) for line in shown)


def test_a_released_csv_of_one_column_has_a_line_for_every_record(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,s\n" + "a,0\n,1\na,1\n,0\n" * 10)
    command = ("protect", table, "-s", "s", "-p", "x", "--eps", "5", "--format", "csv")
    assert run(*command, "-o", tmp_path / "o").exit_code == 0
    released = pd.read_csv(tmp_path / "o" / "released.csv")
    assert released["x"].value_counts(dropna=False).to_dict() == {"a": 20, np.nan: 20}


def test_keep_order_and_passthrough(table, tmp_path):
    result = run(
        "protect",
        table,
        "-s",
        "illness",
        "-p",
        "age",
        "--bin",
        "age=10",
        "--eps",
        "3",
        "--passthrough",
        "city",
        "--keep-order",
        "-o",
        tmp_path / "out",
    )
    assert result.exit_code == 0, result.output
    assert "city" in result.stdout
    rows = pq.read_table(tmp_path / "out" / "released.parquet").to_pylist()
    assert [row["city"] for row in rows] == [line.split(",")[0] for line in PEOPLE.splitlines()[1:]]
    assert {row["age"] for row in rows} == {"[20, 30)", "[30, 40)", "[40, 50)"}


@pytest.mark.parametrize("more", [(), ("--json",), ("--quiet",)])
def test_formulas_in_csv_are_warned_of_and_escaped(formulas, tmp_path, more):
    command = ("protect", formulas, "-s", "s", "-p", "x", "--eps", "5", "--passthrough", "n", *more)
    warned = run(*command, "--format", "csv", "-o", tmp_path / "o")
    assert warned.exit_code == 0, warned.output
    lines = [line for line in warned.stderr.splitlines() if line.startswith("Warning: ")]
    of_table, of_codebook = lines
    assert of_table.startswith(f"Warning: x in {tmp_path / 'o' / 'released.csv'}: ")
    assert f"in {tmp_path / 'o' / 'codebook.csv'}: " in of_codebook
    assert all("--escape-formulas" in line for line in lines)
    assert "Warning" not in warned.stdout
    mechanism, new = tmp_path / "o" / "mechanism.json", tmp_path / "new.csv"
    again = run("apply", mechanism, formulas, "-o", new, "--force", *more)
    assert f"Warning: x in {new}: " in again.stderr
    safe = ["--escape-formulas", "--force"]
    for done in (
        run(*command, "--format", "csv", "-o", tmp_path / "o", *safe),
        run("apply", mechanism, formulas, "-o", new, "--passthrough", "n", *safe, *more),
    ):
        assert done.exit_code == 0, done.output
        assert "Warning" not in done.stderr
    assert "'=1+1" in (tmp_path / "o" / "codebook.csv").read_text()
    for file in (tmp_path / "o" / "released.csv", new):
        assert set(file.read_text().splitlines()) == {"x,n", "'=1+1,-5", "b,-5"}


def test_without_formulas_or_without_csv_there_is_no_warning(formulas, table, tmp_path):
    columns = ("-s", "s", "-p", "x", "--eps", "5")
    for command in (
        ("protect", formulas, *columns, "--escape-formulas", "-o", tmp_path / "o"),
        ("protect", formulas, *columns, "--as", "values", "-o", tmp_path / "v"),
        ("protect", table, *PROTECT, "--format", "csv", "-o", tmp_path / "p"),
    ):
        done = run(*command)
        assert (done.exit_code, done.stderr) == (0, "")


def test_no_safe_release_exits_3_and_writes_nothing(table, tmp_path):
    result = run("protect", table, *PROTECT, "--min-count", "361", "-o", tmp_path / "out")
    assert result.exit_code == 3
    assert "361" in result.stderr
    assert not (tmp_path / "out").exists()


def test_force_changes_the_format_of_an_earlier_release(table, release):
    done = run("protect", table, *PROTECT, "-o", release, "--format", "csv", "--force")
    assert done.exit_code == 0, done.output
    assert (release / "released.csv").exists()
    assert not (release / "released.parquet").exists()


def test_the_input_is_never_replaced(table, release):
    before = table.read_bytes()
    mechanism = release / "mechanism.json"
    assert run("apply", mechanism, table, "-o", table, "--force").exit_code == 2
    source = release / "released.parquet"
    inside = run(
        "protect", source, "-s", "age", "-p", "city", "--eps", "1", "-o", release, "--force"
    )
    assert inside.exit_code == 2
    assert table.read_bytes() == before


def test_names_with_markup_are_only_names(tmp_path):
    (tmp_path / "tab[").mkdir()
    strange = tmp_path / "tab[" / "final].csv"
    strange.write_text(PEOPLE.replace("city", "[/b]", 1), "utf-8")
    result = run(
        "protect",
        strange,
        "-s",
        "illness",
        "-p",
        "age",
        "--eps",
        "2",
        "--passthrough",
        "[/b]",
        "-o",
        tmp_path / "o",
    )
    assert result.exit_code == 0, result.output
    assert "tab[/final].csv" in result.stdout.replace("\n", "")
    assert "[/b]" in result.stdout


def test_force_replaces_an_earlier_release(table, release):
    (release / "mechanism.json").write_text("old")
    assert run("protect", table, *PROTECT, "-o", release).exit_code == 2
    assert run("protect", table, *PROTECT, "-o", release, "--force").exit_code == 0
    assert (release / "mechanism.json").read_text() != "old"


def test_of_two_protects_at_once_the_later_fails(table, tmp_path):
    command = [*COMMAND, "protect", str(table), *PROTECT, "-o", str(tmp_path / "out")]
    processes = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    errors = [process.communicate()[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2]
    [line] = "".join(errors).splitlines()
    assert line.startswith("Error: ")
    assert "exists already" in line
    assert len(list((tmp_path / "out").iterdir())) == 6
    assert run("verify", tmp_path / "out" / "mechanism.json", table).exit_code == 0


IMPORTING = 'File "<string>", line 1'  # where a traceback begins before the command has begun


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_kill_at_any_moment_leaves_no_output_or_a_whole_one(table, tmp_path, number):
    out, found = tmp_path / "out", 0
    assert run("protect", table, *PROTECT, "-o", out).exit_code == 0
    for wait in (0.05, 0.3, 0.6, 0.8, 1.0, 1.2, 1.6):
        process = subprocess.Popen(
            [*COMMAND, "protect", str(table), *PROTECT, "-o", str(out), "--force"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(wait)
        process.send_signal(number)
        error = process.communicate()[1]
        if out.exists():
            found += 1
            assert len(list(out.iterdir())) == 6
            assert run("verify", out / "mechanism.json", table).exit_code == 0
        if number != signal.SIGKILL and IMPORTING not in error:
            assert "Traceback" not in error
            visible = [
                path for path in tmp_path.iterdir() if path.name not in ("out", "people.csv")
            ]
            assert visible == []
    assert found > 0
    assert table.read_text("utf-8") == PEOPLE


def test_a_full_disk_leaves_nothing(table, tmp_path):
    """The size limit of files stands for a full disk: writing fails in the middle."""
    limited = "ulimit -f 1; trap '' XFSZ; exec \"$@\""
    done = subprocess.run(
        [
            "bash",
            "-c",
            limited,
            "bash",
            *COMMAND,
            "protect",
            str(table),
            *PROTECT,
            "-o",
            str(tmp_path / "out"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_the_report_escapes_values(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "<script>alert(1)</script>,a\nb,b\nb,a\n" * 5)
    result = run("protect", path, "-s", "s", "-p", "x", "--eps", "5", "-o", tmp_path / "o")
    assert result.exit_code == 0, result.output
    assert "<script>alert" not in (tmp_path / "o" / "report.html").read_text()


def test_protect_uses_the_eps_that_frontier_finds(jobs, tmp_path):
    found = json.loads(
        run("frontier", jobs, *JOBS_COLUMNS, "--min-information", "0.8", "--json").stdout
    )
    done = run(
        "protect", jobs, *JOBS_COLUMNS, "--min-information", "0.8", "-o", tmp_path / "o", "--json"
    )
    assert done.exit_code == 0, done.output
    summary = json.loads(done.stdout)
    sides = (summary["bound"]["lower"], summary["bound"]["upper"])
    assert sides == (found["least_eps"]["eps"], found["least_eps"]["eps"])
    assert summary["goal_kept"] / summary["goal_most"] >= 0.8
    assert summary["holds"] is True


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--min-information", "0.8", "--eps", "1"], 2, "not both"),
        (["--min-information", "90"], 2, "at most 1"),
        (["--min-information", "1", "-p", "ill2"], 2, "ill2"),
    ],
)
def test_a_share_that_makes_no_sense_is_refused_before_anything_is_written(
    jobs, tmp_path, options, code, words
):
    done = run("protect", jobs, *JOBS_COLUMNS, *options, "-o", tmp_path / "o")
    assert done.exit_code == code
    assert words in done.stderr
    assert not (tmp_path / "o").exists()


def test_intact_columns_are_never_merged_across_recorded_and_verified(countries, tmp_path):
    out = tmp_path / "out"
    done = run("protect", countries, *COUNTRIES_COLUMNS, "--intact", "country", "-o", out, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["intact"] == ["country"]
    released = pq.read_table(out / "released.parquet")
    assert set(released["country"].to_pylist()) == {"AT", "CH", "DE"}
    assert json.loads((out / "mechanism.json").read_text())["intact"] == ["country"]
    assert json.loads((out / "certificate.json").read_text())["intact"] == ["country"]
    assert "kept intact" in (out / "report.html").read_text()
    assert run("verify", out / "mechanism.json", countries).exit_code == 0


def test_an_intact_column_that_is_not_public_is_refused_with_a_hint(countries, tmp_path):
    done = run(
        "protect", countries, *COUNTRIES_COLUMNS, "--intact", "illness", "-o", tmp_path / "out"
    )
    assert done.exit_code == 2
    assert "one of country, age" in done.stderr
    assert not (tmp_path / "out").exists()


def test_intact_values_without_a_safe_release_exit_3_and_are_named(countries, tmp_path):
    done = run("protect", countries, *COUNTRIES_COLUMNS, "--intact", "age", "-o", tmp_path / "out")
    assert done.exit_code == 3
    assert "(omega inf)" in done.stderr
    assert "leave out intact (--intact)" in done.stderr
    assert not (tmp_path / "out").exists()


def test_protect_says_why_and_what_would_help(countries, tmp_path):
    out = tmp_path / "out"
    done = run("protect", countries, *COUNTRIES_COLUMNS, "-o", out)
    assert done.exit_code == 0, done.output
    for text in (
        "Why it keeps no more",
        "binds below",
        "Every released value must contain illness = gout",
        "What would keep more of what was asked for:",
        "--upper 1 alone",
        "--combine 'illness=",
        "--bound 'illness=gout:none', which bounds nothing about illness = gout",
    ):
        assert text in done.stdout
    report = (out / "report.html").read_text()
    assert "Every released value must contain illness = gout" in report
    assert "gout" not in (out / "mechanism.json").read_text()
    printed = run("protect", countries, *COUNTRIES_COLUMNS, "-o", out, "--force", "--json").stdout
    why = json.loads(printed)["explanation"]
    assert why["limits"][0]["sensitive"] == {"illness": "gout"}
    assert why["limits"][0]["records_with"] == COUNTRIES.count("gout")
    options = {remedy["change"]: remedy["option"] for remedy in why["remedies"]}
    assert options["upper"] == "--upper 1"
    assert options["unbounded"] == "--bound 'illness=gout:none'"
    assert options["sensitive"].startswith("--combine 'illness=")
    assert "illness=gout:none" in report


def test_nothing_is_said_when_nothing_is_lost(countries, tmp_path):
    done = run(
        "protect", countries, "-s", "illness", "-p", "country", "--eps", "5", "-o", tmp_path / "out"
    )
    assert "Why" not in done.stdout
    assert "Nothing is lost" in (tmp_path / "out" / "report.html").read_text()


def test_several_sensitive_columns_are_named_in_full(countries, tmp_path):
    both = ["-s", "illness", "-s", "country", "-p", "age", "--eps", "1"]
    each = run("protect", countries, *both, "--each", "-o", tmp_path / "each")
    assert "sensitive value" in each.stdout
    assert "illness = gout" in each.stdout
    joint = run("protect", countries, *both, "-o", tmp_path / "joint")
    assert "illness = gout, country = " in joint.stdout


def test_a_release_is_certified_for_the_population_and_says_so(sample, tmp_path):
    options = ["-s", "ill", "-p", "job", "--eps", 0.4, "--confidence", 0.95, "--choose-share", 0.4]
    said = run("protect", sample, *options, "-o", tmp_path / "out")
    assert said.exit_code == 0, said.output
    assert "With 95 % confidence" in said.output
    certificate = json.loads((tmp_path / "out/certificate.json").read_text())
    assert certificate["population"]["choice"]["share"] == 0.4
    assert "With 95 % confidence" in (tmp_path / "out/report.html").read_text()
    summary = run("protect", sample, *options, "-o", tmp_path / "out2", "--json")
    assert json.loads(summary.output)["population"] == certificate["population"]
    fresh = tmp_path / "fresh.csv"
    fresh.write_text(sample_of(4000, 1), "utf-8")
    mechanism = tmp_path / "out/mechanism.json"
    verified = run("verify", mechanism, fresh, "--confidence", 0.95)
    assert verified.exit_code == 0
    assert "With 95 % confidence" in verified.output
    fresh.write_text(sample_of(60, 2), "utf-8")
    few = json.loads(run("verify", mechanism, fresh, "--confidence", 0.95, "--json").output)
    assert few["population"]["holds"] is False
    assert run("verify", mechanism, fresh, "--confidence", 0.95).exit_code == 1
    new = tmp_path / "new.csv"
    new.write_text("job\n3\n99\n", "utf-8")
    done = run("apply", mechanism, new, "-o", tmp_path / "new.parquet", "--unseen", "merge")
    assert done.exit_code == 0, done.output


def test_a_release_that_cannot_be_certified_exits_3_and_says_what_would_help(sample, tmp_path):
    options = ["-s", "ill", "-p", "job", "--eps", 0.01, "--confidence", 0.95]
    said = run("protect", sample, *options, "-o", tmp_path / "out")
    assert said.exit_code == 3
    assert "records would do" in said.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("level", ["0.01", "0.49", "0", "1", "-1", "nan", "inf", "0.9999999999"])
def test_a_confidence_level_out_of_range_is_refused_in_one_line(sample, tmp_path, level):
    options = ["-s", "ill", "-p", "job", "--eps", 0.4, "--confidence", level]
    for said in (
        run("protect", sample, *options, "-o", tmp_path / "out"),
        run("audit", sample, *options),
    ):
        assert said.exit_code == 2
        assert said.output.startswith("Error: confidence must be ")
        assert said.output.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("level", [0.5, 0.501, 0.999999])
def test_the_least_and_large_confidence_levels_work(sample, tmp_path, level):
    options = ["-s", "ill", "-p", "job", "--eps", 0.6, "--confidence", level]
    said = run("protect", sample, *options, "-o", tmp_path / "out")
    assert said.exit_code == 0, said.output
    assert f"With {100 * level:g} % confidence" in said.output
    assert run("audit", sample, *options).exit_code in {0, 1}


def test_a_randomized_release_is_drawn_certified_applied_and_verified(persons, tmp_path):
    release = tmp_path / "out"
    result = run("protect", persons, *RANDOMIZED, "-o", release)
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
    assert run("verify", release / "mechanism.json", persons).exit_code == 0
    applied = run("apply", release / "mechanism.json", persons, "-o", tmp_path / "again.csv")
    assert applied.exit_code == 0, applied.output
    assert len((tmp_path / "again.csv").read_text().splitlines()) == 721


def test_a_draw_seed_is_warned_of_everywhere(persons, tmp_path):
    result = run(
        "protect", persons, *RANDOMIZED, "--draw-seed", 3, "-o", tmp_path / "out", "--json"
    )
    assert json.loads(result.stdout)["draws"]["seeded"] is True
    assert json.loads(result.stdout)["explanation"] is None
    assert "Do not publish" in result.stderr
    assert "Do not publish" in (tmp_path / "out" / "certificate.json").read_text()
    assert "Do not publish" in (tmp_path / "out" / "report.html").read_text()
    mechanism = tmp_path / "out" / "mechanism.json"
    applied = run("apply", mechanism, persons, "--draw-seed", 3, "-o", tmp_path / "a.csv")
    assert "Do not publish" in applied.stderr


@pytest.mark.parametrize("extra", [["--passthrough", "city"], ["--max-block", "3"]])
def test_options_that_do_not_go_with_randomized_are_refused_and_nothing_is_written(
    persons, tmp_path, extra
):
    result = run("protect", persons, *RANDOMIZED, *extra, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert extra[0] in result.stderr
    assert not (tmp_path / "out").exists()


def test_readers_who_know_a_column_are_told_no_more(persons, tmp_path):
    columns = ("-s", "illness", "-p", "age", "--eps", "1", "--known", "city")
    result = run("protect", persons, *columns, "-o", tmp_path / "out", "--json")
    assert result.exit_code == 0
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    [reader] = certificate["readers"]
    assert reader["holds"]
    assert reader["leakage"] <= 1
    assert certificate["known"] == ["city"]
    assert "readers who know city" in (tmp_path / "out" / "report.html").read_text()
    mechanism = json.loads((tmp_path / "out" / "mechanism.json").read_text())
    assert [column["name"] for column in mechanism["known"]] == ["city"]


def test_earlier_releases_that_break_the_bound_write_nothing(persons, tmp_path):
    columns = ("-s", "illness", "-p", "age")
    run("protect", persons, *columns, "--eps", "2", "-o", tmp_path / "first")
    given = ("--given", tmp_path / "first" / "mechanism.json")
    result = run(
        "protect",
        persons,
        "-s",
        "illness",
        "-p",
        "city",
        "--eps",
        "0.001",
        *given,
        "-o",
        tmp_path / "out",
    )
    assert result.exit_code == 3
    assert "readers of the earlier release" in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        (["--eps", "1", "--bound", "illness=flu:0.3"], "eps 1 (flu 0.3)"),
        (["--eps", "1", "--bound", "illness=flu:0.3,none"], "eps 1 (flu lower 0.3)"),
        (["--eps", "1", "--bound", "illness=flu:none"], "eps 1 (flu not bounded)"),
        (["--beta", "2"], "beta 2"),
    ],
)
def test_bounds_of_single_values_and_beta(persons, tmp_path, options, bound):
    result = run("protect", persons, "-s", "illness", "-p", "age", *options, "-o", tmp_path / "out")
    assert result.exit_code == 0
    assert bound in " ".join(result.stdout.split())
    assert run("verify", tmp_path / "out" / "mechanism.json", persons).exit_code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--eps", "1", "--bound", "illness"], "COL=VALUE:NATS"),
        (["--eps", "1", "--bound", "illness=flu:x"], "COL=VALUE:NATS"),
        (["--eps", "1", "--bound", "illness=flu:1", "--bound", "illness=flu:2"], "two bounds"),
        (["--bound", "illness=flu:1"], "give --eps for the others"),
        (["--eps", "1", "--beta", "1"], "one of them"),
        (["--eps", "1", "--bound", "illness=gout:1"], "does not have"),
        (["--eps", "1", "--combine", "illness=flu"], "two values or more"),
        (["--eps", "1", "--combine", "illness=flu,a\nb"], "two values or more"),
        (["--eps", "1", "--combine", "illness=flu,gout"], "does not have"),
        (["--eps", "1", "--known", "nothing"], "nothing"),
        (["--eps", "1", "--given", "nothing.json"], "there is no file nothing.json"),
    ],
)
def test_options_about_values_and_readers_are_checked(persons, tmp_path, options, words):
    result = run("protect", persons, "-s", "illness", "-p", "age", *options, "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert not (tmp_path / "out").exists()


def test_the_next_month_updates_the_release(persons, tmp_path):
    columns = ("-s", "illness", "-p", "city", "-p", "age", "--eps", "0.5")
    run("protect", persons, *columns, "-o", tmp_path / "may")
    may = tmp_path / "may" / "mechanism.json"
    june = tmp_path / "june.csv"
    head, *lines = persons.read_text().splitlines()
    june.write_text("\n".join([head, *lines[7:], "Chur,20,1,flu", "Chur,20,2,cold"]) + "\n")
    result = run("protect", june, *columns, "--update", may, "-o", tmp_path / "june")
    assert result.exit_code == 0
    found = json.loads(run("diff", may, tmp_path / "june" / "mechanism.json", "--json").stdout)
    assert found["blocks"]["relation"] in ("same", "coarser")
    coarse = run(
        "protect", persons, "-s", "illness", "-p", "city", "-p", "age", "--eps", "0.1",
        "--coarser-than", may, "-o", tmp_path / "coarse",
    )  # fmt: skip
    assert coarse.exit_code == 0
    assert run("verify", may, tmp_path / "coarse" / "mechanism.json", persons).exit_code in (0, 1)
