"""`loglift evaluate`: what is printed and written, and what is refused."""

from __future__ import annotations

import builtins
import json

import pytest

from cli.running import PEOPLE, RANDOMIZED, run


@pytest.fixture
def passed(table, tmp_path):
    """A release in which a column passes through."""
    columns = ("-s", "illness", "-p", "age", "--eps", "0.8", "--passthrough", "city")
    done = run("protect", table, *columns, "-o", tmp_path / "passed")
    assert done.exit_code == 0, done.output
    return tmp_path / "passed"


def test_it_prints_every_sheet_and_what_they_come_to(table, passed):
    done = run("evaluate", table, passed)
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    titles = ("Columns", "Pairs of columns", "Count queries", "Models", "Guessing illness")
    assert all(title in said for title in titles)
    assert "What the mechanism tells about illness" in said
    assert "What readers can do." in said
    assert "What an attacker can: within the bound." in said
    assert "city: AUC" in said
    assert done.stderr == ""


def test_json_is_one_object_with_the_same_sentences(table, passed):
    document = json.loads(run("evaluate", table, passed, "--json").stdout)
    assert document["public"] == ["age"]
    assert document["passthrough"] == ["city"]
    assert document["attacks"][0]["counting"]["outside"]["released"] == 0
    first, second = document["statements"]
    assert first["headline"] == "What readers can do."
    printed = " ".join(run("evaluate", table, passed).stdout.split())
    assert second["text"] in printed
    seeded = json.loads(run("evaluate", table, passed, "--json", "--seed", "3").stdout)
    assert seeded["seed"] == 3
    assert seeded["pairs"] != document["pairs"]


def test_for_names_columns_to_predict(passed, tmp_path):
    (tmp_path / "more.csv").write_text(
        "".join(
            f"{line},{'wide' if i == 0 else i % 3}\n" for i, line in enumerate(PEOPLE.splitlines())
        )
    )
    more = tmp_path / "more.csv"
    done = run("evaluate", more, passed, "--for", "wide", "--json")
    assert [model["target"] for model in json.loads(done.stdout)["models"]] == ["city", "wide"]
    refused = run("evaluate", more, passed, "--for", "illness")
    assert refused.exit_code == 2
    assert "the purpose (--for) 'illness' is sensitive" in refused.stderr


def test_a_report_is_written_once_unless_forced(table, passed, tmp_path):
    page = tmp_path / "pages" / "evaluation.html"
    done = run("evaluate", table, passed, "--report", page)
    assert done.exit_code == 0
    assert f"Written to {page}." in done.stdout.replace("\n", "")
    text = page.read_text("utf-8")
    assert "Guessing illness" in text
    again = run("evaluate", table, passed, "--report", page)
    assert again.exit_code == 2
    assert run("evaluate", table, passed, "--report", page, "--force").exit_code == 0
    over = run("evaluate", table, passed, "--report", table, "--force")
    assert over.exit_code == 2
    assert table.read_text() == PEOPLE


def test_a_randomized_release_and_a_mechanism_alone_are_taken(persons, tmp_path):
    run("protect", persons, *RANDOMIZED, "-o", tmp_path / "out")
    done = run("evaluate", persons, tmp_path / "out" / "mechanism.json")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "released as random values" in said
    assert "the attacker knows which released values are on the bound" in said


def test_what_is_wrong_is_said_with_exit_code_2(table, release, tmp_path, monkeypatch):
    nothing = run("evaluate", table, tmp_path)
    assert nothing.exit_code == 2
    assert "has no mechanism.json: give the folder that protect wrote" in nothing.stderr
    assert run("evaluate", tmp_path / "no.csv", release).exit_code == 2
    assert run("evaluate", table, tmp_path / "no").exit_code == 2
    assert run("evaluate", table, release, "--seed", "-1").exit_code == 2
    found = builtins.__import__

    def missing(name, *rest, **options):
        if name == "sklearn":
            raise ImportError(name)
        return found(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    without = run("evaluate", table, release)
    assert without.exit_code == 2
    assert "pip install 'loglift[evaluate]'" in without.stderr


def test_tables_fit_the_width(table, release):
    for width in (80, 200):
        done = run("evaluate", table, release, COLUMNS=str(width))
        assert done.exit_code == 0
        assert max(map(len, done.stdout.splitlines())) <= width
        assert "illness" in done.stdout


def test_help_has_examples():
    text = run("evaluate", "--help").stdout
    assert "loglift evaluate adult.parquet release" in text
    assert "RELEASE is the directory that 'loglift protect' wrote" in " ".join(text.split())


def test_protect_evaluates_too(table, tmp_path):
    columns = ("-s", "illness", "-p", "age", "--eps", "0.8", "--passthrough", "city")
    done = run("protect", table, *columns, "-o", tmp_path / "out", "--evaluate")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "What an attacker can: within the bound." in said
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "What readers can do with it, and what an attacker can" in page
    chosen = (*columns, "-o", tmp_path / "again", "--evaluate", "--json")
    document = json.loads(run("protect", table, *chosen).stdout)
    alone = json.loads(run("evaluate", table, tmp_path / "out", "--json").stdout)
    del alone["statements"]
    assert document["evaluation"] == alone


def test_an_attacker_may_know_columns_and_read_earlier_releases(table, release, tmp_path):
    earlier = ("-s", "illness", "-p", "city", "--eps", "0.8", "-o", tmp_path / "earlier")
    assert run("protect", table, *earlier).exit_code == 0
    before = tmp_path / "earlier" / "mechanism.json"
    more = ("--known", "city", "--given", before)
    done = run("evaluate", table, release, *more)
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "What readers who know more learn about illness" in said
    # Cells of a table are folded to the width of the screen: the page has the whole name.
    assert "readers of the" in said
    document = json.loads(run("evaluate", table, release, *more, "--json").stdout)
    assert document["known"] == ["city"]
    assert [given["public"] for given in document["given"]] == [["city"]]
    readers = document["attacks"][0]["readers"]
    assert [each["knows"] for each in readers] == [[], ["city"]]
    assert document["attacks"][0]["learning_knowing"]["columns"] == [
        "city",
        "age",
        "earlier release 1",
    ]
    page = tmp_path / "page.html"
    assert run("evaluate", table, release, *more, "--report", page).exit_code == 0
    assert "readers of the earlier release who know city" in page.read_text("utf-8")
    refused = run("evaluate", table, release, "--known", "illness")
    assert refused.exit_code == 2
    assert "which is sensitive: who knows it has nothing left to learn" in refused.stderr
    assert run("evaluate", table, release, "--given", tmp_path / "no.json").exit_code == 2
