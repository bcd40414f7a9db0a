"""`loglift frontier`: what is printed and written, and the least eps that keeps enough."""

from __future__ import annotations

import csv
import json

from cli.running import JOBS_COLUMNS, run


def test_it_prints_bars_and_writes_every_form(jobs, tmp_path):
    out = tmp_path / "frontier"
    chosen = [
        "--eps",
        "0.1:0.5:0.2",
        "--methods",
        "search,greedy",
        "--min-information",
        "0.8",
        "-o",
        out,
    ]
    done = run("frontier", jobs, *JOBS_COLUMNS, *chosen)
    assert done.exit_code == 0, done.output
    assert "█" in done.stdout
    said = " ".join(done.stdout.split())
    title = "people[b].csv: kept of what was asked for"
    assert title.replace(" ", "") in "".join(done.stdout.split())  # a long path breaks anywhere
    asked = "80.0 % of what was asked for (each column and whole rows)."
    assert f"is the least found with search that keeps {asked}" in said
    assert "What is kept is a share of what was asked for (each column and whole rows)." in said
    assert sorted(path.name for path in out.iterdir()) == [
        "frontier.csv",
        "frontier.html",
        "frontier.json",
        "frontier.png",
        "frontier.svg",
    ]
    document = json.loads((out / "frontier.json").read_text("utf-8"))
    assert [p["limit"] for p in document["points"]] == [0.1, 0.3, 0.5] * 2
    assert document["least_eps"]["kept"] >= 0.8
    with (out / "frontier.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 6
    assert (out / "frontier.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "frontier.svg").read_text("utf-8")
    page = (out / "frontier.html").read_text("utf-8")
    assert f"{100 * document['points'][0]['kept']:.1f} %" in page
    assert run("frontier", jobs, *JOBS_COLUMNS, "-o", out).exit_code == 2


def test_json_is_one_object_and_min_information_alone_does_not_sweep(jobs):
    document = json.loads(
        run("frontier", jobs, *JOBS_COLUMNS, "--min-information", "0.7", "--json").stdout
    )
    assert set(document) == {"least_eps", "statements"}
    swept = json.loads(run("frontier", jobs, *JOBS_COLUMNS, "--eps", "1", "--json").stdout)
    assert "least_eps" not in swept
    assert len(swept["points"]) == 1
    assert (swept["goal"], swept["goal_words"]) == ("columns", "each column and whole rows")
    joint = run("frontier", jobs, *JOBS_COLUMNS, "--eps", "1", "--utility", "joint")
    assert "people[b].csv: information kept" in joint.stdout.replace("\n", "")
    assert "asked for" not in joint.stdout
    assert "whole" not in joint.stdout


def test_a_share_that_no_eps_keeps_exits_3(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,s\n" + "a,u\n" * 5 + "b,u\nb,v\n" * 5, "utf-8")
    done = run("frontier", path, "-s", "s", "-p", "x", "--min-information", "1")
    assert done.exit_code == 3
    assert "--upper" in done.stderr
    assert run("frontier", path, "-s", "s", "-p", "x", "--methods", "best").exit_code == 2
    assert run("frontier", path, "-s", "s", "-p", "x", "--eps", "x").exit_code == 2


def test_tables_fit_the_width_and_colours_stay_on_terminals(jobs):
    for width in (60, 100):
        done = run("frontier", jobs, *JOBS_COLUMNS, "--eps", "0.5,1", COLUMNS=str(width))
        assert max(map(len, done.stdout.splitlines())) <= width
        assert "\x1b" not in done.stdout
    plain = run("frontier", jobs, *JOBS_COLUMNS, "--eps", "1", FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[3" not in plain.stdout
