"""Pages that are made from other files: notebooks, the citation, formulas."""

from __future__ import annotations

import json

import pytest

from tool_modules import load

SPEC = {
    "data": {"values": [{"x": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "x", "type": "quantitative"}},
}
CELLS = [
    {"cell_type": "markdown", "source": ["# A door\n", "\n", "Some words."]},
    {"cell_type": "code", "source": "print(1)", "outputs": [{"text": ["1\n"]}]},
    {
        "cell_type": "code",
        "source": "table",
        "outputs": [{"data": {"text/html": "<b>a</b>\n\n<i>b</i>", "text/plain": "no"}}],
    },
    {
        "cell_type": "code",
        "source": "chart",
        "outputs": [{"data": {"application/vnd.vegalite.v5+json": SPEC, "text/plain": "no"}}],
    },
    {"cell_type": "code", "source": "", "outputs": []},
]


@pytest.fixture(scope="module")
def pages():
    return load("pages")


def test_a_notebook_is_a_page_of_cells_and_outputs(pages, tmp_path):
    path = tmp_path / "door.ipynb"
    path.write_text(json.dumps({"cells": CELLS}), "utf-8")
    text = pages.notebook_page(path)
    assert text.startswith("# A door\n\nSome words.\n\n*[The notebook, to run](door.ipynb)*\n")
    assert "```python\nprint(1)\n```\n\n```text\n1\n```" in text
    assert "<b>a</b>\n<i>b</i></div>" in text  # no blank line: Markdown would end the block there
    assert "<svg" in text
    assert "no" not in text.split("chart")[1].partition("<svg")[0]
    assert pages._title(path) == "A door"  # noqa: SLF001, the heading is its name in the navigation


def test_notebooks_join_the_navigation_when_there_are_some(pages, tmp_path, monkeypatch):
    class Config:
        nav = [{"Home": "index.md"}, {"Start": [{"Install": "install.md"}]}]  # noqa: RUF012

    monkeypatch.setattr(pages, "NOTEBOOKS", tmp_path)
    start = Config.nav[1]["Start"]
    pages.on_config(Config)
    assert len(start) == 1
    (tmp_path / "door.ipynb").write_text(json.dumps({"cells": CELLS}), "utf-8")
    pages.on_config(Config)
    assert start[1:] == [{"Notebooks": [{"A door": "notebooks/door.md"}]}]


def test_the_citation_names_software_and_paper(pages):
    text = pages.cite_page()
    assert "@software{loglift," in text
    assert "Zarrabian, Mohammad Amin and Ding, Ni and Sadeghi, Parastoo" in text
    assert "arXiv:2110.04724" in text


def test_formulas_become_mathml():
    formulas = load("formulas")
    marked = '<p>a <span class="arithmatex">\\(x \\le y\\)</span> b</p>'
    assert "<math" in formulas.on_page_content(marked)
    shown = formulas.on_page_content('<div class="arithmatex">\\[\\frac{1}{2}\\]</div>')
    assert '<div class="formula" tabindex="0"><math' in shown
    assert "<mfrac>" in shown
