"""`loglift reproduce`: the tables, the figures, one JSON object."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import pytest

from cli.running import run
from loglift.paper import promise_study, subset_size
from loglift.paper.subset_size import Setting


def test_json_is_one_object_and_nothing_else():
    result = run("reproduce", "--draws", "20", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["draws"] == 20
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def test_the_tables_name_every_figure_and_the_contradiction():
    result = run("reproduce", "--draws", "20")
    assert result.exit_code == 0
    for text in (
        "Example 1",
        "Table 1",
        "Privacy",
        "NMIL",
        "PUT",
        "contradicts itself",
        "points within",
    ):
        assert text in result.stdout


def test_output_is_written_whole_and_not_replaced_unasked(tmp_path):
    output = tmp_path / "figures"
    first = run("reproduce", "--draws", "20", "-o", str(output))
    assert first.exit_code == 0
    assert f"Written to {output}: figures.html, " in first.stdout
    assert len(list(output.iterdir())) == 8
    assert json.loads((output / "points.json").read_text())["draws"] == 20
    again = run("reproduce", "--draws", "21", "-o", str(output))
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert json.loads((output / "points.json").read_text())["draws"] == 20
    forced = run("reproduce", "--draws", "21", "-o", str(output), "--force")
    assert forced.exit_code == 0
    assert json.loads((output / "points.json").read_text())["draws"] == 21
    assert [path.name for path in tmp_path.iterdir()] == ["figures"]


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


@pytest.fixture
def small(monkeypatch):
    """Let the studies run on small joints and few limits."""
    monkeypatch.setattr(
        subset_size,
        "SETTINGS",
        [Setting(sweep, 6, 3, (1, 6)) for sweep in ("cap", "public", "sensitive")],
    )
    few = {n: replace(each, limits=each.limits[3:4]) for n, each in promise_study.MEASURES.items()}
    monkeypatch.setattr(promise_study, "MEASURES", few)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "recipe"),
    [("subset-size", subset_size.RECIPE), ("promises", promise_study.RECIPE)],
)
def test_a_study_is_printed_and_written(name, recipe, tmp_path):
    asked = ("reproduce", "--study", name, "--draws", 1)
    printed = run(*asked, "-o", tmp_path / "study")
    assert printed.exit_code == 0, printed.output
    assert "1 random joint" in printed.stdout
    assert {path.name for path in (tmp_path / "study").iterdir()} == recipe.files
    again = run(*asked, "--json")
    assert again.stdout.count("\n") == 1
    document = json.loads(again.stdout)
    assert document == json.loads((tmp_path / "study" / "points.json").read_text())
    with (tmp_path / "study" / "points.csv").open() as file:
        assert len(list(csv.DictReader(file))) == len(document["points"])
    assert run(*asked, "-o", tmp_path / "study").exit_code == 2


def test_a_study_takes_no_methods_and_needs_draws():
    refused = run("reproduce", "--study", "promises", "--methods", "greedy")
    assert refused.exit_code == 2
    assert "--methods" in refused.stderr
    assert run("reproduce", "--study", "promises", "--draws", 0).exit_code == 2
    assert run("reproduce", "--study", "magic").exit_code == 2
