"""audit, protect, apply, verify and demo as a custodian meets them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from loglift.cli import main
from loglift.paper import reproduction
from loglift.release import protect as pipeline, reuse

CSV = "city,age,illness\n" + "".join(
    f"{city},{20 + i % 30},{'flu' if (i * 7 + len(city)) % 5 < 2 else 'cold'}\n"
    for i in range(120)
    for city in ("Bern", "Basel", "Zug")
)
PROTECT = ["-s", "illness", "-p", "city", "-p", "age", "--eps", "0.8"]
COLUMNS = ["-s", "illness", "-p", "city"]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(CSV, "utf-8")
    return path


@pytest.fixture
def release(table, tmp_path):
    result = run("protect", table, *PROTECT, "-o", tmp_path / "out")
    assert result.exit_code == 0, result.output
    return tmp_path / "out"


def test_protect_writes_four_files_and_says_what_changed(table, release):
    assert sorted(path.name for path in release.iterdir()) == [
        "certificate.json",
        "mechanism.json",
        "released.parquet",
        "report.html",
    ]
    released = pq.read_table(release / "released.parquet")
    assert released.num_rows == 360
    assert released.column_names == ["city", "age", "loglift_group"]
    assert not pq.read_metadata(release / "released.parquet").metadata
    certificate = json.loads((release / "certificate.json").read_text())
    assert certificate["holds"] is True
    assert certificate["leakage"] <= 0.8
    assert "custodian" in certificate["note"]
    assert table.read_text("utf-8") == CSV


def test_protect_as_csv_and_json(table, tmp_path):
    result = run("protect", table, *PROTECT, "-o", tmp_path / "o", "--format", "csv", "--json")
    assert result.exit_code == 0
    summary = json.loads(result.stdout)
    assert summary["holds"] is True
    assert summary["information_kept"] == pytest.approx(1 - summary["nmil"])
    assert (tmp_path / "o" / "released.csv").read_text().startswith("city,age,loglift_group\n")


def test_a_released_csv_of_one_column_has_a_line_for_every_record(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,s\n" + "a,0\n,1\na,1\n,0\n" * 10)
    command = ("protect", table, "-s", "s", "-p", "x", "--eps", "5", "--format", "csv")
    assert run(*command, "-o", tmp_path / "o").exit_code == 0
    released = pd.read_csv(tmp_path / "o" / "released.csv")
    assert released["x"].value_counts(dropna=False).to_dict() == {"a": 20, np.nan: 20}


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


def test_verify_holds_on_the_table_and_fails_on_another(table, release, tmp_path):
    held = run("verify", release / "mechanism.json", table)
    assert held.exit_code == 0
    assert "Holds" in held.stdout
    other = tmp_path / "other.csv"
    head, *lines = CSV.splitlines()
    telling = [
        f"{city},{age},{'flu' if int(age) < 35 else 'cold'}"
        for city, age, _ in (line.split(",") for line in lines)
    ]
    other.write_text("\n".join([head, *telling]) + "\n")
    failed = run("verify", release / "mechanism.json", other, "--json")
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["holds"] is False
    assert "Does not hold" in run("verify", release / "mechanism.json", other).stdout


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


def test_keep_order_and_keep(table, tmp_path):
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
        "--keep",
        "city",
        "--keep-order",
        "-o",
        tmp_path / "out",
    )
    assert result.exit_code == 0, result.output
    assert "city" in result.stdout
    rows = pq.read_table(tmp_path / "out" / "released.parquet").to_pylist()
    assert [row["city"] for row in rows] == [line.split(",")[0] for line in CSV.splitlines()[1:]]
    assert {row["age"] for row in rows} == {"[20, 30)", "[30, 40)", "[40, 50)"}


@pytest.fixture
def formulas(tmp_path):
    path = tmp_path / "formulas.csv"
    lines = "".join(f"{x},{i * 7 % 2},-5\n" for i in range(40) for x in ("=1+1", "b"))
    path.write_text("x,s,n\n" + lines)
    return path


@pytest.mark.parametrize("more", [(), ("--json",), ("--quiet",)])
def test_formulas_in_csv_are_warned_of_and_escaped(formulas, tmp_path, more):
    command = ("protect", formulas, "-s", "s", "-p", "x", "--eps", "5", "--keep", "n", *more)
    warned = run(*command, "--format", "csv", "-o", tmp_path / "o")
    assert warned.exit_code == 0, warned.output
    [line] = [line for line in warned.stderr.splitlines() if line.startswith("Warning: ")]
    assert line.startswith(f"Warning: x in {tmp_path / 'o' / 'released.csv'}: ")
    assert "--escape-formulas" in line
    assert "Warning" not in warned.stdout
    mechanism, new = tmp_path / "o" / "mechanism.json", tmp_path / "new.csv"
    again = run("apply", mechanism, formulas, "-o", new, "--force", *more)
    assert f"Warning: x in {new}: " in again.stderr
    safe = ["--escape-formulas", "--force"]
    for done in (
        run(*command, "--format", "csv", "-o", tmp_path / "o", *safe),
        run("apply", mechanism, formulas, "-o", new, "--keep", "n", *safe, *more),
    ):
        assert done.exit_code == 0, done.output
        assert "Warning" not in done.stderr
    for file in (tmp_path / "o" / "released.csv", new):
        assert set(file.read_text().splitlines()) == {"x,n", "'=1+1,-5", "b,-5"}


def test_without_formulas_or_without_csv_there_is_no_warning(formulas, table, tmp_path):
    columns = ("-s", "s", "-p", "x", "--eps", "5")
    for command in (
        ("protect", formulas, *columns, "-o", tmp_path / "o"),
        ("protect", table, *PROTECT, "--format", "csv", "-o", tmp_path / "p"),
    ):
        done = run(*command)
        assert (done.exit_code, done.stderr) == (0, "")


BAD = {
    "escape in parquet": ("protect", "people.csv", *PROTECT, "--escape-formulas", "-o", "out"),
    "escape in new parquet": (
        "apply",
        "nowhere.json",
        "people.csv",
        "--escape-formulas",
        "-o",
        "new.parquet",
    ),
    "missing file": ("protect", "nowhere.csv", *PROTECT, "-o", "out"),
    "directory": ("protect", ".", *PROTECT, "-o", "out"),
    "no such column": (
        "protect",
        "people.csv",
        "-s",
        "ilness",
        "-p",
        "age",
        "--eps",
        "1",
        "-o",
        "out",
    ),
    "public and sensitive": (
        "protect",
        "people.csv",
        "-s",
        "age",
        "-p",
        "age",
        "--eps",
        "1",
        "-o",
        "out",
    ),
    "no bound": ("protect", "people.csv", "-s", "illness", "-p", "age", "-o", "out"),
    "two bounds": ("protect", "people.csv", *PROTECT, "--upper", "1", "-o", "out"),
    "negative eps": (
        "protect",
        "people.csv",
        "-s",
        "illness",
        "-p",
        "age",
        "--eps",
        "-1",
        "-o",
        "out",
    ),
    "nan eps": ("protect", "people.csv", "-s", "illness", "-p", "age", "--eps", "nan", "-o", "out"),
    "text eps": ("protect", "people.csv", "-s", "illness", "-p", "age", "--eps", "x", "-o", "out"),
    "bin of text": ("protect", "people.csv", *PROTECT, "--bin", "city=10", "-o", "out"),
    "bin without width": ("protect", "people.csv", *PROTECT, "--bin", "age", "-o", "out"),
    "bin of nothing": ("protect", "people.csv", *PROTECT, "--bin", "illness=3", "-o", "out"),
    "output exists": ("protect", "people.csv", *PROTECT, "-o", "taken"),
    "output of another": ("protect", "people.csv", *PROTECT, "-o", "taken", "--force"),
    "output in a file": ("protect", "people.csv", *PROTECT, "-o", "people.csv/out"),
    "keep unknown": ("protect", "people.csv", *PROTECT, "--keep", "town", "-o", "out"),
    "keep sensitive": ("protect", "people.csv", *PROTECT, "--keep", "illness", "-o", "out"),
    "header only": ("audit", "header.csv", "-s", "illness", "-p", "city"),
    "empty": ("audit", "empty.csv", "-s", "illness", "-p", "city"),
    "ragged": ("audit", "ragged.csv", "-s", "illness", "-p", "city"),
    "latin": ("audit", "latin.csv", "-s", "illness", "-p", "city"),
    "twice": ("audit", "twice.csv", "-s", "illness", "-p", "city"),
    "constant": ("audit", "constant.csv", "-s", "illness", "-p", "city"),
    "damaged mechanism": ("verify", "people.csv", "people.csv"),
    "no mechanism": ("apply", "nowhere.json", "people.csv", "-o", "new.csv"),
    "unknown ending": ("apply", "nowhere.json", "people.csv", "-o", "new.xlsx"),
    "unknown command": ("protekt",),
    "utf-16": ("audit", "utf16.csv", "-s", "illness", "-p", "city"),
    "empty key": ("audit", "key.jsonl", "-s", "illness", "-p", "city"),
    **{
        f"bin {width}": ("protect", "people.csv", *PROTECT, "--bin", f"age={width}", "-o", "out")
        for width in ("1e400", "inf", "-inf", "nan", "1e308", "1e-320", "0", "1" + "0" * 5000)
    },
    "bin of huge": ("audit", "huge.csv", "-s", "illness", "-p", "age", "--bin", "age=10"),
    "bin of infinite": ("audit", "infinite.csv", "-s", "illness", "-p", "age", "--bin", "age=10"),
}


@pytest.mark.parametrize("arguments", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_exit_2_and_nothing_written(arguments, table, monkeypatch):
    folder = table.parent
    monkeypatch.chdir(folder)
    (folder / "header.csv").write_text("city,illness\n")
    (folder / "empty.csv").write_text("")
    (folder / "ragged.csv").write_text("city,illness\na,b\na,b,c,d\n")
    (folder / "latin.csv").write_bytes("city,illness\nZürich,flu\nBern,cold\n".encode("latin-1"))
    (folder / "twice.csv").write_text("city,city,illness\na,b,c\nd,e,f\n")
    (folder / "constant.csv").write_text("city,illness\na,x\nb,x\n")
    (folder / "utf16.csv").write_text(CSV, "utf-16")
    (folder / "key.jsonl").write_text('{"": 1, "city": "a", "illness": 0}\n')
    (folder / "huge.csv").write_text(f"age,illness\n{-(2**63)},a\n1,b\n")
    (folder / "infinite.csv").write_text("age,illness\n1e999,a\n1,b\n")
    (folder / "taken").mkdir()
    (folder / "taken" / "thesis.txt").write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    [line] = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(line) > 20
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


NOWHERE = {
    "table of audit": ("audit", "loop.csv", *COLUMNS),
    "table of protect": ("protect", "loop.csv", *PROTECT, "-o", "new"),
    "table of frontier": ("frontier", "loop.csv", *COLUMNS, "-o", "new"),
    "table of apply": ("apply", "out/mechanism.json", "loop.csv", "-o", "new.csv"),
    "table of verify": ("verify", "out/mechanism.json", "loop.csv"),
    "mechanism of apply": ("apply", "loop.csv", "people.csv", "-o", "new.csv"),
    "mechanism of verify": ("verify", "loop.csv", "people.csv"),
    "output of protect": ("protect", "people.csv", *PROTECT, "-o", "loop"),
    "output inside": ("protect", "people.csv", *PROTECT, "-o", "loop/out"),
    "output of frontier": ("frontier", "people.csv", *COLUMNS, "-o", "loop"),
    "output of apply": ("apply", "out/mechanism.json", "people.csv", "-o", "loop.csv"),
    "output of audit": ("audit", "people.csv", *COLUMNS, "--report", "loop.csv"),
    "output of reproduce": ("reproduce", "--draws", "2", "-o", "loop"),
    "output of demo": ("demo", "-o", "loop"),
}


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
@pytest.mark.parametrize("command", NOWHERE.values(), ids=NOWHERE.keys())
def test_a_loop_of_links_is_one_line_and_exit_2(command, force, release, monkeypatch):
    folder = release.parent
    monkeypatch.chdir(folder)
    for name in ("loop", "loop.csv"):
        (folder / name).symlink_to(folder / name)
    before = sorted(folder.rglob("*"))
    result = run(*command, *(() if command[0] == "verify" else force))
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    [line] = result.stderr.splitlines()
    assert line.startswith("Error: loop")
    assert sorted(folder.rglob("*")) == before
    assert (folder / "loop").is_symlink()
    assert (folder / "loop.csv").is_symlink()


@pytest.mark.parametrize("name", ["/dev/stdin", "pipe.csv"])
@pytest.mark.parametrize("command", ["audit", "protect"])
def test_a_pipe_as_table_is_one_line_that_says_to_save_it(command, name, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    options = ("-o", "out", "--eps", "1") if command == "protect" else ()
    done = subprocess.run(
        [*COMMAND, command, name, *COLUMNS, *options],
        input=CSV,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"Error: {name} is a pipe or a device, which cannot be read twice: save")


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
    strange.write_text(CSV.replace("city", "[/b]", 1), "utf-8")
    result = run(
        "protect",
        strange,
        "-s",
        "illness",
        "-p",
        "age",
        "--eps",
        "2",
        "--keep",
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
    assert len(list((tmp_path / "out").iterdir())) == 4
    assert run("verify", tmp_path / "out" / "mechanism.json", table).exit_code == 0


BUSY = {
    "protect": (pipeline, "protect", ("protect", "people.csv", *PROTECT, "-o", "mine")),
    "frontier": (pipeline, "sweep", ("frontier", "people.csv", *COLUMNS, "-o", "mine")),
    "reproduce": (reproduction, "reproduce", ("reproduce", "--draws", "2", "-o", "mine")),
    "audit": (pipeline, "audit", ("audit", "people.csv", *COLUMNS, "--report", "mine.html")),
    "apply": (reuse, "apply", ("apply", "out/mechanism.json", "people.csv", "-o", "mine.csv")),
}


@pytest.mark.parametrize(("module", "name", "command"), BUSY.values(), ids=BUSY.keys())
def test_an_output_that_appears_during_the_work_is_not_replaced(
    module, name, command, release, monkeypatch
):
    monkeypatch.chdir(release.parent)
    works, target = getattr(module, name), Path(command[-1])

    def meanwhile(*arguments, **options):
        target.touch() if target.suffix else target.mkdir()
        return works(*arguments, **options)

    monkeypatch.setattr(module, name, meanwhile)
    result = run(*command)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert (
        f"Error: {target} exists already: choose another place, or pass --force\n" in result.stderr
    )
    left = [path.read_bytes() for path in (target.iterdir() if target.is_dir() else [target])]
    assert left == ([] if target.is_dir() else [b""])


COMMAND = [sys.executable, "-c", "from loglift.cli import main\nmain()"]
IMPORTING = 'File "<string>", line 1'  # where a traceback begins before the command has begun


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_kill_at_any_moment_leaves_no_output_or_a_whole_one(table, tmp_path, number):
    out = tmp_path / "out"
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
            assert len(list(out.iterdir())) == 4
            assert run("verify", out / "mechanism.json", table).exit_code == 0
        if number != signal.SIGKILL and IMPORTING not in error:
            assert "Traceback" not in error
            visible = [
                path for path in tmp_path.iterdir() if path.name not in ("out", "people.csv")
            ]
            assert visible == []
    assert table.read_text("utf-8") == CSV


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


@pytest.mark.parametrize("command", ["audit", "protect", "apply", "verify", "demo"])
def test_help_has_an_example(command):
    assert f"loglift {command}" in run(command, "--help").stdout


def test_values_cannot_command_a_terminal(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "\x1b[31mred,a\n[bold]b,b\n" * 5)
    result = run("audit", path, "-s", "s", "-p", "x")
    assert "\x1b" not in result.stdout
    assert "[bold]b" in result.stdout


def test_the_report_escapes_values(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "<script>alert(1)</script>,a\nb,b\nb,a\n" * 5)
    result = run("protect", path, "-s", "s", "-p", "x", "--eps", "5", "-o", tmp_path / "o")
    assert result.exit_code == 0, result.output
    assert "<script>alert" not in Path(tmp_path / "o" / "report.html").read_text()
