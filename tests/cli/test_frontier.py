"""`frontier`, and `protect --keep-information`, as a custodian meets them."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

from loglift.cli import main

CSV = "job,city,ill\n" + "".join(
    f"J{i % 7},C{i % 3},{'yes' if (i * i + i % 7) % 5 < 2 else 'no'}\n" for i in range(420)
)
COLUMNS = ["-s", "ill", "-p", "job", "-p", "city"]


def run(*arguments, **environment):
    return CliRunner(env=environment).invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people[b].csv"
    path.write_text(CSV, "utf-8")
    return path


def test_it_prints_bars_and_writes_every_form(table, tmp_path):
    out = tmp_path / "frontier"
    chosen = ["--eps", "0.1:0.5:0.2", "--methods", "search,greedy", "--keep", "0.8", "-o", out]
    done = run("frontier", table, *COLUMNS, *chosen)
    assert done.exit_code == 0, done.output
    assert "people[b].csv: information kept" in done.stdout.replace("\n", "")
    assert "█" in done.stdout
    assert "is the least found with search that keeps 80.0 %" in " ".join(done.stdout.split())
    assert sorted(path.name for path in out.iterdir()) == [
        "frontier.csv",
        "frontier.html",
        "frontier.json",
        "frontier.png",
        "frontier.svg",
    ]
    document = json.loads((out / "frontier.json").read_text("utf-8"))
    assert [p["eps"] for p in document["points"]] == [0.1, 0.3, 0.5] * 2
    assert document["least_eps"]["kept"] >= 0.8
    with (out / "frontier.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6
    assert (out / "frontier.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "frontier.svg").read_text("utf-8")
    page = (out / "frontier.html").read_text("utf-8")
    assert f"{100 * document['points'][0]['kept']:.1f} %" in page
    assert run("frontier", table, *COLUMNS, "-o", out).exit_code == 2


def test_json_is_one_object_and_keep_alone_does_not_sweep(table):
    document = json.loads(run("frontier", table, *COLUMNS, "--keep", "0.7", "--json").stdout)
    assert set(document) == {"least_eps"}
    swept = json.loads(run("frontier", table, *COLUMNS, "--eps", "1", "--json").stdout)
    assert "least_eps" not in swept
    assert len(swept["points"]) == 1


def test_protect_uses_the_eps_that_frontier_finds(table, tmp_path):
    found = json.loads(run("frontier", table, *COLUMNS, "--keep", "0.8", "--json").stdout)
    done = run(
        "protect", table, *COLUMNS, "--keep-information", "0.8", "-o", tmp_path / "o", "--json"
    )
    same = run("protect", table, *COLUMNS, "--keep", "0.8", "-o", tmp_path / "p", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(same.stdout)["bound"] == json.loads(done.stdout)["bound"]
    summary = json.loads(done.stdout)
    assert summary["bound"] == {
        "lower": found["least_eps"]["eps"],
        "upper": found["least_eps"]["eps"],
    }
    assert summary["information_kept"] >= 0.8
    assert summary["holds"] is True


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--keep-information", "0.8", "--eps", "1"], 2, "not both"),
        (["--keep-information", "90"], 2, "at most 1"),
        (["--keep", "90"], 2, "at most 1"),
        (["--keep", "0.9", "--eps", "1"], 2, "0.9"),
        (["--keep-information", "1", "-p", "ill2"], 2, "ill2"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    table, tmp_path, options, code, words
):
    done = run("protect", table, *COLUMNS, *options, "-o", tmp_path / "o")
    assert done.exit_code == code
    assert words in done.stderr
    assert not (tmp_path / "o").exists()


def test_a_share_that_no_eps_keeps_exits_3(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "a,u\n" * 5 + "b,u\nb,v\n" * 5, "utf-8")
    done = run("frontier", path, "-s", "s", "-p", "x", "--keep", "1")
    assert done.exit_code == 3
    assert "--upper" in done.stderr
    assert run("frontier", path, "-s", "s", "-p", "x", "--methods", "best").exit_code == 2
    assert run("frontier", path, "-s", "s", "-p", "x", "--eps", "x").exit_code == 2


def test_tables_fit_the_width_and_colours_stay_on_terminals(table):
    for width in (60, 100):
        done = run("frontier", table, *COLUMNS, "--eps", "0.5,1", COLUMNS=str(width))
        assert max(map(len, done.stdout.splitlines())) <= width
        assert "\x1b" not in done.stdout
    plain = run("frontier", table, *COLUMNS, "--eps", "1", FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[3" not in plain.stdout


def test_apply_and_demo_speak_json(table, tmp_path):
    made = run("protect", table, *COLUMNS, "--eps", "1", "-o", tmp_path / "o", "--json")
    assert made.exit_code == 0
    done = run(
        "apply", tmp_path / "o" / "mechanism.json", table, "-o", tmp_path / "a.csv", "--json"
    )
    document = {"output": str(tmp_path / "a.csv"), "unseen": "refuse", "unseen_records": 0}
    assert json.loads(done.stdout) == document
    demo = run("demo", "-o", tmp_path / "demo", "--json")
    assert json.loads(demo.stdout)["holds"] is True
