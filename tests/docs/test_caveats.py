"""Every place that offers mechanism.json says that the bound does not cover the file."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import loglift
from loglift.cli import main
from loglift.report.page import render
from loglift.report.sentences.guarantee import MECHANISM_NOTE, VALUES_NOTE
from loglift.report.summary import Summary

ROOT = Path(__file__).parents[2]
TEXTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "src").rglob("*.py")),
]
PEOPLE = pd.DataFrame({"town": list("aabbccdd") * 30, "ill": list("yyynynnn") * 30})


def words(text):
    return " ".join(text.split())


def test_no_text_says_that_a_mechanism_may_be_published():
    said = [
        (path.name, sentence)
        for path in TEXTS
        for sentence in re.split(r"[.:;] ", words(path.read_text("utf-8")))
        if re.search(r"can be published|for publication", sentence)
        and re.search(r"mechanism|to_json|public-report", sentence)
    ]
    assert said == []


@pytest.mark.parametrize(
    "name", ["README.md", "docs/tutorial.md", "docs/tables.md", "docs/report.md"]
)
def test_pages_that_hand_it_out_link_to_what_it_tells(name):
    text = words((ROOT / name).read_text("utf-8"))
    told = [part for part in text.split(". ") if "guarantee.md" in part and "bound" in part]
    assert told, f"{name} does not say that the bound is not on the mechanism"


def test_what_is_printed_names_pages_by_their_titles():
    """Who installed the package has no folder docs/."""
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    for note in (MECHANISM_NOTE, VALUES_NOTE):
        [title] = re.findall(r"see '(.+)' in the documentation", note)
        assert f"- {title}: guarantee.md" in navigation
    for path in (ROOT / "src" / "loglift" / "report").rglob("*.*"):
        if path.suffix in (".py", ".html"):
            assert not re.search(r"\b[a-z-]+\.md\b", path.read_text("utf-8")), path


def test_the_help_of_protect_says_so():
    text = words(CliRunner().invoke(main, ["protect", "--help"]).output)
    assert "eps does not bound what it tells" in text
    assert "Never publish the mechanism.json of a randomized release" in text


@pytest.mark.parametrize("method", ["search", "randomized"])
def test_terminal_and_reports_say_so(tmp_path, method):
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    chosen = ["-s", "ill", "-p", "town", "--eps", "0.3", "--method", method]
    command = ["protect", str(tmp_path / "people.csv"), *chosen, "-o", str(tmp_path / "out")]
    said = CliRunner().invoke(main, command)
    assert said.exit_code == 0, said.output
    note = (
        "Never publish it" if method == "randomized" else "What mechanism.json tells is not bounded"
    )
    assert note in words(said.output)
    result = loglift.protect(PEOPLE, sensitive="ill", public="town", eps=0.3, method=method)
    public = render(Summary.of_mechanism(result.mechanism))
    for page in (render(result.summary), public):
        assert note in words(unescape(page))
    assert "not on what this page tells" in unescape(public)
